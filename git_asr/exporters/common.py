"""What several exporters do alike."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, groupby
from typing import Any

from git_asr.asr import codec
from git_asr.asr.draft import Record
from git_asr.asr.large import describe
from git_asr.asr.reading import GetBlob, Stream, position
from git_asr.asr.slices import Slice, slices
from git_asr.exporters.base import ExportedSession, Losses
from git_asr.redaction.inlining import ABSENT, inlined, text

BINARY = "binary"
ABSENT_BLOB = "absent-blob"
HALVES = "half-characters"
UNREADABLE = {
    "unreadable-stream": "a stream is damaged, or of a format version that is not read",
    "bad-record": "a line of a stream is no record, or breaks a rule of the format",
    "other-bytes": "a file of the bundle is not the one that its manifest lists",
}
COMMON = UNREADABLE
_HALVES = re.compile(
    rb"(\\u[dD][89aAbB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|\\u[dD][89a-fA-F][0-9a-fA-F]{2}|\\."
)
"""In JSON text: a pair that makes one character, half of one, or any other escape."""
_KINDS = {"unknown-major": "unreadable-stream"}


def problems(session: ExportedSession, losses: Losses) -> None:
    """Count what could not be read of a session."""
    for problem in session.problems:
        losses.note(_KINDS.get(problem.kind, problem.kind))


def begun(sessions: Iterable[ExportedSession]) -> tuple[dict[str, Any], Iterator[ExportedSession]]:
    """What an output says of its marking, by the first session; and all of the sessions."""
    listed = iter(sessions)
    first = next(listed, None)
    marking = {} if first is None else {"redaction": first.marking.record()}
    return marking, chain([] if first is None else [first], listed)


Take = Callable[[bytes], object | None]
"""Takes bytes that are no text, and gives what stands in their place; None where the format has no place for them."""


def resolved(record: Record, blob: GetBlob, losses: Losses, take: Take = lambda _: None) -> Record:
    """A record with its values in place of blobs. Content that is no text is only named, and noted as lost.

    ``take``: what it takes is not lost.
    """
    whole = inlined(record, blob)
    if whole is record:
        return record
    if whole.get("capture") == ABSENT and "capture" not in record:
        losses.note(ABSENT_BLOB)
    content = whole.get("content")
    if not isinstance(content, list):
        return whole
    return {**whole, "content": [_named(part, losses, take) for part in content]}


def _named(part: Any, losses: Losses, take: Take) -> Any:
    if not isinstance(part, dict):
        return part
    if part.get("capture") == ABSENT:
        losses.note(ABSENT_BLOB)
    if not isinstance(part.get("data"), bytes):
        return part
    found = describe(part["data"], part["mediaType"])
    said = text(part["data"]) if "text" not in part else None
    if said is not None:
        return {
            **{key: value for key, value in part.items() if key != "data"},
            "text": said,
            "bytes": found.bytes,
        }
    if (taken := take(part["data"])) is not None:
        return taken
    losses.note(BINARY)
    rest = {key: value for key, value in part.items() if key != "data"}
    return {**rest, "sha256": found.sha256, "bytes": found.bytes}


class Places:
    """With which checkpoints the records of a stream came in, and which commits name these."""

    def __init__(self, stream: Stream) -> None:
        found = [one for one in slices(stream) if one.last >= one.first]
        self._parts = [list(same) for _, same in groupby(found, _first)]

    def of(self, record: Record) -> tuple[list[str], list[str]]:
        """The checkpoints whose slice holds a transcript record, and the commits that name them, sorted."""
        at = position(record)
        place = bisect_right(self._parts, at, key=lambda same: same[0].first) - 1
        same = self._parts[place] if place >= 0 and self._parts[place][0].holds(at) else []
        return [one.checkpoint for one in same], sorted({each for one in same for each in one.commits})


def _first(one: Slice) -> int:
    return one.first


def encoded(value: Any, losses: Losses) -> bytes:
    """A value as compact JSON that every reader takes: halves of characters, which are no Unicode, become U+FFFD."""
    data = codec.encode(value)
    if b"\\ud" not in data:
        return data
    halves = 0

    def mended(hit: re.Match[bytes]) -> bytes:
        nonlocal halves
        if hit[1] or len(hit[0]) == 2:
            return hit[0]
        halves += 1
        return b"\xef\xbf\xbd"

    data = _HALVES.sub(mended, data)
    losses.note(HALVES, halves)
    return data


def text_of(record: Record, blob: GetBlob, losses: Losses) -> str:
    """The content of a record as one text: its parts in lines; what is no text says what it is."""
    return "\n".join(texts(resolved(record, blob, losses).get("content")))


def texts(content: Any) -> Iterator[str]:
    """The text of each part of a content that was resolved."""
    for part in content if isinstance(content, list) else ():
        if isinstance(part.get("text"), str):
            yield part["text"]
        elif "sha256" in part:
            yield f"[{part.get('type')} {part.get('mediaType')}, {part['bytes']} bytes, SHA-256 {part['sha256']}]"
        else:
            yield codec.lenient(part.get("value", part))


def whole_text(said: str, losses: Losses) -> str:
    """A text that every reader takes: halves of characters become U+FFFD."""
    try:
        said.encode("utf-8")
    except UnicodeEncodeError:
        joined = said.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        losses.note(HALVES, joined.count("\ufffd") - said.count("\ufffd"))
        return joined
    return said
