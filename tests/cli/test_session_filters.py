"""The options by which reading commands choose sessions mean the same everywhere."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_log_sessions import PROJECT, edit, prompt
from tests.e2e.sample_repos import checkpoint, session
from tests.e2e.soundness import check
from tests.support.entire_repo import EntireRepo, Stored
from tests.support.run import Result, run_cli

NEW = "22222222-1111-4111-8111-111111111111"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Two sessions with edits: the second has the first one's call too, and one more of another model."""
    folder = tmp_path_factory.mktemp("filters")
    repo = EntireRepo(folder / "r")
    first = prompt("needle one") + edit(1, f"{PROJECT}/src/a.py")
    second = (
        prompt("needle two")
        + edit(1, f"{PROJECT}/src/a.py")
        + edit(2, f"{PROJECT}/docs/b.md", model="sonnet-9")
    )
    repo.checkpoint(checkpoint(1), Stored(session(1), first))
    renamed = second.replace(session(1).encode(), NEW.encode()).replace(b"2026-01-01", b"2026-02-01")
    repo.checkpoint(checkpoint(2), Stored(NEW, renamed, created=60))
    repo.checkpoint(
        checkpoint(3), Stored(session(3), None, agent="Codex", created=120, metadata={"model": "gpt-5"})
    )
    repo.commit(checkpoint(1), checkpoint(2), checkpoint(3))
    repo.build()
    assert run_cli(["sync"], repo.path).status == 0
    yield repo.path
    check(folder)


FILTERS: list[tuple[list[str], set[str]]] = [
    (["--agent", "claude-code"], {session(1), NEW}),
    (["--model", "sonnet"], {NEW}),
    (["--model", "*OPUS*"], {session(1), NEW}),
    (["--session", session(1)[:7]], {session(1), session(3)}),
    (["--session", session(1)], {session(1)}),
    (["--touched", "docs"], {NEW}),
    (["--touched", "src/a.py", "--model", "opus"], {session(1), NEW}),
    (["--touched", "src/a.py", "--session", session(1)], {session(1)}),
    (["--since", "2026-01-15"], {NEW}),
    (["--until", "2026-01-15", "--agent", "claude-code"], {session(1)}),
]


def ended(path: Path, *args: str) -> Result:
    return run_cli(list(args), path)


def told(path: Path, *args: str) -> Any:
    found = ended(path, *args)
    assert (found.status, found.err) == (0, "")
    return json.loads(found.out)


@pytest.mark.parametrize(("options", "wanted"), FILTERS, ids=lambda value: " ".join(sorted(value)))
def test_everywhere_the_same(path: Path, tmp_path: Path, options: list[str], wanted: set[str]) -> None:
    assert {one["id"] for one in told(path, "sessions", "--json", *options)["sessions"]} == wanted
    file = tmp_path / "x.zip"
    written = told(path, "export", "--json", "-o", str(file), *options)
    assert {one["id"] for one in written["sessions"]} == wanted
    hits = told(path, "search", "needle", "--json", *options) if wanted != {session(3)} else {"sessions": []}
    assert {one["session"] for one in hits["sessions"]} == wanted - {session(3)}
    counted = told(path, "usage", "--json", *options)
    assert {one["session"] for one in counted["rows"]} <= wanted


def test_nothing_left(path: Path, tmp_path: Path) -> None:
    assert told(path, "sessions", "--json", "--agent", "nobody")["sessions"] == []
    assert told(path, "sessions", "--json", "--agent", "codex", "--touched", "src")["sessions"] == []
    assert told(path, "usage", "--json", "--agent", "nobody")["rows"] == []
    for command in (["search", "x"], ["export", "-o", str(tmp_path / "x.zip")]):
        failed = ended(path, *command, "--model", "nothing")
        assert failed.status == 1
        assert failed.err == "error: no session is left to be taken\nhint: git asr sessions\n"
    assert not (tmp_path / "x.zip").exists()


def test_a_call_counts_in_the_session_that_has_it_first(path: Path) -> None:
    """Filters leave out sessions, and do not let a call count elsewhere."""
    whole = {one["session"]: one["calls"] for one in told(path, "usage", "--json")["rows"]}
    assert whole == {session(1): 1, NEW: 1}
    for key, calls in whole.items():
        (row,) = told(path, "usage", "--json", "--session", key)["rows"]
        assert (row["session"], row["calls"]) == (key, calls)
    alone = told(path, "usage", "--json", "--explain", "--session", session(1))
    assert {one["session"] for one in alone["excluded"]} <= {session(1)}


def test_what_excludes_each_other(path: Path) -> None:
    failed = ended(path, "sessions", "--orphans", "--agent", "x")
    assert (failed.status, failed.err) == (2, "error: --orphans goes with no filter for sessions\n")
    for option, hint in (("--json", ""), ("--explain", "hint: --json has both\n")):
        failed = ended(path, "usage", "--csv", option)
        assert (failed.status, failed.err) == (2, f"error: --csv excludes --json and --explain\n{hint}")
