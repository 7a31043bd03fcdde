"""Trees: what differs, what is below, and edits against a plain model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from git_asr.errors import AsrError
from git_asr.git.backend import open_objects
from git_asr.git.base import FILE, TREE, Backend, ObjectAbsent, Objects, TreeEntry
from git_asr.git.notes import note_path
from git_asr.git.repository import open_repository
from git_asr.git.trees import Edit, changed_trees, edit_tree, walk_files
from git_asr.git.writing import ObjectWriter
from tests.git.conftest import Sample, put
from tests.support.repo_builder import RepoBuilder, fsck, git


class Desk:
    """A repository with some blobs, open for reading and writing."""

    def __init__(self, path: Path, object_format: str, backend: Backend) -> None:
        self.path = RepoBuilder(path, object_format, bare=True).build()  # type: ignore[arg-type]
        self.blobs = [
            git(self.path, "hash-object", "-w", "--stdin", stdin=b"%d" % number) for number in range(4)
        ]
        self.repo = open_repository(self.path)
        self.objects = open_objects(self.repo, backend)

    def writer(self) -> ObjectWriter:
        return ObjectWriter(self.repo, self.objects)

    def write(self, files: dict[str, str], root: str | None = None) -> str:
        """The tree of some files (path to blob), stored."""
        with self.writer() as writer:
            tree = edit_tree(self.objects, writer, root, {path: (FILE, oid) for path, oid in files.items()})
            writer.finish()
        assert tree is not None
        return tree


@pytest.fixture(scope="module", params=["sha1-git", "sha1-libgit2", "sha256-git"])
def desk(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    object_format, backend = request.param.split("-")
    desk = Desk(tmp_path_factory.mktemp("desk") / "r", object_format, backend)
    with desk.objects:
        yield desk


names = st.sampled_from(["a", "a.b", "a-b", "a0", "b", "c", "ü"])
paths = st.lists(names, min_size=1, max_size=3).map("/".join)
edits = st.dictionaries(paths, st.one_of(st.none(), st.integers(0, 3)), max_size=8)


class Conflict(Exception):
    """Something is set below a path that is set to a file."""


def model(files: dict[str, int], changes: dict[str, int | None]) -> dict[str, int]:
    """What the files are after the changes: shorter paths first; who comes later wins."""
    result = dict(files)
    for path, value in sorted(changes.items(), key=lambda change: change[0].count("/")):
        if value is not None:
            folders = [path[:at] for at, letter in enumerate(path) if letter == "/"]
            if any(changes.get(folder) is not None for folder in folders):
                raise Conflict
            for folder in folders:
                result.pop(folder, None)
        result = {
            known: kept
            for known, kept in result.items()
            if known != path and not known.startswith(path + "/")
        }
        if value is not None:
            result[path] = value
    return result


def read(objects: Objects, tree: str | None) -> dict[str, str]:
    return {} if tree is None else {path: entry.oid for path, entry in walk_files(objects, tree)}


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(edits, min_size=1, max_size=4), separately=st.booleans())
def test_edits_do_what_a_plain_model_does(
    desk: Desk, steps: list[dict[str, int | None]], separately: bool
) -> None:
    files: dict[str, int] = {}
    root: str | None = None
    writer = desk.writer()
    with writer:
        for step in steps:
            changes: dict[str, Edit] = {
                path: None if value is None else (FILE, desk.blobs[value]) for path, value in step.items()
            }
            try:
                after = model(files, step)
            except Conflict:
                with pytest.raises(AsrError, match="is set to a file, and something is set below it"):
                    edit_tree(desk.objects, writer, root, changes)
                continue
            new = edit_tree(desk.objects, writer, root, changes)
            assert (new == root) == (after == files)
            assert edit_tree(desk.objects, writer, new, changes) == new
            files, root = after, new
            if separately:
                writer.finish()
        writer.finish()
    assert read(desk.objects, root) == {path: desk.blobs[value] for path, value in files.items()}
    assert (root is None) == (files == {})
    if root is not None:
        index = "".join(f"100644 {desk.blobs[value]}\t{path}\0" for path, value in files.items())
        assert git_tree(desk.path, index) == root


def git_tree(path: Path, index: str) -> str:
    """The tree that Git itself writes for an index."""
    (path / "index").unlink(missing_ok=True)
    git(path, "update-index", "-z", "--index-info", stdin=index.encode())
    return git(path, "write-tree")


def test_every_tree_that_was_written_is_sound(desk: Desk) -> None:
    tree = desk.write(
        {"a/b": desk.blobs[0], "a.b": desk.blobs[1], "a0/x/y/z": desk.blobs[2], "a-b/c": desk.blobs[1]}
    )
    assert [entry.name for entry in desk.objects.entries(tree)] == ["a-b", "a.b", "a", "a0"]
    fsck(desk.path)


def test_modes_and_whole_trees(desk: Desk) -> None:
    inner = desk.write({"x": desk.blobs[0], "y/z": desk.blobs[1]})
    with desk.writer() as writer:
        tree = edit_tree(
            desk.objects,
            writer,
            None,
            {
                "whole": (TREE, inner),
                "whole/y/z": (0o100755, desk.blobs[2]),
                "link": (0o120000, desk.blobs[3]),
            },
        )
        assert tree is not None
        assert writer.finish() == 3
    assert {path: (entry.mode, entry.oid) for path, entry in walk_files(desk.objects, tree)} == {
        "whole/x": (FILE, desk.blobs[0]),
        "whole/y/z": (0o100755, desk.blobs[2]),
        "link": (0o120000, desk.blobs[3]),
    }
    with desk.writer() as writer:
        assert edit_tree(desk.objects, writer, tree, {"whole/y/z": (0o100755, desk.blobs[2])}) == tree
        assert edit_tree(desk.objects, writer, tree, {"whole": None, "link": None}) is None
        only_x = edit_tree(
            desk.objects, writer, tree, {"whole": None, "whole/x": (FILE, desk.blobs[1]), "link": None}
        )
        assert only_x is not None
        writer.finish()
    assert read(desk.objects, only_x) == {"whole/x": desk.blobs[1]}


def test_trees_that_are_not_touched_are_not_read(desk: Desk) -> None:
    """The subtree beside the change may even be absent."""
    absent = "1" * desk.repo.hex_length
    raw = bytes.fromhex(absent)
    root = put(desk.path, "tree", b"40000 absent\0" + raw)
    with desk.writer() as writer:
        new = edit_tree(desk.objects, writer, root, {"file": (FILE, desk.blobs[0])})
        assert new is not None
        assert writer.written(new) == (
            TreeEntry("absent", TREE, absent),
            TreeEntry("file", FILE, desk.blobs[0]),
        )
        with pytest.raises(ObjectAbsent):
            edit_tree(desk.objects, writer, root, {"absent/file": (FILE, desk.blobs[0])})
        assert edit_tree(desk.objects, writer, root, {}) == root
        assert edit_tree(desk.objects, writer, None, {}) is None


@pytest.mark.parametrize(
    "path", ["", "/a", "a/", "a//b", ".", "..", "a/../b", ".git", "a/.GIT/config", "a\0b", "/".join("a" * 65)]
)
def test_paths_that_are_none(desk: Desk, path: str) -> None:
    with desk.writer() as writer, pytest.raises(AsrError, match="no path that a tree can hold"):
        edit_tree(desk.objects, writer, None, {path: (FILE, desk.blobs[0])})


def test_what_differs_at_a_depth(desk: Desk) -> None:
    one, two = desk.blobs[:2]
    old = desk.write({"ab/1/f": one, "ab/2/f": one, "cd/3/f": one, "cd/4": one, "ef/5/f": one, "top": one})
    new = desk.write({"ab/1/f": one, "ab/2/f": two, "cd/3": one, "cd/4/f": one, "gh/6/f": one, "ef/5/f": one})

    def at(path: str, tree: str) -> str:
        entry = desk.objects.lookup(tree, path)
        assert entry is not None
        return entry.oid

    assert list(changed_trees(desk.objects, old, new, 2)) == [
        ("ab/2", at("ab/2", old), at("ab/2", new)),
        ("cd/3", at("cd/3", old), None),
        ("cd/4", None, at("cd/4", new)),
        ("gh/6", None, at("gh/6", new)),
    ]
    assert [path for path, _, _ in changed_trees(desk.objects, old, new, 1)] == ["ab", "cd", "gh"]
    assert list(changed_trees(desk.objects, old, new, 3)) == []
    assert list(changed_trees(desk.objects, old, old, 2)) == []
    assert list(changed_trees(desk.objects, None, None, 2)) == []
    assert [path for path, before, _ in changed_trees(desk.objects, None, old, 2) if before is None] == [
        "ab/1",
        "ab/2",
        "cd/3",
        "ef/5",
    ]
    assert [path for path, _, after in changed_trees(desk.objects, old, None, 2) if after is None] == [
        "ab/1",
        "ab/2",
        "cd/3",
        "ef/5",
    ]


def test_equal_subtrees_are_not_read(desk: Desk) -> None:
    raw = bytes.fromhex("1" * desk.repo.hex_length)
    old = put(desk.path, "tree", b"40000 absent\0" + raw)
    new = put(desk.path, "tree", b"40000 absent\0" + raw + b"100644 file\0" + bytes.fromhex(desk.blobs[0]))
    assert list(changed_trees(desk.objects, old, new, 2)) == []
    with pytest.raises(ObjectAbsent):
        list(changed_trees(desk.objects, old, None, 2))


def test_walk_is_that_of_ls_tree(sha1: Sample) -> None:
    with open_objects(sha1.repo) as objects:
        listing = git(sha1.path, "ls-tree", "-r", "-z", sha1.first).split("\0")[:-1]
        found = [
            f"{entry.mode:06o} blob {entry.oid}\t{path}"
            for path, entry in walk_files(objects, objects.commit_tree(sha1.first))
        ]
        assert found == listing


def test_walk_has_limits(desk: Desk) -> None:
    tree = desk.write({"a/b/c": desk.blobs[0], "a/b/d": desk.blobs[0]})
    assert len(list(walk_files(desk.objects, tree, max_depth=3, max_entries=4))) == 2
    with pytest.raises(AsrError, match="nested more than 2 deep"):
        list(walk_files(desk.objects, tree, max_depth=2))
    with pytest.raises(AsrError, match="more than 3 files and folders"):
        list(walk_files(desk.objects, tree, max_entries=3))


@pytest.mark.parametrize("file", [b"", b"100644 f\0"])
def test_a_tree_bomb_goes_off_harmlessly(desk: Desk, file: bytes) -> None:
    """40 trees that each name the next one ten times: 10^40 folders, with files or without."""
    tree = put(desk.path, "tree", file + bytes.fromhex(desk.blobs[0]) if file else b"")
    for _ in range(40):
        raw = bytes.fromhex(tree)
        tree = put(desk.path, "tree", b"".join(b"40000 %d\0%s" % (number, raw) for number in range(10)))
    with pytest.raises(AsrError, match="more than 5000 files and folders"):
        list(walk_files(desk.objects, tree, max_entries=5000))


def test_note_paths() -> None:
    assert note_path("ab" + "c" * 38) == "ab/" + "c" * 38


def test_git_reads_notes_at_note_paths(desk: Desk) -> None:
    with desk.writer() as writer:
        note = writer.blob(b"a note\n")
        tree = edit_tree(desk.objects, writer, None, {note_path(desk.blobs[0]): (FILE, note)})
        assert tree is not None
        commit = writer.commit(tree, (), "notes\n", identity=("n", "n@example.com"), when=1)
        writer.finish()
    git(desk.path, "update-ref", "refs/notes/asr", commit)
    assert git(desk.path, "notes", "--ref=asr", "show", desk.blobs[0]) == "a note"
    git(desk.path, "update-ref", "-d", "refs/notes/asr")
