"""What reads a history tells of any, whoever wrote it and whatever is configured."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.sample_repos import checkpoint, repository
from tests.git.conftest import put
from tests.git.test_ranged import CONFIGURED
from tests.support.entire_repo import STORE
from tests.support.repo_builder import git
from tests.support.run import run_cli

HEAD = "author A <a@b> 1767225600 +0000\ncommitter A <a@b> 1767225600 +0000\n"
TRAILER = f"Entire-Checkpoint: {checkpoint(1)}\n".encode()
READING = (["sync"], ["coverage"], ["coverage", "--by", "month"], ["status"], ["link", "--suggest"])


def judged(path: Path, *ranges: str) -> list[dict[str, Any]]:
    ended = run_cli(["coverage", "--json", *(ranges or ("main",))], path)
    assert ended.status == 0, ended.err
    found: list[dict[str, Any]] = json.loads(ended.out)["commits"]
    return found


def reads(path: Path) -> None:
    for command in READING:
        ended = run_cli(command, path)
        assert ended.status == 0, (command, ended.err)
        assert "fault" not in ended.err
        assert not {"\x1b", "\x07", "\u202e"} & {*ended.out, *ended.err}, command


def grow(path: Path, *commits: tuple[str, bytes]) -> None:
    """Commits of any headers and messages on top of main."""
    tip, tree = git(path, "rev-parse", "main"), git(path, "rev-parse", "main^{tree}")
    for headers, message in commits:
        body = f"tree {tree}\nparent {tip}\n{headers}\n".encode("latin-1")
        tip = put(path, "commit", body + message)
    git(path, "update-ref", "refs/heads/main", tip)


def test_people_and_times(tmp_path: Path, unsound: set[Path]) -> None:
    path = repository(tmp_path / "r").path
    unsound.add(path)
    grow(
        path,
        *(
            (f"author {author}\ncommitter {committer}\n", b"s\n\n" + TRAILER)
            for author, committer in (
                ("A <a> 0 +0000", "A <a> 0 +0000"),
                ("A <a> 5 -0000", "A <a> 253402300800 -0000"),
                ("A <a> 5 +9999", "A <a> 1767225600 +9999"),
                ("A <a>", "A <a>"),
                ("", ""),
                ("\x1b]0;evil\x07 <a> 5 +0000", "A <a> 1767225600 +0000"),
                ("\xff\xfe <a> 5 +0000", "A <a> 1767225600 +0000"),
            )
        ),
    )
    reads(path)
    found = judged(path)
    assert {one["state"] for one in found} == {"ambiguous"}
    assert {one["committedAt"][:10] for one in found} == {"2026-01-01", "1970-01-01", "9999-12-31"}
    assert "%" not in "".join(one["author"] for one in found)


def test_messages(tmp_path: Path, unsound: set[Path]) -> None:
    path = repository(tmp_path / "r").path
    unsound.add(path)
    messages = [
        b"", b"\n", b"s\0" + TRAILER, b"x" * 10_000_000, b"a\n" * 1_000_000, TRAILER * 100_000,
        b"".join(b"Entire-Checkpoint: %012x\n" % number for number in range(20_000)),
        b"s\r\n\r\nEntire-Checkpoint: 000000000001\r\n",
    ]  # fmt: skip
    grow(path, *((HEAD, one) for one in messages))
    reads(path)
    states = [one["state"] for one in judged(path)][::-1]
    assert states == ["ambiguous", *["no-trailer"] * 5, *["ambiguous"] * 3]


def test_encodings(tmp_path: Path) -> None:
    path = repository(tmp_path / "r").path
    for encoding, text in (("latin-1", "é".encode("latin-1")), ("UTF-16", b"\xff\xfe"), ("nowhere", b"\xe9")):
        grow(path, (f"{HEAD}encoding {encoding}\n", text + b"\n\n" + TRAILER))
    reads(path)
    states = [one["state"] for one in judged(path)]
    assert states == ["ambiguous", "no-trailer", "ambiguous", "ambiguous"], "in UTF-16 it is no trailer"
    assert judged(path)[2]["subject"] == "é"


def test_no_configuration_changes_the_answers(tmp_path: Path) -> None:
    repo = repository(tmp_path / "r", 2)
    gone = {f"{checkpoint(2)[:2]}/{checkpoint(2)[2:]}": None}
    repo.builder.commit(STORE, "gone\n", gone)
    path = repo.build()
    git(path, "config", "asr.autosync", "false")
    assert run_cli(["sync"], path).status == 0
    asking = (
        ["coverage", "--json"],
        ["status", "--json"],
        ["link", "--suggest", "--json"],
        ["show", "main~1"],
    )
    plain = [run_cli(command, path) for command in asking]
    missing = run_cli(["show", "main"], path)
    assert f"names checkpoint {checkpoint(2)}" in missing.err
    for name, value in {**CONFIGURED, "color.ui": "false"}.items():
        git(path, "config", name, value)
    assert [run_cli(command, path) for command in asking] == plain
    assert run_cli(["show", "main"], path) == missing


def test_replaced_commits_and_grafts(tmp_path: Path, unsound: set[Path]) -> None:
    """Replacements do not count, as for every reader of the companion; grafts are Git's to follow."""
    path = repository(tmp_path / "r", 3).path
    unsound.add(path)
    tips = git(path, "rev-list", "main").split()
    git(path, "replace", tips[1], tips[2])
    assert [one["commit"] for one in judged(path)] == tips
    (path / ".git" / "info").mkdir(exist_ok=True)
    (path / ".git" / "info" / "grafts").write_text(f"{tips[0]}\n")
    assert [one["commit"] for one in judged(path)] == tips[:1]
    (path / ".git" / "info" / "grafts").write_text(f"junk\n{tips[0]} {'ad' * 20}\n")
    ended = run_cli(["coverage", "main"], path)
    assert (ended.status, ended.out) == (1, "")
    error, hint = ended.err.splitlines()[-2:]
    assert error.startswith("error: git log: Failed to traverse parents")
    assert hint.startswith("hint: ")


@pytest.mark.parametrize(
    ("range_", "status"),
    [
        ("--all", 2), ("-1", 2), ("-", 2), ("nothing", 2), ("HEAD~100", 2), ("a\nb", 2), ("", 2), ("x" * 5000, 2),
        ("@{u}", 2), ("main..main", 0), ("^main", 0), ("HEAD:work.txt", 0), ("HEAD^{tree}", 0), (":/work", 0),
    ],
)  # fmt: skip
def test_ranges(tmp_path: Path, range_: str, status: int) -> None:
    path = repository(tmp_path / "r").path
    ended = run_cli(["coverage", range_], path)
    assert ended.status == status, ended.err
    assert ended.err.count("error: ") == (1 if status else 0)


@pytest.mark.parametrize("how", ["none", "junk", "torn"])
def test_no_state_to_read(tmp_path: Path, how: str) -> None:
    """With ``asr.autosync`` off nothing is made anew; what needs the state says so."""
    path = repository(tmp_path / "r").path
    git(path, "config", "asr.autosync", "false")
    assert run_cli(["sync"], path).status == 0
    file = path / ".git" / "asr" / "state.sqlite"
    if how == "none":
        file.unlink()
    else:
        data = file.read_bytes()
        file.write_bytes(b"junk" * 2000 if how == "junk" else data[:4096] + b"\xff" * (len(data) - 4096))
    for command in (["coverage"], ["sessions", "--orphans"], ["link"], ["link", "--suggest"]):
        ended = run_cli(command, path)
        assert (ended.status, ended.out) == (1, ""), (command, ended)
        assert ended.err.endswith("hint: git asr sync\n")
    status = run_cli(["status"], path)
    assert status.status == 0
    assert "companion ref: not looked at yet\n" in status.out
    assert run_cli(["sync"], path).status == 0
    assert judged(path)[0]["state"] == "linked"
