"""A bundle through an exporter: what every format has in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from git_asr.asr import codec
from git_asr.asr.bundle import Bundle
from git_asr.asr.read import Problem
from git_asr.errors import Diagnostic, Report
from git_asr.exporters.base import ExportedSession, Exporter, Losses, Marking, Put, exported

MARK = "export.json"
"""The file of a folder with an export that says what it is, so that another export may replace it."""

Tick = Callable[[int, int], object]
"""Told how many sessions are done, of how many."""


class Files:
    """Counts the files that pass, and their bytes."""

    def __init__(self, put: Put) -> None:
        self._put = put
        self.count = 0
        self.bytes = 0

    def put(self, path: str, pieces: Iterable[bytes]) -> None:
        """See ``Put``."""
        self.count += 1
        self._put(path, self._counted(pieces))

    def _counted(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        for piece in pieces:
            self.bytes += len(piece)
            yield piece


def write(
    exporter: Exporter, bundle: Bundle, marking: Marking, files: Files, *, report: Report, tick: Tick
) -> Losses:
    """Write the sessions of a bundle; what is wrong with one is reported. Raises as ``Exporter.write``."""

    def told(problem: Problem) -> None:
        where = problem.stream if problem.line is None else f"{problem.stream}, line {problem.line}"
        report(Diagnostic(problem.kind, where, problem.message))

    def ticked() -> Iterator[ExportedSession]:
        for done, session in enumerate(exported(bundle, marking, told)):
            tick(done, len(bundle.manifest.sessions))
            yield session

    return exporter.write(ticked(), files.put)


def mark(exporter: Exporter, bundle: Bundle, marking: Marking, losses: Losses) -> Iterable[bytes]:
    """The file ``export.json``: the format, the sessions, whether they were redacted, and what was lost."""
    yield codec.encode_indented(
        {
            "version": 1,
            "producer": "git-asr",
            "format": exporter.name,
            "redaction": marking.record(),
            "sessions": [{"harness": one.key.harness, "id": one.key.id} for one in bundle.manifest.sessions],
            "losses": losses.as_json(),
        }
    )
