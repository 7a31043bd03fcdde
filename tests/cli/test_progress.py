"""The progress bar, on a real terminal and elsewhere."""

from __future__ import annotations

import pytest

from git_asr.cli.progress import progress
from tests.cli.test_render import terminal_as


def test_silent_elsewhere(capsys: pytest.CaptureFixture[str]) -> None:
    with progress(delay=0) as tick:
        tick("reading", 1, 2)
    assert capsys.readouterr() == ("", "")


def test_one_bar_for_each_stage() -> None:
    with terminal_as("stderr") as terminal:
        with progress(delay=0) as tick:
            tick("reading", 0, 0)
            tick("reading", 1, 4)
            tick("reading", 4, 4)
            tick("writing", 2, 2)
        shown = terminal.shown()
    assert shown.index("reading") < shown.index("4/4") < shown.index("writing") < shown.index("2/2")


def test_quick_work_stays_quiet() -> None:
    with terminal_as("stderr") as terminal:
        with progress(delay=3600) as tick:
            tick("reading", 1, 2)
        assert terminal.shown() == ""


def test_the_bar_is_closed_when_work_fails() -> None:
    with terminal_as("stderr") as terminal:
        with pytest.raises(ValueError, match="broken"), progress(delay=0) as tick:
            tick("reading", 1, 2)
            raise ValueError("broken")
        shown = terminal.shown()
    assert "1/2" in shown
    assert shown.endswith("\x1b[?25h\n")  # the cursor is back
