"""What the token fixtures of Claude Code show beside their totals (``tests.converters.test_tokens``)."""

from __future__ import annotations

from tests.converters.claude.conversion import streams
from tests.converters.test_tokens import FOLDER


def test_placeholders_are_marked() -> None:
    text = (FOLDER / "claude-placeholder-output" / "session.jsonl").read_bytes()
    (record,) = [one for one in next(iter(streams(text).values())) if one["type"] == "inference"]
    assert record["_meta"]["com.anthropic.claude-code"]["outputTokens"] == "placeholder"
