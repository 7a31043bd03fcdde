"""What the specification's companion for Entire asks of streams that were read from checkpoints."""

from __future__ import annotations

from collections.abc import Iterator

from git_asr.asr.draft import Record
from git_asr.asr.header import REDACTED
from git_asr.asr.links import CHECKPOINT
from git_asr.validation.base import Check, header_check, quoted
from git_asr.validation.course import Course

_FORMAT, _VERSION = "entire-transcript", "1"
_LOST = ("reasoning", "tool_result.content", "timestamps")


@header_check(
    "entire-level",
    "semantics",
    "What was read from a checkpoint has the content level redacted.",
    "Entire companion: contentLevel is redacted; profile 2, contentLevel",
)
def entire_level(header: Record, _: Course) -> Iterator[str]:
    """Entire redacts before it stores."""
    if CHECKPOINT in header.get("_meta", {}) and header["contentLevel"] != REDACTED:
        yield f"names a checkpoint, and contentLevel is {quoted(header['contentLevel'])}"


@header_check(
    "entire-transcript",
    "semantics",
    "A stream made of Entire's own transcripts says so, and declares what they do not hold.",
    "Entire companion: fallback, producer.method import, formatVersion 1, declared losses",
)
def entire_transcript(header: Record, _: Course) -> Iterator[str]:
    """Thinking, what the model got of results, times of some lines."""
    producer = header["producer"]
    source = producer.get("source", {})
    if source.get("format") != _FORMAT:
        return
    if producer["method"] != "import":
        yield f"is made of Entire's transcript, and producer.method is {quoted(producer['method'])}"
    if source.get("formatVersion") != _VERSION:
        yield f"is made of Entire's transcript, and its version is {quoted(source.get('formatVersion'))}"
    declared = {one["feature"] for one in producer["lossy"]}
    for feature in _LOST:
        if feature not in declared:
            yield f"is made of Entire's transcript, and producer.lossy lacks {feature}"


CHECKS: tuple[Check, ...] = (entire_level, entire_transcript)
