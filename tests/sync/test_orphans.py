"""Sessions of which no commit names a checkpoint."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.e2e.sample_repos import add, checkpoint, session
from tests.support.companion import bundles, tip
from tests.support.entire_repo import EntireRepo, Stored, claude
from tests.support.repo_builder import git
from tests.support.run import run_cli
from tests.sync.syncing import run, units

UNITS = [f"u{number}" for number in range(6)]


def orphan(repo: EntireRepo, number: int, count: int = 2, created: int = 0) -> None:
    """A session that no commit leads to."""
    repo.checkpoint(
        checkpoint(number), Stored(session(number), claude(session(number), UNITS[:count]), created)
    )


@pytest.fixture
def repo(tmp_path: Path) -> EntireRepo:
    built = EntireRepo(tmp_path / "r")
    add(built, 1)
    orphan(built, 2)
    orphan(built, 3)
    built.build()
    return built


def taken(path: Path) -> set[str]:
    return set(units(path))


def test_they_are_taken_where_they_are_wanted(repo: EntireRepo) -> None:
    assert run(repo.path)[0].tally.new == 1
    assert taken(repo.path) == {session(1)}
    outcome, _ = run(repo.path, orphans=True)
    assert (outcome.tally.new, outcome.tally.changed) == (2, 0)
    assert taken(repo.path) == {session(1), session(2), session(3)}
    assert all(not one.links or one.links[0]["type"] for one in bundles(repo.path))
    before = tip(repo.path)
    assert run(repo.path, orphans=True)[0].tally.new == 0
    assert tip(repo.path) == before


@pytest.mark.parametrize("full", [False, True])
def test_what_was_taken_stays_and_grows(repo: EntireRepo, full: bool) -> None:
    run(repo.path, orphans=True)
    orphan(repo, 2, 5, 60)
    orphan(repo, 4)
    run(repo.build(), full=full)
    assert units(repo.path) == {session(1): 3, session(2): 5, session(3): 2}, "no new one is taken"
    run(repo.path, orphans=True)
    assert session(4) in taken(repo.path)


def test_one_that_no_checkpoint_holds_goes(repo: EntireRepo) -> None:
    run(repo.path, orphans=True)
    repo.checkpoint(checkpoint(2), Stored(session(5), claude(session(5), UNITS[:1])))
    run(repo.build())
    assert taken(repo.path) == {session(1), session(3)}
    run(repo.path, orphans=True)
    assert taken(repo.path) == {session(1), session(3), session(5)}


def test_one_that_loses_its_commit_is_no_welcome_orphan(repo: EntireRepo) -> None:
    run(repo.path)
    repo.checkpoint(checkpoint(1), Stored(session(6), claude(session(6), UNITS[:1])))
    repo.checkpoint(checkpoint(7), Stored(session(1), claude(session(1), ["1.0", "1.1", "1.2"])))
    run(repo.build())
    assert taken(repo.path) == {session(6)}


def test_a_commit_that_names_it_makes_it_a_session_like_any(repo: EntireRepo) -> None:
    run(repo.path, orphans=True)
    repo.commit(checkpoint(2))
    outcome, _ = run(repo.build())
    assert (outcome.tally.changed, outcome.links) == (1, 2)


def test_the_key_of_the_configuration_and_the_list(repo: EntireRepo) -> None:
    path = repo.path
    assert run_cli(["sync"], path).status == 0
    ended = run_cli(["sessions", "--orphans"], path)
    assert (ended.status, ended.err) == (
        0,
        "hint: git asr sync --orphans   takes them into the companion ref\n",
    )
    assert ended.out == (
        "agent        session   taken  checkpoints\n"
        "claude-code  00000002  no     000000000002\n"
        "claude-code  00000003  no     000000000003\n"
    )
    git(path, "config", "asr.orphans", "true")
    listed = json.loads(run_cli(["sessions", "--orphans", "--json"], path).out)
    assert listed == {
        "version": 1,
        "orphans": [
            {"harness": "claude-code", "id": session(n), "checkpoints": [checkpoint(n)], "taken": True}
            for n in (2, 3)
        ],
    }
    orphan(repo, 2, 3, 60)
    repo.checkpoint(checkpoint(8), Stored(session(2), claude(session(2), UNITS[:4]), 90))
    repo.build()
    assert "000000000002 and 1 more" in run_cli(["sessions", "--orphans", "-n", "1"], path).out
    assert units(path)[session(2)] == 4
    assert "up to date" in run_cli(["sync"], path).out


def test_none(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    add(repo, 1)
    repo.build()
    ended = run_cli(["sessions", "--orphans"], repo.path)
    assert (ended.status, ended.out) == (0, "")
    assert ended.err == "hint: every session that is here has a commit that names one of its checkpoints\n"


def test_nothing_is_said_of_orphans_before_any_sync(repo: EntireRepo) -> None:
    git(repo.path, "config", "asr.autosync", "false")
    ended = run_cli(["sessions", "--orphans"], repo.path)
    assert (ended.status, ended.out) == (1, "")
    assert ended.err.splitlines()[-2:] == ["error: nothing is synced yet", "hint: git asr sync"]


def test_the_option_takes_them_once(repo: EntireRepo) -> None:
    assert "3 sessions (3 new), 1 link" in run_cli(["sync", "--orphans"], repo.path).out
    assert "up to date: 3 sessions" in run_cli(["sync", "--orphans"], repo.path).out
    assert "up to date: 3 sessions" in run_cli(["sync"], repo.path).out
    git(repo.path, "config", "asr.orphans", "perhaps")
    assert run_cli(["sync"], repo.path).err.startswith("error: asr.orphans is 'perhaps'")


def test_an_accepted_link_makes_it_none(repo: EntireRepo) -> None:
    path = repo.path
    assert run_cli(["sync"], path).status == 0
    assert run_cli(["link", "accept", "main", checkpoint(2)], path).status == 0
    listed = json.loads(run_cli(["sessions", "--orphans", "--json"], path).out)["orphans"]
    assert [one["id"] for one in listed] == [session(3)]
    assert taken(path) == {session(1), session(2)}
    assert run_cli(["link", "remove", "main", checkpoint(2)], path).status == 0
    assert taken(path) == {session(1)}
