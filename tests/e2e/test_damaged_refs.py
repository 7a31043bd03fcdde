"""Refs that lead to something else or to nothing: one clear line, nothing half written, and a way back."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.sample_repos import NOTES, SESSIONS, checkpoint, own, repository, session, synced
from tests.support.companion import tip
from tests.support.entire_repo import STORE, Stored, claude
from tests.support.repo_builder import git
from tests.support.run import Result, run_cli

ABSENT = "de" * 20


def point(path: Path, ref: str, oid: str) -> None:
    """Let a ref name anything, as a damaged disk or another tool would."""
    file = path / ".git" / ref
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"{oid}\n")


def blob(path: Path) -> str:
    return git(path, "hash-object", "-w", "--stdin", stdin=b"no commit")


@pytest.mark.parametrize(
    ("target", "said"),
    [
        (blob, "leads to a blob, not to a commit"),
        (lambda _: ABSENT, f"object {ABSENT} is not in this repository"),
        (lambda path: git(path, "rev-parse", f"{STORE}^{{tree}}"), "leads to a tree, not to a commit"),
    ],
    ids=["blob", "absent", "tree"],
)
@pytest.mark.parametrize("known", [False, True], ids=["new", "synced before"])
def test_a_store_that_is_none(
    tmp_path: Path, unsound: set[Path], target: Callable[[Path], str], said: str, known: bool
) -> None:
    path = repository(tmp_path / "r", 2).path
    good = git(path, "rev-parse", STORE)
    if known:
        synced(path)
    companion = tip(path)
    unsound.add(path)
    point(path, STORE, target(path))
    for options, status in (([], 0), (["--strict"], 1)):
        ended = run_cli(["sync", *options], path)
        first, *rest = ended.err.splitlines()
        assert first.startswith(f"warning: {STORE}: object ")
        assert said in first
        assert (ended.status, len(rest)) == (status, 0 if known else 3)
        assert tip(path) == companion
    assert run_cli(["sessions"], path).out.count("\n") == (3 if known else 0)
    point(path, STORE, good)
    unsound.clear()
    assert synced(path).out == (
        "up to date: 2 sessions, 2 links to commits\n"
        if known
        else "2 sessions (2 new), 2 links to commits\n"
    )


def test_a_store_that_is_whole_again_is_no_finding(tmp_path: Path, unsound: set[Path]) -> None:
    path = repository(tmp_path / "r").path
    good = git(path, "rev-parse", STORE)
    synced(path)
    unsound.add(path)
    point(path, STORE, ABSENT)
    assert run_cli(["sync", "--strict"], path).status == 1
    point(path, STORE, good)
    unsound.clear()
    assert run_cli(["sync", "--strict"], path).status == 0


def test_a_store_behind_a_tag(tmp_path: Path, unsound: set[Path]) -> None:
    path = repository(tmp_path / "r", 2).path
    git(path, "tag", "-a", "-m", "a store", "store", STORE)
    git(path, "tag", "-a", "-m", "again", "tagged", "store")
    unsound.add(path)
    point(path, STORE, git(path, "rev-parse", "tagged"))
    assert synced(path) == Result(0, "2 sessions (2 new), 2 links to commits\n", "")


def test_a_store_whose_ref_is_no_object_id(tmp_path: Path, unsound: set[Path]) -> None:
    path = repository(tmp_path / "r").path
    unsound.add(path)
    point(path, STORE, "no object ID")
    ended = synced(path)
    assert ended.out == "0 sessions (1 unresolved checkpoint ID), 0 links to commits\n"
    assert ended.err.endswith(
        "no branch entire/checkpoints/v1, local or fetched, and no refs/entire/checkpoints\n"
    )


def test_a_damaged_tree_in_a_store(tmp_path: Path, unsound: set[Path]) -> None:
    """The checkpoint in it cannot be read; those in other trees can."""
    path = repository(tmp_path / "r", 2).path
    first = f"{checkpoint(1)[:2]}/{checkpoint(1)[2:]}"
    bad = git(path, "hash-object", "-w", "-t", "tree", "--literally", "--stdin", stdin=b"100644 no end")
    assert len(bad) == 40
    listing = git(path, "ls-tree", f"{STORE}:{first[:2]}")
    spoiled = "\n".join(
        line if first[3:] not in line else f"040000 tree {bad}\t{first[3:]}" for line in listing.splitlines()
    )
    shard = git(path, "mktree", "--missing", stdin=f"{spoiled}\n".encode())
    root = git(path, "mktree", "--missing", stdin=f"040000 tree {shard}\t{first[:2]}\n".encode())
    unsound.add(path)
    git(path, "update-ref", STORE, git(path, "commit-tree", "-m", "spoiled", root))
    ended = synced(path)
    assert ended.out == "1 session (1 new), 1 link to commits\n"
    assert ended.err == (
        f"warning: checkpoint {checkpoint(1)}: tree {bad} is damaged\n"
        f"warning: checkpoint {checkpoint(1)}: the checkpoint holds no session\n"
    )


@pytest.mark.parametrize("target", [blob, lambda _: ABSENT], ids=["blob", "absent"])
def test_a_companion_ref_that_is_none(
    tmp_path: Path, unsound: set[Path], target: Callable[[Path], str]
) -> None:
    path = repository(tmp_path / "r").path
    unsound.add(path)
    point(path, SESSIONS, wrong := target(path))
    for arguments in (["sync"], ["sync", "--full"]):
        ended = run_cli(arguments, path)
        first, *hints = ended.err.splitlines()
        assert (ended.status, ended.out) == (1, "")
        assert first.startswith("error: ")
        assert wrong in first
        assert all(hint.startswith("hint: ") for hint in hints)
    assert run_cli(["sessions"], path).status == 1
    logged = run_cli(["log", "--format=%s"], path)
    assert (logged.status, logged.out) == (0, "work\n")
    assert logged.err.startswith("hint: could not sync: ")
    assert own(path)[SESSIONS] == wrong
    (path / ".git" / SESSIONS).unlink()
    unsound.clear()
    assert synced(path).out == "1 session (1 new), 1 link to commits\n"


def test_a_companion_ref_with_a_foreign_tree(tmp_path: Path) -> None:
    """What others put there stays, and hurts nobody."""
    repo = repository(tmp_path / "r")
    shard = bundle_path(session(1)).rpartition("/")[0]
    foreign = (
        "a",
        "h/00/x/other.json",
        "h/00/file",
        "claude-code/file",
        f"{shard}/x/bundle",
        f"{shard}/{'d/' * 30}e",
    )
    repo.builder.commit("refs/heads/odd", "odd\n", dict.fromkeys(foreign, "x"))
    path = repo.build()
    git(path, "update-ref", SESSIONS, "refs/heads/odd")
    assert synced(path).out == "1 session (1 new), 1 link to commits\n"
    now = git(path, "ls-tree", "-r", "--name-only", SESSIONS).splitlines()
    assert [name for name in now if not name.startswith(bundle_path(session(1)))] == sorted(foreign)
    assert len(now) > len(foreign)
    assert run_cli(["sessions"], path).out.count("\n") == 2
    assert synced(path).out == "up to date: 1 session, 1 link to commits\n"


def bundle_path(identifier: str) -> str:
    """Where the companion's tree holds a session of Claude Code."""
    return f"claude-code/{hashlib.sha256(identifier.encode()).hexdigest()[:2]}/{identifier}"


@pytest.mark.parametrize("known", [False, True], ids=["new", "synced before"])
@pytest.mark.parametrize(
    "target",
    [blob, lambda _: ABSENT, lambda path: git(path, "rev-parse", "main^{tree}")],
    ids=["blob", "absent", "tree"],
)
def test_notes_that_are_none_are_made_anew(
    tmp_path: Path, unsound: set[Path], target: Callable[[Path], str], known: bool
) -> None:
    path = repository(tmp_path / "r").path
    synced(path)
    good = own(path)
    if not known:
        git(path, "update-ref", "-d", SESSIONS)
        (path / ".git" / "asr" / "state.sqlite").unlink()
    unsound.add(path)
    point(path, NOTES, target(path))
    logged = run_cli(["log", "--format=%N"], path)
    assert (logged.status, logged.err) == (0, "")
    assert logged.out.startswith("claude-code")
    assert own(path) == good
    unsound.clear()


def test_notes_of_somebody_else_are_made_anew(tmp_path: Path) -> None:
    path = repository(tmp_path / "r").path
    synced(path)
    good = own(path)
    git(path, "notes", "--ref=asr", "add", "-f", "-m", "by hand", "main")
    git(path, "notes", "--ref=asr", "add", "-f", "-m", "of a tree", "main^{tree}")
    assert run_cli(["log", "--format=%N"], path).out.startswith("claude-code")
    assert own(path) == good


def test_a_symbolic_ref_is_not_followed(tmp_path: Path) -> None:
    """No ref but ours moves, even if ours is a symbolic ref to a branch."""
    path = repository(tmp_path / "r").path
    main = git(path, "rev-parse", "main")
    git(path, "symbolic-ref", SESSIONS, "refs/heads/main")
    ended = run_cli(["sync"], path)
    assert git(path, "rev-parse", "main") == main
    assert (ended.status, ended.out) == (1, "")
    assert ended.err == (
        f"error: {SESSIONS} is damaged: it holds 'work.txt', and no sessions\n"
        f"hint: git update-ref -d {SESSIONS}\n"
    )
    assert git(path, "symbolic-ref", SESSIONS) == "refs/heads/main"


def test_a_symbolic_ref_to_sessions_is_replaced(tmp_path: Path) -> None:
    """What it led to stays where it was."""
    repo = repository(tmp_path / "r")
    path = repo.path
    synced(path)
    aside = git(path, "rev-parse", SESSIONS)
    git(path, "update-ref", "refs/heads/aside", aside)
    git(path, "update-ref", "-d", SESSIONS)
    git(path, "symbolic-ref", SESSIONS, "refs/heads/aside")
    repo.checkpoint(checkpoint(2), Stored(session(2), claude(session(2), ["u1"])))
    repo.commit(checkpoint(2))
    repo.build()
    assert synced(path).out == "2 sessions (1 new), 2 links to commits\n"
    assert git(path, "rev-parse", "refs/heads/aside") == aside
    assert git(path, "symbolic-ref", "-q", SESSIONS, check=False) == ""


def test_a_branch_whose_commit_is_absent_is_reported_and_walked_later(
    tmp_path: Path, unsound: set[Path]
) -> None:
    path = repository(tmp_path / "r", 2).path
    good = git(path, "rev-parse", "main")
    packs = list((path / ".git" / "objects" / "pack").iterdir())
    for file in packs:
        file.rename(tmp_path / file.name)
    for file in packs:
        if file.suffix == ".pack":
            git(path, "unpack-objects", "-q", stdin=(tmp_path / file.name).read_bytes())
    loose = path / ".git" / "objects" / good[:2] / good[2:]
    loose.rename(tmp_path / "commit")
    unsound.add(path)
    ended = synced(path)
    assert "refs/heads/main" in ended.err or good in ended.err
    (tmp_path / "commit").rename(loose)
    unsound.clear()
    assert synced(path).out == "2 sessions (2 new), 2 links to commits\n"


def test_a_foreign_lock_on_our_ref(tmp_path: Path) -> None:
    path = repository(tmp_path / "r").path
    lock = path / ".git" / f"{SESSIONS}.lock"
    lock.parent.mkdir(parents=True)
    lock.touch()
    ended = run_cli(["sync"], path)
    assert (ended.status, ended.out) == (1, "")
    first, hint = ended.err.splitlines()
    assert first.startswith(f"error: another process holds the lock {lock} (")
    assert hint == f"hint: if no Git process runs in this repository any more: rm '{lock}'"
    assert own(path) == {}
    assert lock.exists()
    lock.unlink()
    assert synced(path).out == "1 session (1 new), 1 link to commits\n"
