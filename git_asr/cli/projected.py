"""``git asr show --context``: what, by the records, stood before the agent, in each stream that is shown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from git_asr.asr import read
from git_asr.asr.context import Context, default_head
from git_asr.asr.reading import Stream, position
from git_asr.cli.folding import Folding
from git_asr.cli.looks import Sheet
from git_asr.cli.render import paint
from git_asr.cli.shown import Shown, answer, plain, stream_json
from git_asr.cli.timeline import folded, head_lines, heading, told_lines
from git_asr.companion.opening import OpenBundle
from git_asr.errors import UsageError
from git_asr.values import dataclass
from git_asr.views import text, words
from git_asr.views.excerpt import Excerpt
from git_asr.views.session import overview
from git_asr.views.timeline import Timeline, projection

_MOST = 5
"""Records that are named one by one."""


@dataclass(frozen=True, slots=True)
class Projected:
    """The context view of one stream; None where the stream holds nothing that has one."""

    bundle: OpenBundle
    stream: Stream
    context: Context | None

    def told(self) -> Timeline:
        """Its records as items."""
        records = () if self.context is None else self.context.records
        return projection(self.stream, records, self.bundle.blob)


def projections(shown: Shown, at: str | None) -> list[Projected]:
    """The context views: at a record of what is shown, or at the end of each part of it.

    Raises:
        UsageError: no record, or more than one, has an ID that begins so.
    """
    if at is not None:
        return [_at(shown, at)]
    return [
        Projected(bundle, one.stream, None if (head := _end(one)) is None else read.context(one.stream, head))
        for bundle, one in shown.parts
    ]


def _end(excerpt: Excerpt) -> str | None:
    """The last record of a part, or before it, that can carry a context."""
    records = excerpt.stream.records
    if excerpt.slices is not None:
        last = max((one.last for one in excerpt.slices), default=0)
        records = tuple(one for one in records if position(one) <= last)
    return default_head(records)


def _at(shown: Shown, at: str) -> Projected:
    """The context view at the one record whose ID begins so, in the whole of the streams that are shown."""
    streams = [(bundle, stream) for bundle, one in shown.parts for stream in (one.stream, *one.subagents)]
    begun = {
        (stream.id, record["id"]): (bundle, stream)
        for bundle, stream in streams
        for record in stream.records
        if record["id"].startswith(at)
    }
    begun = {key: found for key, found in begun.items() if key[1] == at} or begun
    if not begun:
        raise UsageError(
            f"no record '{at}' in what is shown", hint="git asr show --records   prints them with their IDs"
        )
    if len(begun) > 1:
        raise UsageError(f"record '{at}' is ambiguous", hint=_candidates(list(begun), at))
    ((_, head), (bundle, stream)), *_ = begun.items()
    return Projected(bundle, stream, read.context(stream, head))


def _candidates(found: list[tuple[str, str]], at: str) -> str:
    """What tells records apart: more of their IDs, or the stream."""
    one_id = all(record == at for _, record in found)
    named = f"name the stream, too: git asr show STREAM --context --at {at}"
    said = named if one_id else "more characters tell these apart:"
    listed = [f"  {record} of stream {stream}" for stream, record in found[:_MOST]]
    more = [f"  and {len(found) - _MOST} more"] if len(found) > _MOST else []
    return "\n".join([said, *listed, *more])


def as_json(shown: Shown, found: list[Projected]) -> dict[str, Any]:
    """What ``git asr show --context --json`` prints; version 1."""
    return answer(shown, [_projected(one) for one in found])


def _projected(one: Projected) -> dict[str, Any]:
    told, view = one.told(), one.context
    context = None
    if view is not None:
        known = {name: list(getattr(view, name)) for name in ("gaps", "unknown", "damaged")}
        context = {"head": view.head, "label": words.PROJECTION, **known}
    return {
        **stream_json(one.bundle, one.stream),
        "context": context,
        "items": plain(told.items),
        "hidden": dict(told.hidden),
    }


def lines(shown: Shown, found: list[Projected], folding: Folding, sheet: Sheet) -> Iterator[str]:
    """All lines, without line ends, each as the sheet has it."""
    for line in heading(shown):
        yield from sheet.rows(line)
    for one in found:
        for line in ["", *head_lines(overview(one.bundle.session), one.stream), *_label(one), ""]:
            yield from sheet.rows(line)
        yield from told_lines(one.told(), one.stream.header, folding, sheet)
    for line in folded(folding):
        yield from sheet.rows(line)


def _label(one: Projected) -> Iterator[str]:
    """At which record it is, what it is, and what it does not know."""
    if one.context is None:
        yield text.one_line(
            "no context: nothing was said" if one.stream.records else words.no_transcript(one.stream.header)
        )
        return
    yield text.one_line(f"context at {one.context.head}: {words.PROJECTION}")
    for unknown in words.context(one.context):
        yield paint(text.one_line(unknown), "yellow")
    if not one.context.records:
        yield "nothing stands in it"
