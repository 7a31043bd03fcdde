"""The sessions behind a commit, and the prompt that is named for each."""

from __future__ import annotations

from typing import Any

from git_asr.asr import codec, reading
from git_asr.asr.reading import Stream
from git_asr.views.blame import Association, association, part
from tests.asr.records import record
from tests.asr.streams import checkpoint, stream, vcs
from tests.views.test_usage import session

A, B = ("a" * 40, "b" * 40)


def said(identifier: str, text: str, **other: Any) -> dict[str, Any]:
    content = [{"type": "image"}, {"type": "text", "text": " "}, {"type": "text", "text": text}]
    return record(identifier, role="user", author="human", content=content, **other)


def found(*streams: Stream, commit: str = A, **blobs: bytes) -> Association | None:
    return association(session(), streams, commit, blobs.get)


def prompt(*streams: Stream, commit: str = A) -> tuple[str | None, str | None]:
    one = found(*streams, commit=commit)
    assert one is not None
    return one.prompt, one.prompt_from


LINKS = [checkpoint("1", 1), checkpoint("2", 3), vcs("1", A), {**vcs("2", B), "evidence": "reported"}]


def test_the_first_prompt_of_the_slice_else_the_last_before() -> None:
    one = stream(said("a", "one"), said("b", "two"), said("c", "three"), said("d", "four"), links=LINKS)
    assert prompt(one) == ("one", "slice")
    assert prompt(one, commit=B) == ("three", "slice")
    silent = stream(
        said("a", "one"), said("b", "two"), record("c", role="assistant", author="agent"), links=LINKS
    )
    assert prompt(silent, commit=B) == ("two", "before")
    assert prompt(stream(record("a"), links=LINKS)) == (None, None)
    assert found(one, commit="c" * 40) is None
    late = stream(record("a"), record("b"), said("c", "three"), links=LINKS)
    assert prompt(late) == (None, None)
    known = association(session(prompt="known"), [stream(record("a"), links=LINKS)], A, {}.get)
    assert known is not None
    assert (known.prompt, known.prompt_from) == ("known", "session")


def test_what_ties_them() -> None:
    one = found(stream(links=LINKS), stream(links=[vcs("3", B)], identifier="s@x"), commit=B)
    assert one is not None
    assert (one.checkpoints, one.evidence, one.agent) == (("2", "3"), ("reported",), "claude-code")


def test_what_was_withdrawn_or_waits_is_no_prompt() -> None:
    waiting = said("a", "waits", _meta={"git-asr/queue": "pending"})
    records = [
        waiting,
        said("b", "gone"),
        record("t", "tombstone", target="b"),
        said("c", "before"),
        said("d", "after", supersedes="c"),
    ]
    links = [checkpoint("1", 1), vcs("1", A)]
    whole = stream(*records, links=links)
    assert prompt(whole) == ("after", "slice")
    lines = b"".join(
        codec.encode(one) + b"\n" for one in (whole.header, *whole.records, record("x", seq=9), *links)
    )
    data = lines.replace(b'"type":"vcs"', b'"type":"vcs","seq":1').replace(
        b'"type":"io.entire/checkpoint"', b'"type":"io.entire/checkpoint","seq":1'
    )
    assert prompt(reading.joined("s", [data], part)) == ("after", "slice")


def test_a_long_prompt_stands_in_a_blob() -> None:
    long = record("a", author="human", content=[{"type": "text", "blob": "x", "mediaType": "text/plain"}])
    one = found(stream(long, links=LINKS), x=b"long")
    assert one is not None
    assert one.prompt == "long"
