"""What is kept of all sessions: always what the companion ref holds, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from git_asr.companion.names import SUMMARIES
from git_asr.companion.summaries import summaries
from git_asr.companion.tree import read_tip
from git_asr.errors import Diagnostic
from git_asr.git.backend import open_objects
from git_asr.git.repository import open_repository
from git_asr.views.filtering import touches
from tests.cli.test_log_sessions import edit, prompt
from tests.e2e.sample_repos import add, checkpoint, session, synced
from tests.support.companion import replace, tree_files
from tests.support.entire_repo import EntireRepo, Stored
from tests.support.run import run_cli


@pytest.fixture
def repo(tmp_path: Path) -> EntireRepo:
    made = EntireRepo(tmp_path / "r", bare=True)
    made.checkpoint(checkpoint(1), Stored(session(1), prompt("first\nsecond") + edit(1, "/x/a.py")))
    made.commit(checkpoint(1))
    add(made, 2, prompt="another secret")
    made.build()
    synced(made.path)
    return made


def kept(path: Path) -> Path:
    return path / "asr" / SUMMARIES


def told(path: Path, touched: str | None = None) -> tuple[list[Any], list[Diagnostic]]:
    """The sessions, or those that touched a path, and what was wrong."""
    found, wrong = open_repository(path), list[Diagnostic]()
    with open_objects(found, "git") as objects:
        known = summaries(found, objects, str(read_tip(found, objects).tree), wrong.append)
        if touched is None:
            return [(one.key.id, one.line, one.view) for one in known.logged()], wrong
        ids = [key.id for key in known.touching(touches(touched, None), known.logged())]
        known.keep(found)
        return ids, wrong


def test_the_same_with_the_file_and_without(repo: EntireRepo) -> None:
    first, wrong = told(repo.path)
    assert [one[0] for one in first] == [session(1), session(2)]
    assert first[0][2].first_prompt == "first"
    assert not wrong
    written = kept(repo.path).read_bytes()
    assert told(repo.path) == (first, [])
    assert kept(repo.path).read_bytes() == written
    changed = [written.replace(b'"line"', b'"lime"'), written.replace(b'"id":"', b'"id":7,"x":"')]
    for damaged in (b"", b"[]", b'{"form":1}', b'{"form":0,"tree":"","folders":{}}', *changed):
        kept(repo.path).write_bytes(damaged)
        assert told(repo.path) == (first, [])
        assert kept(repo.path).read_bytes() == written


def test_what_was_touched_is_kept(repo: EntireRepo) -> None:
    assert told(repo.path, "a.py") == ([session(1)], [])
    held = json.loads(kept(repo.path).read_bytes())
    paths = [one["paths"] for folder in held["folders"].values() for one in folder["sessions"]]
    assert sorted(map(len, paths)) == [0, 1]
    assert told(repo.path, "a.py") == ([session(1)], [])
    add(repo, 3)
    repo.build()
    synced(repo.path)
    assert told(repo.path, "a.py") == ([session(1)], [])
    assert len(told(repo.path)[0]) == 3
    shown = run_cli(["log", "--touched", "x/a.py", "--format=%N"], repo.path)
    assert (shown.status, shown.out.count("claude-code")) == (0, 1)


def test_a_session_that_cannot_be_read_is_left_out(repo: EntireRepo) -> None:
    files = tree_files(repo.path)
    (path,) = (one for one in files if one.endswith("bundle.json") and session(1) in one)
    other = files[path].replace(session(1).encode(), b"00000009" + session(1)[8:].encode())
    replace(repo.path, {**files, path: other})
    found, wrong = told(repo.path, "a.py")
    assert (found, [one.code for one in wrong]) == ([], ["unreadable-session"])


def test_what_was_forgotten_goes_with_the_sync(repo: EntireRepo) -> None:
    told(repo.path)
    assert b"another secret" in kept(repo.path).read_bytes()
    ended = run_cli(["forget", session(2), "--reason", "mine"], repo.path)
    assert ended.status == 0, ended.err
    assert b"another secret" not in kept(repo.path).read_bytes()
    assert session(2).encode() not in kept(repo.path).read_bytes()
    assert [one[0] for one in told(repo.path)[0]] == [session(1)]
    assert run_cli(["log", "--session", session(2)], repo.path).status == 2


def test_a_damaged_manifest_is_passed_over(repo: EntireRepo) -> None:
    files = tree_files(repo.path)
    (path,) = (one for one in files if one.endswith("bundle.json") and session(2) in one)
    replace(repo.path, {**files, path: b"{"})
    for _ in range(2):
        found, wrong = told(repo.path)
        assert [one[0] for one in found] == [session(1)]
        assert [one.code for one in wrong] == ["damaged-bundle"]


def test_where_nothing_can_be_kept(repo: EntireRepo) -> None:
    told(repo.path)
    kept(repo.path).unlink()
    kept(repo.path).mkdir()
    assert len(told(repo.path)[0]) == 2
    assert not [one for one in kept(repo.path).parent.iterdir() if one.name.startswith(".summaries")]
