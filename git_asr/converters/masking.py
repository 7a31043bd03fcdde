"""Native transcripts as they may be given to others: without secret answers, else not at all (docs/decisions/0008)."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from typing import Any

from git_asr.asr import codec
from git_asr.converters.detect import detect
from git_asr.converters.etf.format import EntireTranscript
from git_asr.converters.secret_answers import SECRET_ANSWERS, CodexSecretAnswers, entire_secret_answers
from git_asr.converters.units import read_lines
from git_asr.errors import AsrError


def masked(transcript: bytes) -> bytes:
    """A transcript without the answers to secret questions; no line but those that held one is changed.

    The format is that of the content, whatever it is called.

    Raises:
        AsrError: it cannot be told whether all of them are out: a line is damaged where secrets were asked for, or a
            result is of a call that the transcript does not have.
    """
    native = detect(transcript)
    make = None if native is None else SECRET_ANSWERS.get(native.name)
    watch: Callable[[Any], Any | None] | None = None if make is None else make()
    if isinstance(native, EntireTranscript):
        watch = entire_secret_answers
    return transcript if watch is None else _without(transcript, watch)


def _without(transcript: bytes, watch: Callable[[Any], Any | None]) -> bytes:
    changed: dict[int, bytes] = {}
    odd = False
    for unit in read_lines([transcript]):
        value = None if unit.kind != "value" else watch(unit.value)
        odd = odd or unit.kind != "value" or unit.index > 0
        if value is not None:
            changed[unit.position] = codec.encode(value)
    if odd and (changed or getattr(watch, "asked", False)):
        raise AsrError("a question in it asks for a secret, and lines of it are damaged")
    if isinstance(watch, CodexSecretAnswers) and watch.orphans:
        raise AsrError(
            "it begins after some of its calls, and nobody can tell whether they asked for secrets"
        )
    if not changed:
        return transcript
    lines = BytesIO(transcript)
    return b"".join(
        changed[number] + b"\n" * line.endswith(b"\n") if number in changed else line
        for number, line in enumerate(lines, start=1)
    )
