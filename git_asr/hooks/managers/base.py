"""What every hook manager offers: how its files are known, and how it comes to call a hook of git-asr."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Protocol

from git_asr.hooks.reading import MOST, beginning
from git_asr.hooks.refusal import Refusal
from git_asr.hooks.steps import Step, stamp
from git_asr.values import dataclass

FILES = "asr/hooks"
"""Where, below the common directory, lie the hook files that a manager's configuration calls."""


@dataclass(frozen=True, slots=True)
class HookFile:
    """What stands in a folder of hooks: its contents."""

    folder: Path
    data: bytes


@dataclass(frozen=True, slots=True)
class Site:
    """Where a manager rules: the folder with its hook files, and the top folders of the worktrees that it serves.

    ``files``: our files of the hooks that it is to call.
    """

    folder: Path
    tops: tuple[Path, ...]
    files: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Changes:
    """What lets a manager call our hooks: ``steps`` to take, and the hooks for which there are none, and why."""

    steps: tuple[Step, ...] = ()
    refused: Mapping[str, Refusal] = field(default_factory=dict)


class Manager(Protocol):
    """One hook manager: one module in this package, one entry in ``registry.MANAGERS``. Its files are never touched."""

    name: str

    def owns(self, file: HookFile) -> bool:
        """Tell whether a file of hooks is the manager's, or will be again."""
        ...

    def calls(self, site: Site, hook: str) -> bool:
        """Tell whether the manager is configured to call our file of that hook."""
        ...

    def entry(self, hooks: Sequence[str]) -> str:
        """What a person has to add, and where: lines for a terminal."""
        ...

    def changes(self, site: Site) -> Changes:
        """How to add that to the user's own configuration of the manager; refused rather than guessed."""
        ...


def shell_line(hook: str, arguments: str = '"$@"') -> str:
    """A line of shell that runs our file of a hook, if it is there, and is silent and well in any case."""
    words = f'"$asr" {arguments}'.rstrip()
    return f'asr=$(git rev-parse --git-common-dir)/{FILES}/{hook} && [ -x "$asr" ] && {words} || :'


def mentions(path: Path, hook: str) -> bool:
    """Tell whether a file calls our file of a hook."""
    data = beginning(path)
    return data is not None and f"{FILES}/{hook}".encode() in data


def editable(path: Path) -> bytes | Refusal | None:
    """The contents of a configuration file, None where there is none; refused if it is no plain file of usual size."""
    if stamp(path) is None:
        return None
    data = beginning(path)
    if data is None or len(data) >= MOST:
        return Refusal(f"{path} is no plain file, or cannot be read")
    return data
