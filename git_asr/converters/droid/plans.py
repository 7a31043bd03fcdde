"""Lists of tasks: objects, or one text with a line for each."""

from __future__ import annotations

import re
from typing import Any

from git_asr.converters import fields

_TASK = re.compile(r"(?:\d{1,9}[.)]|[-*])?\s*\[([^\]\n]{1,40})\]\s*(\S.*)", re.DOTALL)
"""A line without what is blank around it."""
_TEXTS = ("content", "description", "text")


def listed(found: Any) -> Any:
    """The list itself, which some versions put into an object."""
    return found["todos"] if isinstance(found, dict) and "todos" in found else found


def items(found: Any) -> list[dict[str, str]] | None:
    """The tasks of a list, None where it is none."""
    if isinstance(found, str):
        told = [(line, _TASK.fullmatch(line.strip())) for line in found.split("\n") if line.strip()]
        return [{"text": line} if one is None else {"text": one[2], "status": one[1]} for line, one in told]
    if not isinstance(found, list):
        return None
    return [item for one in found if (item := _item(one)) is not None]


def _item(one: Any) -> dict[str, str] | None:
    said = next((text for key in _TEXTS if (text := fields.text(one, key)) is not None), None)
    if said is None:
        return None
    status = fields.text(one, "status")
    return {"text": said} if status is None else {"text": said, "status": status}


def is_plain(found: Any) -> bool:
    """Whether the tasks of a list say all that it says."""
    return isinstance(found, list) and all(
        isinstance(one, dict) and one.keys() <= {"status", *_TEXTS} and len(one) == len(_item(one) or ())
        for one in found
    )
