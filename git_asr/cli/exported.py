"""What ``git asr export`` writes and says."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import field
from functools import partial
from typing import Any, NoReturn

import click

from git_asr.asr import joining
from git_asr.asr.bundle import Bundle
from git_asr.bundles.limits import Limits
from git_asr.bundles.spool import Spool
from git_asr.cli import render
from git_asr.cli.autosync import refresh
from git_asr.cli.findings import findings_as_json
from git_asr.cli.opening import open_repository
from git_asr.cli.placing import FilesPlace, Place, Written
from git_asr.cli.progress import Tick, progress
from git_asr.cli.promised import bring_sessions
from git_asr.cli.redacting import Redaction
from git_asr.cli.selecting import Selection, select
from git_asr.companion.exporting import bundle_of
from git_asr.companion.tree import read_tip
from git_asr.errors import AsrError, Diagnostic, Report
from git_asr.git.backend import open_objects
from git_asr.git.base import Objects
from git_asr.sync.native import with_native, without_native
from git_asr.values import dataclass
from git_asr.views.text import neutral, plural

Step = Callable[[Bundle], Bundle]
"""Makes another bundle of one, between reading and writing."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be exported, and how. ``join``: each stream as one file. ``native``: with native transcripts."""

    selection: Selection
    place: Place | FilesPlace
    join: bool = False
    native: bool = False
    redaction: Redaction = field(default_factory=lambda: Redaction(None))


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written."""

    place: Place | FilesPlace
    sessions: tuple[tuple[str, str], ...]
    written: Written
    redaction: Redaction

    def show(self, found: Iterable[Diagnostic], *, machine: bool) -> None:
        """Say it, unless the bundle itself went to stdout."""
        if machine:
            click.echo(json.dumps(self.as_json(found), indent=2))
        elif self.place.path is not None:
            click.echo(f"{plural(len(self.sessions), 'session')} written to {neutral(str(self.place.path))}")
            for line in (*self.redaction.lines(), *self._lost()):
                click.echo(line)
        if self.written.losses is not None:
            return
        if self.written.files > Limits().files or self.written.bytes > Limits().bytes:
            render.hint("it is larger than git asr import takes unless told to: --max-files, --max-size")

    def _lost(self) -> Iterator[str]:
        """What the format has no place for, in one line; the files themselves, and ``--json``, say why."""
        counts = {} if self.written.losses is None else self.written.losses.counts
        often = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
        if often:
            yield f"lost: {', '.join(f'{count:,} {feature}' for feature, count in often)}"

    def as_json(self, found: Iterable[Diagnostic]) -> dict[str, Any]:
        """What ``git asr export --json`` prints; version 1."""
        redacted = self.redaction.as_json()
        return {
            "version": 1,
            "path": str(self.place.path),
            "format": self.place.kind,
            "files": self.written.files,
            "bytes": self.written.bytes,
            "sessions": [{"harness": harness, "id": identifier} for harness, identifier in self.sessions],
            **({} if redacted is None else {"redaction": redacted}),
            **({} if self.written.losses is None else {"losses": self.written.losses.as_json()}),
            "diagnostics": findings_as_json(found),
        }


def export(wanted: Wanted, report: Report) -> Exported:
    """Write the sessions that are wanted.

    Raises:
        UsageError: nothing that is here is asked for, or something is at the place already.
        AsrError: a session is damaged, or the place cannot be written to. Nothing is left there then.
    """
    repo = open_repository()
    refresh(repo)
    with (
        open_objects(repo, "git") as objects,
        progress() as tick,
        ended_by_signals(),
        closing(Spool(())) as spool,
        wanted.place.open() as write,
    ):
        tree = read_tip(repo, objects).tree
        keys = select(repo, objects, tree, wanted.selection, report)
        if tree is None:
            raise AsrError("no session is here", hint="git asr sync")
        bring_sessions(repo, objects, tree, keys)
        bundle = bundle_of(objects, tree, keys)
        for step in _steps(wanted, objects, spool, report, tick):
            bundle = step(bundle)
        written = write(bundle, wanted.redaction, report, tick)
    return Exported(wanted.place, tuple(key.pair for key in keys), written, wanted.redaction)


def _steps(wanted: Wanted, objects: Objects, spool: Spool, report: Report, tick: Tick) -> Iterator[Step]:
    """What happens to the bundle between reading and writing, in order."""
    if wanted.native:
        yield partial(with_native, objects=objects, report=report, tick=partial(tick, "transcripts"))
    else:
        yield without_native
    yield partial(wanted.redaction.apply, spool=spool, report=report, tick=partial(tick, "streams"))
    if wanted.join:
        yield joining.join


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """Let a signal that would kill the process end it in order, so that nothing half-written stays."""

    def end(number: int, _: object) -> NoReturn:
        raise SystemExit(128 + number)

    wanted = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = [(number, signal.signal(number, end)) for number in wanted]
    try:
        yield
    finally:
        for number, handler in before:
            signal.signal(number, handler)
