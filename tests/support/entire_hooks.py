"""A model of Entire's installer of hooks, from the description in reference git-integration, section 7.6.

It knows its files by a marker, moves what it finds to ``.pre-entire`` and calls that after its own part, looks after
its files when a session starts, and moves everything back when it is disabled. What its hooks do is only to log.

There are two generations. ``renames``: up to version 0.8, it writes files anew at the start of a session only if one is
missing; a foreign file is overwritten where there is a backup already. ``rotates``: later ones look at every file each
time, refuse to touch files of their own with lines that they do not know, and keep every foreign file.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

Generation = Literal["renames", "rotates"]

HOOKS = ("prepare-commit-msg", "commit-msg", "post-commit", "post-rewrite", "pre-push")
MARKER = "Entire CLI hooks"
BACKUP = ".pre-entire"


class Refused(Exception):
    """A file of Entire's own has lines that it does not know."""


class EntireHooks:
    """Entire, as far as it concerns one folder of hooks. Each of its hooks adds a line to ``log``."""

    def __init__(self, folder: Path, log: Path, generation: Generation = "renames") -> None:
        self.folder = folder
        self.log = log
        self.generation = generation

    def enable(self) -> None:
        """``entire enable``."""
        if self.generation == "rotates":
            self._refuse_unknown_lines()
        for hook in HOOKS:
            self._install(hook)

    def session(self) -> None:
        """What it does at the start of a session, without a word."""
        if self.generation == "rotates" or not all(self._is_own(self.folder / hook) for hook in HOOKS):
            self.enable()

    def disable(self) -> None:
        """``entire disable``, with its hooks."""
        for hook in HOOKS:
            path, backup = self._paths(hook)
            own = self._is_own(path)
            if own:
                path.unlink()
            if backup.exists() and (own or not path.exists()):
                backup.rename(path)

    def _install(self, hook: str) -> None:
        path, backup = self._paths(hook)
        if path.exists() and not self._is_own(path):
            if backup.exists() and self.generation == "rotates":
                if backup.read_bytes() != path.read_bytes() and not self._is_own(backup):
                    number = sum(1 for _ in self.folder.glob(f"{backup.name}.*"))
                    os.link(backup, backup.with_name(f"{backup.name}.2026010{number}T000000Z"))
                self._link_over(path, backup)
            elif self.generation == "rotates":
                self._link_over(path, backup)
            elif not backup.exists():
                path.rename(backup)
        text = self._text(hook, chained=backup.exists())
        if not path.exists() or path.read_text() != text:
            temporary = path.with_name(f".entire-tmp-{hook}")
            temporary.write_text(text)
            temporary.chmod(0o755)
            temporary.replace(path)

    def _link_over(self, path: Path, backup: Path) -> None:
        temporary = path.with_name(f".entire-tmp-{backup.name}")
        os.link(path, temporary)
        temporary.replace(backup)

    def _refuse_unknown_lines(self) -> None:
        for hook in HOOKS:
            path = self.folder / hook
            known = (self._text(hook, chained=False), self._text(hook, chained=True))
            if self._is_own(path) and path.read_text() not in known:
                raise Refused(hook)

    def _paths(self, hook: str) -> tuple[Path, Path]:
        return self.folder / hook, self.folder / f"{hook}{BACKUP}"

    def _is_own(self, path: Path) -> bool:
        return path.is_file() and MARKER.encode() in path.read_bytes()

    def _text(self, hook: str, *, chained: bool) -> str:
        """The file of a hook: its part reads the input of ``post-rewrite``, and a chained hook gets it too."""
        arguments = 'pre-push "$1" "$2"' if hook == "pre-push" and self.generation == "rotates" else hook
        part = f"echo entire {arguments} >>'{self.log}'\n"
        call = f'"$(dirname "$0")/{hook}{BACKUP}"'
        lines = f"#!/bin/sh\n# {MARKER}\n"
        if hook == "post-rewrite":
            if not chained:
                return f"{lines}{part}cat >>'{self.log}'\n"
            saved = 'saved=$(mktemp)\ntrap \'rm -f "$saved"\' EXIT\ncat >"$saved"\n'
            read = f"cat \"$saved\" >>'{self.log}'\n"
            return f'{lines}{saved}{part}{read}if [ -x {call} ]; then {call} "$@" <"$saved"; fi\n'
        return lines + part + (f'if [ -x {call} ]; then {call} "$@"; fi\n' if chained else "")
