"""The way in and its error boundary."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

from git_asr import __version__
from git_asr.cli import group
from git_asr.cli.main import main
from git_asr.cli.unknown import usage_error
from tests.support.run import PROJECT, run_cli


@pytest.fixture(autouse=True)
def _commands(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)  # a fault is written down in the repository that it happened in
    monkeypatch.setitem(group.COMMANDS, "ends", group.Entry("tests.cli.sample_commands:ends", "End."))
    monkeypatch.setitem(group.COMMANDS, "seven", group.Entry("tests.cli.sample_commands:not_a_command", "7."))


@pytest.mark.parametrize("arguments", [["--version"], ["-C", ".", "--version"]])
def test_version(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 0
    assert capsys.readouterr().out == f"git-asr version {__version__}\n"


@pytest.mark.parametrize(("arguments", "status"), [(["-h"], 0), (["--help"], 0), ([], 2)])
def test_help_lists_every_command(
    arguments: list[str], status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == status
    out = capsys.readouterr().out
    assert out.startswith("Usage: git asr [OPTIONS] COMMAND")
    assert all(f"  {name}  " in out and entry.help in out for name, entry in group.COMMANDS.items())


@pytest.mark.parametrize(
    ("how", "status", "err"),
    [
        ("well", 0, ""),
        ("incomplete", 1, ""),
        ("refused", 1, "error: no ^[[31mred^[[m here\nhint: git asr sync\nhint: or wait\n"),
        ("misused", 2, "error: not like that\n"),
        ("interrupted", 130, ""),
        ("aborted", 130, ""),
        (
            "faulty",
            3,
            "error: a fault in git-asr: ValueError\n"
            "hint: run it again with GIT_ASR_DEBUG=1 to see where, and report that\n",
        ),
        (
            "silent-fault",
            3,
            "error: a fault in git-asr: RuntimeError\n"
            "hint: run it again with GIT_ASR_DEBUG=1 to see where, and report that\n",
        ),
    ],
)
def test_every_end_has_its_status_and_words(
    how: str, status: int, err: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GIT_ASR_DEBUG", raising=False)
    assert main(["ends", how]) == status
    assert capsys.readouterr() == ("", err)


def test_a_fault_shows_its_traceback_to_those_who_ask(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_ASR_DEBUG", "1")
    assert main(["ends", "faulty"]) == 3
    assert "Traceback (most recent call last)" in capsys.readouterr().err


def test_a_pipe_to_a_child_that_broke_is_a_fault(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ends", "child-pipe"]) == 3
    assert capsys.readouterr().err.startswith("error: a fault in git-asr: BrokenPipeError")


@pytest.mark.parametrize(
    ("arguments", "err"),
    [
        (
            ["snyc"],
            "error: 'snyc' is not a git asr command\nhint: the most similar command is: git asr sync\n",
        ),
        (["xyzzy"], "error: 'xyzzy' is not a git asr command\nhint: git asr -h lists the commands\n"),
        (
            ["\x1b]0;x\x07"],
            "error: '^[]0;x^G' is not a git asr command\nhint: git asr -h lists the commands\n",
        ),
        (["--foo"], "error: unknown option: --foo\nhint: git asr -h\n"),
        (
            ["ends", "well", "--lou"],
            "error: unknown option: --lou\nhint: did you mean --loud?\nhint: git asr ends -h\n",
        ),
        (["ends"], "error: missing argument 'HOW'\nhint: git asr ends -h\n"),
        (
            ["-C", "/no/such", "ends", "well"],
            "error: cannot change to '/no/such': No such file or directory\n",
        ),
    ],
)
def test_wrong_usage(arguments: list[str], err: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert capsys.readouterr() == ("", err)


def test_a_target_that_is_no_command_is_a_fault(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["seven"]) == 3
    assert capsys.readouterr().err.startswith("error: a fault in git-asr: TypeError\n")


def test_folders_add_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    assert main(["-C", "a", "-C", "b", "ends", "where"]) == 0
    assert Path(capsys.readouterr().out.strip()) == tmp_path / "a" / "b"


def test_an_error_of_click_without_a_context() -> None:
    error = usage_error(click.ClickException("Out of luck."))
    assert (error.message, error.hint, error.status) == ("out of luck", None, 2)


def test_the_group_lists_its_commands() -> None:
    assert group.command.list_commands(click.Context(group.command)) == list(group.COMMANDS)


def test_arguments_are_not_touched() -> None:
    arguments = ["ends", "well"]
    main(arguments)
    assert arguments == ["ends", "well"]


def _run(script: str, **options: object) -> subprocess.Popen[bytes]:
    prelude = (
        "import sys; from git_asr.cli import group; from git_asr.cli.main import main; "
        "group.COMMANDS['ends'] = group.Entry('tests.cli.sample_commands:ends', ''); "
    )
    return subprocess.Popen(
        [sys.executable, "-c", prelude + script],
        cwd=PROJECT,
        stderr=subprocess.PIPE,
        **options,  # type: ignore[call-overload]
    )


@pytest.mark.parametrize("arguments", [["--version"], ["-h"]])
def test_a_closed_pipe_ends_quietly(arguments: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with _run(f"sys.exit(main({arguments!r}))", stdout=writing) as child:
        os.close(writing)
        assert child.communicate()[1] == b""
    assert child.returncode == 141


def test_a_reader_that_leaves_early_ends_it_quietly() -> None:
    with _run("sys.exit(main(['ends', 'pouring']))", stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()
        child.stdout.close()
        assert child.stderr is not None
        assert child.stderr.read() == b""
    assert child.returncode == 141


def test_an_error_nobody_reads_ends_quietly() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    ended = subprocess.run(
        [sys.executable, "-m", "git_asr", "nope"], cwd=PROJECT, stdout=writing, stderr=writing, check=False
    )
    os.close(writing)
    assert ended.returncode == 141


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize("arguments", [["--version"], ["ends", "pouring"]])
def test_a_full_disk_is_said(arguments: list[str]) -> None:
    with Path("/dev/full").open("wb") as full, _run(f"sys.exit(main({arguments!r}))", stdout=full) as child:
        assert child.communicate()[1] == b"error: cannot write: No space left on device\n"
    assert child.returncode == 1


def test_no_streams_at_all() -> None:
    script = "sys.stdout = sys.stderr = None; code = main(['-h']) * 10 + main(['nope']); sys.exit(code)"
    with _run(script, stdout=subprocess.PIPE) as child:
        assert child.communicate() == (b"", b"")
    assert child.returncode == 2


def test_what_the_encoding_lacks_is_escaped() -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    with _run("sys.exit(main(['ends', 'strange']))", stdout=subprocess.PIPE, env=environment) as child:
        assert child.communicate() == (b"caf\\xe9 \\ud800\n", b"")
    assert child.returncode == 0


def test_as_a_module(tmp_path: Path) -> None:
    ended = run_cli(["--version"], tmp_path)
    assert (ended.status, ended.out, ended.err) == (0, f"git-asr version {__version__}\n", "")
