"""Lines of ``type`` and ``message``, as Roger Roger and other small external agents write them.

(Reference entire-checkpoints, section 5.2: toy and external agents.)
"""

from __future__ import annotations

from typing import Any

from git_asr.asr.ids import usable
from git_asr.converters.base import Facts, Format, Sample
from git_asr.converters.blocks import parts
from git_asr.converters.building import CONTENT, Building
from git_asr.converters.fields import objects, part, text, time
from git_asr.converters.successive import Reader, Successive

_WHO = {"user": "human", "assistant": "agent"}


class ExternalLines(Format):
    """Two shapes: a text with a time, or content with a ``uuid``. Any further key makes it another format."""

    __slots__ = ()
    harness = "roger-roger"
    name = "roger-roger-jsonl"

    def recognises(self, sample: Sample) -> bool:
        """By lines that are all of one of the two shapes."""
        values = objects(sample)
        return bool(values) and all(map(_is_line, values))

    def facts(self, value: Any) -> Facts:
        """The type, and what the shape has of time and ID."""
        return Facts(id=text(value, "uuid"), ts=time(value, "timestamp"), type=text(value, "type"))


def _is_line(value: dict[str, Any]) -> bool:
    if text(value, "type") not in _WHO:
        return False
    if text(value, "message") is not None:
        return value.keys() <= {"type", "timestamp", "message"}
    return value.keys() == {"type", "uuid", "message"} and part(value, "message").keys() == {"content"}


class _Lines(Reader):
    """Each line is a message: its text, or what it holds as content."""

    def read(self, line: Building, value: dict[str, Any]) -> set[str] | None:
        role, said = text(value, "type"), value.get("message")
        content = said.get("content") if isinstance(said, dict) else said
        if role not in _WHO or not isinstance(content, str | list):
            return None
        told: dict[str, Any] = {"role": role, "author": _WHO[role]}
        taken = {"type", "message"}
        if (own := text(value, "uuid")) is not None:
            taken.add("uuid")
            if usable(own):
                told["messageId"] = own
        if line.ts is not None:
            taken.add("timestamp")
        made, left = parts(content) if content else ([], {})
        meta: dict[str, Any] = {"content": left} if left else {}
        if isinstance(said, dict) and said.keys() - {"content"}:
            meta["message"] = {key: item for key, item in said.items() if key != "content"}
        line.put(CONTENT, "message", {**told, "content": made}, meta=meta)
        return taken


def external() -> Successive:
    """The converter of such lines."""
    losses = (
        {"feature": "tools", "reason": "the source says nothing of calls and results"},
        {"feature": "usage", "reason": "the source says nothing of model calls"},
    )
    return Successive("roger-roger", ExternalLines(), "io.entire.roger-roger", losses, _Lines)
