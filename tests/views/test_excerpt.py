"""Which streams of a session are shown, and which stand below which."""

from __future__ import annotations

from git_asr.views.excerpt import Excerpt, excerpts
from tests.asr.records import record
from tests.asr.streams import checkpoint, stream


def call(identifier: str) -> dict[str, object]:
    return record(identifier, "tool_call", callId=identifier)


def told(found: list[Excerpt]) -> list[tuple[str, list[str]]]:
    return [(one.stream.id, [each.id for each in one.subagents]) for one in found]


def test_every_stream_of_a_session_is_shown() -> None:
    main = stream(call("t"))
    fork = stream(record("m"), identifier="s@m")
    below = stream(call("u"), identifier="s.t", calls=["t"])
    deeper = stream(identifier="s.u", calls=["u"])
    lost = stream(call("v"), identifier="s.x", calls=["gone"])
    of_lost = stream(identifier="s.v", calls=["v"])
    round_a = stream(call("b"), identifier="s.a", calls=["a"])
    round_b = stream(call("a"), identifier="s.b", calls=["b"])
    own = stream(call("w"), identifier="s.w", calls=["w"])
    streams = [deeper, below, of_lost, lost, round_b, round_a, own, fork, main]
    assert told(excerpts(streams)) == [
        ("s@m", []),
        ("s", ["s.u", "s.t"]),
        ("s.x", ["s.v"]),
        ("s.b", ["s.a"]),
        ("s.w", []),
    ]


def test_a_part_has_the_subagents_that_it_started() -> None:
    main = stream(call("t"), call("u"), links=[checkpoint("c", 1), checkpoint("d", 2)])
    streams = [main, stream(identifier="s.t", calls=["t"]), stream(identifier="s.u", calls=["u", "t"])]
    assert told(excerpts(streams, checkpoint="d")) == [("s", ["s.u"])]
    assert told(excerpts(streams, checkpoint="c")) == [("s", ["s.t", "s.u"])]
    assert told(excerpts(streams, checkpoint="d", whole=True)) == [("s", ["s.t", "s.u"])]
