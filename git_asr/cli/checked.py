"""What ``git asr validate`` is asked to check: streams, bundles, the companion ref."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from git_asr.bundles.registry import is_archive, opened
from git_asr.errors import AsrError, UsageError
from git_asr.validation.base import Check, Finding
from git_asr.validation.bundle import check_bundle, check_stream, folders, unreadable
from git_asr.validation.findings import Findings
from git_asr.validation.registry import CHECKS
from git_asr.values import dataclass

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
    try:
        if path == "-":
            _stream("-", sys.stdin.buffer.read, found, checks)
        elif file.is_file() and not is_archive(file):
            with file.open("rb") as stream:
                _stream(path, stream.read, found, checks)
        elif file.exists():
            _bundle(file, path.rstrip("/") + "/", found, checks)
        else:
            raise UsageError(f"cannot find '{path}'")
    except OSError as error:
        raise AsrError(f"cannot read '{path}': {error.strerror}") from error
    except ValueError as error:  # a NUL in the name
        raise UsageError(f"no name of a file: {error}") from error


def _stream(name: str, read: Callable[[int], bytes], found: Checked, checks: Sequence[Check]) -> None:
    found.streams += 1
    found.records += check_stream(name, _pieces(read), checks, found.findings)


def _bundle(file: Path, prefix: str, found: Checked, checks: Sequence[Check]) -> None:
    """A bundle, or several as a companion ref has them in its tree."""
    try:
        with opened(file) as source:
            for place, files in folders(source):
                found.bundles += 1
                report = _under(found.findings, prefix + (f"{place}/" if place else ""))
                found.records += check_bundle(files, checks, report, place)
    except AsrError as error:
        found.bundles += 1
        unreadable(error.message, checks, _under(found.findings, prefix.rstrip("/")))


def _ref(ref: str, found: Checked, checks: Sequence[Check]) -> None:
    from git_asr.cli.opening import open_repository
    from git_asr.companion.checking import stored_files
    from git_asr.companion.names import SESSIONS
    from git_asr.git.backend import open_objects
    from git_asr.git.history import resolve
    from git_asr.git.refs import read_ref

    repo = open_repository()
    if ref == SESSIONS and read_ref(repo, ref) is None:
        raise UsageError("no companion ref here yet", hint="git asr sync   makes it")
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
