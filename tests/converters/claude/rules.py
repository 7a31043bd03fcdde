"""The rules that every conversion of Claude Code's lines must keep, whatever the lines are."""

from __future__ import annotations

from tests.converters import rules
from tests.converters.claude.conversion import losses, streams, units
from tests.converters.rules import check_records


def encoded(text: bytes) -> dict[str, list[bytes]]:
    """The records of each stream as they are written."""
    return {name: rules.encoded(records) for name, records in streams(text).items()}


def check(text: bytes, *, cut: bool = True) -> None:
    """Convert lines and see that every rule holds; ``cut``: that their beginnings give beginnings."""
    again = streams(text)
    whole = {name: check_records(records, again[name]) for name, records in streams(text).items()}
    assert whole.keys() == again.keys()
    unread = {unit.position for unit in units(text) if unit.kind == "malformed"}
    assert [one for one in losses(text) if one.position not in unread] == []
    lines = text.splitlines(keepends=True)
    for count in range(len(lines) if cut else 0):
        for name, some in encoded(b"".join(lines[:count])).items():
            assert some == whole[name][: len(some)]
