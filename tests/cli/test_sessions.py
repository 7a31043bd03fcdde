"""``git asr sessions``: the list, from the manifests of the companion ref."""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from git_asr.cli.session_table import table
from git_asr.views.text import width
from tests.e2e.sample_repos import add, checkpoint, repository, session
from tests.e2e.soundness import check
from tests.e2e.terminal import run_on_terminal
from tests.support.companion import replace, tip, tree_files
from tests.support.entire_repo import EntireRepo, Stored, claude
from tests.support.repo_builder import git
from tests.support.run import PROJECT, Result, run_cli


@pytest.fixture(autouse=True)
def _sound(tmp_path: Path) -> Iterator[None]:
    yield
    check(tmp_path)


def sessions(path: Path, *args: str) -> Result:
    return run_cli(["sessions", *args], path)


def shown(path: Path, *args: str) -> str:
    ended = sessions(path, *args)
    assert (ended.status, ended.err) == (0, "")
    return ended.out


PROMPTS = ("Make it faster, please, and then some more of that\nand more", None, "速い　方法を　教えて")


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three sessions, synced; the second one without a prompt, and a commit more for the first."""
    repo = EntireRepo(tmp_path_factory.mktemp("sessions") / "r")
    for number, prompt in enumerate(PROMPTS, start=1):
        add(repo, number, prompt=prompt)
    repo.commit(checkpoint(1))
    assert run_cli(["sync"], repo.build()).status == 0
    return repo.path


def test_the_table(path: Path) -> None:
    assert shown(path) == (
        "agent        session   started           model            figures  commits  first prompt\n"
        "claude-code  00000003  2026-01-01 00:03  claude-opus-4-8  2s       1        速い 方法を 教えて\n"
        "claude-code  00000002  2026-01-01 00:02  claude-opus-4-8  2s       1\n"
        "claude-code  00000001  2026-01-01 00:01  claude-opus-4-8  2s       2        "
        "Make it faster, please, and then some more of that\n"
    )
    assert shown(path, "-n", "2").count("\n") == 3
    assert shown(path, "-n", "0").count("\n") == 1
    assert shown(path, "--max-count=99") == shown(path)


@pytest.mark.parametrize("arguments", [["-n", "-1"], ["-n", "x"], ["more"], ["--jsn"]])
def test_wrong_usage(path: Path, arguments: list[str]) -> None:
    ended = sessions(path, *arguments)
    assert (ended.status, ended.out) == (2, "")
    assert ended.err.startswith("error: ")
    assert ended.err.endswith("hint: git asr sessions -h\n")


def test_on_a_terminal_of_80_columns(path: Path) -> None:
    status, out = run_on_terminal(["sessions"], path)
    assert status == 0
    assert out == (
        "agent        session   started           figures  commits  first prompt\n"
        "claude-code  00000003  2026-01-01 00:03  2s       1        速い 方法を 教えて\n"
        "claude-code  00000002  2026-01-01 00:02  2s       1\n"
        "claude-code  00000001  2026-01-01 00:01  2s       2        Make it faster, plea…\n"
    )


@pytest.mark.parametrize("columns", [200, 120, 80, 60, 40, 20, 1])
def test_no_line_is_wider_than_the_terminal(path: Path, columns: int) -> None:
    status, out = run_on_terminal(["sessions"], path, columns)
    assert status == 0
    assert len(out.splitlines()) == 4
    assert max(width(line) for line in out.splitlines()) <= columns


def test_the_pager(path: Path) -> None:
    status, out = run_on_terminal(["sessions", "-n", "1"], path, env={"GIT_PAGER": "sed 's/^/> /'"})
    assert status == 0
    assert all(line.startswith("> ") for line in out.splitlines())


def test_json(path: Path) -> None:
    found = json.loads(shown(path, "--json"))
    assert (found["version"], [one["id"] for one in found["sessions"]]) == (
        1,
        [session(number) for number in (3, 2, 1)],
    )
    assert found["sessions"][2] == {
        "harness": "claude-code",
        "id": session(1),
        "agent": "claude-code",
        "models": ["claude-opus-4-8"],
        "startedAt": "2026-01-01T00:01:00.000Z",
        "endedAt": "2026-01-01T00:01:02.000Z",
        "firstPrompt": PROMPTS[0],
        "counts": {},
        "usage": {},
        "streams": 1,
        "commits": sorted(git(path, "rev-parse", "main", "main~3").split()),
    }
    assert [one["id"] for one in json.loads(shown(path, "--json", "-n", "1"))["sessions"]] == [session(3)]
    assert shown(path, "--json").isascii()


def test_none_yet(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "r")
    ended = sessions(tmp_path / "r")
    assert (ended.status, ended.out, ended.err) == (0, "", "hint: no sessions here yet: git asr sync\n")
    assert json.loads(shown(tmp_path / "r", "--json")) == {"version": 1, "sessions": []}


def test_hostile_text_is_made_visible(tmp_path: Path) -> None:
    evil = "\x1b[2J\x1b]52;c;eHg=\x07\u202e\u2066\u200b\x9b\r\n\ttail\ud800"
    repo = EntireRepo(tmp_path / "r")
    repo.checkpoint(
        checkpoint(1),
        Stored("x\x1b[31m", b"plain\n", agent=evil, prompt="\x1b[2J\u202e now", metadata={"model": evil}),
    )
    repo.commit(checkpoint(1))
    path = repo.build()
    out = shown(path)
    assert not set("\x1b\x07\u202e\u2066\u200b\x9b\r\t") & set(out)
    assert len(out.splitlines()) == 2
    assert "^[[2J<U+202E> now" in out
    assert shown(path, "--json").isascii()
    status, terminal = run_on_terminal(["sessions", "--json"], path)
    assert status == 0
    assert terminal.replace("\n", "").isprintable()


def manifest_of(files: dict[str, bytes], number: int) -> str:
    return next(name for name in files if session(number) in name and name.endswith("bundle.json"))


@pytest.mark.parametrize(
    "damage", [b"", b"{", b"[]", b"null", b"{}", b'{"sessions":[{}],"blobs":[]}', b"\xff\xfe", b"[" * 100_000]
)
def test_a_damaged_manifest_costs_only_itself(tmp_path: Path, damage: bytes) -> None:
    path = repository(tmp_path / "r", 2).path
    assert run_cli(["sync"], path).status == 0
    files = tree_files(path)
    name = manifest_of(files, 1)
    replace(path, {**files, name: damage})
    git(path, "config", "asr.autosync", "false")
    ended = sessions(path)
    assert ended.status == 0
    assert [line.split()[1] for line in ended.out.splitlines()[1:]] == [session(2)[:8]]
    later, warning, hint = ended.err.splitlines()
    assert later == "hint: there is more to see: git asr sync"
    assert warning.startswith(f"warning: {name.removesuffix('/bundle.json')}: a damaged bundle.json: ")
    assert hint == "hint: git asr sync --full"
    assert run_cli(["sync", "--full"], path).status == 0
    assert tree_files(path) == files


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The place of every value in a JSON value."""
    yield at
    for key, item in (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    ):
        yield from places(item, (*at, key))


def put(value: Any, at: tuple[Any, ...], new: Any) -> Any:
    if not at:
        return new
    value = copy.deepcopy(value)
    holder = value
    for key in at[:-1]:
        holder = holder[key]
    holder[at[-1]] = new
    return value


def test_a_manifest_with_anything_anywhere_is_read_or_refused(path: Path, tmp_path: Path) -> None:
    """Each value of a manifest is replaced by something else: then it is damaged, or it can be listed."""
    files = tree_files(path)
    name = manifest_of(files, 1)
    original = json.loads(files[name])
    odd: tuple[Any, ...] = (
        None,
        5,
        -1,
        1e300,
        10**30,
        "x",
        "\ud800",
        True,
        [],
        {},
        [5],
        [None],
        {"a": [5]},
        [["x"]],
    )
    wrong = [put(original, at, value) for at in places(original) for value in odd]
    summary = ("sessions", 0, "streams", 0, "summary")
    wrong += [put(original, (*summary, "usage"), {"input": value, "cacheRead": value}) for value in odd]
    subprocess.run(["git", "init", "-q", str(tmp_path / "r")], check=True)
    replace(
        tmp_path / "r",
        {
            f"h/00/{number}/bundle.json": json.dumps(value).encode()
            for number, value in enumerate([original, *wrong])
        },
    )
    git(tmp_path / "r", "config", "asr.autosync", "false")
    for arguments in ([], ["--json"]):
        ended = sessions(tmp_path / "r", *arguments)
        assert ended.status == 0
        assert "a damaged bundle.json" in ended.err
        assert session(1)[:8] in ended.out
        assert len(wrong) > 400


def test_the_table_of_none() -> None:
    assert table([], 80) == ["agent  session  started  model  figures  commits  first prompt"]


def test_a_reader_who_leaves_early(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    for number in range(1, 4):
        add(repo, number, prompt="p" * 60_000)
    path = repo.build()
    assert run_cli(["sync"], path).status == 0
    reading, writing = os.pipe()
    os.close(reading)
    for arguments in ([], ["--json"]):
        ended = subprocess.run(
            [sys.executable, "-m", "git_asr", "sessions", *arguments],
            cwd=path,
            env={**os.environ, "PYTHONPATH": str(PROJECT)},
            stdout=writing,
            stderr=subprocess.PIPE,
            check=False,
        )
        assert (ended.returncode, ended.stderr) == (141, b"")
    os.close(writing)


def test_the_list_follows_the_checkpoints(tmp_path: Path) -> None:
    repo = repository(tmp_path / "r")
    assert shown(repo.path).count("\n") == 2
    before = tip(repo.path)
    repo.checkpoint(checkpoint(2), Stored(session(2), claude(session(2), ["x"])))
    repo.commit(checkpoint(2))
    repo.build()
    assert shown(repo.path).count("\n") == 3
    assert tip(repo.path) != before


def test_the_table_is_the_same_without_the_cache_and_with_a_damaged_one(path: Path, tmp_path: Path) -> None:
    table_ = shown(path)
    file = path / ".git" / "asr" / "summaries.json"
    held = json.loads(file.read_bytes())
    folders = held["folders"]
    assert len(folders) == len(PROMPTS)
    less = copy.deepcopy(held)
    less["folders"].pop(next(iter(folders)))
    less["tree"] = ""
    odd = copy.deepcopy(held)
    for one in odd["folders"].values():
        del one["sessions"][0]["rest"]["models"]
    for wrong in (b"", b"{", b"[]", b'{"form": 0}', json.dumps(less).encode(), json.dumps(odd).encode()):
        file.write_bytes(wrong)
        assert shown(path) == table_
        assert json.loads(file.read_bytes()) == held
    file.unlink()
    assert shown(path) == table_
