"""Both backends keep the contract of ``Objects``, and say the same as Git's own commands."""

from __future__ import annotations

import os
import zlib
from pathlib import Path

import pytest

from git_asr.errors import AsrError
from git_asr.git.backend import open_objects
from git_asr.git.base import Backend, ObjectAbsent, Objects, TreeEntry
from git_asr.git.plumbing import PlumbingObjects
from git_asr.git.repository import open_repository
from tests.git.conftest import BIG, NAMES, Sample, git_children, put
from tests.support.repo_builder import RepoBuilder, git

Opened = tuple[Sample, Objects]


def ls_tree(path: Path, tree: str, *options: str) -> list[TreeEntry]:
    entries = []
    for line in git(path, "ls-tree", "-z", *options, tree).split("\0")[:-1]:
        head, _, name = line.partition("\t")
        mode, _, oid = head.split(" ")
        entries.append(TreeEntry(name, int(mode, 8), oid))
    return entries


def absent(sample: Sample) -> str:
    return "1" * sample.repo.hex_length


def test_entries_are_those_of_ls_tree(opened: Opened) -> None:
    sample, objects = opened
    trees = [sample.tree, *(entry.oid for entry in ls_tree(sample.path, sample.tree, "-r", "-d"))]
    assert len(trees) > 4
    for tree in trees:
        assert list(objects.entries(tree)) == ls_tree(sample.path, tree)


def test_a_tree_is_asked_for_twice(opened: Opened) -> None:
    sample, objects = opened
    assert objects.entries(sample.tree) == objects.entries(sample.tree)


def test_lookup(opened: Opened) -> None:
    sample, objects = opened
    for path in NAMES:
        oid = git(sample.path, "rev-parse", f"{sample.first}:{path}")
        entry = objects.lookup(objects.commit_tree(sample.first), path)
        assert entry == TreeEntry(path.rpartition("/")[2], 0o100644, oid)
        assert entry.is_blob
    folder = objects.lookup(sample.tree, "dir/sub")
    assert folder is not None and folder.is_tree
    for path in ("nothing", "a/below-a-file", "dir/nothing/deeper", "", "/a", "a-b/", "a0"):
        assert objects.lookup(sample.tree, path) is None


def test_blob(opened: Opened) -> None:
    sample, objects = opened
    assert objects.blob(sample.oid(f"{sample.first}:big")) == BIG
    assert objects.blob(sample.oid(f"{sample.first}:empty")) == b""
    assert objects.blob(absent(sample)) is None
    assert objects.blob(sample.tree) is None
    assert objects.blob(sample.second) is None


@pytest.mark.parametrize("times", [1, 40])
def test_blobs_come_in_the_order_asked(opened: Opened, times: int) -> None:
    sample, objects = opened
    files = [(entry.oid, entry.name) for entry in ls_tree(sample.path, sample.first, "-r")]
    assert len(files) > 8
    asked = ([oid for oid, _ in files] + [absent(sample), sample.tree, sample.tag]) * times
    contents = [NAMES[name] for _, name in files]
    expected = [content.encode() if isinstance(content, str) else content for content in contents]
    assert list(objects.blobs(iter(asked))) == [*expected, None, None, None] * times
    assert list(objects.blobs(asked[:2])) == expected[:2]
    assert list(objects.blobs([])) == []


def test_other_questions_while_blobs_stream(opened: Opened) -> None:
    sample, objects = opened
    files = [entry.oid for entry in ls_tree(sample.path, sample.first, "-r")]
    for count in (3, len(files)):
        seen = 0
        for content in objects.blobs(files[:count]):
            assert content is not None
            assert objects.commit_tree(sample.second) == sample.tree
            seen += 1
        assert seen == count


def test_sizes(opened: Opened) -> None:
    sample, objects = opened
    big, tag = sample.oid(f"{sample.first}:big"), sample.tag
    sizes = objects.sizes([big, absent(sample), big, sample.tree, tag])
    assert list(sizes) == [big, absent(sample), sample.tree, tag]
    assert sizes[big] == len(BIG)
    assert sizes[absent(sample)] is None
    for oid in (sample.tree, tag):
        assert sizes[oid] == int(git(sample.path, "cat-file", "-s", oid))
    assert objects.sizes([]) == {}


def test_commits(opened: Opened) -> None:
    sample, objects = opened
    for name in (sample.second, sample.tag, sample.nested):
        assert objects.commit(name) == (sample.tree, (sample.first,), 1_700_000_060)
        assert objects.commit_tree(name) == sample.tree
        assert objects.titled(name) == (sample.tree, (sample.first,), "second")
    assert objects.commit(sample.first)[1:] == ((), 1_700_000_000)


def test_what_is_not_there_or_no_commit_or_tree(opened: Opened) -> None:
    sample, objects = opened
    for ask in (objects.entries, objects.commit_tree, objects.commit, lambda oid: objects.lookup(oid, "a")):
        with pytest.raises(ObjectAbsent) as caught:
            ask(absent(sample))
        assert caught.value.oid == absent(sample)
        assert absent(sample) in caught.value.message
    blob = sample.oid(f"{sample.first}:a")
    with pytest.raises(AsrError, match="is a blob, not a tree"):
        objects.entries(blob)
    with pytest.raises(AsrError, match="leads to a tree, not to a commit"):
        objects.commit_tree(sample.tree)


@pytest.mark.parametrize(
    "name", ["HEAD", "", "a" * 39, "A" * 40, "1" * 40 + "\n" + "1" * 40, "--batch", "\udcff"]
)
def test_only_object_ids_reach_git(opened: Opened, name: str) -> None:
    _, objects = opened
    for ask in (
        objects.blob,
        objects.entries,
        lambda oid: list(objects.blobs([oid] * 20)),
        lambda oid: objects.sizes([oid]),
    ):
        with pytest.raises(AsrError, match="no object ID"):
            ask(name)


def test_other_hash_length_is_refused(sha256: Sample) -> None:
    with open_objects(sha256.repo) as objects, pytest.raises(AsrError, match="no object ID"):
        objects.blob("1" * 40)


def test_abandoned_streams_leave_no_process(opened: Opened) -> None:
    sample, objects = opened
    oids = [sample.oid(f"{sample.first}:big")] * 500
    before = len(git_children())
    stream = objects.blobs(oids)
    assert next(stream) == BIG
    assert len(git_children()) == before + 1
    del stream
    assert len(git_children()) == before
    for content in objects.blobs(oids):
        assert content == BIG
        break
    assert len(git_children()) == before
    never_started = objects.blobs(oids)
    del never_started
    assert len(git_children()) == before


def test_closing_leaves_no_process(sha1: Sample, backend: Backend) -> None:
    before = len(git_children())
    with open_objects(sha1.repo, backend) as objects:
        assert objects.commit_tree(sha1.second) == sha1.tree
        assert objects.blob(absent(sha1)) is None
        assert len(git_children()) == before + 1
    assert len(git_children()) == before
    objects.close()


def test_what_is_written_later_is_found(tmp_path: Path, backend: Backend) -> None:
    builder = RepoBuilder(tmp_path / "r", bare=True)
    builder.commit("refs/heads/main", "one\n", {"a": "1\n"})
    path = builder.build()
    git(path, "repack", "-adq")
    with open_objects(open_repository(path), backend) as objects:
        assert objects.blob("1" * 40) is None
        loose = git(path, "hash-object", "-w", "--stdin", stdin=b"later\n")
        assert objects.blob(loose) == b"later\n"
        builder.commit("refs/heads/main", "two\n", {"a": "2\n"})
        builder.build()
        git(path, "repack", "-adq")
        assert objects.blob(git(path, "rev-parse", "main:a")) == b"2\n"


def test_odd_names_and_modes_are_kept(tmp_path: Path, backend: Backend) -> None:
    path = RepoBuilder(tmp_path / "r", bare=True).build()
    blob = git(path, "hash-object", "-w", "--stdin", stdin=b"x")
    raw = bytes.fromhex(blob)
    body = (
        b"100664 \xff\xfe\0"
        + raw
        + b"120000 link\0"
        + raw
        + b"160000 module\0"
        + raw
        + b"100755 run\n\0"
        + raw
    )
    tree = put(path, "tree", body)
    git(path, "update-ref", "refs/tags/t", tree)
    git(path, "repack", "-adq")
    with open_objects(open_repository(path), backend) as objects:
        entries = objects.entries(tree)
        assert [entry.mode for entry in entries] == [0o100664, 0o120000, 0o160000, 0o100755]
        assert [entry.name for entry in entries] == ["\udcff\udcfe", "link", "module", "run\n"]
        assert [entry.is_blob for entry in entries] == [True, False, False, True]
        assert not any(entry.is_tree for entry in entries)
        assert objects.lookup(tree, "\udcff\udcfe") == entries[0]
        assert objects.lookup(tree, "module/x") is None


@pytest.mark.parametrize(
    "body",
    [
        b"100644 a",
        b"100644 a\0short",
        b"100644\0" + b"x" * 20,
        b"888888 a\0" + b"x" * 20,
        b" a\0" + b"x" * 20,
        b"40000 \0" + b"x" * 20,
    ],
)
def test_damaged_trees(tmp_path: Path, backend: Backend, body: bytes) -> None:
    path = RepoBuilder(tmp_path / "r", bare=True).build()
    tree = put(path, "tree", b"100644 fine\0" + b"y" * 20 + body)
    with (
        open_objects(open_repository(path), backend) as objects,
        pytest.raises(AsrError, match=f"tree {tree} is damaged"),
    ):
        objects.entries(tree)


@pytest.mark.parametrize(
    ("header", "when"),
    [
        (b"committer C <c@d> 1700000000 +0100", 1_700_000_000),
        (b"committer C > D <c@d> 17 +0100", 17),
        (b"committer <> 18 +0100", 18),
        (b"committer C <c@d> soon", 0),
        (b"committer C <c@d> -5 +0000", 0),
        (b"", 0),
        (b"committer C <c@d> 99999999999999 +0000", 253402300799),
        (b"committer C <c@d> " + b"9" * 9999 + b" +0000", 253402300799),
    ],
)
def test_odd_committers(tmp_path: Path, backend: Backend, header: bytes, when: int) -> None:
    path = RepoBuilder(tmp_path / "r", bare=True).build()
    tree = git(path, "hash-object", "-w", "-t", "tree", "--stdin")
    body = (
        b"tree "
        + tree.encode()
        + b"\nauthor A <a@b> 1 +0000\n"
        + header
        + b"\n\nmessage\n\ncommitter X <x@y> 5 +0000\n"
    )
    commit = put(path, "commit", body)
    with open_objects(open_repository(path), backend) as objects:
        assert objects.commit(commit) == (tree, (), when)


@pytest.mark.parametrize("body", [b"", b"tree 123\n\n", b"parent " + b"1" * 40 + b"\n"])
def test_damaged_commits(tmp_path: Path, backend: Backend, body: bytes) -> None:
    path = RepoBuilder(tmp_path / "r", bare=True).build()
    commit = put(path, "commit", body)
    with open_objects(open_repository(path), backend) as objects, pytest.raises(AsrError, match="is damaged"):
        objects.commit(commit)


def test_tags_that_lead_nowhere(tmp_path: Path, backend: Backend) -> None:
    path = RepoBuilder(tmp_path / "r", bare=True).build()
    with open_objects(open_repository(path), backend) as objects:
        gone = put(path, "tag", b"object " + b"1" * 40 + b"\ntype commit\ntag x\n\nm\n")
        with pytest.raises(ObjectAbsent, match="1" * 40):
            objects.commit_tree(gone)
        odd = put(path, "tag", b"object nothing\n")
        with pytest.raises(AsrError, match="leads to a tag"):
            objects.commit(odd)
        for _ in range(70):
            gone = put(path, "tag", b"object " + gone.encode() + b"\ntype tag\ntag x\n\nm\n")
        with pytest.raises(AsrError, match="more than 64 tags"):
            objects.commit(gone)


def loose_file(path: Path, oid: str) -> Path:
    file = path / "objects" / oid[:2] / oid[2:]
    file.chmod(0o644)
    return file


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[:1000],
        lambda data: b"no zlib at all" * 10,
        lambda data: data[:1500] + bytes([data[1500] ^ 0xFF]) + data[1501:],
        lambda data: zlib.compress(b"blub 3000\0" + b"x" * 3000),
    ],
    ids=["empty", "cut", "garbage", "flipped", "kind"],
)
def test_damaged_loose_objects(tmp_path: Path, backend: Backend, damage) -> None:  # type: ignore[no-untyped-def]
    path = RepoBuilder(tmp_path / "r", bare=True).build()
    good = git(path, "hash-object", "-w", "--stdin", stdin=b"good\n")
    bad = git(path, "hash-object", "-w", "--stdin", stdin=os.urandom(3000))
    file = loose_file(path, bad)
    file.write_bytes(damage(file.read_bytes()))
    with open_objects(open_repository(path), backend) as objects:
        with pytest.raises(AsrError) as caught:
            objects.blob(bad)
        assert not isinstance(caught.value, ObjectAbsent)
        assert objects.blob(good) == b"good\n"
        with pytest.raises(AsrError):
            objects.entries(bad)
        stream = objects.blobs([good] * 10 + [bad] + [good])
        assert [next(stream) for _ in range(10)] == [b"good\n"] * 10
        with pytest.raises(AsrError):
            next(stream)
        assert objects.sizes([good]) == {good: 5}


def test_damaged_objects_have_no_size(tmp_path: Path, backend: Backend) -> None:
    path = RepoBuilder(tmp_path / "r", bare=True).build()
    bad = git(path, "hash-object", "-w", "--stdin", stdin=b"bad\n")
    with open_objects(open_repository(path), backend) as objects:
        loose_file(path, bad).write_bytes(b"")
        with pytest.raises(AsrError, match=f"{bad} is damaged"):
            objects.sizes([bad])
        loose_file(path, bad).write_bytes(zlib.compress(b"blub 4\0bad\n"))
        with pytest.raises(AsrError, match="git cat-file: invalid object type"):
            objects.sizes([bad])


def test_answers_that_git_does_not_give(sha1: Sample, fake_git: Path) -> None:
    fake_git.write_text("#!/bin/sh\necho what\nexec sleep 600\n")
    with (
        PlumbingObjects(sha1.repo) as objects,
        pytest.raises(AsrError, match="git cat-file: unexpected answer"),
    ):
        objects.blob(sha1.tree)


def test_damaged_pack(tmp_path: Path, backend: Backend) -> None:
    path = RepoBuilder(tmp_path / "r", bare=True).build()
    oids = [git(path, "hash-object", "-w", "--stdin", stdin=os.urandom(3000)) for _ in range(5)]
    git(path, "pack-objects", "objects/pack/pack", stdin="".join(f"{oid}\n" for oid in oids).encode())
    git(path, "prune-packed")
    pack = next((path / "objects" / "pack").glob("*.pack"))
    data = bytearray(pack.read_bytes())
    pack.chmod(0o644)
    data[7000] ^= 0xFF
    data[7001] ^= 0xFF
    pack.write_bytes(data)
    found: list[object] = []
    with open_objects(open_repository(path), backend) as objects:
        for oid in oids:
            try:
                found.append(len(objects.blob(oid) or b""))
            except AsrError as error:
                found.append(error.message.split()[-1])
        assert sorted(map(str, found)) == ["3000"] * 4 + ["corrupt"]
        for oid, size in zip(oids, found, strict=True):
            with pytest.raises(
                AsrError, match="is corrupt" if size == "corrupt" else "is a blob, not a tree"
            ):
                objects.entries(oid)


def test_a_child_that_was_killed_is_an_error_and_then_replaced(sha1: Sample) -> None:
    with PlumbingObjects(sha1.repo) as objects:
        assert objects.commit_tree(sha1.second) == sha1.tree
        child = objects._child
        assert child is not None
        child._process.kill()
        child._process.wait()
        with pytest.raises(AsrError, match="git cat-file: ended by signal 9"):
            objects.blob(absent(sha1))
        assert objects.commit_tree(sha1.second) == sha1.tree


def test_held_trees_are_bounded(tmp_path: Path) -> None:
    builder = RepoBuilder(tmp_path / "r", bare=True)
    for number in range(8):
        builder.commit(
            "refs/heads/main", f"{number}\n", {f"{number}/{number}-{file}": "" for file in range(4000)}
        )
    path = builder.build()
    with open_objects(open_repository(path), "git") as objects:
        assert isinstance(objects, PlumbingObjects)
        for number in range(8):
            assert len(objects.entries(git(path, "rev-parse", f"main:{number}"))) == 4000
        assert sum(map(len, objects._held.values())) == objects._held_entries <= 20_000
