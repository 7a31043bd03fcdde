"""Writing objects: IDs, packs, what is left out, and what a failure leaves behind."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from git_asr.errors import AsrError
from git_asr.git import writing
from git_asr.git.backend import open_objects
from git_asr.git.base import FILE, TREE, Objects, Repository, TreeEntry
from git_asr.git.repository import open_repository
from git_asr.git.trees import edit_tree
from git_asr.git.writing import ObjectWriter
from tests.git.conftest import ObjectFormat
from tests.support.repo_builder import RepoBuilder, fsck, git

WHO = ("git-asr", "git-asr@localhost")


class Place:
    def __init__(self, path: Path, object_format: ObjectFormat) -> None:
        self.path = RepoBuilder(path, object_format, bare=True).build()
        self.repo: Repository = open_repository(self.path)

    def stored(self) -> set[str]:
        return set(git(self.path, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)").split())

    def packs(self) -> int:
        return len(list((self.path / "objects" / "pack").glob("*.pack")))


@pytest.fixture(params=["sha1-git", "sha1-libgit2", "sha256-git"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Place, Objects]]:
    object_format, backend = request.param.split("-")
    place = Place(tmp_path / "r", object_format)
    with open_objects(place.repo, backend) as objects:
        yield place, objects


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path / "r", "sha1")


@pytest.fixture
def objects(place: Place) -> Iterator[Objects]:
    with open_objects(place.repo, "git") as objects:
        yield objects


@pytest.mark.parametrize("count", [1, 40, 300])
def test_git_finds_what_was_written(opened: tuple[Place, Objects], count: int) -> None:
    place, objects = opened
    contents = [b"%d\n" % number * (number * 37 % 500) for number in range(count)] + [os.urandom(100_000)]
    with ObjectWriter(place.repo, objects) as writer:
        oids = [writer.blob(content) for content in contents]
        tree = writer.tree(TreeEntry(f"{number}", FILE, oid) for number, oid in enumerate(oids))
        root = writer.tree([TreeEntry("a", TREE, tree), TreeEntry("a.b", FILE, oids[0])])
        first = writer.commit(root, (), "first\n", identity=WHO, when=1_700_000_000)
        second = writer.commit(root, (first,), "größer\n\nbody\n", identity=WHO, when=1_700_000_001)
        assert place.stored() == set()
        assert writer.finish() == len({*oids, tree, root, first, second})
    assert place.stored() == {*oids, tree, root, first, second}
    assert place.packs() == (count > 100)
    assert list(objects.blobs(oids)) == contents
    assert (
        oids
        == [git(place.path, "hash-object", "--stdin", stdin=content) for content in contents[:3]] + oids[3:]
    )
    git(place.path, "update-ref", "refs/asr/sessions", second)
    fsck(place.path)
    log = git(place.path, "log", "--format=%H %P %an <%ae> %aI %cn <%ce> %cI%n%B", second)
    who = "git-asr <git-asr@localhost>"
    assert (
        log.split("\n")[0]
        == f"{second} {first} {who} 2023-11-14T22:13:21+00:00 {who} 2023-11-14T22:13:21+00:00"
    )
    assert log.split("\n")[1:4] == ["größer", "", "body"]


def test_what_is_there_is_left_out(opened: tuple[Place, Objects]) -> None:
    place, objects = opened
    there = git(place.path, "hash-object", "-w", "--stdin", stdin=b"there\n")
    with ObjectWriter(place.repo, objects) as writer:
        assert writer.blob(b"there\n") == there
        assert writer.finish() == 0
        new = writer.blob(b"new\n")
        assert writer.blob(b"new\n") == new
        assert writer.finish() == 1
        assert writer.blob(b"new\n") == new
        assert writer.finish() == 0
        assert writer.blob(b"newer\n") != new
        assert writer.finish() == 1
    with ObjectWriter(place.repo, objects) as writer:
        for content in (b"there\n", b"new\n", b"newer\n"):
            writer.blob(content)
        assert writer.finish() == 0


def test_leaving_without_finish_writes_nothing(
    place: Place, objects: Objects, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "_BATCH_OBJECTS", 3)
    with pytest.raises(ZeroDivisionError), ObjectWriter(place.repo, objects) as writer:
        for number in range(10):
            writer.blob(b"%d" % number)
        raise ZeroDivisionError
    with ObjectWriter(place.repo, objects) as writer:
        writer.blob(b"x")
    assert place.stored() == set()
    assert not list((place.path / "objects" / "pack").iterdir())


@pytest.mark.parametrize(("objects_", "bytes_"), [(1, 1 << 30), (7, 1 << 30), (2000, 5000)])
def test_batches_make_no_difference(
    place: Place, objects: Objects, monkeypatch: pytest.MonkeyPatch, objects_: int, bytes_: int
) -> None:
    monkeypatch.setattr(writing, "_BATCH_OBJECTS", objects_)
    monkeypatch.setattr(writing, "_BATCH_BYTES", bytes_)
    contents = [os.urandom(number * 10) for number in range(150)]
    with ObjectWriter(place.repo, objects) as writer:
        oids = [writer.blob(content) for content in contents]
        assert writer.finish() == 150
    assert list(objects.blobs(oids)) == contents
    fsck(place.path)


def test_a_fault_in_the_thread_comes_out(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Git goes away while a batch is stored aside."""
    monkeypatch.setattr(writing, "_BATCH_OBJECTS", 2)
    monkeypatch.setattr(writing, "_AHEAD", 1)
    with open_objects(place.repo, "git") as objects, ObjectWriter(place.repo, objects) as writer:
        monkeypatch.setenv("PATH", "/nowhere")
        writer.blob(b"1")
        writer.blob(b"2")
        with pytest.raises(AsrError, match="git is not on PATH"):
            writer.finish()
    with open_objects(place.repo, "git") as objects, ObjectWriter(place.repo, objects) as writer:
        writer.blob(b"1")
        writer.blob(b"2")
        writer.blob(b"3")
        with pytest.raises(AsrError, match="git is not on PATH"):
            writer.blob(b"4")
    monkeypatch.undo()
    assert place.stored() == set()


@pytest.mark.parametrize("count", [1, 200])
def test_links_to_nothing_are_refused(place: Place, objects: Objects, count: int) -> None:
    with ObjectWriter(place.repo, objects) as writer:
        for number in range(count):
            writer.blob(b"%d" % number)
        tree = writer.tree([TreeEntry("f", FILE, "1" * 40)])
        with pytest.raises(AsrError, match=r"git (unpack-objects|index-pack): "):
            writer.finish()
    assert tree not in place.stored()
    assert place.packs() == 0


def test_trees_are_sorted_and_read_back(opened: tuple[Place, Objects]) -> None:
    place, objects = opened
    with ObjectWriter(place.repo, objects) as writer:
        blob, empty = writer.blob(b"x"), writer.tree([])
        names = ["b", "a0", "a.b", "a", "\udcff", "ü", "A"]
        entries = [
            TreeEntry(name, TREE if name == "a" else FILE, empty if name == "a" else blob) for name in names
        ]
        tree = writer.tree(entries)
        held = writer.written(tree)
        assert held is not None
        assert writer.written(blob) is None
        writer.finish()
    assert [entry.name for entry in held] == ["A", "a.b", "a", "a0", "b", "ü", "\udcff"]
    assert objects.entries(tree) == held
    assert objects.entries(empty) == ()


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(size=st.one_of(st.integers(0, 70_000), st.sampled_from([15, 16, 2047, 2048, 262143, 262144, 1 << 22])))
def test_sizes_in_packs(place: Place, objects: Objects, size: int) -> None:
    content = os.urandom(size)
    with ObjectWriter(place.repo, objects) as writer:
        oid = writer.blob(content)
        writer.finish()
    assert objects.sizes([oid]) == {oid: size}
    assert objects.blob(oid) == content


def test_too_many_objects(place: Place, objects: Objects, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "MOST", 1)
    with ObjectWriter(place.repo, objects) as writer:
        writer.blob(b"x")
        writer.blob(b"y")
        with pytest.raises(AsrError, match="more new objects than one pack can hold"):
            writer.finish()


def test_the_callers_repository_variables_are_not_followed(
    place: Place, objects: Objects, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a hook: GIT_DIR and a relative index of another repository, an identity, an object directory."""
    other = Place(tmp_path / "other", "sha1")
    for name, value in {
        "GIT_DIR": str(other.path),
        "GIT_INDEX_FILE": ".git/index",
        "GIT_OBJECT_DIRECTORY": str(other.path / "objects"),
        "GIT_AUTHOR_DATE": "2001-01-01T00:00:00Z",
        "GIT_COMMITTER_NAME": "Somebody",
    }.items():
        monkeypatch.setenv(name, value)
    with ObjectWriter(place.repo, objects) as writer:
        tree = edit_tree(objects, writer, None, {"a": (FILE, writer.blob(b"x"))})
        assert tree is not None
        commit = writer.commit(tree, (), "m\n", identity=WHO, when=0)
        assert writer.finish() == 3
    monkeypatch.undo()
    assert commit in place.stored()
    assert other.stored() == set()
    assert (
        git(place.path, "log", "-1", "--format=%an %cn %aI", commit)
        == "git-asr git-asr 1970-01-01T00:00:00+00:00"
    )


def test_killed_between_objects_and_ref(place: Place, objects: Objects) -> None:
    """Nothing is visible until a ref moves, and doing it again is the same."""
    ids = []
    for _ in range(2):
        with ObjectWriter(place.repo, objects) as writer:
            tree = edit_tree(objects, writer, None, {"a": (FILE, writer.blob(b"x"))})
            assert tree is not None
            ids.append(writer.commit(tree, (), "m\n", identity=WHO, when=0))
            writer.finish()
    assert ids[0] == ids[1]
    assert git(place.path, "for-each-ref") == ""
    assert len(place.stored()) == 3


def test_what_another_writer_packed_is_taken_in_once(place: Place, objects: Objects) -> None:
    with (
        tempfile.TemporaryFile() as pack,
        ObjectWriter(place.repo, objects, pack) as other,
        ObjectWriter(place.repo, objects) as writer,
    ):
        ours, both = writer.blob(b"ours"), writer.blob(b"of both")
        theirs = [other.blob(b"of both"), other.blob(b"theirs"), other.blob(b"x" * 70_000)]
        other.settle()
        assert [oid for oid, _ in other.packed] == theirs
        writer.adopt(pack, other.packed)
        assert writer.finish() == 4
    assert set(objects.sizes([ours, both, *theirs]).values()) == {4, 7, 6, 70_000}
