"""What every transcript in ``fixtures/transcripts`` becomes: ``python -m tests.converters.goldens`` writes it anew.

A case is a folder of one transcript (``input`` with any suffix; further chunks sort behind it). ``units.jsonl`` has
the format and a line a unit: place, how it was read, whether its text is kept (``stored``), its facts that are not
empty. ``opaque.jsonl`` has the records of the opaque converter. Look at the difference before you keep it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from git_asr.asr.codec import encode
from git_asr.asr.numbering import number
from git_asr.converters.base import Facts, NativeFormat, Unit
from git_asr.converters.detect import detect
from git_asr.converters.registry import converter_for
from git_asr.converters.units import read_units

FIXTURES = Path(__file__).parents[2] / "fixtures" / "transcripts"


def cases() -> list[str]:
    return sorted(str(file.parent.relative_to(FIXTURES)) for file in FIXTURES.glob("*/*/units.jsonl"))


def chunks(case: str) -> list[bytes]:
    return [file.read_bytes() for file in sorted((FIXTURES / case).glob("input*"))]


def units(transcript: list[bytes]) -> tuple[NativeFormat | None, list[Unit]]:
    native = detect(transcript)
    return native, list(read_units(transcript, native))


def describe(transcript: list[bytes]) -> Iterator[bytes]:
    """The lines of ``units.jsonl``."""
    native, found = units(transcript)
    yield encode({"harness": native and native.harness, "format": native and native.name}) + b"\n"
    for unit in found:
        facts = native.facts(unit.value) if native and unit.kind == "value" else Facts()
        line: dict[str, Any] = {"position": unit.position, "index": unit.index, "kind": unit.kind}
        if unit.flags:
            line["flags"] = list(unit.flags)
        line["stored"] = unit.text is not None
        line |= {name: fact for name, fact in asdict(facts).items() if fact not in (None, False)}
        yield encode(line) + b"\n"


def opaque(transcript: list[bytes]) -> Iterator[bytes]:
    """The lines of ``opaque.jsonl``."""
    native, found = units(transcript)
    for record in number(converter_for(native).convert(iter(found), native)):
        yield encode(record) + b"\n"


if __name__ == "__main__":
    for folder in sorted(FIXTURES.glob("*/*/")):
        transcript = chunks(str(folder.relative_to(FIXTURES)))
        (folder / "units.jsonl").write_bytes(b"".join(describe(transcript)))
        (folder / "opaque.jsonl").write_bytes(b"".join(opaque(transcript)))
