"""Targets: what agents wrote. The oracle of the converters is asked: no rule broken, nothing lost, twice the same."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from zlib import crc32

from git_asr.asr import codec
from git_asr.asr.numbering import number
from git_asr.converters.detect import detect
from git_asr.converters.events import reading
from git_asr.converters.events.lifecycle import NAMES
from git_asr.converters.units import read_units
from git_asr.errors import Diagnostic
from git_asr.sync.importing import Import, drafts
from tests.converters import goldens
from tests.converters.oracle import check
from tests.converters.rules import check_stream, encoded
from tests.fuzz.base import Target
from tests.support.losslessness import written

_TOKENS = {
    "claude": "claude-code",
    "copilot": "copilot-cli",
    "droid": "factory-droid",
    "gemini": "gemini-cli",
}
"""How folders of fixtures about tokens begin, where agents are called otherwise."""


def targets() -> Iterator[Target]:
    for agent in sorted({case.partition("/")[0] for case in goldens.cases()}):
        yield Target(
            f"transcript-{agent}",
            "a transcript in its chunks: detected, read, converted, checked",
            _converted,
            functools.partial(_of, agent),
            foreign=_every,
        )
    yield Target("events", "git asr import --events", _imported, _events, foreign=_every)


def _converted(data: bytes) -> None:
    at = crc32(data) % len(data) if data and crc32(data[::-1]) % 5 == 0 else len(data)
    chunks = [chunk for chunk in (data[:at], data[at:]) if chunk]
    native = detect(chunks)
    check(native, list(read_units(chunks, native)))


@functools.cache
def _of(agent: str) -> list[bytes]:
    found = [b"\n".join(goldens.chunks(case)) for case in goldens.cases() if case.startswith(f"{agent}/")]
    for folder in sorted((goldens.FIXTURES.parent / "tokens").iterdir()):
        begin = folder.name.partition("-")[0]
        if _TOKENS.get(begin, begin) == agent:
            found += [
                one.read_bytes() for one in sorted(folder.glob("*.json*")) if one.name != "expected.json"
            ]
    return [text for text in found if text]


@functools.cache
def _every() -> list[bytes]:
    return [text for case in goldens.cases() if (text := b"\n".join(goldens.chunks(case)))]


def _imported(data: bytes) -> None:
    found: list[Diagnostic] = []
    told = reading.read(data, "s", "FILE", found.append)
    one = Import("FILE", "entire", tuple(told), found.append)
    for session in told:
        first, again = (list(number(drafts(one, session)[1])) for _ in range(2))
        assert encoded(first) == encoded(again)
        check_stream(written(first).records)
    assert all("\n" not in each.where for each in found)


@functools.cache
def _events() -> Sequence[bytes]:
    lines: list[dict[str, object]] = [
        {
            "type": kind,
            "session_id": f"s{at % 2}",
            "timestamp": f"2026-01-01T00:00:{at:02}Z",
            "prompt": "p",
            "model": "m",
            "subagent_id": "a",
            "tool_use_id": "t",
        }
        for at, kind in enumerate([*NAMES, *range(8)])
    ]
    lines += [
        {"type": "message", "id": "1", "role": "assistant", "content": [{"type": "text", "text": "hi"}]},
        {"type": "append", "id": "1", "text": " there"},
        {
            "type": "message",
            "id": "2",
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "ls"}}],
        },
        {"type": "result", "tool_use_id": "t", "content": "a\nb", "is_error": False},
        {"type": "usage", "id": "1", "input_tokens": 3, "output_tokens": 4},
        {"type": "drop", "id": "1"},
    ]
    return [b"".join(codec.encode(one) + b"\n" for one in some) for some in (lines, lines[-6:], lines[:6])]
