"""What is said to people, and what is not."""

from __future__ import annotations

import sys

import pytest

from git_asr.errors import AsrError, Diagnostic
from git_asr.remote import speaking
from git_asr.remote.options import Options
from git_asr.remote.speaking import MOST, Speaker


def said(capsys: pytest.CaptureFixture[str]) -> str:
    out, err = capsys.readouterr()
    assert out == ""
    return err


def test_an_error_and_its_hints(capsys: pytest.CaptureFixture[str]) -> None:
    speaking.error(AsrError("a\x1b[31mb", hint="one\ntwo"))
    assert said(capsys) == "error: a^[[31mb\nhint: one\nhint: two\n"


def test_what_a_git_says(capsys: pytest.CaptureFixture[str]) -> None:
    speaker = Speaker(Options())
    speaker.hear("remote: hello\x1b[K\n", False)
    speaker.hear("Receiving objects:  50% (1/2)\r", True)
    assert said(capsys) == "remote: hello\n"
    speaker.options = Options(progress=True)
    speaker.hear("Receiving objects:  50% (1/2)\r", True)
    speaker.hear("\x1b]0;title\x07", False)
    assert said(capsys) == "Receiving objects:  50% (1/2)\r^[]0;title^G\n"


def test_warnings_of_a_kind_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    speaker = Speaker(Options())
    for number in range(MOST + 2):
        for _ in range(2):
            speaker.report(Diagnostic("code", f"place {number}" if number else "", "wrong"))
    speaker.warn("alone")
    speaker.close()
    lines = said(capsys).splitlines()
    assert lines[:2] == ["warning: wrong", "warning: place 1: wrong"]
    assert lines[MOST:] == ["warning: alone", "warning: and 2 more warnings"]
    speaker.close()
    assert said(capsys) == ""


def test_progress_is_drawn_over_itself(capsys: pytest.CaptureFixture[str]) -> None:
    speaker = Speaker(Options(progress=True))
    speaker.tick("Stage", 0, 0)
    speaker.tick("Stage", 1, 2)
    speaker.tick("Stage", 2, 2)
    assert said(capsys) == "\rStage: 1/2\x1b[K\rStage: 2/2, done.\x1b[K\n"
    speaker.tick("Stage", 1, 2)
    speaker.close()
    assert said(capsys) == "\rStage: 1/2\x1b[K\n"


def test_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    speaker = Speaker(Options(verbosity=0, progress=True))
    for number in range(MOST + 2):
        speaker.warn(f"{number}", "kind")
    speaker.note("note")
    speaker.hint("hint")
    speaker.hear("text\n", False)
    speaker.tick("Stage", 1, 2)
    speaker.close()
    assert said(capsys) == ""


def test_without_stderr(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    Speaker(Options()).note("nobody hears it")
