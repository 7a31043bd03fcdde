"""Sharing in clones that do not have everything: partial and shallow ones."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from git_asr.git.repository import open_repository
from git_asr.redaction.policy import default
from git_asr.sharing import target
from git_asr.sharing.fetching import fetch_companion
from git_asr.sharing.listing import quiet
from git_asr.sharing.pushing import Terms
from tests.e2e.sample_repos import SESSIONS, checkpoint
from tests.sharing.sides import clone, held, hub, named, pushed, synced
from tests.support.companion import tip
from tests.support.entire_repo import own_ref
from tests.support.repo_builder import git
from tests.support.run import run_cli


@pytest.fixture
def far(tmp_path: Path) -> Path:
    """A hub with three sessions, of which one is in its companion."""
    path = hub(tmp_path / "hub", 3).path
    git(path, "config", "uploadpack.allowFilter", "true")
    git(path, "config", "uploadpack.allowAnySHA1InWant", "true")
    pushed(clone(path, tmp_path / "a", 1))
    return path


def absent(path: Path, ref: str) -> int:
    """How many objects behind a ref are not here."""
    return git(path, "rev-list", "--objects", "--missing=print", ref).count("?")


def partial(far: Path, to: Path) -> Path:
    git(
        far.parent,
        "clone",
        "-q",
        "--filter=blob:none",
        "--single-branch",
        "-b",
        "main",
        far.as_uri(),
        str(to),
    )
    return to


def test_a_partial_clone_gets_it_whole_only_when_asked(far: Path, tmp_path: Path) -> None:
    path = partial(far, tmp_path / "b")
    repo = open_repository(path)
    where = target.named(repo, "origin")
    found = fetch_companion(repo, where, quiet)
    assert found.new == tip(far)
    assert absent(path, found.tracking) > 0
    fetch_companion(repo, where, quiet, whole=True)
    assert absent(path, found.tracking) == 0
    assert held(path, found.tracking) == named(1)


def test_a_push_from_a_partial_clone_fetches_what_it_compares(far: Path, tmp_path: Path) -> None:
    path = partial(far, tmp_path / "b")
    own = own_ref(checkpoint(2))
    git(path, "fetch", "-q", "--no-filter", "origin", f"{own}:{own}")
    synced(path)
    assert held(path) == named(2)
    assert pushed(path).left_out == ()
    assert held(far) == named(1, 2)
    assert git(far, "rev-list", "--count", SESSIONS) == "2"


def checkpoints(path: Path, *numbers: int) -> Path:
    """Fetch checkpoints, as an ordinary fetch of a partial clone does: without their files."""
    refs = [own_ref(checkpoint(number)) for number in numbers]
    git(path, "fetch", "-q", "origin", *(f"{ref}:{ref}" for ref in refs))
    return path


def test_checkpoints_without_their_files_change_nothing_of_a_session(far: Path, tmp_path: Path) -> None:
    path = checkpoints(partial(far, tmp_path / "b"), 1)
    git(path, "fetch", "-q", "origin", f"{SESSIONS}:refs/asr/remotes/origin/sessions")
    assert run_cli(["sync"], path).status == 0
    assert tip(path) == tip(far)
    assert pushed(path).new == tip(far)
    shutil.rmtree(path / ".git" / "asr")
    git(path, "update-ref", "-d", SESSIONS)
    git(path, "fetch", "-q", "--no-filter", "--refetch", "origin", own_ref(checkpoint(1)))
    assert run_cli(["sync"], path).status == 0
    assert tip(path) == tip(far)


def test_what_a_clone_cannot_read_does_not_go(far: Path, tmp_path: Path) -> None:
    path = checkpoints(partial(far, tmp_path / "b"), 2)
    before = tip(far)
    assert run_cli(["sync"], path).status == 0
    (left,) = pushed(path).left_out
    assert (left.session.id, left.why) == (f"{checkpoint(2)}.0", "its transcript is not here")
    assert tip(far) == before


def test_a_clone_without_trees_is_told_what_to_do(far: Path, tmp_path: Path) -> None:
    path = tmp_path / "b"
    git(tmp_path, "clone", "-q", "--filter=tree:0", "--no-checkout", far.as_uri(), str(path))
    ended = run_cli(["fetch"], path)
    assert tip(path) is None
    assert "hint: git asr fetch --no-filter" in ended.err
    assert run_cli(["fetch", "--no-filter"], path).status == 0
    assert held(path) == named(1)


def test_what_is_redacted_is_fetched_first(far: Path, tmp_path: Path) -> None:
    path = checkpoints(partial(far, tmp_path / "b"), 1)
    git(path, "fetch", "-q", "origin", f"{SESSIONS}:refs/asr/remotes/origin/sessions")
    assert run_cli(["sync"], path).status == 0
    git(tmp_path, "init", "-q", "--bare", "public")
    assert absent(path, SESSIONS) > 0
    assert pushed(path, str(tmp_path / "public"), Terms(policy=default())).left_out == ()
    assert held(tmp_path / "public") == named(1)
    assert absent(path, SESSIONS) == 0


def test_a_shallow_clone_shares_as_any_other(far: Path, tmp_path: Path) -> None:
    path = tmp_path / "b"
    git(tmp_path, "clone", "-q", "--depth=1", "-b", "main", far.as_uri(), str(path))
    own = own_ref(checkpoint(3))
    git(path, "fetch", "-q", "--depth=1", "origin", f"{own}:{own}")
    synced(path)
    assert pushed(path).left_out == ()
    assert held(far) == named(1, 3)
    assert git(path, "rev-parse", "--is-shallow-repository") == "true"
