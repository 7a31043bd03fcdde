"""What is shown of a session: which streams, and which part of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from git_asr.asr import read
from git_asr.asr.draft import Record
from git_asr.asr.links import CHECKPOINT, checkpoint_of, pairs
from git_asr.asr.reading import Stream, position
from git_asr.asr.slices import Slice, holding, slices
from git_asr.asr.totals import Total, spawning_calls
from git_asr.values import dataclass


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

    @property
    def is_empty(self) -> bool:
        """Whether nothing came in: the session was idle (reference entire-checkpoints, section 9, row 12)."""
        return self.slices is not None and all(one.last < one.first for one in self.slices)

    def records(self) -> Iterator[Record]:
        """The header, the records of the part, and the link records that belong to it."""
        yield self.stream.header
        held = holding(self.slices)
        yield from (one for one in self.stream.records if held(position(one)))
        checkpoints = None if self.slices is None else {one.checkpoint for one in self.slices}
        for record in self.stream.links:
            if checkpoints is None or checkpoint_of(record) in checkpoints:
                yield record

    def total(self) -> Total:
        """The tokens of the part, its subagents' included."""
        main, held = self.stream, holding(self.slices)
        return read.usage(
            [main, *self.subagents], lambda stream, record: stream is not main or held(position(record))
        )


def excerpts(
    streams: Sequence[Stream],
    *,
    commit: str | None = None,
    checkpoint: str | None = None,
    stream: str | None = None,
    whole: bool = False,
) -> list[Excerpt]:
    """What a session's streams have for a commit, for a checkpoint, for the ID of one of them, or at all.

    ``whole``: the whole of the streams that have anything for it. Of a session as a whole, a subagent's stream that no
    call of another stream started stands for itself.
    """
    main = [one for one in streams if not spawning_calls(one)]
    others = [one for one in streams if spawning_calls(one)]
    if stream is not None:
        return [Excerpt(one, None, (), _subagents(one, None, others)) for one in streams if one.id == stream]
    if commit is None and checkpoint is None:
        return _whole(main, others)
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


def _whole(main: Sequence[Stream], others: Sequence[Stream]) -> list[Excerpt]:
    """All streams of a session, each subagent's below the call that started it if that is here."""
    calls = _calls(record for one in (*main, *others) for record in one.records)
    lost = [one for one in others if calls.isdisjoint(spawning_calls(one))]
    found: list[Excerpt] = []
    placed: set[str] = set()
    for one in (*main, *lost, *others):
        if one.id not in placed:
            excerpt = Excerpt(one, None, (), _subagents(one, None, others))
            placed.update((one.id, *(each.id for each in excerpt.subagents)))
            found.append(excerpt)
    return found


def _checkpoints(stream: Stream, commit: str | None, checkpoint: str | None) -> set[str]:
    """The checkpoints of a stream that are asked for."""
    held = {record["id"] for record in stream.links if record["type"] == CHECKPOINT}
    if checkpoint is not None:
        return held & {checkpoint}
    return {of for of, linked in pairs(stream.links) if linked == commit}


def _subagents(
    stream: Stream, part: tuple[Slice, ...] | None, streams: Sequence[Stream]
) -> tuple[Stream, ...]:
    """The streams that calls in a part of a stream started, and those that calls in these started."""
    started: dict[str, list[Stream]] = {}
    for one in streams:
        for call in spawning_calls(one):
            started.setdefault(call, []).append(one)
    held = holding(part)
    todo = [_calls(one for one in stream.records if held(position(one)))]
    found: set[str] = set()
    while todo:
        below = [one for call in todo.pop() for one in started.get(call, ())]
        for one in below:
            if one.id not in found and one.id != stream.id:
                found.add(one.id)
                todo.append(_calls(one.records))
    return tuple(one for one in streams if one.id in found)


def _calls(records: Iterable[Record]) -> set[str]:
    return {one["callId"] for one in records if one["type"] == "tool_call"}
