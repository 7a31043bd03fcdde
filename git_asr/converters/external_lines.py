"""Lines of ``type`` and ``message``, as Roger Roger and other small external agents write them.

(Reference entire-checkpoints, section 5.2: toy and external agents.)
"""

from __future__ import annotations

from typing import Any

from git_asr.converters.base import Facts, Sample
from git_asr.converters.fields import objects, part, text, time


class ExternalLines:
    """Two shapes: a text with a time, or content with a ``uuid``. Any further key makes it another format."""

    __slots__ = ()
    harness = "roger-roger"
    name = "roger-roger-jsonl"
    array: str | None = None
    marks_start = False
    first_line = False

    def recognises(self, sample: Sample) -> bool:
        """By lines that are all of one of the two shapes."""
        values = objects(sample)
        return bool(values) and all(map(_is_line, values))

    def facts(self, value: Any) -> Facts:
        """The type, and what the shape has of time and ID."""
        return Facts(id=text(value, "uuid"), ts=time(value, "timestamp"), type=text(value, "type"))


def _is_line(value: dict[str, Any]) -> bool:
    if text(value, "type") not in ("user", "assistant"):
        return False
    if text(value, "message") is not None:
        return value.keys() <= {"type", "timestamp", "message"}
    return value.keys() == {"type", "uuid", "message"} and part(value, "message").keys() == {"content"}
