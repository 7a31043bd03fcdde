"""Tokens of streams, every model call counted once (profile section 9, *Totals*)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from git_asr.asr import usage
from git_asr.asr.draft import Record
from git_asr.asr.entities import Revisions
from git_asr.asr.reading import Stream, position
from git_asr.asr.usage import normal

Call = tuple[str, ...]
"""What tells model calls apart: provider, ``inferenceId`` and ``requestId``; for a derived ID the session too."""


@dataclass(frozen=True, slots=True)
class Total:
    """The tokens of some records.

    ``usage``: in the profile's normal form; absent is unknown, never 0. ``calls``: model calls. ``unknown``: those of
    which no usage is recorded, so that the usage is less than what was used. ``summaries``: usage records that were
    added in place of calls: of those that they cover, or of streams that record none.
    """

    usage: dict[str, Any] = field(default_factory=dict)
    calls: int = 0
    unknown: int = 0
    summaries: int = 0


def total(streams: Iterable[Stream], within: Callable[[Stream, Record], bool] | None = None) -> Total:
    """Add up the model calls of streams, the latest usage of each.

    Copied records are counted where they come from. A usage summary that says which calls it covers stands for them,
    if all of them are asked for. Others are added only for a stream that records no call: beside calls they repeat
    some, or tell a part of what a subagent used, which is no call of this stream. Of summaries that cover the
    same calls one counts (``usage.accounts``).
    ``streams``: the session that started first comes first; ``within`` tells which records count, by the first revision
    of each call. A call that is superseded takes the place of the first one.
    """
    calls: dict[Call, Record] = {}
    covered: set[Call] = set()
    summaries: dict[tuple[str, str], Record] = {}
    listed = list(streams)
    for one in listed:
        told = sorted((each for each in one.records if each["type"] == "inference"), key=position)
        places = [position(record) for record in told]
        left_out = [0, *accumulate(within is not None and not within(one, each) for each in told)]
        known: dict[str, Record] = {}
        for record in _counted(one, within):
            if record["type"] == "inference":
                calls[call(one, record)] = record
                continue
            found = usage.span(record.get("covers"))
            own = None if found is None else usage.within(places, found)
            if own is not None and left_out[own.stop] <= left_out[own.start]:
                known[record["id"]] = record
            elif not told:
                summaries[one.id, record["id"]] = record
        for account in usage.accounts((key, record.get("covers")) for key, record in known.items()):
            summaries |= {(one.id, key): known[key] for key in account.told.values()}
            for record in told[usage.within(places, account.span)]:
                key = call(one, record)
                if calls.get(key, record).get("model") not in account.missing:
                    covered.add(key)
    alone = [record for key, record in calls.items() if key not in covered]
    return _sum(len(calls), alone, summaries.values())


def _counted(stream: Stream, within: Callable[[Stream, Record], bool] | None) -> Iterator[Record]:
    """The latest revision of each call and summary that counts."""
    revisions = Revisions(stream.records)
    for record in stream.records:
        if record["type"] not in ("inference", "usage_summary") or "copiedFrom" in record:
            continue
        if (
            revisions.is_first(record)
            and revisions.stands(record)
            and (within is None or within(stream, record))
        ):
            latest = revisions.latest(record)
            yield latest if latest["type"] == record["type"] else record


def call(stream: Stream, record: Record) -> Call:
    """What tells the model call of an ``inference`` record from others, over all sessions."""
    identifier = record["inferenceId"]
    provider = str(record.get("provider") or "")
    if identifier.startswith("~"):
        session = stream.header["session"]
        return str(session["harness"]), str(session["id"]), stream.id, identifier
    return provider, identifier, str(record.get("requestId") or "")


def spawning_calls(stream: Stream) -> list[str]:
    """The calls that started the subagent whose stream this is; none for any other stream."""
    lineage = stream.header.get("lineage")
    spawned = lineage.get("spawnedBy") if isinstance(lineage, dict) else None
    facets = spawned if isinstance(spawned, list) else [spawned]
    named = [one.get("callId") for one in facets if isinstance(one, dict)]
    return [one for one in named if isinstance(one, str)]


def _sum(calls: int, alone: Iterable[Record], summaries: Iterable[Record]) -> Total:
    """Add up; ``calls``: how many there are, ``alone`` those that no summary covers."""
    known = [normal(record.get("usage")) for record in alone]
    covered = [normal(record.get("usage")) for record in summaries]
    return Total(usage.total([*known, *covered]), calls, known.count({}), len(covered))
