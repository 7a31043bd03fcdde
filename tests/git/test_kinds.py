"""Repositories that miss objects, borrow them, or share them: partial, shallow, alternates, worktrees, reftable."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from git_asr.git.backend import open_objects
from git_asr.git.base import FILE, Backend, ObjectAbsent, Objects, RefUpdate, Repository
from git_asr.git.history import walk
from git_asr.git.refs import list_refs, update_refs
from git_asr.git.repository import open_repository
from git_asr.git.trees import changed_trees, edit_tree, walk_files
from git_asr.git.writing import ObjectWriter
from tests.git.conftest import ObjectFormat
from tests.support.repo_builder import RepoBuilder, fsck, git

FILES = {f"ab/{number}/full.jsonl": f"{number}\n" * 50 for number in range(12)}
READERS = [("sha1", "git"), ("sha1", "libgit2"), ("sha256", "git")]


@pytest.fixture
def origin(tmp_path: Path, object_format: ObjectFormat) -> Path:
    builder = RepoBuilder(tmp_path / "origin", object_format)
    builder.commit("refs/heads/main", "one\n", FILES)
    builder.commit("refs/heads/main", "two\n", {"ab/3/full.jsonl": "changed\n"})
    path = builder.build(checkout=True)
    git(path, "config", "uploadpack.allowFilter", "true")
    git(path, "config", "uploadpack.allowAnySHA1InWant", "true")
    return path


def stored(path: Path) -> int:
    return len(git(path, "cat-file", "--batch-all-objects", "--batch-check").splitlines())


def write_session(repo: Repository, objects: Objects, root: str | None, count: int = 1) -> str:
    """Write what a sync writes: blobs, trees, a commit, and the ref; give the commit."""
    with ObjectWriter(repo, objects) as writer:
        changes = {
            f"claude-code/{number}/s.jsonl": (FILE, writer.blob(b"%d\n" % number)) for number in range(count)
        }
        tree = edit_tree(objects, writer, root, changes)
        assert tree is not None
        commit = writer.commit(tree, (), "sync\n", identity=("a", "a@b"), when=1)
        assert writer.finish() > count
    update_refs(repo, [RefUpdate("refs/asr/sessions", commit, None)])
    return commit


@pytest.mark.parametrize(("object_format", "backend"), READERS)
@pytest.mark.parametrize("count", [1, 200])
def test_partial_clone(origin: Path, tmp_path: Path, backend: Backend, count: int) -> None:
    """What was promised is absent, the network is not asked, and writing beside it works."""
    git(tmp_path, "clone", "-q", "--no-checkout", "--filter=blob:none", f"file://{origin}", "partial")
    path = tmp_path / "partial"
    git(path, "cat-file", "-e", git(origin, "rev-parse", "main:ab/4/full.jsonl"))  # Git fetches this one
    before = stored(path)
    repo = open_repository(path)
    assert repo.promisor
    with open_objects(repo, backend) as objects:
        tree = objects.commit_tree(git(path, "rev-parse", "origin/main"))
        files = dict(walk_files(objects, tree))
        assert files.keys() == FILES.keys()
        oids = [entry.oid for entry in files.values()]
        contents = list(objects.blobs(oids))
        assert len(contents) == 12
        assert contents.count(None) == 11
        for oid, content in zip(oids, contents, strict=True):
            assert objects.blob(oid) == content
            assert objects.sizes([oid]) == {oid: None if content is None else len(content)}
        assert [
            path
            for path, _, _ in changed_trees(
                objects, objects.commit_tree(git(path, "rev-parse", "origin/main~1")), tree, 2
            )
        ] == ["ab/3"]
        assert len(list(walk(repo, revisions=None, needle=b""))) == 2
        assert stored(path) == before
        commit = write_session(repo, objects, tree, count)
        assert objects.commit(commit)[1:] == ((), 1)
        assert len(dict(walk_files(objects, objects.commit_tree(commit)))) == 12 + count
    assert repo.promisor
    assert [ref.oid for ref in list_refs(repo, "refs/asr")] == [commit]
    fsck(path)


@pytest.mark.parametrize(("object_format", "backend"), READERS)
def test_treeless_clone(origin: Path, tmp_path: Path, backend: Backend) -> None:
    git(tmp_path, "clone", "-q", "--bare", "--filter=tree:0", f"file://{origin}", "treeless")
    path = tmp_path / "treeless"
    before = stored(path)
    with open_objects(open_repository(path), backend) as objects:
        tree = objects.commit_tree(git(path, "rev-parse", "main"))
        for ask in (
            objects.entries,
            lambda tree: objects.lookup(tree, "ab"),
            lambda tree: list(walk_files(objects, tree)),
        ):
            with pytest.raises(ObjectAbsent):
                ask(tree)
    assert stored(path) == before


@pytest.mark.parametrize(("object_format", "backend"), READERS)
def test_shallow_clone(origin: Path, tmp_path: Path, backend: Backend) -> None:
    git(tmp_path, "clone", "-q", "--bare", "--depth=1", f"file://{origin}", "shallow")
    path = tmp_path / "shallow"
    repo = open_repository(path)
    assert repo.shallow
    with open_objects(repo, backend) as objects:
        head = git(path, "rev-parse", "main")
        tree, parents, _ = objects.commit(head)
        assert parents == (git(origin, "rev-parse", "main~1"),)
        with pytest.raises(ObjectAbsent):
            objects.commit(parents[0])
        assert len(list(walk_files(objects, tree))) == 12
        write_session(repo, objects, None)
    fsck(path)


@pytest.mark.parametrize(("object_format", "backend"), READERS)
@pytest.mark.parametrize("packed", [False, True])
def test_borrowed_objects(origin: Path, tmp_path: Path, backend: Backend, packed: bool) -> None:
    if packed:
        git(origin, "repack", "-adq")
    git(tmp_path, "clone", "-q", "--bare", "--shared", str(origin), "borrower")
    path = tmp_path / "borrower"
    assert git(path, "count-objects") == "0 objects, 0 kilobytes"
    repo = open_repository(path)
    with open_objects(repo, backend) as objects:
        tree = objects.commit_tree(git(path, "rev-parse", "main"))
        oids = [entry.oid for _, entry in walk_files(objects, tree)]
        assert None not in list(objects.blobs(oids))
        assert objects.blob(oids[0]) is not None
        with ObjectWriter(repo, objects) as writer:
            writer.blob(objects.blob(oids[0]) or b"")
            assert writer.finish() == 0
        write_session(repo, objects, tree)
    fsck(path)


@pytest.mark.parametrize(("object_format", "backend"), READERS)
def test_linked_worktree(origin: Path, tmp_path: Path, backend: Backend) -> None:
    git(origin, "worktree", "add", "-q", "-b", "side", str(tmp_path / "linked"))
    git(tmp_path / "linked", "commit", "-q", "--allow-empty", "-m", "there")
    repo = open_repository(tmp_path / "linked")
    with open_objects(repo, backend) as objects:
        head = git(tmp_path / "linked", "rev-parse", "HEAD")
        assert objects.commit_tree(head) == git(origin, "rev-parse", "main^{tree}")
        assert [commit.oid for commit in walk(repo, revisions=["HEAD"], needle=b"there")] == [head]
        commit = write_session(repo, objects, None)
    assert git(origin, "rev-parse", "refs/asr/sessions") == commit
    fsck(origin)


@pytest.mark.parametrize("object_format", ["sha1"])
def test_reftable(origin: Path, tmp_path: Path) -> None:
    path = tmp_path / "reftable"
    made = subprocess.run(
        ["git", "clone", "-q", "--bare", "--ref-format=reftable", str(origin), str(path)],
        capture_output=True,
        check=False,
    )
    if made.returncode:
        pytest.skip("this Git knows no reftable")
    repo = open_repository(path)
    with open_objects(repo) as objects:
        commit = write_session(repo, objects, objects.commit_tree(git(path, "rev-parse", "main")))
        assert git(path, "rev-parse", "refs/asr/sessions") == commit
        assert len(list(walk(repo, revisions=None, exclude_refs=["refs/asr/*"], needle=b""))) == 2
    fsck(path)


@pytest.mark.parametrize(("object_format", "backend"), READERS)
def test_repacked_while_open(origin: Path, backend: Backend) -> None:
    with open_objects(open_repository(origin), backend) as objects:
        tree = objects.commit_tree(git(origin, "rev-parse", "main"))
        oids = [entry.oid for _, entry in walk_files(objects, tree)]
        git(origin, "repack", "-adfq")
        first = list(objects.blobs(oids))
        git(origin, "repack", "-adfq", "--depth=0")
        assert [objects.blob(oid) for oid in oids] == first
        assert None not in first
