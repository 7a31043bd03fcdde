"""Sessions that another git-asr stored, and that hold anything at all where a value should stand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.sample_repos import SESSIONS, add, repository, session, synced
from tests.support.companion import replace, tree_files
from tests.support.repo_builder import git
from tests.support.run import run_cli


def exchanged(path: Path, name: str, line: int, place: tuple[str, ...], value: Any) -> None:
    """Put another value into a file of the stored session, as if a remote had it like that."""
    files = tree_files(path)
    (file,) = (one for one in files if one.endswith(name))
    lines = files[file].splitlines()
    record = holder = json.loads(lines[line])
    for key in place[:-1]:
        holder = holder[key]
    holder[place[-1]] = value
    lines[line] = json.dumps(record).encode()
    files[file] = b"\n".join(lines) + b"\n"
    replace(path, files)
    git(path, "update-ref", "refs/asr/remotes/origin/sessions", SESSIONS)


HEADER, LINKS = f"{session(1)}.jsonl", f"{session(1)}~links.jsonl"
ENTIRE = ("_meta", "io.entire/checkpoint")


@pytest.mark.parametrize(
    ("name", "line", "place", "value"),
    [
        pytest.param(HEADER, 0, ("capture",), "x", id="capture"),
        pytest.param(HEADER, 0, ("producer",), [5], id="producer"),
        pytest.param(HEADER, 0, ("_meta",), "x", id="meta"),
        pytest.param(HEADER, 0, ENTIRE, [5], id="checkpoint"),
        pytest.param(HEADER, 0, (*ENTIRE, "createdAt"), 5, id="createdAt"),
        pytest.param(LINKS, 0, ("id",), "\ud800", id="id"),
        pytest.param(LINKS, 1, ("commit",), "x", id="commit"),
        pytest.param(LINKS, 1, ("committedAt",), {"a": 5}, id="committedAt"),
    ],
)
def test_a_stored_session_with_anything_in_it(
    tmp_path: Path, name: str, line: int, place: tuple[str, ...], value: Any
) -> None:
    repo = repository(tmp_path / "r")
    synced(repo.path)
    exchanged(repo.path, name, line, place, value)
    add(repo, 1, 5)
    repo.build()
    (repo.path / ".git" / "asr" / "state.sqlite").unlink()
    ended = run_cli(["sync"], repo.path)
    assert ended.status == 0
    assert all(one.startswith(("warning: ", "hint: ")) for one in ended.err.splitlines())
    assert run_cli(["log", "--format=%N"], repo.path).out.count(" · 4s") == 2
    assert run_cli(["sync"], repo.path).out.startswith("up to date: 1 session, ")
