"""What ``git asr import`` reads, does and says."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from git_asr.asr.ids import usable_session
from git_asr.cli.outcome import by_outcome
from git_asr.cli.progress import progress
from git_asr.converters.etf.format import harness_of
from git_asr.converters.events import reading
from git_asr.errors import AsrError, Diagnostic, Report, UsageError
from git_asr.git.base import Repository
from git_asr.sync.flow import Options, sync
from git_asr.sync.importing import Import, drafts
from git_asr.sync.settings import settings
from git_asr.values import dataclass
from git_asr.views.text import neutral, plural

MAX_BYTES = 512 * 1024 * 1024
"""A larger file is not read."""
NOBODY = "entire"
"""The agent of sessions of which none is named: the events are Entire's."""


@dataclass(frozen=True, slots=True)
class Session:
    """A session that a file told of. ``outcome``: new, extended, unchanged or refused; None where nothing was done.

    ``records``: how many of each type its lines are; None where they were not counted.
    """

    harness: str
    id: str
    stream: str
    units: int
    outcome: str | None = None
    records: dict[str, int] | None = None


@dataclass(frozen=True, slots=True)
class Imports:
    """What was done, or would be. ``commit``: the companion's tip."""

    sessions: tuple[Session, ...]
    commit: str | None = None
    dry_run: bool = False

    def lines(self) -> Iterator[str]:
        """A line for each session, and one for all."""
        for one in self.sessions:
            counts = ", ".join(f"{number} {kind}" for kind, number in (one.records or {}).items())
            yield neutral(f"{one.harness} {one.stream}: {plural(one.units, 'line')}, {one.outcome or counts}")
        yield by_outcome([one.outcome for one in self.sessions])

    def as_json(self, found: Iterable[Diagnostic]) -> dict[str, Any]:
        """What ``git asr import --json`` prints; version 1."""
        return {
            "version": 1,
            "dryRun": self.dry_run,
            "companion": self.commit,
            "sessions": [
                {
                    "harness": one.harness,
                    "id": one.id,
                    "stream": one.stream,
                    "lines": one.units,
                    "outcome": one.outcome,
                    **({} if one.records is None else {"records": one.records}),
                }
                for one in self.sessions
            ],
            "diagnostics": [
                {"code": one.code, "where": one.where, "message": one.message, "hint": one.hint}
                for one in found
            ],
        }


def read(file: str, agent: str | None, session: str | None, report: Report) -> Import:
    """Read a file, or stdin for ``-``.

    Raises:
        UsageError: an agent or a session ID that cannot be one.
        AsrError: the file cannot be read, or is too large.
    """
    harness = NOBODY if agent is None else harness_of(agent)
    if harness is None:
        raise UsageError(
            f"no agent is called '{agent}'", hint="docs/registry.md lists them: --agent claude-code"
        )
    if session is not None and not usable_session(session):
        raise UsageError(f"'{session}' is no session ID")
    where = "stdin" if file == "-" else file
    return Import(where, harness, tuple(reading.read(_bytes(file), session, where, report)), report)


def _bytes(file: str) -> bytes:
    try:
        if file == "-":
            if sys.stdin is None:
                raise AsrError("cannot read stdin: it is closed")
            return _limited(sys.stdin.buffer, "stdin")
        with Path(file).open("rb") as opened:
            return _limited(opened, file)
    except OSError as error:
        raise AsrError(f"cannot read '{file}': {error.strerror or error}") from error
    except ValueError as error:  # a NUL in the name
        raise UsageError(f"cannot read {file!r}: {error}") from error


def _limited(opened: BinaryIO, name: str) -> bytes:
    data = opened.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise AsrError(f"'{name}' has more than {MAX_BYTES >> 20} MiB")
    return data


def look(wanted: Import) -> Imports:
    """What would be taken in; nothing is done."""
    return Imports(tuple(_counted(wanted, told) for told in wanted.sessions), dry_run=True)


def _counted(wanted: Import, told: reading.Told) -> Session:
    _, made = drafts(wanted, told)
    records = dict(sorted(Counter(one.type for one in made).items()))
    return Session(wanted.harness, told.session, told.session, len(told.units), records=records)


def take(repo: Repository, wanted: Import) -> Imports:
    """Take it in, with whatever a sync finds new; what that would report is left to ``git asr sync``."""
    configured = settings(repo)
    with progress() as tick:
        options = Options(
            exclusions=configured.exclusions,
            orphans=configured.orphans,
            backend=configured.backend,
            progress=lambda done, total: tick("sessions", done, total),
            imports=(wanted,),
        )
        outcome = sync(repo, options, _say_nothing)
    sessions = tuple(
        Session(one.key.harness, one.key.id, one.stream, one.units, one.became) for one in outcome.imported
    )
    return Imports(sessions, outcome.commit)


def _say_nothing(_: Diagnostic) -> None:
    """Leave it to ``git asr sync``."""
