"""A redacted companion and a full one are never mixed, whatever was fetched, by whom, and in which order."""

from __future__ import annotations

from pathlib import Path

import pytest

from git_asr.asr.header import SessionKey
from git_asr.companion.arrivals import REDACTED, merged
from git_asr.companion.forgetting import Forget
from git_asr.companion.merging import merge_trees
from git_asr.companion.names import SESSIONS
from git_asr.companion.signatures import Verifier
from git_asr.companion.store import commit
from git_asr.git.backend import open_objects
from git_asr.git.repository import open_repository
from git_asr.git.writing import ObjectWriter
from git_asr.redaction.policy import default
from git_asr.sharing.pushing import Terms
from git_asr.sync.flow import Options, sync
from tests.e2e.sample_repos import session
from tests.sharing.sides import Told, clone, copied, held, hub, named, pushed, synced
from tests.support.companion import bundles, tip
from tests.support.repo_builder import git

PUBLIC = "refs/asr/remotes/public/sessions"
TRACKED = "refs/asr/remotes/origin/sessions"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """A hub with what a clone pushed, a public repository with what the same clone redacted, and that clone."""
    path = tmp_path_factory.mktemp("made")
    far = hub(path / "hub", 3).path
    a = clone(far, path / "a", 1, 2)
    public = path / "public"
    git(path, "init", "-q", "--bare", str(public))
    pushed(a)
    pushed(a, str(public), Terms(policy=default()))
    return [far, a, public]


@pytest.fixture
def sides(made: list[Path], tmp_path: Path) -> list[Path]:
    return copied(made, tmp_path)


def fetched(path: Path, source: Path, to: str = PUBLIC) -> set[str]:
    """Fetch as plain Git does, and sync; the codes of what was reported."""
    git(path, "fetch", "-q", str(source), f"+{SESSIONS}:{to}")
    told = Told()
    synced(path, told=told)
    return told.codes


def stranger(path: Path) -> Path:
    """A repository that has nothing."""
    git(path.parent, "init", "-q", str(path))
    git(path, "commit", "-q", "--allow-empty", "-m", "nothing")
    return path


def policies(path: Path) -> list[bool]:
    return ["git-asr/redaction" in one.manifest.get("_meta", {}) for one in bundles(path)]


def test_a_full_companion_stays_as_it_is(sides: list[Path]) -> None:
    _, a, public = sides
    before = tip(a)
    assert REDACTED in fetched(a, public)
    assert tip(a) == before
    assert not any(policies(a))
    sync(open_repository(a), Options(full=True), Told())
    assert tip(a) == before
    assert pushed(a).new == before


def test_checkpoints_that_no_sync_saw_are_as_good_as_a_full_one(sides: list[Path]) -> None:
    far, a, public = sides
    git(a, "update-ref", "-d", SESSIONS)
    git(a, "update-ref", "-d", TRACKED)
    assert REDACTED in fetched(a, public)
    assert tip(a) == tip(far)


def test_who_has_redacted_ones_alone_merges_them(sides: list[Path], tmp_path: Path) -> None:
    far, _, public = sides
    other = stranger(tmp_path / "other")
    assert REDACTED not in fetched(other, public)
    assert tip(other) == tip(public)
    assert all(policies(other))
    assert REDACTED in fetched(other, far, TRACKED)
    assert tip(other) == tip(far), "nothing of the redacted one is left behind"
    assert not any(policies(other))


def test_what_was_forgotten_among_redacted_ones_stays_forgotten(sides: list[Path], tmp_path: Path) -> None:
    far, _, public = sides
    other = stranger(tmp_path / "other")
    fetched(other, public)
    forget = Forget((SessionKey("claude-code", session(1)),), "a key")
    sync(open_repository(other), Options(forget=forget), Told())
    fetched(other, far, TRACKED)
    assert held(other) == named(1, 2)
    (gone,) = [one.manifest for one in bundles(other) if "forgotten" in one.manifest]
    assert gone["sessions"][0]["session"]["id"] == session(1)
    assert git(other, "rev-list", "--parents", "-1", SESSIONS).split()[1:] == [tip(far)]


def test_nor_does_a_merge_of_the_two_count_as_one(sides: list[Path]) -> None:
    far, a, public = sides
    git(a, "fetch", "-q", str(public), f"+{SESSIONS}:{PUBLIC}")
    both = sorted([str(tip(far)), str(tip(public))])
    repo = open_repository(a)
    with open_objects(repo, "git") as objects, ObjectWriter(repo, objects) as writer:
        found = merged(repo, objects, writer, both, Told())
        assert (found.commit, found.apart) == (tip(far), (tip(public),))
        tree = merge_trees(objects, writer, *(objects.commit_tree(one) for one in both), Told())
        mixed = commit(writer, str(tree), both, found.date)
        writer.finish()
        assert not Verifier(repo, objects, writer).follows(mixed, both)


def test_only_forgotten_ones_tell_by_their_history(sides: list[Path], tmp_path: Path) -> None:
    _, a, public = sides
    keys = tuple(SessionKey("claude-code", session(number)) for number in (1, 2))
    sync(open_repository(a), Options(forget=Forget(keys, "a key")), Told())
    pushed(a, str(public), Terms(policy=default()))
    before = tip(a)
    assert REDACTED in fetched(a, public)
    assert tip(a) == before
    other = stranger(tmp_path / "other")
    assert REDACTED not in fetched(other, public)
