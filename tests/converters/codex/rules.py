"""The rules of profile sections 3 to 5 that every conversion of a rollout must keep, whatever the lines are."""

from __future__ import annotations

from git_asr.asr import codec
from git_asr.asr.large import describe, line
from tests.converters.claude.rules import check_stream
from tests.converters.codex.conversion import convert, losses, units
from tests.support.losslessness import written


def encoded(text: bytes) -> list[bytes]:
    """The records as they are written."""
    return [line(one, describe) for one in convert(text)]


def check(text: bytes, *, cut: bool = True) -> None:
    """Convert lines and see that every rule holds; ``cut``: that their beginnings give beginnings."""
    whole = encoded(text)
    assert whole == encoded(text)
    out = written(convert(text))
    assert [codec.encode(one) + b"\n" for one in out.records] == whole
    check_stream(out.records)
    unread = {unit.position for unit in units(text) if unit.kind == "malformed"}
    assert [one for one in losses(text) if one.position not in unread] == []
    lines = text.splitlines(keepends=True)
    for count in range(len(lines) if cut else 0):
        some = encoded(b"".join(lines[:count]))
        assert some == whole[: len(some)]
