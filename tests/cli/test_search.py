"""``git asr search``: what it finds, how it prints it, how it ends."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from git_asr.cli import patience
from git_asr.errors import UsageError
from git_asr.views.matching import Matcher, Query
from tests.e2e.sample_repos import add, checkpoint, session
from tests.e2e.terminal import run_on_terminal
from tests.support.entire_repo import EntireRepo, Stored
from tests.support.printed import of_command
from tests.support.repo_builder import git
from tests.support.run import PROJECT, Result, run_cli

HOSTILE = "evil \x1b[31mred\x1b]0;title\x07 \u202egnp.exe <script>alert(1)</script>"


def lines(identifier: str, *said: str, second: int = 0) -> bytes:
    """A transcript of Claude Code in which a person says these texts."""
    found: list[dict[str, Any]] = []
    for number, text in enumerate(said):
        line = {"parentUuid": found[-1]["uuid"] if found else None, "sessionId": identifier, "type": "user"}
        stamp = f"2026-01-01T00:{second // 60:02}:{number:02}.000Z"
        message = {"role": "user", "content": text}
        found.append({**line, "message": message, "uuid": f"{identifier[:8]}-u{number}", "timestamp": stamp})
    return "".join(json.dumps(one) + "\n" for one in found).encode()


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two sessions, synced, the second one newer."""
    repo = EntireRepo(tmp_path_factory.mktemp("search") / "r")
    texts = {
        1: ("one\ntwo needle\nthree\nfour\nfive\nsix needle needle\nseven", "nothing here"),
        2: ("A NEEDLE in hay", HOSTILE, "x" * 5_000_000 + " needlework " + "y" * 100, "a.c and abc"),
    }
    for number, said in texts.items():
        found = lines(session(number), *said, second=number * 60)
        repo.checkpoint(checkpoint(number), Stored(session(number), found, created=number * 60))
        repo.commit(checkpoint(number))
    built = repo.build()
    assert run_cli(["sync"], built).status == 0
    return built


def search(path: Path, *words: str) -> Result:
    return run_cli(["search", *words], path)


FIRST, SECOND = session(1), session(2)


def test_lines_of_the_newest_session_first(path: Path) -> None:
    ended = search(path, "needle")
    assert (ended.status, ended.err) == (0, "")
    head, long, *rest = ended.out.split("\n", 3)[1:]
    assert ended.out.startswith(f"session {SECOND}  claude-code · 2026-01-01\n")
    assert head == "00000002-u2 2026-01-01 00:02:02 human"
    assert long.startswith("1: …xxx")
    assert long.endswith("y" * 100)
    assert len(long) < 420
    assert rest == [
        f"\nsession {FIRST}  claude-code · 2026-01-01\n"
        "00000001-u0 2026-01-01 00:01:00 human\n"
        "2: two needle\n"
        "6: six needle needle\n"
    ]


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["-C", "1"], ["1- one", "2: two needle", "3- three", "--", "5- five", "6: six needle needle", "7- seven"]),
        (["-A", "1"], ["2: two needle", "3- three", "--", "6: six needle needle", "7- seven"]),
        (["-B", "1"], ["1- one", "2: two needle", "--", "5- five", "6: six needle needle"]),
        (["-C", "2", "-B", "0"], ["2: two needle", "3- three", "4- four", "--", "6: six needle needle", "7- seven"]),
        (["-C", "2", "-A", "0"], ["1- one", "2: two needle", "--", "4- four", "5- five", "6: six needle needle"]),
    ],
)  # fmt: skip
def test_lines_around_a_match(path: Path, words: list[str], shown: list[str]) -> None:
    assert search(path, *words, "needle", FIRST).out.splitlines()[2:] == shown


@pytest.mark.parametrize(
    ("words", "out"),
    [
        (["-c", "needle"], f"{SECOND}:1\n{FIRST}:2\n"),
        (["-c", "-i", "needle"], f"{SECOND}:2\n{FIRST}:2\n"),
        (["-l", "needle"], f"{SECOND}\n{FIRST}\n"),
        (["-c", "a.c"], f"{SECOND}:1\n"),
        (["-c", "-E", "a.c and a.c"], f"{SECOND}:1\n"),
        (["-l", "-F", "a.c"], f"{SECOND}\n"),
        (["-l", "needle", "HEAD"], f"{SECOND}\n"),
        (["-l", "needle", "--agent", "claude-code"], f"{SECOND}\n{FIRST}\n"),
        (["-l", "needle", "--until", "2026-01-01T00:01:30Z"], f"{FIRST}\n"),
        (["-l", "--no-index", "needle"], f"{SECOND}\n{FIRST}\n"),
    ],
)
def test_what_is_counted_and_listed(path: Path, words: list[str], out: str) -> None:
    assert search(path, *words).out == out


@pytest.mark.parametrize("words", [["absent"], ["-F", "a.*"], ["-l", "absent"], ["-c", "absent"]])
def test_nothing_found(path: Path, words: list[str]) -> None:
    ended = search(path, *words)
    assert (ended.status, ended.out, ended.err) == (1, "", "")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ([], "QUERY"),
        (["a("], "no regular expression"),
        ([""], "nothing to look for"),
        (["a\nb"], "one line"),
        (["-E", "-F", "a"], "-E and -F exclude each other"),
        (["-c", "-l", "a"], "exclude each other"),
        (["a", "nowhere"], "no commit"),
        (["a", "-C", "x"], "-C"),
    ],
)
def test_wrong_usage(path: Path, words: list[str], why: str) -> None:
    ended = search(path, *words)
    assert (ended.status, ended.out) == (2, "")
    assert why in ended.err


def test_no_session_is_left(path: Path) -> None:
    assert search(path, "a", "--agent", "nobody").status == 1


def test_hostile_text_is_neutral_and_exact_as_json(path: Path) -> None:
    shown = search(path, "-C3", "evil").out
    assert shown.isprintable() or set(shown) - {"\n"} == {one for one in shown if one.isprintable()}
    assert "^[[31mred^[]0;title^G <U+202E>gnp.exe" in shown
    found = json.loads(search(path, "--json", "evil").out)
    assert found["sessions"][0]["records"][0]["lines"] == [
        {"number": 1, "text": HOSTILE, "matches": [[0, 4]]}
    ]


def test_json(path: Path) -> None:
    schema = of_command("search")
    for words in (["needle"], ["-C1", "needle"], ["-i", "."], ["absent"]):
        ended = search(path, "--json", *words)
        assert ended.out.isascii()
        found = json.loads(ended.out)
        assert list(schema.iter_errors(found)) == []
        assert ended.status == (0 if found["sessions"] else 1)
    assert json.loads(search(path, "--json", "needle", FIRST).out) == {
        "version": 1,
        "sessions": [
            {
                "harness": "claude-code",
                "session": FIRST,
                "agent": "claude-code",
                "records": [
                    {
                        "stream": FIRST,
                        "id": "00000001-u0",
                        "type": "message",
                        "who": "human",
                        "ts": "2026-01-01T00:01:00.000Z",
                        "lines": [
                            {"number": 2, "text": "two needle", "matches": [[4, 10]]},
                            {"number": 6, "text": "six needle needle", "matches": [[4, 10], [11, 17]]},
                        ],
                    }
                ],
            }
        ],
    }


def test_the_page_names_every_key(path: Path) -> None:
    page = (PROJECT / "docs" / "json.md").read_text("utf-8")
    section = page.split("## git asr search\n")[1].split("\n## ")[0]
    found = json.loads(search(path, "--json", "needle").out)
    record = found["sessions"][0]["records"][0]
    for one in (found, found["sessions"][0], record, record["lines"][0]):
        assert [key for key in one if f"`{key}`" not in section and key != "version"] == []


def test_colours_on_a_terminal(path: Path) -> None:
    status, shown = run_on_terminal(["search", "needle", FIRST], path)
    assert status == 0
    assert f"\x1b[33msession {FIRST}\x1b[m" in shown
    assert "\x1b[32m6:\x1b[m six \x1b[31mneedle\x1b[m \x1b[31mneedle\x1b[m\n" in shown
    git(path, "config", "color.ui", "never")
    assert "\x1b" not in run_on_terminal(["search", "needle", FIRST], path)[1]
    git(path, "config", "--unset", "color.ui")


@pytest.fixture
def repo(tmp_path: Path) -> EntireRepo:
    made = EntireRepo(tmp_path / "r")
    for number in (1, 2):
        add(made, number)
    made.build()
    assert run_cli(["sync"], made.path).status == 0
    return made


def test_a_sync_and_a_forget_keep_up_what_searches_know(repo: EntireRepo) -> None:
    signatures = repo.path / ".git" / "asr" / "signatures.sqlite"
    assert search(repo.path, "-c", "text of").out == f"{SECOND}:3\n{FIRST}:3\n"
    assert FIRST.encode() in signatures.read_bytes()
    add(repo, 3)
    repo.build()
    assert run_cli(["sync"], repo.path).status == 0
    assert session(3).encode() in signatures.read_bytes()
    assert run_cli(["forget", FIRST[:8]], repo.path).status == 0
    data = signatures.read_bytes()
    assert FIRST.encode() not in data
    assert SECOND.encode() in data
    assert search(repo.path, "-l", "text of").out == f"{session(3)}\n{SECOND}\n"
    assert search(repo.path, "--no-index", "-l", "text of").out == f"{session(3)}\n{SECOND}\n"
    git(repo.path, "update-ref", "-d", "refs/asr/sessions")
    for mark in ("refs/heads/entire/checkpoints/v1", "refs/heads/main"):
        git(repo.path, "update-ref", "-d", mark)
    run_cli(["sync", "--full"], repo.path)
    assert not signatures.exists()


def test_nothing_is_written_without_an_index(repo: EntireRepo) -> None:
    assert search(repo.path, "--no-index", "text").status == 0
    assert not (repo.path / ".git" / "asr" / "signatures.sqlite").exists()
    assert run_cli(["sync", "--full"], repo.path).status == 0
    assert not (repo.path / ".git" / "asr" / "signatures.sqlite").exists()


def test_a_pattern_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "re2", None)
    monkeypatch.setattr(patience, "SECONDS", 0.2)
    find = patience.patient(Matcher(Query("(a+)+$")))
    assert [line.number for line in find("b\nba")] == [2]
    with pytest.raises(UsageError, match="too long"):
        find("a" * 60 + "b")


def test_a_linear_engine_needs_no_deadline(path: Path) -> None:
    ended = search(path, "-c", "(x+)+$")
    assert (ended.status, ended.err) == (1, "")
