"""Which commits a place in the streams of a session came in with."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from git_asr.asr.reading import Stream, position
from git_asr.asr.slices import commits_at, slices
from git_asr.asr.totals import spawning_calls

Origin = Callable[[Stream, int], tuple[Stream, int]]


def origin_of(streams: Sequence[Stream]) -> Origin:
    """Tells of a position in a stream where it came in: a subagent's, where the call that started it stands."""
    calls: dict[str, tuple[Stream, int]] = {}
    for one in streams:
        for record in one.records:
            if record["type"] == "tool_call" and "copiedFrom" not in record:
                calls.setdefault(record["callId"], (one, position(record)))

    def origin(stream: Stream, at: int) -> tuple[Stream, int]:
        passed: set[str] = set()
        while stream.id not in passed:
            passed.add(stream.id)
            started = [calls[one] for one in spawning_calls(stream) if one in calls]
            if not started:
                break
            stream, at = started[0]
        return stream, at

    return origin


def commits_of(streams: Sequence[Stream]) -> Callable[[Stream, int], tuple[str, ...]]:
    """Tells of a position in one of a session's streams which commits name the checkpoint with which it came in."""
    own = {one.id: commits_at(slices(one)) for one in streams}
    origin = origin_of(streams)

    def commits(stream: Stream, at: int) -> tuple[str, ...]:
        stream, at = origin(stream, at)
        return own[stream.id](at)

    return commits
