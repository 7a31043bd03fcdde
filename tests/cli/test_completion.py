"""``git asr completion``: the scripts are those of the commands, shells take them, and they go only where they may."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from git_asr.cli import completing, group
from git_asr.cli.completing import MARK, SCRIPTS, Shell
from tests.support import shell_files
from tests.support.repo_builder import git
from tests.support.run import Result, run_cli

DRIVERS = Path(__file__).parent / "shells"
BASH_COMPLETION = Path("/usr/share/bash-completion/bash_completion")

SHELLS: tuple[Shell, ...] = ("bash", "zsh", "fish")
needs = {
    shell: pytest.mark.skipif(shutil.which(shell) is None, reason=f"no {shell}: apt install {shell}")
    for shell in SHELLS
}
each_shell = pytest.mark.parametrize("shell", [pytest.param(one, marks=needs[one]) for one in SHELLS])

LINES: tuple[tuple[str, set[str]], ...] = (
    ("git-asr sh", {"show"}),
    ("git asr sh", {"show"}),
    ("git asr usage --by ", {"session", "commit", "day", "author", "agent", "model"}),
    ("git asr usage --by=a", {"agent", "author"}),
    ("git-asr export --format ht", {"html"}),
    ("git asr export --policy st", {"strict"}),
    ("git asr install --hook post-co", {"post-commit"}),
    ("git asr help cov", {"coverage"}),
    ("git asr completion f", {"fish"}),
    ("git-asr show topic", {"topic-a"}),
    ("git asr show topic", {"topic-a"}),
    ("git asr coverage --strict topic", {"topic-a"}),
    ("git asr search topic topic", {"topic-a"}),
    ("git asr push ", {"upstream"}),
    ("git asr sync --remote=", {"upstream"}),
    ("git asr setup upstream ", set()),
    ("git asr fetch upstream topic", {"topic-a"}),
    ("git asr log --oneli", {"--oneline"}),
    ("git-asr log --oneli", {"--oneline"}),
    ("git-asr -C folder sess", {"sessions"}),
    ("git asr -C folder sess", {"sessions"}),
    ("git asr link acc", {"accept"}),
    ("git asr drift -- --stri", set()),
    ("git-asr $(touch evil) sh", set()),
    ("git asr show $(touch evil); `touch evil`", set()),
)
"""What is typed, and what is offered."""


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_is_made_from_the_commands(shell: Shell, tmp_path: Path) -> None:
    assert completing.script(shell) == shell_files.made(shell), "run `make docs`"
    assert run_cli(["completion", shell], tmp_path) == Result(0, completing.script(shell), "")


def test_every_command_and_option_is_in_every_script() -> None:
    for command in shell_files.commands():
        for option in command.options:
            for name in option.names:
                said = re.escape(name)
                assert re.search(rf"'{command.name}'\) words_='.*{said}[ =']", completing.script("bash")), (
                    name
                )
    zsh, fish = completing.script("zsh"), completing.script("fish")
    for name, entry in group.COMMANDS.items():
        assert f"    '{name}:" in zsh
        assert f"-a {name} -d '" in fish
        assert entry.help[:10] in zsh


def test_texts_are_quoted() -> None:
    evil = "it's $(touch x) `x` \\ [a]: b"
    option = shell_files.Option(("--evil",), evil)
    command = shell_files.Command("evil", evil, (option,))
    root = shell_files.Command("", "", ())
    from tests.support import shells

    zsh = "\n".join(shells.zsh([root, command]))
    assert "'evil:it'\\''s $(touch x) `x` \\ [a]: b'" in zsh
    assert "'(--evil)--evil[it'\\''s $(touch x) `x` \\\\ \\[a\\]\\: b]'" in zsh
    fish = "\n".join(shells.fish([root, command]))
    assert "-l evil -d 'it\\'s $(touch x) `x` \\\\ [a]: b'" in fish


@each_shell
def test_the_shell_can_read_it(shell: Shell) -> None:
    file = shell_files.FOLDER / SCRIPTS[shell]
    assert subprocess.run([shell, "-n", str(file)], capture_output=True, check=False).stderr == b""


def test_shellcheck_finds_nothing() -> None:
    program = shutil.which("shellcheck") or shutil.which("shellcheck", path=str(Path(sys.executable).parent))
    assert program is not None
    files = [str(shell_files.FOLDER / SCRIPTS["bash"]), str(DRIVERS / "drive.bash")]
    ended = subprocess.run([program, *files], capture_output=True, text=True, check=False)
    assert ended.stdout == ""


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with all three scripts installed, a repository, and a git-asr that says when it is started."""
    folder = tmp_path_factory.mktemp("completion")
    for shell in SHELLS:
        ended = run_cli(["completion", shell, "--install"], folder, env={"HOME": str(folder)})
        assert (ended.status, ended.out.startswith("written: ")) == (0, True)
    git(folder, "init", "-q", "r")
    repo = folder / "r"
    git(repo, "commit", "-q", "--allow-empty", "-m", "x")
    git(repo, "branch", "topic-a")
    git(repo, "remote", "add", "upstream", "/nowhere")
    (repo / "folder").mkdir()
    (repo / "some file").write_text("")
    program = folder / "bin" / "git-asr"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\ntouch "$HOME/started"\n')
    program.chmod(0o755)
    (folder / ".config" / "fish" / "config.fish").write_text(
        "complete -c git -f -n '__fish_git_using_command asr' -a '(__fish_git_complete_custom_command asr)'\n"
    )
    return folder


def bash(home: Path, lines: Sequence[str]) -> list[set[str]]:
    return [
        {one.rstrip() for one in replied(home, line) if one and not one.startswith("<")} for line in lines
    ]


def replied(home: Path, line: str) -> list[str]:
    """What our function for bash replies, and in brackets what it asks of readline."""
    words = re.findall(r"[=:]+|[^\s=:]+", line) + ([""] if line.endswith(" ") else [])
    return driven(home, "bash", "--norc", str(DRIVERS / "drive.bash"), line, *words)


def zsh(home: Path, lines: Sequence[str]) -> list[set[str]]:
    folder = home / ".local" / "share" / "zsh" / "site-functions"
    found = "\n".join(driven(home, "zsh", "-f", str(DRIVERS / "drive.zsh"), str(folder), *lines))
    return [{*one.split("\n")} - {""} for one in found.split("<END>")[:-1]]


def fish(home: Path, lines: Sequence[str]) -> list[set[str]]:
    script = "for line in $argv; complete -C $line; echo '<END>'; end"
    found = "\n".join(driven(home, "fish", "-c", script, *lines)).split("<END>")[:-1]
    return [
        {
            word
            for word in map(_word, one.split("\n"))
            if word and word.startswith(re.split(r"[ =]", line)[-1])
        }
        for line, one in zip(lines, found, strict=True)  # it also offers what has the letters elsewhere
    ]


def _word(offered: str) -> str:
    return offered.partition("\t")[0].rpartition("=")[2]


def driven(home: Path, *command: str) -> list[str]:
    environment = {
        **os.environ,
        "HOME": str(home),
        "PATH": f"{home / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "TERM": "dumb",
        "GIT_ASR_BASH_COMPLETION": str(BASH_COMPLETION),
    }
    ended = subprocess.run(
        command, cwd=home / "r", env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert not (home / "started").exists()
    assert not (home / "r" / "evil").exists()
    return ended.stdout.splitlines()


def has_git_completion(shell: Shell) -> bool:
    """Whether Git's own completion is where this shell looks for it."""
    match shell:
        case "bash":
            return BASH_COMPLETION.exists() and Path("/usr/share/bash-completion/completions/git").exists()
        case _:
            return True


DRIVEN: dict[Shell, Callable[[Path, Sequence[str]], list[set[str]]]] = {
    "bash": bash,
    "zsh": zsh,
    "fish": fish,
}
OPTIONS, FILES, FOLDERS = "git asr search --", "git asr validate ", "git asr demo "


@each_shell
def test_what_is_offered(here: Path, shell: Shell) -> None:
    if not has_git_completion(shell):
        pytest.skip(f"no completion of Git for {shell}: apt install bash-completion")
    lines = [*(line for line, _ in LINES), OPTIONS, FILES, FOLDERS]
    *offered, options, files, folders = DRIVEN[shell](here, lines)
    assert dict(zip(lines, offered, strict=False)) == dict(LINES)
    known = next(one for one in shell_files.commands() if one.name == "search").options
    assert {one.rstrip("=") for one in options} == {
        name for one in known for name in one.names if name.startswith("--")
    }
    if shell != "bash":
        assert {"folder", "some file"} <= {one.replace("\\", "").rstrip("/") for one in files}
        assert {one.rstrip("/") for one in folders} == {"folder"}


@needs["bash"]
def test_bash_leaves_files_to_readline_where_files_can_stand(here: Path) -> None:
    if not has_git_completion("bash"):
        pytest.skip("no completion of Git for bash: apt install bash-completion")

    def asked(line: str) -> set[str]:
        return {one for one in replied(here, line) if one.startswith("<")}

    assert asked(FILES) == {"<-o default>"}
    assert asked(FOLDERS) == {"<+o default +o bashdefault>", "<-o dirnames>"}
    assert asked("git asr forget ") == {"<+o default +o bashdefault>"}


@needs["bash"]
def test_bash_without_the_completion_of_git(here: Path, tmp_path: Path) -> None:
    file = shell_files.FOLDER / SCRIPTS["bash"]
    script = f'source "{file}"; COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); compopt () {{ :; }}\n'
    script += "__git_asr_alone; printf '%s\\n' \"${COMPREPLY[@]}\""

    def offered(*words: str) -> list[str]:
        ended = subprocess.run(
            ["bash", "--norc", "-c", script, "bash", *words],
            cwd=here / "r",
            capture_output=True,
            text=True,
            check=True,
        )
        assert ended.stderr == ""
        return ended.stdout.split()

    assert offered("git-asr", "us") == ["usage"]
    assert offered("git-asr", "usage", "--by", "a") == ["author", "agent"]
    assert offered("git-asr", "usage", "--js") == ["--json"]
    assert (
        offered("git-asr", "show", "")
        == offered("git-asr", "push", "")
        == offered("git-asr", "log", "")
        == []
    )


@pytest.mark.parametrize("shell", SHELLS)
def test_installed_and_taken_away(shell: Shell, tmp_path: Path) -> None:
    env = {"HOME": str(tmp_path), "SHELL": f"/usr/bin/{shell}"}
    ended = run_cli(["completion", "--install"], tmp_path, env=env)
    (path,) = [one for one in tmp_path.rglob("*") if one.is_file()]
    assert path.name == SCRIPTS[shell]
    assert path.read_text("utf-8") == completing.script(shell)
    assert path.stat().st_mode & 0o777 == 0o644
    assert ended.out == f"written: {path}\n"
    assert ended.err.startswith("hint: ")
    assert run_cli(["completion", "--install"], tmp_path, env=env).out == f"is current: {path}\n"
    path.write_text(f"# older\n{MARK}\n")
    assert run_cli(["completion", shell, "--install"], tmp_path, env=env).out == f"written: {path}\n"
    assert run_cli(["completion", shell, "--uninstall"], tmp_path, env=env).out == f"removed: {path}\n"
    assert run_cli(["completion", shell, "--uninstall"], tmp_path, env=env).out == "nothing to remove\n"
    assert not path.exists()


def test_where_the_variables_say(tmp_path: Path) -> None:
    home = {"HOME": "/h"}
    places = {
        "bash": "/h/.local/share/bash-completion/completions/git-asr",
        "zsh": "/h/.local/share/zsh/site-functions/_git-asr",
        "fish": "/h/.config/fish/completions/git-asr.fish",
    }
    for shell in SHELLS:
        ended = run_cli(["completion", shell, "--uninstall"], tmp_path, env=home)
        assert ended == Result(0, "nothing to remove\n", "")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", "/h")
        assert {one: str(completing.place(one, home)) for one in SHELLS} == places
        assert {
            one: str(completing.place(one, {"XDG_DATA_HOME": "rel", "BASH_COMPLETION_USER_DIR": "rel"}))
            for one in SHELLS
        } == places
    said = {"XDG_DATA_HOME": "/d", "XDG_CONFIG_HOME": "/c"}
    assert str(completing.place("bash", said)) == "/d/bash-completion/completions/git-asr"
    assert (
        str(completing.place("bash", {**said, "BASH_COMPLETION_USER_DIR": "/b"})) == "/b/completions/git-asr"
    )
    assert str(completing.place("zsh", said)) == "/d/zsh/site-functions/_git-asr"
    assert str(completing.place("fish", said)) == "/c/fish/completions/git-asr.fish"


def test_what_is_not_ours_stays(tmp_path: Path) -> None:
    env = {"XDG_CONFIG_HOME": str(tmp_path / "c\x1b")}
    path = tmp_path / "c\x1b" / "fish" / "completions" / "git-asr.fish"
    path.parent.mkdir(parents=True)

    def refused(option: str) -> str:
        ended = run_cli(["completion", "fish", option], tmp_path, env=env)
        assert (ended.status, ended.out) == (1, "")
        assert "\x1b" not in ended.err
        return ended.err.splitlines()[0]

    path.write_text(f"# mine\n# {MARK}\n")
    assert refused("--install") == refused("--uninstall")
    assert refused("--install").endswith("git-asr.fish' is not git-asr's")
    path.rename(tmp_path / "mine")
    path.symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere").write_text(f"{MARK}\n")
    assert refused("--install") == refused("--uninstall")
    path.unlink()
    path.mkdir()
    assert refused("--install") == refused("--uninstall")
    assert (tmp_path / "elsewhere").read_text() == f"{MARK}\n"
    path.rmdir()
    path.parent.rmdir()
    path.parent.write_text("")
    assert refused("--install").startswith("error: cannot write '")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_to(tmp_path: Path) -> None:
    env = {"XDG_CONFIG_HOME": str(tmp_path)}
    assert run_cli(["completion", "fish", "--install"], tmp_path, env=env).status == 0
    (tmp_path / "fish" / "completions").chmod(0o500)
    ended = run_cli(["completion", "fish", "--uninstall"], tmp_path, env=env)
    assert ended.err.startswith("error: cannot remove '")


@pytest.mark.parametrize(
    ("arguments", "env", "said"),
    [
        (["tcsh"], {}, "invalid value for '[bash|zsh|fish]'"),
        ([], {"SHELL": "/bin/tcsh"}, "say for which shell\nhint: git asr completion bash|zsh|fish\n"),
        ([], {"SHELL": ""}, "say for which shell\nhint: git asr completion bash|zsh|fish\n"),
        (["--install", "--uninstall"], {}, "--install and --uninstall exclude each other"),
    ],
)
def test_what_is_refused(arguments: list[str], env: dict[str, str], said: str, tmp_path: Path) -> None:
    ended = run_cli(["completion", *arguments], tmp_path, env=env)
    assert (ended.status, ended.out) == (2, "")
    assert ended.err.startswith(f"error: {said}")


def test_without_a_home(monkeypatch: pytest.MonkeyPatch) -> None:
    from git_asr.errors import UsageError

    def no_home() -> Path:
        raise RuntimeError

    monkeypatch.setattr(Path, "home", no_home)
    with pytest.raises(UsageError, match="there is no home folder"):
        completing.place("zsh", {})
