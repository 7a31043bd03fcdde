"""What ``git asr validate`` is asked to check: streams, bundles, the companion ref."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from git_asr.errors import AsrError, UsageError
from git_asr.validation.base import Check, Finding
from git_asr.validation.bundle import check_bundle, check_stream, unreadable
from git_asr.validation.findings import Findings
from git_asr.validation.registry import CHECKS

PIECE = 1 << 20
"""Bytes of a file that are read at once."""


@dataclass(slots=True)
class Checked:
    """What was checked, and what was found; ``findings`` name files as the user can find them."""

    findings: Findings
    streams: int = 0
    bundles: int = 0
    records: int = 0


def run(paths: Sequence[str], ref: str | None, most: int, checks: Sequence[Check] = CHECKS) -> Checked:
    """Check what was named.

    Raises:
        UsageError: a path or a revision does not exist.
    """
    found = Checked(Findings(most))
    for path in paths:
        _path(path, found, checks)
    if ref is not None:
        _ref(ref, found, checks)
    return found


def _path(path: str, found: Checked, checks: Sequence[Check]) -> None:
    file = Path(path)
    if path == "-":
        found.streams += 1
        found.records += check_stream("-", _pieces(sys.stdin.buffer.read), checks, found.findings)
    elif file.is_dir():
        found.bundles += 1
        report = _under(found.findings, path.rstrip("/") + "/")
        found.records += check_bundle(Folder(file), checks, report)
    elif not file.exists():
        raise UsageError(f"cannot find '{path}'")
    else:
        found.streams += 1
        try:
            with file.open("rb") as opened:
                found.records += check_stream(path, _pieces(opened.read), checks, found.findings)
        except OSError as error:
            raise AsrError(f"cannot read '{path}': {error.strerror}") from error


def _ref(ref: str, found: Checked, checks: Sequence[Check]) -> None:
    from git_asr.companion.checking import stored_files
    from git_asr.git.backend import open_objects
    from git_asr.git.history import resolve
    from git_asr.git.repository import open_repository

    repo = open_repository()
    with open_objects(repo, "git") as objects:
        tree = objects.commit_tree(resolve(repo, ref))
        before = found.bundles
        for place, files in stored_files(objects, tree):
            report = _under(found.findings, f"{ref}:{place}/")
            found.bundles += 1
            if isinstance(files, AsrError):
                unreadable(files.message, checks, report)
            else:
                found.records += check_bundle(files, checks, report, place)
        if found.bundles == before and objects.entries(tree):
            raise UsageError(
                f"'{ref}' holds no sessions", hint="git asr validate --ref   checks refs/asr/sessions"
            )


def _under(findings: Findings, prefix: str) -> Callable[[Finding], None]:
    return lambda one: findings(replace(one, file=prefix + one.file))


def _pieces(read: Callable[[int], bytes]) -> Iterator[bytes]:
    while piece := read(PIECE):
        yield piece


@dataclass(frozen=True, slots=True)
class Folder:
    """The files of a folder; links are not followed."""

    root: Path

    def paths(self) -> Iterable[str]:
        """Every file."""
        for folder, _, names in os.walk(self.root):
            yield from ((Path(folder) / name).relative_to(self.root).as_posix() for name in names)

    def chunks(self, path: str) -> Iterator[bytes]:
        """A file in pieces. Raises AsrError if it cannot be read."""
        try:
            with (self.root / path).open("rb") as opened:
                yield from _pieces(opened.read)
        except OSError as error:
            raise AsrError(f"cannot be read: {error.strerror}") from error
