"""``git asr log``: any ``git log``, with the sessions under their commits."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from git_asr.cli.passthrough import run_git_here
from git_asr.errors import AsrError
from tests.e2e.sample_repos import add, checkpoint, repository, session
from tests.e2e.soundness import check
from tests.e2e.terminal import run_on_terminal
from tests.support.companion import tip
from tests.support.entire_repo import EntireRepo
from tests.support.repo_builder import git
from tests.support.run import PROJECT, Result, run_cli

NOTE = "claude-code {} · claude-opus-4-8 · 2s"
ONE, TWO = (NOTE.format(session(number)[:8]) for number in (1, 2))


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Three commits: two with a session each, the last without; checked out and synced."""
    folder = tmp_path_factory.mktemp("log")
    repo = repository(folder / "r", 2)
    repo.builder.commit("refs/heads/main", "other\n", {"docs/other.txt": "x\n"})
    repo.builder.build(checkout=True)
    assert run_cli(["sync"], repo.path).status == 0
    yield repo.path
    check(folder)


def log(path: Path, *args: str, **env: str) -> Result:
    return run_cli(["log", *args], path, env)


def shown(path: Path, *args: str, **env: str) -> str:
    """What it prints, if it goes well and says nothing else."""
    ended = log(path, *args, **env)
    assert (ended.status, ended.err) == (0, "")
    return ended.out


def test_by_default(path: Path) -> None:
    three, two, one = git(path, "rev-list", "main").split()
    assert shown(path) == (
        f"commit {three}\nAuthor: Ann Author <ann@example.com>\nDate:   Thu Jan 1 00:05:00 2026 +0000\n\n"
        f"    other\n\n"
        f"commit {two}\nAuthor: Ann Author <ann@example.com>\nDate:   Thu Jan 1 00:04:00 2026 +0000\n\n"
        f"    work\n    \n    Entire-Checkpoint: {checkpoint(2)}\n\nNotes (asr):\n    {TWO}\n\n"
        f"commit {one}\nAuthor: Ann Author <ann@example.com>\nDate:   Thu Jan 1 00:02:00 2026 +0000\n\n"
        f"    work\n    \n    Entire-Checkpoint: {checkpoint(1)}\n\nNotes (asr):\n    {ONE}\n"
    )


@pytest.mark.parametrize(
    ("arguments", "wanted", "unwanted"),
    [
        (["--oneline"], ["other", "work", ONE, TWO], []),
        (["--oneline", "--graph"], ["* ", f"|     {TWO}", f"      {ONE}"], []),
        (["--oneline", "--no-decorate", "--stat"], ["work.txt | 2 +-", ONE, TWO], []),
        (["-p", "-1", "main~1"], ["+line 2", TWO], [ONE]),
        (["--pretty=fuller"], ["CommitDate:", ONE, TWO], []),
        (["--pretty=raw"], ["tree ", ONE, TWO], []),
        (["--format=reference"], [" (work, 2026-01-01)"], [ONE, TWO]),  # a text to quote: it stays what it is
        (["-n", "1"], ["other"], [ONE, TWO, "work"]),
        (["-1"], ["other"], [ONE, TWO]),
        (["main~1..main"], ["other"], [ONE, TWO, "work"]),
        (["main~1", "^main~2"], [TWO], [ONE, "other"]),
        (["--", "work.txt"], [ONE, TWO], ["other"]),
        (["main", "--", "docs"], ["other"], [ONE, TWO]),
        (["--oneline", "--", "work.txt", "docs"], [ONE, TWO, "other"], []),
        (["--reverse", "--max-count=1", "main~1"], [TWO], [ONE]),
        (["-Sline 2", "--oneline"], [TWO], [ONE, "other"]),
        (["-Gash", "--oneline"], [], [ONE, TWO, "other", "Usage"]),
        (["--grep", "other"], ["other"], [ONE, TWO]),
        (["--no-notes"], ["work", "other"], [ONE, TWO, "Notes"]),
        (["--no-notes", "--format=%s"], ["work\n", "other\n"], [ONE, TWO]),
        (["--format=%s"], ["work\n" + ONE, "work\n" + TWO, "other\n"], []),
        (["--format=%s | %N"], [f"work | {TWO}\n", "other | \n"], ["\n" + TWO]),
        (["--format=%s%+N"], [f"work\n{TWO}\n"], []),
        (["--format=%s%-N"], [f"work{TWO}\n"], []),
        (["--format=%%N %s"], ["%N work\n" + ONE], []),
        (["--pretty=format:%s"], ["work\n" + ONE], []),
        (["--pretty=tformat:%s"], ["work\n" + ONE], []),
        (["--format=format:words"], ["words\n" + ONE], []),
        (["--pretty=mine"], ["<work>\n" + ONE], []),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_any_option_of_git_log(
    path: Path, arguments: list[str], wanted: list[str], unwanted: list[str]
) -> None:
    alias = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "pretty.mine", "GIT_CONFIG_VALUE_0": "<%s>"}
    out = shown(path, *arguments, **alias)
    assert [one for one in wanted if one not in out] == []
    assert [one for one in unwanted if one in out] == []


def test_nul_between_commits(path: Path) -> None:
    ids = git(path, "rev-list", "main").split()
    first, second, third, end = shown(path, "--format=%H", "-z").split("\0")
    assert (first, second, third, end) == (ids[0], f"{ids[1]}\n{TWO}\n", f"{ids[2]}\n{ONE}\n", "")


def test_an_own_format_from_the_configuration(path: Path) -> None:
    config = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "format.pretty", "GIT_CONFIG_VALUE_0": "<%s>"}
    assert shown(path, **config) == f"<other>\n<work>\n{TWO}\n\n<work>\n{ONE}\n\n"
    assert shown(path, "-1", "--oneline", **config).endswith(" other\n")
    config["GIT_CONFIG_VALUE_0"] = "oneline"
    assert f"Notes (asr):\n    {TWO}\n" in shown(path, **config)


def test_notes_of_the_user_stay(tmp_path: Path) -> None:
    path = repository(tmp_path / "r", 2).path
    git(path, "notes", "add", "-m", "mine", "main")
    git(path, "notes", "--ref=review", "add", "-m", "reviewed", "main")
    out = shown(path)
    assert "\nNotes:\n    mine\n" in out
    assert f"\nNotes (asr):\n    {TWO}\n" in out
    assert "reviewed" not in out
    chosen = shown(path, "--notes=review")
    assert f"\nNotes (asr):\n    {TWO}\n" in chosen
    assert "\nNotes (review):\n    reviewed\n" in chosen
    assert "mine" not in chosen
    assert "mine" not in shown(path, "--oneline")  # as with git log
    assert "mine" in shown(path, "--oneline", "--notes")
    assert "\nNotes" not in shown(path, "--no-notes")
    check(tmp_path)


def test_without_notes_it_is_git_log(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.commit()
    path = repo.build()
    assert shown(path) == git(path, "log") + "\n"
    assert shown(path, "--format=%H", "--", "work.txt") == git(path, "log", "--format=%H") + "\n"


def test_hostile_prompts_are_harmless(tmp_path: Path) -> None:
    hostile = "\x1b]0;owned\x07\x1b[2J\x9b31m now\u202eevil\u2066\r\nsecond\u200b line\n\nNotes:\n    forged"
    repo = EntireRepo(tmp_path / "r")
    add(repo, 1, prompt=hostile, agent="A\x1b[31m\nB", metadata={"model": "m\x1b[5m\nNotes:\u2028x"})
    path = repo.build()
    for arguments in ([], ["--oneline"], ["--format=%N"], ["--graph"]):
        out = shown(path, *arguments)
        (note,) = (line for line in out.splitlines() if "claude-code" in line)
        assert note.strip(" |") == (
            f"claude-code {session(1)[:8]} · m^[[5m Notes: x · 2s · "
            "“^[]0;owned^G^[[2J<U+009B>31m now<U+202E>evil<U+2066>”"
        )
        assert not set("\x1b\x07\x9b\u202e\u2066\r\u2028") & set(out)
    check(tmp_path)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--nonsense"], "fatal: unrecognized argument: --nonsense\n"),
        (["nope"], "fatal: ambiguous argument 'nope': unknown revision or path not in the working tree.\n"),
        (["nope", "--"], "fatal: bad revision 'nope'\n"),
    ],
)
def test_gits_own_errors_and_status(path: Path, arguments: list[str], message: str) -> None:
    ended = log(path, *arguments)
    assert (ended.status, ended.out) == (128, "")
    assert ended.err.startswith(message)


def test_help(path: Path) -> None:
    for option in ("-h", "--help"):
        assert shown(path, option).startswith("Usage: git asr log [OPTIONS] [GIT LOG OPTIONS]...")


def test_no_repository(tmp_path: Path) -> None:
    ended = log(tmp_path)
    assert (ended.status, ended.out) == (2, "")
    assert ended.err.startswith("error: not a Git repository")


def test_git_went_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(AsrError, match="git is not on PATH"):
        run_git_here("log")


def command(*args: str) -> list[str]:
    return [sys.executable, "-m", "git_asr", "log", *args]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(PROJECT)}


def test_a_reader_who_leaves_early(tmp_path: Path) -> None:
    repo = repository(tmp_path / "r")
    repo.builder.commit("refs/heads/main", "long\n" + "line\n" * 100_000)
    path = repo.build()
    with subprocess.Popen(
        command(), cwd=path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        assert child.stdout.readline().startswith(b"commit ")
        child.stdout.close()
        assert child.stderr.read() == b""
    assert child.returncode == 141
    assert tip(path) is not None


def test_without_standard_output(path: Path) -> None:
    script = f"exec {shell_quoted(sys.executable)} -m git_asr log -1 >&-"
    ended = subprocess.run(
        ["sh", "-c", script], cwd=path, env=environment(), capture_output=True, check=False
    )
    assert ended.returncode != 3
    assert b"git-asr" not in ended.stderr


def test_the_pager_of_git(path: Path) -> None:
    status, out = run_on_terminal(
        ["log", "-1", "--color=never", "main~1"], path, env={"GIT_PAGER": "sed 's/^/> /'"}
    )
    assert status == 0
    assert f">     {TWO}\n" in out


def test_an_interrupt_is_left_to_the_pager(path: Path, tmp_path: Path) -> None:
    """Ctrl-C reaches everyone at the terminal; less takes it for "stop searching" and stays."""
    pager = f"trap '' INT; cat >/dev/null; kill -INT 0; sleep 0.5; echo alive >'{tmp_path}/pager'"
    status, _ = run_on_terminal(["log"], path, env={"GIT_PAGER": f"sh -c {shell_quoted(pager)}"})
    assert (tmp_path / "pager").read_text() == "alive\n"
    assert status in (0, 128 + signal.SIGINT)  # whatever git made of it


def shell_quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
