"""The rules that every conversion of a rollout must keep, whatever the lines are."""

from __future__ import annotations

from tests.converters import rules
from tests.converters.codex.conversion import convert, losses, units


def encoded(text: bytes) -> list[bytes]:
    """The records as they are written."""
    return rules.encoded(convert(text))


def check(text: bytes, *, cut: bool = True) -> None:
    """Convert lines and see that every rule holds; ``cut``: that their beginnings give beginnings."""
    whole = rules.check_records(convert(text), convert(text))
    unread = {unit.position for unit in units(text) if unit.kind == "malformed"}
    assert [one for one in losses(text) if one.position not in unread] == []
    lines = text.splitlines(keepends=True)
    for count in range(len(lines) if cut else 0):
        some = encoded(b"".join(lines[:count]))
        assert some == whole[: len(some)]
