"""Hooks in Git's configuration, which Git has from version 2.54 on (reference git-integration, section 7.7).

Each hook has a section of its own, ``hook.git-asr-<hook>``. The command comes before the event and goes with it, for an
event without a command makes every `git commit` fail.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Sequence
from pathlib import Path

from git_asr.errors import AsrError
from git_asr.git.base import Repository
from git_asr.git.process import run_git, try_git
from git_asr.hooks.journal import global_directory
from git_asr.hooks.managers.base import FILES
from git_asr.hooks.plan import Outcome, Planned, Wanted, copies
from git_asr.hooks.script import HOOKS
from git_asr.hooks.steps import Configure, Step
from git_asr.sync.look import directory

_PREFIX = "hook.git-asr-"

_OFF = "case $(git rev-parse --git-path hooks 2>/dev/null) in /dev/null*) exit ;; esac; "
"""Hooks of the configuration also run where hooks are switched off by ``core.hooksPath``; ours do not."""


def supported() -> bool:
    """Tell whether Git has such hooks: it came to list them in the same version. No repository is needed to ask."""
    asked = try_git(None, "hook", "-h", cwd=Path(os.sep))
    return b"git hook list" in asked.out + asked.err


def needed() -> None:
    """Raise AsrError where Git has no such hooks."""
    if not supported():
        version = run_git(None, "--version").decode("utf-8", "replace").strip()
        raise AsrError(
            f"this is {version}, and hooks in the configuration need 2.54",
            hint="git asr install   writes hook files",
        )


def plan(repo: Repository | None, wanted: Wanted) -> list[Planned]:
    """What is to be done so that the repository, or without one every repository of the user, calls our hooks.

    Raises:
        AsrError: the configuration cannot be read.
    """
    folder = files_folder(repo)
    scope = "--local" if repo is not None else "--global"
    there = configured(repo)
    before = copies(folder, {hook: wanted.file(hook) for hook in wanted.hooks})
    planned = []
    for hook in wanted.hooks:
        path = folder / hook
        commands, events = there.get(hook, ((), ()))
        command = _command(hook, None if repo is not None else path)
        steps: list[Step] = list(before.get(hook, ()))
        if commands[-1:] != (command,):
            steps.append(Configure(scope, f"{_PREFIX}{hook}.command", command))
        if hook not in events:
            steps.append(Configure(scope, f"{_PREFIX}{hook}.event", hook, add=True))
        outcome: Outcome = "current" if not steps else "updated" if hook in events else "written"
        how = f"called by {_PREFIX}{hook} of Git's configuration"
        planned.append(
            Planned(
                hook, folder, "ours" if hook in events else "none", outcome, path, how, steps=tuple(steps)
            )
        )
    return planned


def files_folder(repo: Repository | None) -> Path:
    """Where the files lie that the configuration calls."""
    return (directory(repo) if repo is not None else global_directory()) / "hooks"


def configured(repo: Repository | None) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    """The sections of ours in the configuration of the repository, or of the user: commands and events by hook."""
    scope = "--local" if repo is not None else "--global"
    cwd = None if repo is not None else Path(os.sep)
    asked = try_git(repo, "config", scope, "-z", "--get-regexp", f"^{re.escape(_PREFIX)}", cwd=cwd)
    found: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {}
    for item in os.fsdecode(asked.out).split("\0")[:-1]:
        key, _, value = item.partition("\n")
        hook, _, name = key.removeprefix(_PREFIX).rpartition(".")
        if hook in HOOKS:
            commands, events = found.get(hook, ((), ()))
            commands += (value,) if name == "command" else ()
            events += (value,) if name == "event" else ()
            found[hook] = (commands, events)
    return found


def is_ours(hook: str, commands: Sequence[str]) -> bool:
    """Tell whether the commands of a section are what some version of git-asr writes."""
    return all(command.startswith("sh -c '") and f"/hooks/{hook}" in command for command in commands)


def section(hook: str) -> str:
    """The section of a hook."""
    return f"{_PREFIX}{hook}"


def _command(hook: str, path: Path | None) -> str:
    """Run our file if it is there, and nothing else; ``path``: None for the one of the repository itself."""
    if path is None:
        at = f'asr=$(git rev-parse --git-common-dir 2>/dev/null)/{FILES}/{hook}; [ ! -x "$asr" ] || exec "$asr" "$@"'
        return f"sh -c {shlex.quote(_OFF + at)} git-asr"
    at = '[ ! -x "$0" ] || exec "$0" "$@"'
    return f"sh -c {shlex.quote(_OFF + at)} {shlex.quote(str(path))}"
