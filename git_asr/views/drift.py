"""Drift: kinds (``asr.kinds``) in sessions that their converters do not know, by agent and version."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from itertools import islice
from typing import Any

from git_asr.asr.bundle import StreamEntry
from git_asr.asr.draft import Record
from git_asr.asr.header import SessionKey
from git_asr.asr.kinds import MOST, Drift
from git_asr.asr.reading import position
from git_asr.asr.slices import holding
from git_asr.asr.summary import DRIFT
from git_asr.converters.known import known
from git_asr.values import dataclass
from git_asr.views.excerpt import Excerpt


@dataclass(frozen=True, slots=True)
class Pointer:
    """Where a record stands: the session, its stream there, and the record's ID in that."""

    session: SessionKey
    stream: str
    record: str


@dataclass(frozen=True, slots=True)
class Drifting:
    """A stream with kinds that are not known.

    ``agent``: the harness. ``version``: the agent's as first recorded, None if it is not. ``kinds``: for each the
    number of records and the first of them. ``more``: there are more kinds than are noted.
    """

    agent: str
    version: str | None
    kinds: Mapping[str, tuple[int, Pointer]]
    more: bool


@dataclass(slots=True)
class Kind:
    """A kind in the sessions of one agent and version.

    ``records``: how many have it; ``sessions``: in which; ``first``: one of the records.
    """

    first: Pointer
    records: int = 0
    sessions: set[SessionKey] = field(default_factory=set)


@dataclass(slots=True)
class Group:
    """The drift of one agent's version. ``kinds``: by name, sorted. ``more``: there are more than are noted."""

    agent: str
    version: str | None
    kinds: dict[str, Kind] = field(default_factory=dict)
    more: bool = False

    @property
    def name(self) -> str:
        """Agent and version, as recorded."""
        return self.agent if self.version is None else f"{self.agent} {self.version}"

    @property
    def sessions(self) -> int:
        """How many sessions drift."""
        return len(set().union(*(one.sessions for one in self.kinds.values())))


def is_told(entry: StreamEntry) -> bool:
    """Tell whether a manifest says of a stream that its converter did not know all kinds."""
    return bool(_told(entry))


def drifting(key: SessionKey, entry: StreamEntry, header: Mapping[str, Any]) -> Drifting | None:
    """What a stream has that is not known, by its manifest entry: not known now, for git-asr learns."""
    told = _told(entry)
    converter, version = _producer(header)
    learned = known(converter)
    kinds = {
        kind: (records, Pointer(key, entry.stream, first))
        for kind, records, first in islice(_kinds(told.get("kinds")), MOST)
        if learned is None or not learned.has(kind)
    }
    return Drifting(key.harness, version, kinds, bool(told.get("more"))) if kinds else None


def groups(found: Iterable[Drifting]) -> tuple[Group, ...]:
    """The drift of several streams by agent and version, sorted."""
    result: dict[tuple[str, str], Group] = {}
    for one in found:
        group = result.setdefault((one.agent, one.version or ""), Group(one.agent, one.version))
        group.more |= one.more
        for kind, (records, first) in one.kinds.items():
            known_ = group.kinds.setdefault(kind, Kind(first))
            known_.records += records
            known_.sessions.add(first.session)
    for group in result.values():
        group.kinds = dict(sorted(group.kinds.items()))
    return tuple(group for _, group in sorted(result.items()))


def unknown(excerpt: Excerpt) -> int | None:
    """How many records of what is shown of a session have a kind that is not known; None where no kinds are known."""
    held = holding(excerpt.slices)
    shown = (one for one in excerpt.stream.records if held(position(one)))
    counts = [_count(excerpt.stream.header, shown)]
    counts += (_count(one.header, one.records) for one in excerpt.subagents)
    told = [one for one in counts if one is not None]
    return sum(told) if told else None


def _count(header: Mapping[str, Any], records: Iterable[Record]) -> int | None:
    learned = known(_producer(header)[0])
    if learned is None:
        return None
    watch = Drift(learned)
    for record in records:
        watch.note(record)
    return watch.records


def _told(entry: StreamEntry) -> Mapping[str, Any]:
    meta = entry.summary.get("_meta")
    told = meta.get(DRIFT) if isinstance(meta, Mapping) else None
    return told if isinstance(told, Mapping) else {}


def _kinds(told: Any) -> Iterator[tuple[str, int, str]]:
    """The kinds that a manifest names, each with the number of its records and the ID of the first."""
    for kind, said in told.items() if isinstance(told, Mapping) else ():
        records, first = (
            said.get(name) if isinstance(said, Mapping) else None for name in ("records", "first")
        )
        if isinstance(records, int) and isinstance(first, str):
            yield kind, records, first


def _producer(header: Mapping[str, Any]) -> tuple[str, str | None]:
    """The converter of a stream, and the version of its agent, by the header."""
    producer = header.get("producer")
    said = producer if isinstance(producer, Mapping) else {}
    source = said.get("source")
    version = source.get("formatVersion") if isinstance(source, Mapping) else None
    return str(said.get("version")).rpartition("/")[0], version if isinstance(version, str) else None
