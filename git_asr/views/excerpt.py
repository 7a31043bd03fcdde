"""What is shown of a session: which streams, and which part of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from git_asr.asr.draft import Record
from git_asr.asr.links import CHECKPOINT
from git_asr.asr.reading import Stream, position
from git_asr.asr.slices import Slice, slices
from git_asr.asr.totals import Total, spawning_calls, total


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A stream, or a part of it, with the subagents' streams that belong to it.

    ``slices``: the parts, None for the whole stream. ``unplaced``: checkpoints that were asked for and do not tell
    which part is theirs, so that the whole stream is shown. ``subagents``: streams that calls in this part started,
    and those below them.
    """

    stream: Stream
    slices: tuple[Slice, ...] | None
    unplaced: tuple[str, ...]
    subagents: tuple[Stream, ...]

    def holds(self, record: Record) -> bool:
        """Whether a record of the stream is in the part."""
        return self.slices is None or any(one.holds(position(record)) for one in self.slices)

    def records(self) -> Iterator[Record]:
        """The header, the records of the part, and the link records that belong to it."""
        yield self.stream.header
        yield from filter(self.holds, self.stream.records)
        checkpoints = None if self.slices is None else {one.checkpoint for one in self.slices}
        for record in self.stream.links:
            if checkpoints is None or record["id"].partition("@")[0] in checkpoints:
                yield record

    def total(self) -> Total:
        """The tokens of the part, its subagents' included."""
        main = self.stream
        return total([main, *self.subagents], lambda stream, record: stream is not main or self.holds(record))


def excerpts(
    streams: Sequence[Stream],
    *,
    commit: str | None = None,
    checkpoint: str | None = None,
    whole: bool = False,
) -> list[Excerpt]:
    """What a session's streams have for a commit, for a checkpoint, or at all.

    ``whole``: the whole of the streams that have anything for it.
    """
    main = [one for one in streams if not spawning_calls(one)]
    others = [one for one in streams if spawning_calls(one)]
    if commit is None and checkpoint is None:
        return [Excerpt(one, None, (), tuple(others)) for one in main]
    found = []
    for one in main:
        asked = _checkpoints(one, commit, checkpoint)
        if not asked:
            continue
        own = tuple(each for each in slices(one) if each.checkpoint in asked)
        unplaced = tuple(sorted(asked - {each.checkpoint for each in own}))
        part = None if whole or unplaced else own
        found.append(Excerpt(one, part, () if whole else unplaced, _subagents(one, part, others)))
    return found


def _checkpoints(stream: Stream, commit: str | None, checkpoint: str | None) -> set[str]:
    """The checkpoints of a stream that are asked for."""
    held = {record["id"] for record in stream.links if record["type"] == CHECKPOINT}
    if checkpoint is not None:
        return held & {checkpoint}
    return {
        record["id"].partition("@")[0]
        for record in stream.links
        if record["type"] == "vcs" and record.get("commit") == commit
    }


def _subagents(
    stream: Stream, part: tuple[Slice, ...] | None, streams: Sequence[Stream]
) -> tuple[Stream, ...]:
    """The streams that calls in a part of a stream started, and those that calls in these started."""
    calls = _calls(one for one in stream.records if part is None or any(s.holds(position(one)) for s in part))
    found: dict[str, Stream] = {}
    grown = True
    while grown:
        grown = False
        for one in streams:
            if one.id not in found and one.id != stream.id and calls & set(spawning_calls(one)):
                found[one.id] = one
                calls |= _calls(one.records)
                grown = True
    return tuple(found.values())


def _calls(records: Iterable[Record]) -> set[str]:
    return {one["callId"] for one in records if one["type"] == "tool_call"}
