"""Diagnostics, colour and pager, with real terminals."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

import pytest

from git_asr.cli import render
from git_asr.errors import AsrError, Diagnostic


class Terminal:
    """A pseudo-terminal: what is written to ``stream`` is read back by ``shown``."""

    def __init__(self) -> None:
        self._master, self._slave = pty.openpty()
        self.stream: TextIO = os.fdopen(os.dup(self._slave), "w", encoding="utf-8")

    def shown(self) -> str:
        """All that was written, once; the terminal is of no use afterwards."""
        self.stream.flush()
        os.write(self._slave, b"\0")
        parts = b""
        while not parts.endswith(b"\0"):
            parts += os.read(self._master, 65536)
        return parts[:-1].decode().replace("\r\n", "\n")

    def close(self) -> None:
        self.stream.close()
        os.close(self._master)
        os.close(self._slave)


@contextmanager
def terminal_as(name: str) -> Iterator[Terminal]:
    """A terminal in place of ``sys.stdout`` or ``sys.stderr``; not a fixture, for pytest sets both before a test."""
    made = Terminal()
    before = getattr(sys, name)
    setattr(sys, name, made.stream)
    render.colour.cache_clear()
    try:
        yield made
        assert getattr(sys, name) is made.stream
    finally:
        setattr(sys, name, before)
        render.colour.cache_clear()
        made.close()


def say(text: str) -> None:
    sys.stdout.write(text + "\n")


@pytest.fixture(autouse=True)
def _term(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def set_config(key: str, value: str) -> None:
    subprocess.run(["git", "config", key, value], check=True)


def test_errors_and_hints(capsys: pytest.CaptureFixture[str]) -> None:
    render.error(AsrError("plain"))
    render.error(AsrError("with\x07bell", hint="one\ntwo"))
    assert capsys.readouterr() == ("", "error: plain\nerror: with^Gbell\nhint: one\nhint: two\n")


def test_warnings_come_once(capsys: pytest.CaptureFixture[str]) -> None:
    warn = render.Warnings()
    first = Diagnostic("absent-blob", "checkpoint 5f0a", "the transcript is absent", hint="git fetch")
    warn(first)
    warn(first)
    warn(Diagnostic("absent-blob", "checkpoint 6b1c", "the transcript is absent", hint="git fetch"))
    warn(Diagnostic("odd", "", "an escape \x1b[2J"))
    assert capsys.readouterr().err == (
        "warning: checkpoint 5f0a: the transcript is absent\n"
        "hint: git fetch\n"
        "warning: checkpoint 6b1c: the transcript is absent\n"
        "warning: an escape ^[[2J\n"
    )
    assert [d.code for d in warn.seen] == ["absent-blob", "absent-blob", "odd"]


def test_nothing_is_said_without_stderr(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    render.hint("lost")
    assert capsys.readouterr().out == ""


def test_on_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with terminal_as("stdout"):
        assert render.on_terminal()
    with (tmp_path / "file").open("w") as file:
        assert not render.on_terminal(file)
    assert not render.on_terminal(file)
    monkeypatch.setattr(sys, "stdout", None)
    assert not render.on_terminal()


@pytest.mark.parametrize(
    ("config", "environment", "wanted"),
    [
        ({}, {}, True),
        ({"color.ui": "never"}, {}, False),
        ({"color.ui": "never", "color.asr": "always"}, {}, True),
        ({"color.asr": "false"}, {}, False),
        ({}, {"NO_COLOR": "1"}, False),
        ({}, {"NO_COLOR": ""}, True),
        ({}, {"TERM": "dumb"}, False),
        ({}, {"GIT_CONFIG_PARAMETERS": "'color.ui'='never'"}, False),
        ({}, {"PATH": ""}, False),
    ],
)
def test_colour_on_a_terminal(
    config: dict[str, str],
    environment: dict[str, str],
    wanted: bool,
    repository: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for key, value in config.items():
        set_config(key, value)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with terminal_as("stdout"):
        assert render.colour() is wanted
        assert render.paint("x", "yellow") == ("\x1b[33mx\x1b[m" if wanted else "x")
        assert render.paint("", "yellow") == ""


@pytest.mark.parametrize(("ui", "wanted"), [("auto", False), ("always", True)])
def test_colour_elsewhere(ui: str, wanted: bool, repository: Path) -> None:
    set_config("color.ui", ui)
    render.colour.cache_clear()
    assert render.colour() is wanted
    render.colour.cache_clear()


def test_paged_is_nothing_without_a_terminal(
    repository: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_PAGER", "touch paged")
    with render.paged():
        say("straight")
    assert capsys.readouterr().out == "straight\n"
    assert not (repository / "paged").exists()


@pytest.mark.parametrize("pager", ["", "cat"])
def test_no_pager_wanted(pager: str, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_PAGER", pager)
    with terminal_as("stdout") as terminal:
        with render.paged():
            say("straight")
        assert terminal.shown() == "straight\n"


def test_the_pager_of_git_gets_the_output(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LESS", raising=False)
    monkeypatch.delenv("LV", raising=False)
    set_config("core.pager", "(echo $LESS $LV $GIT_PAGER_IN_USE; cat) > out")
    with terminal_as("stdout") as terminal:
        with render.paged():
            say("é \udc80")
            assert not render.on_terminal()
            assert render.colour()
        assert terminal.shown() == ""
    assert (repository / "out").read_text("utf-8") == "FRX -c true\né \\udc80\n"


def test_own_settings_of_less_stay(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LESS", "S")
    monkeypatch.setenv("GIT_PAGER", "echo $LESS > out; cat >/dev/null")
    with terminal_as("stdout"), render.paged():
        say("x")
    assert (repository / "out").read_text() == "S\n"


@pytest.mark.parametrize("amount", [1, 100_000])
def test_a_pager_left_early_ends_the_block_quietly(
    amount: int, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_PAGER", "exec 0<&-")
    with terminal_as("stdout") as terminal:
        with render.paged():
            for _ in range(amount):
                say("x" * 100)
        assert terminal.shown() == ""


def test_errors_pass_through_the_pager(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_PAGER", "cat > out")
    with terminal_as("stdout"):
        with pytest.raises(AsrError), render.paged():
            say("before")
            raise AsrError("no")
        assert (repository / "out").read_text() == "before\n"
        with pytest.raises(BrokenPipeError), render.paged():
            raise BrokenPipeError


def test_an_interrupt_while_the_pager_is_open(repository: Path) -> None:
    """Ctrl-C reaches both; the pager decides, and what it still shows is kept."""
    script = (
        "import os, signal, sys, threading\n"
        "from git_asr.cli import render\n"
        "with render.paged():\n"
        "    print('x')\n"
        "    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
        "print('after', flush=True)\n"
    )
    master, slave = pty.openpty()
    try:
        ended = subprocess.run(
            [sys.executable, "-c", script],
            env={
                **os.environ,
                "PYTHONPATH": str(Path(__file__).parents[2]),
                "GIT_PAGER": "trap '' INT; cat >out; sleep 1; echo done >>out",
            },
            stdin=subprocess.DEVNULL,
            stdout=slave,
            check=False,
        )
        assert ended.returncode == 0
        assert (repository / "out").read_text() == "x\ndone\n"
        assert os.read(master, 100) == b"after\r\n"
    finally:
        os.close(master)
        os.close(slave)


def test_unread(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    with os.fdopen(writing, "w") as pipe:
        assert not render.unread(pipe)
        os.close(reading)
        assert render.unread(pipe)
    assert not render.unread(pipe)
    assert not render.unread(None)


def test_a_stream_without_a_file_is_not_unread(capsys: pytest.CaptureFixture[str]) -> None:
    assert not render.unread(sys.stdout)
