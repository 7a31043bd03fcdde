"""Devin CLI: a trajectory of steps in the ATIF format."""

from __future__ import annotations

from typing import Any

from git_asr.converters.base import Facts, Format, Sample
from git_asr.converters.fields import document, has, number_or_text, text, time


class DevinTrajectory(Format):
    """One object with ``steps``; a stub has none yet."""

    __slots__ = ()
    harness = "devin"
    name = "devin-atif"
    array: str | None = "steps"

    def recognises(self, sample: Sample) -> bool:
        """By the schema's version."""
        return (text(document(sample), "schema_version") or "").startswith("ATIF")

    def facts(self, value: Any) -> Facts:
        """A step, or what the document says of the session."""
        if has(value, "schema_version"):
            return Facts(session=text(value, "session_id"))
        return Facts(
            id=number_or_text(value, "step_id"), ts=time(value, "timestamp"), type=text(value, "source")
        )
