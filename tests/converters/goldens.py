"""What every transcript in ``fixtures/transcripts`` becomes: ``python -m tests.converters.goldens`` writes it anew.

A case is a folder of one transcript (``input`` with any suffix; further chunks sort behind it). ``units.jsonl`` has
the format and a line a unit: place, how it was read, whether its text is kept (``stored``), its facts that are not
empty. ``opaque.jsonl`` has the records of the opaque converter, ``records.jsonl`` those of the format's own, and
``records.<suffix>.jsonl`` those of each stream embedded in it. Look at the difference before you keep it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from git_asr.asr.codec import encode
from git_asr.asr.large import describe as describe_blob
from git_asr.asr.large import line
from git_asr.asr.numbering import number
from git_asr.converters.base import Converter, Facts, NativeFormat, Unit
from git_asr.converters.detect import detect
from git_asr.converters.opaque import DOCUMENTS, LINES, Opaque
from git_asr.converters.registry import CONVERTERS, converter_for
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
    yield from _lines(opaque_for(native), native, found)


def opaque_for(native: NativeFormat | None) -> Opaque:
    """The opaque converter for a format."""
    return LINES if native is None or native.array is None else DOCUMENTS


def converted(transcript: list[bytes]) -> dict[str, bytes]:
    """The files of records: of the format's own converter, if it has one."""
    native, found = units(transcript)
    if native is None or native.name not in CONVERTERS:
        return {}
    converter = converter_for(native)
    files = {"records.jsonl": b"".join(_lines(converter, native, found))}
    for one in converter.embedded:
        files[f"records.{one.suffix}.jsonl"] = b"".join(_lines(one.converter, native, found))
    return files


def _lines(converter: Converter, native: NativeFormat | None, found: list[Unit]) -> Iterator[bytes]:
    for record in number(converter.convert(iter(found), native, "stream")):
        yield line(record, describe_blob)


if __name__ == "__main__":
    for folder in sorted(FIXTURES.glob("*/*/")):
        transcript = chunks(str(folder.relative_to(FIXTURES)))
        (folder / "units.jsonl").write_bytes(b"".join(describe(transcript)))
        (folder / "opaque.jsonl").write_bytes(b"".join(opaque(transcript)))
        for old in folder.glob("records*.jsonl"):
            old.unlink()
        for name, data in converted(transcript).items():
            (folder / name).write_bytes(data)
