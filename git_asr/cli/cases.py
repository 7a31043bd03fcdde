"""The cases of the conformance kit, given to a validator."""

from __future__ import annotations

import json
import shlex
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from git_asr.cli.checked import run
from git_asr.errors import DONE, INCOMPLETE, AsrError, UsageError
from git_asr.validation.base import Check
from git_asr.validation.conformance import EXPECTED, Case, cases, difference, found
from git_asr.validation.registry import CHECKS

_DEADLINE = 60.0
"""Seconds that a validator may take for a case."""
_MOST = 10_000
"""Findings of one check in a case."""
_PACKAGE = Path(__file__).parents[1]
_PLACES = (_PACKAGE / "conformance", _PACKAGE.parent / "fixtures" / "conformance")
"""Where the kit is: in what is installed, and in the sources."""


def kit_folder(named: str | None) -> Path:
    """The folder of the kit. Raises UsageError if there is none."""
    places = _PLACES if named is None else (Path(named),)
    folder = next((one for one in places if one.is_dir()), None)
    if folder is None:
        raise UsageError(f"no conformance kit in '{places[-1]}'", hint="git asr conformance --kit DIR")
    return folder


def read(folder: Path) -> list[Case]:
    """All cases of a kit. Raises UsageError if there are none, AsrError for one that cannot be read."""
    listed = sorted(folder.glob(f"*/{EXPECTED}"))
    if not listed:
        raise UsageError(f"'{folder}' is no conformance kit: no folder in it has {EXPECTED}")
    try:
        return [case for file in listed for case in cases(file.read_bytes())]
    except OSError as error:
        raise AsrError(f"cannot read '{error.filename}': {error.strerror}") from error


@contextmanager
def _made(folder: Path, case: Case) -> Iterator[Path]:
    """Where a case is; one that is made of pieces is written first."""
    if not case.pieces:
        yield folder / case.name
        return
    with tempfile.TemporaryDirectory() as temporary:
        path = Path(temporary) / Path(case.path).name
        with path.open("wb") as file:
            file.writelines(case.chunks())
        yield path


def own(folder: Path, case: Case, checks: Sequence[Check] = CHECKS) -> str | None:
    """What is wrong with what git-asr's own validator finds; None where nothing is."""
    with _made(folder, case) as path:
        told = run([str(path)], None, _MOST, checks).findings.kept()
        return difference(case, found(told, str(path)))


def with_tool(folder: Path, case: Case, command: str) -> str | None:
    """What is wrong with how another validator ends, and what it prints; None where nothing is."""
    with _made(folder, case) as path:
        try:
            ended = subprocess.run(
                [*shlex.split(command), str(path)], capture_output=True, timeout=_DEADLINE, check=False
            )
        except subprocess.TimeoutExpired:
            return f"took more than {_DEADLINE:.0f} seconds"
        except OSError as error:
            raise UsageError(f"cannot run '{command}': {error.strerror or error}") from error
        except ValueError as error:  # a quotation that does not end, a NUL
            raise UsageError(f"cannot run '{command}': {error}") from error
    wanted = INCOMPLETE if case.findings else DONE
    if ended.returncode != wanted:
        return f"ended with status {ended.returncode}, and not {wanted}"
    told = _checks(ended.stdout)
    names = {check for check, *_ in case.findings}
    return (
        None
        if told is None or told == names
        else f"found {sorted(told) or 'nothing'}, and not {sorted(names)}"
    )


def _checks(out: bytes) -> set[str] | None:
    """The names of the checks in what a validator printed; None where it is no JSON of that form."""
    try:
        printed: Any = json.loads(out)
        return {str(one["check"]) for one in printed["findings"]}
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
