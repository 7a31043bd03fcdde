"""``git asr forget`` and ``git asr compact``: what they print, what goes, what stays, and that it stays so."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.support.companion import REF, bundles, replace, tip, tree_files
from tests.support.entire_repo import EntireRepo, Stored, claude
from tests.support.repo_builder import fsck, git
from tests.support.run import Result, run_cli
from tests.sync.syncing import ONE, TWO, UNITS

CPS = [f"{n:02x}0f6af2363f" for n in range(8)]
DAY = 86_400
ORIGIN = "refs/asr/remotes/origin/sessions"


def work(repo: EntireRepo, number: int, session: str = ONE, length: int = 3) -> Path:
    """A checkpoint, so many days after the first of January."""
    stored = Stored(session, claude(session, UNITS[:length]), created=number * DAY)
    repo.checkpoint(CPS[number], stored)
    repo.commit(CPS[number], when=1_767_225_600 + number * DAY)
    return repo.build()


@pytest.fixture
def repo(tmp_path: Path) -> EntireRepo:
    made = EntireRepo(tmp_path / "r")
    work(made, 0)
    work(made, 2, TWO, 5)
    assert run_cli(["sync"], made.path).status == 0
    return made


def asr(path: Path, *words: str) -> Result:
    ended = run_cli(words, path)
    assert ended.status == 0, ended.err
    return ended


def there(path: Path) -> set[str]:
    """The sessions of which something is in the companion."""
    return {one.manifest["sessions"][0]["session"]["id"] for one in bundles(path) if one.streams}


def test_a_session_goes_and_says_why(repo: EntireRepo) -> None:
    ended = asr(repo.path, "forget", TWO[:6], "--reason", "a key \x1b[31m")
    assert ended.out == f"claude-code {TWO}\n1 session forgotten\n"
    assert "checkpoints hold them still" in ended.err
    (gone,) = [one for one in bundles(repo.path) if not one.streams]
    assert gone.manifest["forgotten"] == {"reason": "a key \x1b[31m", "through": 5}
    assert list(gone.files) == ["bundle.json"]
    shown = run_cli(["show", TWO], repo.path)
    assert shown.status != 0
    assert "\x1b" not in shown.err
    assert TWO[:8] not in asr(repo.path, "sessions").out
    assert "up to date" in asr(repo.path, "sync").out
    fsck(repo.path)


def test_forgotten_again_after_a_kill_before_all_was_done(repo: EntireRepo, tmp_path: Path) -> None:
    """The companion has forgotten it, the caches beside it have not: asked again, they do."""
    for words in (["search", "."], ["log", "--touched", "x"], ["usage"]):
        asr(repo.path, *words)
    state, before = repo.path / ".git" / "asr", tmp_path / "before"
    shutil.copytree(state, before)
    asr(repo.path, "forget", TWO)
    shutil.rmtree(state)
    shutil.copytree(before, state)
    caches = [state / name for name in ("summaries.json", "signatures.sqlite", "usage.sqlite")]
    assert [TWO[:8] in cache.read_text("latin-1") for cache in caches] == [True, True, True]
    assert "was forgotten already" in asr(repo.path, "forget", TWO).out
    assert not any(cache.exists() and TWO[:8] in cache.read_text("latin-1") for cache in caches)


def test_it_stays_forgotten_whatever_is_synced(repo: EntireRepo) -> None:
    asr(repo.path, "forget", TWO)
    work(repo, 3, TWO, 9)
    for words in (["sync"], ["sync", "--full"], ["sync", "--reconvert"], ["sync", "--orphans"]):
        asr(repo.path, *words)
        assert there(repo.path) == {ONE}
    git(repo.path, "config", "asr.exclude", f"session:{TWO}")
    asr(repo.path, "sync")
    git(repo.path, "config", "--unset", "asr.exclude")
    git(repo.path, "update-ref", "-d", "refs/heads/entire/checkpoints/v1")
    asr(repo.path, "sync", "--full")
    assert len(bundles(repo.path)) == 2
    assert there(repo.path) == {ONE}


def test_it_stays_forgotten_when_its_agent_is_known_later(tmp_path: Path) -> None:
    made = EntireRepo(tmp_path / "r")
    made.checkpoint(CPS[0], Stored(ONE, None))
    made.commit(CPS[0])
    asr(made.build(), "sync")
    assert asr(made.path, "forget", ONE).out.startswith("unknown ")
    work(made, 1)
    for words in (["sync"], ["sync", "--full"]):
        asr(made.path, *words)
        assert there(made.path) == set()


def test_nor_does_a_bundle_bring_it_back(repo: EntireRepo, tmp_path: Path) -> None:
    bundle = str(tmp_path / "bundle.tar")
    asr(repo.path, "export", "--all", "-o", bundle)
    asr(repo.path, "forget", TWO)
    ended = run_cli(["import", bundle], repo.path)
    assert "it was forgotten" in ended.err
    assert there(repo.path) == {ONE}


def test_a_merge_with_what_has_it_forgets_it(repo: EntireRepo) -> None:
    git(repo.path, "update-ref", ORIGIN, REF)
    ended = asr(repo.path, "forget", TWO)
    assert f"{ORIGIN} holds them still" in ended.err
    assert git(repo.path, "rev-list", "--parents", "-1", REF).split()[1:] == [
        git(repo.path, "rev-parse", ORIGIN)
    ]
    asr(repo.path, "sync", "--full")
    assert there(repo.path) == {ONE}


def test_before_goes_by_the_newest_checkpoint(repo: EntireRepo) -> None:
    work(repo, 4, ONE, 6)
    asr(repo.path, "sync")
    ended = asr(repo.path, "forget", "--before", "2026-01-04", "--dry-run")
    assert ended.out == f"claude-code {TWO}\n1 session would be forgotten\n"
    assert there(repo.path) == {ONE, TWO}
    said = json.loads(asr(repo.path, "forget", "--before", "2026-01-03T00:00:01+00:00", "--json").out)
    assert said["sessions"] == [{"harness": "claude-code", "id": TWO, "outcome": "forgotten"}]
    assert said["companion"] == tip(repo.path)
    assert said["reason"] == "older than 2026-01-03T00:00:01+00:00"
    again = json.loads(asr(repo.path, "forget", "--before", "2026-01-04", "--json").out)
    assert again["sessions"] == []
    again = json.loads(asr(repo.path, "forget", TWO, "--json").out)
    assert [one["outcome"] for one in again["sessions"]] == ["unchanged"]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ([], "say which sessions"),
        ([ONE, "--before", "2026-01-01"], "say which sessions"),
        (["--before", "yesterday"], "is no date"),
        (["--before", "2026-13-01"], "is no date"),
        (["nothing"], "no session 'nothing'"),
        ([""], "no session ''"),
        ([ONE, "--reason", "x" * 1001], "more than 1,000 characters"),
    ],
)
def test_what_cannot_be_meant_is_refused(repo: EntireRepo, words: list[str], why: str) -> None:
    before = tip(repo.path)
    ended = run_cli(["forget", *words], repo.path)
    assert (ended.status, tip(repo.path)) == (2, before)
    assert why in ended.err


def test_the_beginning_of_two_ids_is_refused(repo: EntireRepo) -> None:
    other = f"{ONE[:-1]}6"
    work(repo, 5, other)
    asr(repo.path, "sync")
    ended = run_cli(["forget", ONE[:8]], repo.path)
    assert ended.status == 2
    assert "may be 2 sessions" in ended.err


def shared(repo: EntireRepo) -> tuple[str, str]:
    """Two commits of the companion that a remote has, the older one first."""
    older = git(repo.path, "rev-parse", REF)
    git(repo.path, "update-ref", ORIGIN, older)
    work(repo, 5, ONE, 7)
    asr(repo.path, "sync")
    git(repo.path, "update-ref", ORIGIN, REF)
    return older, git(repo.path, "rev-parse", REF)


def test_compacting_leaves_the_history_behind_and_nothing_else(repo: EntireRepo) -> None:
    older, newer = shared(repo)
    asr(repo.path, "forget", TWO)
    before = tree_files(repo.path)
    assert "would be left behind" in asr(repo.path, "compact", "--dry-run").out
    said = json.loads(asr(repo.path, "compact", "--json").out)
    assert said["replaced"] == [newer]
    assert git(repo.path, "rev-list", REF) == said["companion"]
    assert tree_files(repo.path) == before
    assert (
        git(repo.path, "log", "-1", "--format=%s", REF) == f"Agent sessions, compacted; in place of {newer}"
    )
    for words in (["sync"], ["sync", "--full"]):
        assert "up to date" in asr(repo.path, *words).out or words[-1] == "--full"
        assert tip(repo.path) == said["companion"]
    assert asr(repo.path, "compact").out == "there is no history to leave behind\n"
    assert older not in git(repo.path, "rev-list", REF)
    fsck(repo.path)


def test_what_is_new_after_it_goes_on_without_the_history(repo: EntireRepo) -> None:
    shared(repo)
    asr(repo.path, "compact")
    compacted = tip(repo.path)
    work(repo, 6, TWO, 8)
    asr(repo.path, "sync")
    assert tip(repo.path) != compacted
    assert git(repo.path, "rev-list", "--count", REF) == "1"
    git(repo.path, "update-ref", ORIGIN, REF)
    work(repo, 7, TWO, 9)
    asr(repo.path, "sync")
    assert git(repo.path, "rev-list", "--parents", "-1", REF).split()[1:] == [
        git(repo.path, "rev-parse", ORIGIN)
    ]
    assert git(repo.path, "log", "-1", "--format=%s", REF) == "Agent sessions"


def test_what_others_push_meanwhile_brings_the_history_back_and_nothing_that_was_forgotten(
    repo: EntireRepo,
) -> None:
    _, newer = shared(repo)
    asr(repo.path, "forget", TWO)
    asr(repo.path, "compact")
    git(
        repo.path,
        "update-ref",
        ORIGIN,
        git(repo.path, "commit-tree", "-m", "x", "-p", newer, f"{newer}^{{tree}}"),
    )
    asr(repo.path, "sync")
    assert newer in git(repo.path, "rev-list", REF)
    assert there(repo.path) == {ONE}


def test_another_clone_goes_on_from_the_compacted_one(repo: EntireRepo, tmp_path: Path) -> None:
    shared(repo)
    other = EntireRepo(tmp_path / "other")
    path = work(other, 1, ONE, 4)
    fetch = ["fetch", "-q", str(repo.path), f"+{REF}:{ORIGIN}"]
    git(path, *fetch)
    asr(path, "sync")
    asr(repo.path, "forget", TWO)
    asr(repo.path, "compact")
    git(path, *fetch)
    asr(path, "sync")
    assert there(path) == {ONE}
    assert git(path, "rev-list", "--count", REF) == "2"
    replace(path, tree_files(repo.path), "refs/asr/remotes/third/sessions")
    asr(path, "sync")
    assert there(path) == {ONE}


def test_there_must_be_something_to_compact(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    assert "nothing is synced yet" in run_cli(["compact"], tmp_path).err
    assert "no session" in run_cli(["forget", ONE], tmp_path).err
