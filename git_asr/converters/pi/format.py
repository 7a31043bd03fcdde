"""Pi and its fork oh-my-pi: a tree of entries under a header (reference native-transcripts, sections 6 and 12.3)."""

from __future__ import annotations

from typing import Any

from git_asr.converters.base import Facts, Format, Sample
from git_asr.converters.fields import chain, objects, part, text, time

_FORK_TYPES = frozenset(
    {
        *("ttsr_injection", "session_init", "mode_change"),
        *("title", "title_change", "service_tier_change", "credential_pin", "reset_boundary"),
    }
)


class Pi(Format):
    """A ``session`` line, then entries with ``id`` and ``parentId`` (the oldest version has neither)."""

    __slots__ = ()
    harness = "pi"
    name = "pi-jsonl"
    marks_start = True
    first_line = True

    def recognises(self, sample: Sample) -> bool:
        """By the header."""
        return _is_pi(objects(sample))

    def facts(self, value: Any) -> Facts:
        """The header names the session and is no part of the tree."""
        return _facts(value)


class OhMyPi(Format):
    """Pi's format with further types of entries; without one near the start it counts as Pi's."""

    __slots__ = ()
    harness = "oh-my-pi"
    name = "oh-my-pi-jsonl"
    marks_start = True
    first_line = True

    def recognises(self, sample: Sample) -> bool:
        """By the header and one of the fork's own types, or a model that is named with its provider."""
        values = objects(sample)
        return _is_pi(values) and any(map(_is_of_the_fork, values))

    def facts(self, value: Any) -> Facts:
        """As Pi's."""
        return _facts(value)


def _is_pi(values: tuple[dict[str, Any], ...]) -> bool:
    """Whether a header stands first, or behind the line with the title that the fork keeps before it."""
    if len(values) > 1 and is_title(values[0]):
        values = values[1:]
    return bool(values) and is_header(values[0]) and ("version" in values[0] or "cwd" in values[0])


def _is_of_the_fork(value: dict[str, Any]) -> bool:
    kind = text(value, "type")
    return kind in _FORK_TYPES or (kind == "model_change" and text(value, "model") is not None)


def is_header(value: Any) -> bool:
    """Whether a value is the header of a session."""
    return text(value, "type") == "session" and text(value, "id") is not None


def is_title(value: Any) -> bool:
    """Whether a value is the line with the title, which is written anew in its place."""
    return text(value, "type") == "title" and "v" in value and "id" not in value


def _facts(value: Any) -> Facts:
    if is_header(value):
        return Facts(session=text(value, "id"), ts=time(value, "timestamp"), type="session", opens=True)
    if is_title(value):
        return Facts(type="title", opens=True)  # its time changes
    chained, parent = chain(value, "id", "parentId")
    return Facts(
        id=text(value, "id"),
        ts=time(value, "timestamp"),
        type=text(value, "type"),
        payload=text(part(value, "message"), "role") or text(value, "customType"),
        chained=chained,
        parent=parent,
    )
