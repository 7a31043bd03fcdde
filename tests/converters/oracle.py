"""The rules that hold whatever a transcript is, of whichever format: what tests and the fuzzer ask of any bytes."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from git_asr.asr.codec import NON_FINITE, NumberText
from git_asr.asr.draft import Record
from git_asr.asr.numbering import number
from git_asr.converters.base import NativeFormat, Unit
from git_asr.converters.registry import converter_for
from tests.converters.amp.conversion import AMP
from tests.converters.antigravity.conversion import STEPS
from tests.converters.claude import conversion as claude
from tests.converters.codex import conversion as codex
from tests.converters.copilot import conversion as copilot
from tests.converters.cursor import conversion as cursor
from tests.converters.devin.conversion import DEVIN
from tests.converters.droid.conversion import DROID
from tests.converters.etf import conversion as etf
from tests.converters.external.conversion import CHAT, GEMINI, QWEN, ROGER, WINDSURF
from tests.converters.gemini import conversion as gemini
from tests.converters.goose.conversion import GOOSE
from tests.converters.kiro import conversion as kiro
from tests.converters.opencode import conversion as opencode
from tests.converters.pi import conversion as pi
from tests.converters.rules import check_stream, encoded
from tests.support.beginnings import is_beginning
from tests.support.losslessness import Lost, lost, written

Streams = Mapping[str, Sequence[Record]]
Losing = Callable[[Sequence[Unit], Sequence[Record]], list[Lost]]

_ALONE: dict[str, Losing] = {
    "amp-json": AMP.lost_of,
    "amp-jsonl": AMP.lost_of,
    "antigravity-jsonl": STEPS.lost_of,
    "codex-jsonl": codex.lost_of,
    "cursor-jsonl": cursor.lost_of,
    "devin-atif": DEVIN.lost_of,
    "entire-transcript": etf.lost_of,
    "factory-droid-jsonl": DROID.lost_of,
    "gemini-cli-hooks": GEMINI.lost_of,
    "gemini-cli-json": gemini.lost_of,
    "gemini-cli-jsonl": gemini.lost_of,
    "goose-json": GOOSE.lost_of,
    "goose-jsonl": GOOSE.lost_of,
    "kilo-code-json": opencode.lost_of,
    "kilo-code-jsonl": opencode.lost_of,
    "kiro-json": kiro.lost_of,
    "kiro-jsonl": kiro.lost_of,
    "oh-my-pi-jsonl": pi.lost_of,
    "openai-chat-jsonl": CHAT.lost_of,
    "opencode-json": opencode.lost_of,
    "opencode-jsonl": opencode.lost_of,
    "pi-jsonl": pi.lost_of,
    "qwen-code-hooks": QWEN.lost_of,
    "roger-roger-jsonl": ROGER.lost_of,
    "windsurf-hooks": WINDSURF.lost_of,
}
"""What tells the losses of a format whose sessions are one stream each."""
_TOGETHER: dict[str, Callable[[Sequence[Unit], Any], list[Lost]]] = {
    "claude-code-jsonl": claude.lost_of,
    "copilot-cli-jsonl": copilot.lost_of,
}
"""The same of those whose lines hold streams of subagents, too."""
CHECKED = {*_ALONE, *_TOGETHER, "cursor-text"}
"""The formats of which losses are told though records say some things in other words."""
TEXTS = {"cursor-text", "aider-markdown"}
"""Formats whose units are lines of a text, which :func:`losses` looks at by themselves."""


def streams(native: NativeFormat | None, units: Sequence[Unit]) -> dict[str, list[Record]]:
    """The records of a transcript, and of the streams embedded in it."""
    converter = converter_for(native)
    made = {"stream": list(number(converter.convert(iter(units), native, "stream")))}
    for one in converter.embedded:
        name = f"stream.{one.suffix}"
        made[name] = list(number(one.converter.convert(iter(units), native, name)))
    return made


def losses(native: NativeFormat | None, units: Sequence[Unit], made: Streams) -> list[Any]:
    """What is in the units and not in the records: leaves of values, or lines of a text.

    Text that no decoder reads is looked at by :func:`check`; values with NaN are kept as text; that very long numbers
    are rounded is declared; of a format without a converter the units themselves stand in the records.
    """
    told = [unit for unit in units if unit.kind == "value" and NON_FINITE not in unit.flags]
    name = native.name if native is not None else ""
    if name == "cursor-text":
        return list(cursor.untold(units, made["stream"]))
    if name in _TOGETHER:
        found = _TOGETHER[name](told, made)
    elif name in _ALONE:
        found = _ALONE[name](told, made["stream"])
    else:
        found = list(lost(told, [written(made["stream"])]))
    return [one for one in found if not isinstance(one.value, NumberText)]


def check(native: NativeFormat | None, units: Sequence[Unit]) -> dict[str, list[Record]]:
    """Convert the units of a transcript, see that every rule holds, and give the records of each stream.

    Of lines the first half must give the first records, too; tests of each converter cut after every line.
    """
    made, again = streams(native, units), streams(native, units)
    assert made.keys() == again.keys()
    for name, records in made.items():
        assert encoded(records) == encoded(again[name]), name
        check_stream(written(records).records)
    missing = losses(native, units, made)
    assert missing == [], missing
    check_damage_told(native, units, made["stream"])
    if native is None or (native.array is None and native.name not in TEXTS):
        for name, begun in streams(native, units[: len(units) // 2]).items():
            assert is_beginning(encoded(begun), encoded(made[name])), name
    return made


def check_damage_told(native: NativeFormat | None, units: Sequence[Unit], records: Sequence[Record]) -> None:
    """See that each malformed unit is a notice with its text where it stands, but for a last line that may grow."""
    damaged = (one for one in records if "git-asr/malformed" in one.get("_meta", {}))
    told = {(one["seq"] // 1_000_000, one["text"]) for one in damaged}
    growing = native is None or native.array is None
    for unit in units[:-1] if growing else units:
        assert unit.kind != "malformed" or (unit.position, unit.value) in told, unit


@contextmanager
def deadline(seconds: int) -> Iterator[None]:
    """Make a failure of what takes longer."""

    def stop(*_: Any) -> None:
        raise TimeoutError(f"more than {seconds} seconds")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
