"""Refs: listed, and moved by compare-and-swap."""

from __future__ import annotations

import multiprocessing
import os
import secrets
import time
from pathlib import Path

import pytest

from git_asr.errors import AsrError
from git_asr.git import refs
from git_asr.git.base import Ref, RefRaced, RefUpdate, Repository
from git_asr.git.refs import is_ancestor, list_refs, read_ref, update_refs
from git_asr.git.repository import open_repository
from tests.git.conftest import ObjectFormat
from tests.support.repo_builder import RepoBuilder, git

SESSIONS = "refs/asr/sessions"
NOTES = "refs/notes/asr"


class Store:
    """A repository with three commits in a row on main, `one` to `three`, and one beside them."""

    def __init__(self, path: Path, object_format: ObjectFormat = "sha1") -> None:
        builder = RepoBuilder(path, object_format)
        marks = [builder.commit("refs/heads/main", f"{number}\n", {"a": str(number)}) for number in range(3)]
        beside = builder.commit("refs/heads/beside", "beside\n", {"b": "1"})
        tag = builder.tag("v1", marks[0])
        builder.build()
        self.path = path
        self.one, self.two, self.three = map(builder.oid, marks)
        self.beside, self.tag = builder.oid(beside), builder.oid(tag)
        self.repo = open_repository(path)

    def now(self, name: str) -> str | None:
        return git(self.path, "rev-parse", "--verify", "--quiet", name, check=False) or None


@pytest.fixture(params=["sha1", "sha256"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    return Store(tmp_path / "r", request.param)


def test_listing(store: Store) -> None:
    git(store.path, "update-ref", "refs/entire/checkpoints/v1", store.one)
    git(store.path, "update-ref", "refs/entire/checkpoints/ab/cdef", store.two)
    git(store.path, "update-ref", "refs/entire/checkpoints-else", store.two)
    every = list_refs(store.repo)
    assert [ref.name for ref in every] == sorted(ref.name for ref in every)
    assert Ref("refs/tags/v1", store.tag) in every
    assert list_refs(store.repo, "refs/entire/checkpoints") == [
        Ref("refs/entire/checkpoints/ab/cdef", store.two),
        Ref("refs/entire/checkpoints/v1", store.one),
    ]
    assert [ref.name for ref in list_refs(store.repo, "refs/heads/main", "refs/tags")] == [
        "refs/heads/main",
        "refs/tags/v1",
    ]
    assert list_refs(store.repo, "refs/nothing") == []
    assert read_ref(store.repo, "refs/heads/main") == store.three
    assert read_ref(store.repo, "refs/heads") is None
    git(store.path, "pack-refs", "--all")
    assert list_refs(store.repo) == every


def test_odd_refs(store: Store) -> None:
    odd = os.fsdecode(b"refs/heads/caf\xe9-\xe5\x90\x8d")
    git(store.path, "update-ref", odd, store.one)
    folder = store.path / ".git" / "refs" / "heads"
    (folder / "garbage").write_text("garbage\n")
    (folder / "absent").write_text("1" * store.repo.hex_length + "\n")
    (folder / "dangling").write_text("ref: refs/heads/nowhere\n")
    (folder / "symbolic").write_text("ref: refs/heads/main\n")
    found = {ref.name: ref.oid for ref in list_refs(store.repo, "refs/heads")}
    assert found.keys() == {
        "refs/heads/main",
        "refs/heads/beside",
        odd,
        "refs/heads/absent",
        "refs/heads/symbolic",
    }
    assert found["refs/heads/symbolic"] == store.three


def test_create_move_delete_verify(store: Store) -> None:
    update_refs(store.repo, [])
    update_refs(store.repo, [RefUpdate(SESSIONS, store.one, None), RefUpdate(NOTES, store.two, None)])
    assert (store.now(SESSIONS), store.now(NOTES)) == (store.one, store.two)
    update_refs(
        store.repo,
        [
            RefUpdate(SESSIONS, store.three, store.one),
            RefUpdate(NOTES, None, store.two),
            RefUpdate("refs/heads/main", store.three, store.three),
            RefUpdate("refs/asr/none", None, None),
        ],
    )
    assert (store.now(SESSIONS), store.now(NOTES)) == (store.three, None)


@pytest.mark.parametrize(
    ("new", "old"),
    [("two", None), ("two", "three"), ("two", "beside"), (None, "two"), ("one", "two"), (None, None)],
)
def test_a_lost_race_changes_nothing(store: Store, new: str | None, old: str | None) -> None:
    """The ref is at ``one`` whatever was expected; the other ref of the transaction stays as well."""
    update_refs(store.repo, [RefUpdate(SESSIONS, store.one, None)])
    lost = RefUpdate(SESSIONS, getattr(store, new) if new else None, getattr(store, old) if old else None)
    for updates in ([lost, RefUpdate(NOTES, store.two, None)], [RefUpdate(NOTES, store.two, None), lost]):
        with pytest.raises(RefRaced):
            update_refs(store.repo, updates)
        assert (store.now(SESSIONS), store.now(NOTES)) == (store.one, None)


def test_a_ref_that_went_away_is_a_lost_race(store: Store) -> None:
    for new in (store.two, None):
        with pytest.raises(RefRaced):
            update_refs(store.repo, [RefUpdate(SESSIONS, new, store.one)])
    assert store.now(SESSIONS) is None


def test_what_git_refuses_is_no_race(store: Store) -> None:
    absent = "1" * store.repo.hex_length
    for bad in (
        RefUpdate(SESSIONS, absent, None),
        RefUpdate("refs/heads/main/below", store.one, None),
        RefUpdate("refs/asr/..", store.one, None),
        RefUpdate(SESSIONS, "nonsense", None),
    ):
        with pytest.raises(AsrError, match="git update-ref: ") as caught:
            update_refs(store.repo, [RefUpdate(NOTES, store.one, None), bad])
        assert not isinstance(caught.value, RefRaced)
        assert store.now(NOTES) is None


def test_no_reflog_unless_the_user_keeps_one(store: Store) -> None:
    logs = store.path / ".git" / "logs" / "refs"
    git(store.path, "config", "core.logAllRefUpdates", "always")
    update_refs(store.repo, [RefUpdate(SESSIONS, store.one, None), RefUpdate(NOTES, store.one, None)], "why")
    assert not (logs / "asr").exists()
    assert not (logs / "notes").exists()
    git(store.path, "update-ref", "--create-reflog", SESSIONS, store.two)
    update_refs(store.repo, [RefUpdate(SESSIONS, store.three, store.two)], "why")
    assert (logs / "asr" / "sessions").read_text().endswith("\twhy\n")


def test_symbolic_refs_are_not_followed(store: Store) -> None:
    git(store.path, "symbolic-ref", SESSIONS, "refs/heads/main")
    update_refs(store.repo, [RefUpdate(SESSIONS, store.one, store.three)])
    assert (store.now(SESSIONS), store.now("refs/heads/main")) == (store.one, store.three)


def test_hooks_may_refuse(store: Store) -> None:
    hook = store.path / ".git" / "hooks" / "reference-transaction"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho no >&2\nexit 1\n")
    hook.chmod(0o755)
    with pytest.raises(AsrError, match="ref updates aborted by hook") as caught:
        update_refs(store.repo, [RefUpdate(SESSIONS, store.one, None)])
    assert not isinstance(caught.value, RefRaced)


def test_a_lock_that_stays(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refs, "PATIENCE", dict.fromkeys(refs.PATIENCE, "50"))
    lock = store.path / ".git" / f"{SESSIONS}.lock"
    lock.parent.mkdir(parents=True)
    lock.touch()
    os.utime(lock, (time.time() - 3600, time.time() - 3600))
    with pytest.raises(AsrError) as caught:
        update_refs(store.repo, [RefUpdate(SESSIONS, store.one, None)])
    assert not isinstance(caught.value, RefRaced)
    assert f"another process holds the lock {lock} (360" in caught.value.message
    assert str(lock) in (caught.value.hint or "")
    assert lock.exists()
    lock.unlink()
    gone = refs.locked(f"Unable to create '{lock}': File exists".encode())
    assert gone is not None
    assert "(gone meanwhile)" in gone.message
    assert refs.locked(b"fatal: something else") is None
    update_refs(store.repo, [RefUpdate(SESSIONS, store.one, None)])


def test_a_lock_that_goes_is_waited_for(store: Store) -> None:
    lock = store.path / ".git" / f"{SESSIONS}.lock"
    lock.parent.mkdir(parents=True)
    lock.touch()
    release = multiprocessing.get_context("spawn").Process(target=_remove_later, args=(lock,))
    release.start()
    update_refs(store.repo, [RefUpdate(SESSIONS, store.one, None)])
    release.join()
    assert store.now(SESSIONS) == store.one


def _remove_later(lock: Path) -> None:
    time.sleep(0.3)
    lock.unlink()


def test_ancestors(store: Store) -> None:
    assert is_ancestor(store.repo, store.one, store.three)
    assert is_ancestor(store.repo, store.one, store.one)
    assert not is_ancestor(store.repo, store.three, store.one)
    assert not is_ancestor(store.repo, store.beside, store.three)
    with pytest.raises(AsrError, match="git merge-base"):
        is_ancestor(store.repo, "1" * store.repo.hex_length, store.one)


def _increment(repo: Repository, times: int) -> None:
    """Add commits to the ref, each on top of what is there: read, build, compare and swap."""
    for _ in range(times):
        while True:
            tip = read_ref(repo, SESSIONS)
            parents = ["-p", tip] if tip else []
            new = git(repo.git_dir, "commit-tree", "-m", secrets.token_hex(8), *parents, "main^{tree}")
            try:
                update_refs(repo, [RefUpdate(SESSIONS, new, tip), RefUpdate(NOTES, new, tip)])
                break
            except RefRaced:
                time.sleep(secrets.randbelow(50) / 1000)


def test_four_writers_lose_nothing(tmp_path: Path) -> None:
    store = Store(tmp_path / "r")
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_increment, args=(store.repo, 40)) for _ in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0, 0, 0, 0]
    assert git(store.path, "rev-list", "--count", SESSIONS) == "160"
    assert store.now(SESSIONS) == store.now(NOTES)
