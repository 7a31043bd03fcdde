"""The text of the hook files: one source, two places, and what a file says of itself."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_asr.hooks import script
from git_asr.hooks.script import HOOKS, Identity, identify, render
from tests.support import hook_files
from tests.support.run import PROJECT

LAUNCH = ("/opt/it's a/python", "-P", "-m", "git_asr")
WORDS = st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])))


def test_the_rendered_files_are_current() -> None:
    assert {path.name for path in hook_files.FOLDER.iterdir()} == {*HOOKS, "README.md"}
    for hook in HOOKS:
        path = hook_files.FOLDER / hook
        assert path.read_bytes() == render(hook), "run `make docs`"
        assert path.stat().st_mode & 0o777 == 0o755


def test_line_ends_of_what_a_shell_reads_are_kept() -> None:
    attributes = (PROJECT / ".gitattributes").read_text()
    assert "hooks/* text eol=lf" in attributes.splitlines()
    for path in (*(hook_files.FOLDER / hook for hook in HOOKS), Path(script.__file__).with_name("hook.sh")):
        assert b"\r" not in path.read_bytes()


def test_there_is_never_a_hook_for_reference_transactions() -> None:
    assert "reference-transaction" not in HOOKS


@pytest.mark.parametrize("hook", HOOKS)
@pytest.mark.parametrize("launch", [(), LAUNCH], ids=["path", "launch"])
@pytest.mark.parametrize("shell", [["dash", "-n"], ["bash", "--posix", "-n"], ["shellcheck"]])
def test_the_files_are_plain_shell(
    hook: str, launch: tuple[str, ...], shell: list[str], tmp_path: Path
) -> None:
    if not (program := hook_files.program(shell[0])):
        pytest.skip(f"there is no {shell[0]} here")
    path = tmp_path / hook
    path.write_bytes(render(hook, launch))
    ended = subprocess.run([program, *shell[1:], path], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")


@pytest.mark.parametrize("hook", HOOKS)
def test_a_file_says_what_it_is(hook: str) -> None:
    for launch in ((), LAUNCH):
        assert identify(render(hook, launch)) == Identity(hook, script.VERSION, intact=True)
    assert render(hook).splitlines()[1] == f"# git-asr hook {script.VERSION} {hook}".encode()


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data + b"echo more\n",
        lambda data: data[:-1],
        lambda data: data.replace(b"\n", b"\r\n"),
        lambda data: data.replace(b"#!/bin/sh", b"#!/bin/bash", 1),
        lambda data: data.replace(b" hook 1 ", b" hook 2 ", 1),
        lambda data: data.replace(b"post-commit", b"post-merge"),
        lambda data: data.replace(b"# sha256 ", b"# sha256 " + b"0" * 64 + b"\n# sha256 ", 1),
    ],
)
def test_a_file_that_was_changed_is_ours_but_not_intact(change: object) -> None:
    assert callable(change)
    changed = change(render("post-commit"))
    assert changed != render("post-commit")
    identity = identify(changed)
    assert identity is not None
    assert not identity.intact


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"#!/bin/sh\n",
        b"#!/bin/sh\nexit 0\n" + render("post-commit"),
        b"#!/bin/sh\n# git-asr hook one post-commit\n# sha256 " + b"0" * 64 + b"\n",
        b"#!/bin/sh\n# git-asr hook 1 post-commit\n",
        b"#!/bin/sh\n# git-asr hook " + b"1" * 5000 + b" post-commit\n# sha256 " + b"0" * 64 + b"\n",
    ],
)
def test_any_other_file_is_not_ours(data: bytes) -> None:
    assert identify(data) is None


@given(st.binary())
def test_whatever_a_file_holds_it_is_told(data: bytes) -> None:
    assert identify(data) is None


@given(WORDS, st.sampled_from(HOOKS))
def test_every_word_reaches_the_shell_as_it_is(words: list[str], hook: str) -> None:
    line = next(line for line in render(hook, ["/x", *words]).split(b"set -- ")[1:] if line.startswith(b"/x"))
    text = b"set -- " + line.split(b"\nif ! [ -x")[0] + b"\nprintf '%s\\0' \"$@\""
    shown = subprocess.run(["sh", "-c", text], capture_output=True, check=True).stdout
    assert shown.decode().split("\0")[:-1] == ["/x", *words]


def test_what_cannot_be_rendered_is_refused() -> None:
    with pytest.raises(ValueError, match="no hook of git-asr: pre-commit"):
        render("pre-commit")
    with pytest.raises(ValueError, match="not an absolute path: git-asr"):
        render("post-commit", ["git-asr"])
