"""``GIT_ASR_TRACE``: phases and Gits with their times, and nothing else."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from git_asr.git.credentials import without_credentials
from git_asr.git.tracing import shown_command
from tests.e2e.sample_repos import SESSIONS, refs, repository
from tests.support.run import PROJECT, run_cli

LINE = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{15}Z [0-9]+ +[0-9]+\.[0-9]{6} s  (phase|git)  (?:status (-?[0-9]+)  )?(.+)"
)


def test_a_sync_tells_its_phases_and_its_gits(tmp_path: Path) -> None:
    path = repository(tmp_path / "r").path
    ended = run_cli(["sync"], path, env={"GIT_ASR_TRACE": "1"})
    assert ended.status == 0
    found = [LINE.fullmatch(line) for line in ended.err.splitlines()]
    assert None not in found
    phases = [one[3] for one in found if one and one[1] == "phase"]
    assert phases == ["look", "arrive", "stores", "walk", "convert", "notes", "publish", "caches"]
    gits = [(one[2], one[3]) for one in found if one and one[1] == "git"]
    assert all(status is not None and said.startswith("git ") for status, said in gits)
    assert {"rev-parse", "for-each-ref", "update-ref"} <= {word for _, said in gits for word in said.split()}
    assert "text of" not in ended.err


def test_a_file_takes_the_lines_of_all_processes(tmp_path: Path) -> None:
    path = repository(tmp_path / "r").path
    file = tmp_path / "trace"
    for _ in range(2):
        ended = run_cli(["sync"], path, env={"GIT_ASR_TRACE": str(file)})
        assert (ended.status, ended.err) == (0, "")
    lines = file.read_text("ascii").splitlines()
    assert all(LINE.fullmatch(line) for line in lines)
    assert len({line.split()[1] for line in lines}) == 2
    assert file.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("value", ["", "0", "false"])
def test_it_is_off(tmp_path: Path, value: str) -> None:
    path = repository(tmp_path / "r").path
    ended = run_cli(["sync"], path, env={"GIT_ASR_TRACE": value})
    assert (ended.status, ended.err) == (0, "")


@pytest.mark.parametrize(
    ("value", "why"),
    [("relative", "neither 1 nor an absolute path"), ("/no/such/folder/x", "No such file or directory")],
)
def test_what_cannot_be_written_is_said_once_and_stops_nothing(tmp_path: Path, value: str, why: str) -> None:
    path = repository(tmp_path / "r").path
    ended = run_cli(["sync"], path, env={"GIT_ASR_TRACE": value})
    assert (ended.status, ended.err) == (0, f"warning: GIT_ASR_TRACE: {value}: {why}\n")
    assert SESSIONS in refs(path)


def test_a_git_that_fails_is_told_with_its_status(tmp_path: Path) -> None:
    path = repository(tmp_path / "r").path
    assert run_cli(["sync"], path).status == 0
    ended = run_cli(
        ["fetch", "https://ann:s3cr3t@[::1]:1/x?private_token=s3cr3t"], path, env={"GIT_ASR_TRACE": "1"}
    )
    assert ended.status == 1
    assert "s3cr3t" not in ended.err
    assert re.search(r"git  status 128  git .*fetch", ended.err) or re.search(
        r"status 128  git .*ls-remote", ended.err
    )


@pytest.mark.parametrize(
    ("word", "shown"),
    [
        ("https://ann:pw@host/x", "https://host/x"),
        ("https://ann:p@w@host/x", "https://host/x"),
        ("https://host/x?a=1&private_token=pw&b=2", "https://host/x?a=1&private_token=...&b=2"),
        ("https://host/x?AUTH=pw", "https://host/x?AUTH=..."),
        ("ssh://git@host/x", "ssh://host/x"),
        ("https://host/a@b", "https://host/a@b"),
        ("git@host:x", "git@host:x"),
    ],
)
def test_what_lets_somebody_in_is_not_shown(word: str, shown: str) -> None:
    assert without_credentials(word) == shown
    assert "pw" not in shown_command(["git", "fetch", word])


def test_settings_and_strange_words() -> None:
    command = ["git", "-c", "http.https://x/.extraHeader=Authorization: pw", "log", "\x1b[31m\n", "x" * 9999]
    told = shown_command(command)
    assert "pw" not in told
    assert "\x1b" not in told
    assert "\n" not in told
    assert len(told) < 2100


def test_nothing_is_imported_for_it_when_it_is_off(tmp_path: Path) -> None:
    path = repository(tmp_path / "r").path
    code = (
        "import sys\nfrom git_asr.cli.main import main\nmain(['sync'])\n"
        "sys.exit('git_asr.git.tracing' in sys.modules)"
    )
    environment = {**os.environ, "PYTHONPATH": str(PROJECT)}
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=path, env=environment, check=False, capture_output=True
    )
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert SESSIONS in refs(path)
