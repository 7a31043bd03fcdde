"""``git asr sync`` as a user meets it: what it says, how it ends, what it reads of the configuration."""

from __future__ import annotations

import json
import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.sample_repos import add, checkpoint, refs, repository, session
from tests.e2e.soundness import check
from tests.e2e.terminal import run_on_terminal
from tests.support.companion import bundles, tip
from tests.support.entire_repo import EntireRepo, Stored, claude
from tests.support.repo_builder import git
from tests.support.run import run_cli

STORE = "refs/heads/entire/checkpoints/v1"


@pytest.fixture(autouse=True)
def _sound(tmp_path: Path) -> Iterator[None]:
    yield
    check(tmp_path)


NO_STORE = (
    "warning: no checkpoint store in this repository: no branch entire/checkpoints/v1, local or fetched,"
    " and no refs/entire/checkpoints\n"
)


def said(path: Path, *args: str, err: str = "") -> str:
    """What a sync prints, if it goes well and says nothing else on stderr."""
    ended = run_cli(["sync", *args], path)
    assert (ended.status, ended.err) == (0, err)
    return ended.out


def synced(path: Path) -> set[str]:
    """The IDs of all sessions in the companion ref."""
    return {bundle.manifest["sessions"][0]["session"]["id"] for bundle in bundles(path)}


def test_the_summary_line(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.commit()
    assert said(repo.build(), err=NO_STORE) == "0 sessions, 0 links to commits\n"
    add(repo, 1)
    repo.build()
    assert said(repo.path) == "1 session (1 new), 1 link to commits\n"
    assert said(repo.path) == "up to date: 1 session, 1 link to commits\n"
    add(repo, 1, 5)
    add(repo, 2)
    repo.build()
    assert said(repo.path) == "2 sessions (1 new, 1 changed), 3 links to commits\n"
    assert said(repo.path, "--full") == "up to date: 2 sessions, 3 links to commits\n"
    git(repo.path, "config", "asr.exclude", f"session:{session(1)}")
    assert said(repo.path) == "1 session (1 removed, 1 excluded), 1 link to commits\n"
    git(repo.path, "config", "asr.exclude", "session:*")
    assert said(repo.path) == "0 sessions (1 removed, 2 excluded), 0 links to commits\n"
    assert tip(repo.path) is None


def test_a_store_without_sessions_is_named(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.builder.commit(STORE, "an empty store\n")
    repo.commit()
    assert said(repo.build()) == "0 sessions, 0 links to commits\n"


def test_unresolved_ids_are_reported_until_they_appear(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    add(repo, 1)
    mark = repo.commit(checkpoint(2))
    path = repo.build()
    for first in ("1 session (1 new, ", "up to date: 1 session ("):
        ended = run_cli(["sync"], path)
        assert ended.status == 0
        assert ended.out == f"{first}1 unresolved checkpoint ID), 1 link to commits\n"
        assert ended.err == (
            f"warning: no checkpoint {checkpoint(2)} in any store; commit {repo.oid(mark)[:12]} names it\n"
            f"hint: searched: {STORE}\n"
        )
    lines = claude(session(2), ["late"])
    repo.checkpoint(checkpoint(2), Stored(session(2), lines), ref="refs/remotes/up/entire/checkpoints/v1")
    repo.build()
    assert said(path) == "2 sessions (1 new), 2 links to commits\n"
    assert synced(path) == {session(1), session(2)}


def test_of_many_unresolved_ids_a_few_are_named(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.commit(*map(checkpoint, range(1, 9)))
    ended = run_cli(["sync"], repo.build())
    assert ended.out == "0 sessions (8 unresolved checkpoint IDs), 0 links to commits\n"
    lines = ended.err.splitlines()
    assert [line.split()[3] for line in lines[:5]] == [checkpoint(n) for n in range(1, 6)]
    assert lines[5:] == [
        "warning: and 3 more: git asr sync --json lists them",
        NO_STORE.rstrip(),
    ]


def test_json(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    add(repo, 1, metadata={"created_at": "\x1b[2J"})
    repo.checkpoint(checkpoint(2), Stored(session(2), claude(session(2), ["x"]), metadata=b"{"))
    marks = [repo.commit(checkpoint(2), checkpoint(9)), repo.commit(checkpoint(9))]
    path = repo.build()
    warning = f"checkpoint {checkpoint(2)}, 0/metadata.json"
    for turn in range(2):
        ended = run_cli(["sync", "--json"], path)
        assert ended.status == 0
        assert warning in ended.err if turn == 0 else not ended.err
        (finding,) = (found := json.loads(ended.out)).pop("diagnostics")
        assert finding.pop("message").startswith("not JSON")
        assert finding == {"code": "damaged-metadata", "where": warning, "hint": None}
        assert found == {
            "version": 1,
            "companion": tip(path),
            "sessions": 2,
            "links": 2,
            "new": 2 - 2 * turn,
            "changed": 0,
            "removed": 0,
            "excluded": 0,
            "outdated": 0,
            "searched": [STORE],
            "unresolved": [{"checkpoint": checkpoint(9), "commits": sorted(map(repo.oid, marks))}],
            "drift": [],
        }


def test_json_without_anything(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.commit()
    found = json.loads(said(repo.build(), "--json"))
    assert (found["companion"], found["sessions"], found["unresolved"]) == (None, 0, [])


def test_strict_fails_while_an_id_is_unresolved(tmp_path: Path) -> None:
    repo = repository(tmp_path / "r")
    assert run_cli(["sync", "--strict"], repo.path).status == 0
    repo.commit(checkpoint(9))
    repo.build()
    for options in (["--strict"], ["--strict"], ["--strict", "--json"], ["--strict", "--full"]):
        assert run_cli(["sync", *options], repo.path).status == 1
    assert run_cli(["sync"], repo.path).status == 0


def test_strict_fails_while_something_is_wrong_and_says_what(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    add(repo, 1, metadata=b"{")
    path = repo.build()
    first = run_cli(["sync"], path)
    assert (first.status, len(first.err.splitlines())) == (0, 1)
    for _ in range(2):
        ended = run_cli(["sync", "--strict"], path)
        assert (ended.status, ended.err) == (1, first.err)
    later = run_cli(["sync"], path)
    assert (later.status, later.err) == (
        0,
        "hint: 1 earlier finding left: git asr sync --strict says what is wrong\n",
    )
    add(repo, 1)
    repo.build()
    assert run_cli(["sync", "--strict"], path).status == 0


@pytest.mark.parametrize(
    ("revisions", "found"),
    [
        (["main"], {1, 2, 3}),
        (["main~2"], {1}),
        (["main~1..main"], {3}),
        (["^main~1", "main"], {3}),
        (["main~2", "topic"], {1, 4}),
        (["main...topic"], {1, 2, 3, 4}),
        (["v1"], {1, 2}),
        (["--", "topic"], {4}),
        (["main..main"], set()),
    ],
)
def test_revisions(tmp_path: Path, revisions: list[str], found: set[int]) -> None:
    repo = repository(tmp_path / "r", 3)
    repo.checkpoint(checkpoint(4), Stored(session(4), claude(session(4), ["x"])))
    repo.commit(checkpoint(4), ref="refs/heads/topic")
    repo.build()
    git(repo.path, "tag", "-a", "-m", "one", "v1", "main~1")
    said(repo.path, *revisions)
    assert synced(repo.path) == {session(number) for number in found}


def test_what_revisions_left_out_comes_later(tmp_path: Path) -> None:
    path = repository(tmp_path / "r", 3).path
    said(path, "main~2")
    assert said(path) == "3 sessions (2 new), 3 links to commits\n"


@pytest.fixture(scope="module")
def untouched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A repository that no test may change."""
    path = repository(tmp_path_factory.mktemp("untouched") / "r").path
    before = refs(path)
    yield path
    assert refs(path) == before


@pytest.mark.parametrize(
    ("revisions", "message"),
    [
        (["nope"], "unknown revision 'nope'"),
        (["main..nope"], "unknown revision 'main..nope'"),
        (["main", "^nope"], "unknown revision '^nope'"),
        (["0" * 40], f"unknown revision '{'0' * 40}'"),
        ([""], "unknown revision ''"),
        (["a\nb"], "unknown revision 'a^Jb'"),
        (["\x1b[31m"], "unknown revision '?[31m'"),  # Git has made it visible already
        (["main@{upstream}"], "no upstream configured for branch 'main'"),
        (["--", "--all"], "'--all' is no revision"),
        (["--", "-x"], "'-x' is no revision"),
        (["--", "--output=x"], "'--output=x' is no revision"),
        (["--", "--"], "'--' is no revision"),
        (["--all"], "unknown option: --all"),
        (["-x"], "unknown option: -x"),
        (["--output=x"], "unknown option: --output"),
    ],
)
def test_refused_revisions(untouched: Path, revisions: list[str], message: str) -> None:
    ended = run_cli(["sync", *revisions], untouched)
    first, *hints = ended.err.splitlines()
    assert (ended.status, ended.out, first) == (2, "", f"error: {message}")
    assert all(hint.startswith("hint: ") for hint in hints)


def test_an_unborn_branch_is_no_fault(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main", "r")
    assert said(tmp_path / "r", err=NO_STORE) == "0 sessions, 0 links to commits\n"
    assert run_cli(["sync", "HEAD"], tmp_path / "r").status == 2


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("asr.exclude", "secrets/*", "asr.exclude has a value 'secrets/*' of no known kind"),
        ("asr.exclude", "path:", "asr.exclude has a value 'path:' of no known kind"),
        ("asr.backend", "pygit2", "asr.backend is 'pygit2'"),
        ("asr.autosync", "maybe", "asr.autosync is 'maybe'"),
        ("asr.sign", "perhaps", "asr.sign is 'perhaps'"),
        ("asr.requireSigned", "2nd", "asr.requireSigned is '2nd'"),
    ],
)
def test_wrong_settings_are_refused(untouched: Path, key: str, value: str, message: str) -> None:
    env = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": key, "GIT_CONFIG_VALUE_0": value}
    ended = run_cli(["sync"], untouched, env)
    first, hint = ended.err.splitlines()
    assert (ended.status, ended.out, first) == (2, "", f"error: {message}")
    assert hint.startswith(f"hint: git config {'--add ' if key == 'asr.exclude' else ''}{key} ")


def test_exclusions_add_up(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    add(repo, 1, metadata={"files_touched": ["src/a.py", "secrets/key"]})
    add(repo, 2, agent="Cursor")
    add(repo, 3)
    add(repo, 4)
    path = repo.build()
    for value in ("path:secrets/*", "agent:CURSOR", f"session:{session(3)[:9]}*"):
        git(path, "config", "--add", "asr.exclude", value)
    assert said(path) == "1 session (1 new, 3 excluded), 1 link to commits\n"
    assert synced(path) == {session(4)}


def test_both_backends_write_the_same(tmp_path: Path) -> None:
    path = repository(tmp_path / "r", 3).path
    git(path, "repack", "-q", "-a", "-d")
    tips = set()
    for backend in ("git", "libgit2", "AUTO"):
        shutil.copytree(path, copy := tmp_path / backend)
        git(copy, "config", "asr.backend", backend)
        said(copy)
        tips.add((tip(copy), tip(copy, "refs/notes/asr")))
    assert len(tips) == 1


def test_libgit2_is_not_forced_on_what_it_cannot_read(tmp_path: Path) -> None:
    path = repository(tmp_path / "r", object_format="sha256").path
    git(path, "config", "asr.backend", "libgit2")
    ended = run_cli(["sync"], path)
    assert (ended.status, ended.out) == (1, "")
    assert ended.err.splitlines()[0].startswith("error: libgit2 cannot read this repository")
    git(path, "config", "asr.backend", "auto")
    said(path)


def test_folders_add_up(tmp_path: Path) -> None:
    path = repository(tmp_path / "a" / "r").path
    ended = run_cli(["-C", str(tmp_path), "-C", "a", "-C", "r", "sync"], Path("/"))
    assert (ended.status, ended.out) == (0, "1 session (1 new), 1 link to commits\n")
    assert synced(path) == {session(1)}


def slow_git(folder: Path) -> dict[str, str]:
    """An environment in which reading many objects takes a while: longer than a progress bar waits."""
    real = shutil.which("git")
    folder.mkdir()
    wrapper = folder / "git"
    wrapper.write_text(
        f'#!/bin/sh\ncase "$*" in *"cat-file --batch --buffer"*) sleep 0.7;; esac\nexec {real} "$@"\n'
    )
    wrapper.chmod(wrapper.stat().st_mode | stat.S_IXUSR)
    return {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}


def test_progress_on_a_terminal(tmp_path: Path) -> None:
    path = repository(tmp_path / "r", 12).path
    env = slow_git(tmp_path / "bin")
    status, shown = run_on_terminal(["sync"], path, env=env)
    assert status == 0
    assert "sessions  [" in shown
    assert "12/12" in shown
    assert shown.endswith("12 sessions (12 new), 12 links to commits\n")


def test_no_progress_elsewhere(tmp_path: Path) -> None:
    path = repository(tmp_path / "r", 12).path
    ended = run_cli(["sync"], path, env=slow_git(tmp_path / "bin"))
    assert (ended.status, ended.out, ended.err) == (0, "12 sessions (12 new), 12 links to commits\n", "")


def test_a_quick_sync_draws_nothing_on_a_terminal(tmp_path: Path) -> None:
    path = repository(tmp_path / "r").path
    assert run_cli(["sync"], path).status == 0
    status, shown = run_on_terminal(["sync"], path)
    assert (status, shown) == (0, "up to date: 1 session, 1 link to commits\n")


def test_more_than_one_branch_and_store_is_no_double(tmp_path: Path) -> None:
    repo = repository(tmp_path / "r", 2)
    for name in ("refs/heads/other", "refs/remotes/origin/main", "refs/tags/v1"):
        git(repo.path, "update-ref", name, "main")
    git(repo.path, "update-ref", "refs/remotes/origin/entire/checkpoints/v1", "entire/checkpoints/v1")
    assert said(repo.path) == "2 sessions (2 new), 2 links to commits\n"
