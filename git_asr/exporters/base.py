"""What an exporter gets, what it offers, and how it says what it lost (docs/exporters.md)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field
from typing import Any, Protocol

from git_asr.asr import read
from git_asr.asr.bundle import Bundle, Session
from git_asr.asr.header import SessionKey
from git_asr.asr.ids import name
from git_asr.asr.parts import blob_path
from git_asr.asr.reading import GetBlob, Stream
from git_asr.asr.totals import spawning_calls
from git_asr.errors import AsrError
from git_asr.values import dataclass

NOT_REDACTED = "NOT REDACTED"

Put = Callable[[str, Iterable[bytes]], object]
"""Takes a file: its path with slashes, and its bytes in pieces, which are asked for one after the other."""


@dataclass(frozen=True, slots=True)
class Marking:
    """Under what rules a session leaves. ``policy``: name and version of the redaction policy; None: there was none."""

    policy: Mapping[str, str] | None = None

    @property
    def text(self) -> str:
        """The mark that every output bears: ``NOT REDACTED``, or by which policy it was redacted."""
        if self.policy is None:
            return NOT_REDACTED
        return f"redacted by policy {self.policy['name']} {self.policy['version']}"

    def record(self) -> str | dict[str, str]:
        """The mark as JSON: ``NOT REDACTED``, or name and version of the policy."""
        return NOT_REDACTED if self.policy is None else dict(self.policy)


@dataclass(frozen=True, slots=True)
class ExportedSession:
    """A session as an exporter gets it: read, redacted where that is wanted, and with all of its streams.

    ``entry``: as the manifest lists it. ``streams``: those that can be read, in the order of the manifest.
    ``problems``: what is wrong with them or with others. ``blob``: gives what is too large for a record.
    """

    entry: Session
    streams: tuple[Stream, ...]
    problems: tuple[read.Problem, ...]
    blob: GetBlob
    marking: Marking

    @property
    def key(self) -> SessionKey:
        """Whose session it is."""
        return self.entry.key

    @property
    def own(self) -> tuple[Stream, ...]:
        """The lines of the session itself: its streams without those of subagents."""
        return tuple(one for one in self.streams if not spawning_calls(one))

    @property
    def subagents(self) -> tuple[Stream, ...]:
        """The streams of subagents."""
        return tuple(one for one in self.streams if spawning_calls(one))


@dataclass(frozen=True, slots=True)
class Losses:
    """What a format has no place for, counted while it is written.

    ``reasons``: everything that an exporter may lose, by a short name, each with the reason in one sentence.
    """

    reasons: Mapping[str, str]
    counts: Counter[str] = field(default_factory=Counter)

    def note(self, feature: str, count: int = 1) -> None:
        """Something was lost, so often. Raises KeyError for what is not among the reasons."""
        if count:
            self.counts[feature] += count
            _ = self.reasons[feature]

    def add(self, other: Losses) -> None:
        """What another file of the export lost, too."""
        for feature, count in other.counts.items():
            self.note(feature, count)

    def as_json(self) -> list[dict[str, Any]]:
        """What was lost, by name: ``feature``, ``count`` and ``reason``."""
        return [
            {"feature": feature, "count": count, "reason": self.reasons[feature]}
            for feature, count in sorted(self.counts.items())
        ]


class Exporter(Protocol):
    """One format: one module of this package, one entry in ``registry.EXPORTERS``."""

    @property
    def name(self) -> str:
        """What ``--format`` calls it."""
        ...

    @property
    def suffix(self) -> str:
        """How names of its files end, with the dot."""
        ...

    def write(self, sessions: Iterable[ExportedSession], put: Put) -> Losses:
        """Write sessions, each of which is read when it is asked for, and may be forgotten when the next is.

        The same sessions give the same files: same paths, same bytes, same order. Every file says by the session's
        ``marking`` whether it was redacted, and what was lost in it.

        Raises:
            AsrError: a library that the format needs is not installed.
        """
        ...


def exported(
    bundle: Bundle, marking: Marking, report: Callable[[read.Problem], object] | None = None
) -> Iterator[ExportedSession]:
    """The sessions of a bundle, one after the other; ``report`` is told of everything that is wrong with a stream."""

    def blob(sha256: str) -> bytes | None:
        return _file(bundle, blob_path(sha256))

    for entry in bundle.manifest.sessions:
        problems: list[read.Problem] = []
        found = (read.listed(one, lambda path: _file(bundle, path), problems.append) for one in entry.streams)
        streams = tuple(one for one in found if one is not None)
        for problem in problems:
            if report is not None:
                report(problem)
        yield ExportedSession(entry, streams, tuple(problems), blob, marking)


def _file(bundle: Bundle, path: str) -> bytes | None:
    try:
        return bundle.file(path)
    except AsrError:
        return None


def path_of(key: SessionKey, suffix: str) -> str:
    """Where the file of a session stands in an export: ``<harness>/<session><suffix>``, both by the rule of names."""
    return f"{name(key.harness)}/{name(key.id)}{suffix}"
