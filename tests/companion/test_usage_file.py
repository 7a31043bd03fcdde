"""What sessions tell of tokens is kept: the same is counted with it and without, and what is gone is gone."""

from __future__ import annotations

import json
import shutil
import sqlite3
import zlib
from contextlib import closing
from pathlib import Path

import pytest

from git_asr.companion import usage_file
from git_asr.companion.cache_file import CacheFile
from git_asr.companion.usage_file import USAGE
from tests.e2e.sample_repos import checkpoint, session
from tests.support.companion import replace, tree_files
from tests.support.entire_repo import EntireRepo, Stored
from tests.support.repo_builder import git
from tests.support.run import run_cli

FIRST, SECOND, LATER = session(1), session(2), session(3)
QUESTIONS = (["--by", "commit"], ["--by", "model"], ["--every-commit"], ["main~1..main"])


def answer(identifier: str, number: int) -> bytes:
    message = {"role": "assistant", "id": f"msg_{number}", "model": f"model-{number}", "content": []}
    message |= {"usage": {"input_tokens": 1, "output_tokens": number}}
    line = {
        "sessionId": identifier,
        "type": "assistant",
        "message": message,
        "requestId": "r",
        "uuid": str(number),
    }
    return json.dumps(line | {"parentUuid": None, "timestamp": "2026-01-01T00:00:00Z"}).encode() + b"\n"


@pytest.fixture
def repo(tmp_path: Path) -> EntireRepo:
    """Two sessions that have a call in common."""
    made = EntireRepo(tmp_path / "r")
    for number, identifier in ((1, FIRST), (2, SECOND)):
        data = answer(identifier, 10 + number) + answer(identifier, 9)
        made.checkpoint(checkpoint(number), Stored(identifier, data, number))
        made.commit(checkpoint(number), message=f"commit {number}")
    path = made.build()
    assert run_cli(["sync"], path).status == 0
    return made


def cache(path: Path) -> Path:
    return path / ".git" / "asr" / USAGE.name


def usage(path: Path, *args: str) -> str:
    ended = run_cli(["usage", "--json", "--explain", *args], path)
    assert (ended.status, ended.err) == (0, "")
    return ended.out


def kept(path: Path) -> dict[str, bytes]:
    with closing(sqlite3.connect(cache(path))) as connection:
        rows = connection.execute("SELECT path, told FROM session")
        return {where.rpartition("/")[2]: zlib.decompress(told) for where, told in rows}


def test_the_same_is_counted_with_the_file_and_without(repo: EntireRepo) -> None:
    for words in QUESTIONS:
        cache(repo.path).unlink(missing_ok=True)
        first = usage(repo.path, *words)
        assert usage(repo.path, *words) == first
    assert set(kept(repo.path)) == {FIRST, SECOND}
    known = {words[-1]: usage(repo.path, *words) for words in QUESTIONS}
    with closing(sqlite3.connect(cache(repo.path))) as connection, connection:
        empty = zlib.compress(b"[[],{}]")
        connection.execute("UPDATE session SET told = ?", (empty,))
    assert json.loads(usage(repo.path))["sessionsWithoutRecord"] == 2, "it is what the file says"
    with closing(sqlite3.connect(cache(repo.path))) as connection, connection:
        connection.execute("UPDATE session SET told = x'00'")
    assert {words[-1]: usage(repo.path, *words) for words in QUESTIONS} == known


def test_what_the_companion_no_longer_holds_goes(repo: EntireRepo) -> None:
    usage(repo.path)
    before = kept(repo.path)
    repo.checkpoint(checkpoint(3), Stored(LATER, answer(LATER, 13), 3))
    repo.checkpoint(
        checkpoint(4), Stored(SECOND, answer(SECOND, 12) + answer(SECOND, 9) + answer(SECOND, 14), 4)
    )
    repo.commit(checkpoint(3), message="later")
    repo.commit(checkpoint(4), message="more")
    repo.build()
    assert run_cli(["sync"], repo.path).status == 0
    assert kept(repo.path) == {FIRST: before[FIRST]}
    usage(repo.path)
    assert set(kept(repo.path)) == {FIRST, SECOND, LATER}
    assert run_cli(["forget", FIRST], repo.path).status == 0
    data = cache(repo.path).read_bytes()
    assert FIRST.encode() not in data
    assert SECOND.encode() in data
    assert FIRST not in usage(repo.path)
    git(repo.path, "update-ref", "-d", "refs/asr/sessions")
    git(repo.path, "config", "asr.autosync", "false")
    assert json.loads(run_cli(["usage", "--json"], repo.path).out)["rows"] == []
    assert not cache(repo.path).exists()


def test_a_session_with_faults_is_read_each_time(repo: EntireRepo) -> None:
    git(repo.path, "config", "asr.autosync", "false")
    files = tree_files(repo.path)
    (part,) = [one for one in files if one.endswith("000001.jsonl") and FIRST in one]
    replace(repo.path, {**files, part: files[part] + b"no record\n"})
    told = [run_cli(["usage"], repo.path) for _ in range(2)]
    assert told[0] == told[1]
    assert "no record" not in told[1].out
    assert "not JSON" in told[1].err
    assert set(kept(repo.path)) == {SECOND}


@pytest.mark.parametrize("damage", [b"no database at all" * 100, b"", b"SQLite format 3\0" + b"\xff" * 4000])
def test_a_damaged_file_is_made_anew(repo: EntireRepo, damage: bytes) -> None:
    known = usage(repo.path)
    cache(repo.path).write_bytes(damage)
    assert usage(repo.path) == known
    assert set(kept(repo.path)) == {FIRST, SECOND}


def test_a_file_of_another_form_is_made_anew(repo: EntireRepo, monkeypatch: pytest.MonkeyPatch) -> None:
    known = usage(repo.path)
    monkeypatch.setattr(usage_file, "USAGE", CacheFile(USAGE.name, USAGE.tables, 0, USAGE.drop))
    assert usage(repo.path) == known
    assert set(kept(repo.path)) == {FIRST, SECOND}


def test_a_file_that_cannot_be_used_is_no_error(repo: EntireRepo) -> None:
    known = usage(repo.path)
    cache(repo.path).unlink()
    cache(repo.path).mkdir()
    assert usage(repo.path) == known
    shutil.rmtree(cache(repo.path))
    assert usage(repo.path) == known
    with closing(sqlite3.connect(cache(repo.path))) as connection, connection:
        connection.execute("DELETE FROM session")
        connection.execute(
            "CREATE TRIGGER full BEFORE INSERT ON session BEGIN SELECT raise(ABORT, 'full'); END"
        )
    assert usage(repo.path) == known
    assert kept(repo.path) == {}
