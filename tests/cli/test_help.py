"""``git asr help`` and the manual pages."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from git_asr.cli import group, manual
from tests.e2e.terminal import run_on_terminal
from tests.support import command_docs
from tests.support.run import PROJECT, Result, run_cli

FAITHFUL = '#!/bin/sh\necho "man: $*"\n'
FAILING = '#!/bin/sh\necho "no such thing" >&2\nexit 16\n'


def only_man(folder: Path, script: str | None) -> dict[str, str]:
    """An environment in which ``man`` is this script, or is nowhere; and there is no other program."""
    folder.mkdir()
    if script is not None:
        (folder / "man").write_text(script)
        (folder / "man").chmod(0o755)
    return {"PATH": str(folder)}


def test_without_a_command_it_lists_the_commands(tmp_path: Path) -> None:
    assert run_cli(["help"], tmp_path) == run_cli(["-h"], tmp_path)


@pytest.mark.parametrize("name", ["sync", "help"])
def test_it_lets_man_show_the_page(tmp_path: Path, name: str) -> None:
    page = PROJECT / "docs" / "man" / f"git-asr-{name}.1"
    ended = run_cli(["help", name], tmp_path, env=only_man(tmp_path / "bin", FAITHFUL))
    assert ended == Result(0, f"man: {page}\n", "")


@pytest.mark.parametrize("script", [None, FAILING, "no script"])
def test_else_it_shows_the_help(tmp_path: Path, script: str | None) -> None:
    ended = run_cli(["help", "sync"], tmp_path, env=only_man(tmp_path / "bin", script) | {"COLUMNS": "80"})
    assert (ended.status, ended.out) == (0, command_docs.help_of("sync"))


def test_the_help_goes_through_the_pager(tmp_path: Path) -> None:
    bin_ = tmp_path / "bin"
    env = only_man(bin_, None)
    for name in ("git", "sh", "sed"):
        (bin_ / name).symlink_to(str(shutil.which(name)))
    status, shown = run_on_terminal(["help", "sync"], tmp_path, env={**env, "GIT_PAGER": "sed s/^/paged:/"})
    assert status == 0
    assert "paged:Usage: git asr sync [OPTIONS] [REVS]..." in shown


def test_a_command_that_there_is_not(tmp_path: Path) -> None:
    ended = run_cli(["help", "snyc"], tmp_path)
    said = "error: 'snyc' is not a git asr command\nhint: the most similar command is: git asr sync\n"
    assert ended == Result(2, "", said)
    assert run_cli(["help", "\x1b[31m"], tmp_path).err.startswith(
        "error: '^[[31m' is not a git asr command\n"
    )
    assert run_cli(["help", "../../man"], tmp_path).status == 2


def test_the_page_of_an_installed_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site, pages = tmp_path / "lib" / "site", tmp_path / "share"
    metadata = site / "git_asr-0.1.0.dist-info"
    metadata.mkdir(parents=True)
    pages.mkdir()
    (pages / "git-asr-sync.1").write_text("")
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: git-asr\nVersion: 0.1.0\n")
    listed = "".join(f"../../share/git-asr-{name}.1,,\n" for name in ("log", "sync"))
    (metadata / "RECORD").write_text(listed)
    monkeypatch.setattr(manual, "_SOURCES", tmp_path)
    monkeypatch.setattr(sys, "path", [str(site)])
    assert manual.page("sync") == (pages / "git-asr-sync.1").resolve()
    assert manual.page("log") is None
    assert manual.page("show") is None
    (metadata / "RECORD").unlink()
    assert manual.page("sync") is None
    shutil.rmtree(metadata)
    assert manual.page("sync") is None


def test_every_command_has_a_current_page() -> None:
    pages = {file.name: file.read_text("utf-8") for file in command_docs.MANUALS.iterdir()}
    assert pages == command_docs.manuals(), "run `make docs`"
    assert set(pages) == {"git-asr.1", *(f"git-asr-{name}.1" for name in group.COMMANDS)}
    for text in pages.values():
        parts = re.findall(r"^\.SH (.*)$", text, re.MULTILINE)
        listed = ["COMMANDS"] if "SH COMMANDS" in text else []
        assert parts == ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", *listed, "EXIT STATUS", "SEE ALSO"]


def test_troff_sees_no_command_in_a_text() -> None:
    shown = command_docs.paragraph(".so /etc/passwd \\fB 'x' `a-b` *c* -d\n.de x")
    assert shown == [r"\&.so /etc/passwd \efB \(aqx\(aq \fBa\-b\fR \fIc\fR \-d .de x"]


@pytest.mark.skipif(shutil.which("groff") is None, reason="no groff: apt install groff-base")
def test_groff_finds_nothing() -> None:
    files = sorted(map(str, command_docs.MANUALS.iterdir()))
    ended = subprocess.run(
        ["groff", "-man", "-ww", "-Tutf8", "-z", *files], capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.skipif(shutil.which("mandoc") is None, reason="no mandoc: apt install mandoc")
def test_mandoc_finds_nothing() -> None:
    files = sorted(map(str, command_docs.MANUALS.iterdir()))
    ended = subprocess.run(
        ["mandoc", "-Tlint", "-W", "warning", *files], capture_output=True, text=True, check=False
    )
    found = [line for line in ended.stdout.splitlines() if not line.endswith('missing date, using "": TH')]
    assert found == []  # a page has the version of git-asr, and no date


@pytest.mark.skipif(shutil.which("man") is None, reason="no man: apt install man-db")
def test_the_real_man_shows_a_page(tmp_path: Path) -> None:
    ended = run_cli(["help", "usage"], tmp_path, env={"MANWIDTH": "80", "MANPAGER": "cat"})
    shown = re.sub("\x1b\\[[0-9;]*m|.\x08", "", ended.out)
    assert "GIT-ASR-USAGE(1)" in shown or "Usage: git asr usage" in shown
    assert "Count for commits too" in shown
