"""Where shells look for completion of ``git asr``, and the scripts that are put there.

The scripts are files of ``shells/``, made from the commands (``make docs``), so that completing starts no Python.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from git_asr.errors import AsrError, UsageError

Shell = Literal["bash", "zsh", "fish"]
SCRIPTS: dict[Shell, str] = {"bash": "git-asr", "zsh": "_git-asr", "fish": "git-asr.fish"}
"""The shells, and the name under which each looks for the script."""
MARK = "# Made by git-asr: `git asr completion` prints, installs and removes it."
"""The line by which a script is known to be ours."""
_FOLDER = Path(__file__).parent / "shells"
_HEAD = 1000
"""Bytes in which the mark stands."""


def named(shell: str | None, environment: Mapping[str, str]) -> Shell:
    """The shell that is meant: by default that of the user (``SHELL``). Raises UsageError for any other than ours."""
    asked = shell or Path(environment.get("SHELL", "")).name
    for known in SCRIPTS:
        if known == asked:
            return known
    raise UsageError("say for which shell", hint="git asr completion bash|zsh|fish")


def script(shell: Shell) -> str:
    """The completion for a shell."""
    return (_FOLDER / SCRIPTS[shell]).read_text("utf-8")


def place(shell: Shell, environment: Mapping[str, str]) -> Path:
    """Where the shell of this user looks for the script; zsh only if its folder is in ``fpath``.

    By the XDG base directories, as bash-completion and fish do. A relative path in a variable does not count, as the
    specification of XDG says.

    Raises:
        UsageError: there is no home.
    """

    def base(variable: str, *below: str) -> Path:
        given = Path(environment.get(variable, ""))
        if given.is_absolute():
            return given
        try:
            return Path.home().joinpath(*below)
        except RuntimeError as error:
            raise UsageError("there is no home folder", hint=f"git asr completion {shell} > FILE") from error

    match shell:
        case "bash":
            own = Path(environment.get("BASH_COMPLETION_USER_DIR", ""))
            data = own if own.is_absolute() else base("XDG_DATA_HOME", ".local", "share") / "bash-completion"
            folder = data / "completions"
        case "zsh":
            folder = base("XDG_DATA_HOME", ".local", "share") / "zsh" / "site-functions"
        case "fish":
            folder = base("XDG_CONFIG_HOME", ".config") / "fish" / "completions"
    return folder / SCRIPTS[shell]


def install(shell: Shell, path: Path) -> bool:
    """Put the script there, all or nothing; False if it stands there already.

    Raises:
        AsrError: something of somebody else stands there, or it cannot be written.
    """
    wanted = script(shell).encode()
    try:
        if _is_ours(path) and path.read_bytes() == wanted:
            return False
        path.parent.mkdir(parents=True, exist_ok=True)
        made = path.with_name(f".{path.name}.asr-new")  # always the same name: a kill leaves no litter
        made.unlink(missing_ok=True)
        try:
            made.write_bytes(wanted)
            made.chmod(0o644)
            made.replace(path)
        finally:
            made.unlink(missing_ok=True)
    except OSError as error:
        raise AsrError(f"cannot write '{path}': {error.strerror}") from error
    return True


def uninstall(path: Path) -> bool:
    """Take our script away; False if there is none.

    Raises:
        AsrError: something of somebody else stands there, or it cannot be removed.
    """
    try:
        if not _is_ours(path):
            return False
        path.unlink()
    except OSError as error:
        raise AsrError(f"cannot remove '{path}': {error.strerror}") from error
    return True


def _is_ours(path: Path) -> bool:
    """Whether our script stands there; False if nothing does. Raises AsrError for anything else."""
    if not os.path.lexists(path):
        return False
    if path.is_file() and not path.is_symlink():
        with path.open("rb") as file:
            if MARK.encode() in file.read(_HEAD).splitlines():
                return True
    raise AsrError(f"'{path}' is not git-asr's", hint="move it away, or print the script elsewhere")


def next_step(shell: Shell, path: Path) -> str:
    """What is left to do for the shell to find it there."""
    match shell:
        case "bash":
            return "new shells have it, where the package bash-completion is installed"
        case "zsh":
            return f"in ~/.zshrc, before compinit:   fpath=({shlex.quote(str(path.parent))} $fpath)"
        case "fish":
            return "new shells have it; for `git asr` in fish 3.6 see docs/completion.md"
