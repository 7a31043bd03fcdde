"""The token fixtures: known causes of wrong totals, of every agent that has a converter."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from git_asr.asr import totals
from git_asr.asr.draft import Record
from git_asr.asr.header import Header, Producer, SessionKey
from git_asr.asr.numbering import number
from git_asr.asr.reading import Stream
from git_asr.converters.registry import converter_for
from tests.converters import goldens
from tests.support.losslessness import written
from tests.support.run import PROJECT

FOLDER = PROJECT / "fixtures" / "tokens"
CASES = sorted(path.parent.name for path in FOLDER.glob("*/expected.json"))


def streams(file: Path) -> Iterator[Stream]:
    """The stream of a transcript, and those embedded in it."""
    native, units = goldens.units([file.read_bytes()])
    converter = converter_for(native)
    name = file.stem
    yield _stream(name, name, list(number(converter.convert(iter(units), native, name))), ())
    for one in converter.embedded:
        stream = f"{name}.{one.suffix}"
        records = list(number(one.converter.convert(iter(units), native, stream)))
        yield _stream(name, stream, records, one.calls)


def _stream(session: str, name: str, records: list[Record], calls: Sequence[str]) -> Stream:
    key = SessionKey("agent", session)
    header = Header(
        stream=name,
        session=key,
        capture={"state": "partial"},
        producer=Producer("test", 1, "converter"),
        lineage={"spawnedBy": [{"session": key.reference(), "callId": call} for call in calls]}
        if calls
        else None,
    )
    return Stream(name, header.record(), tuple(written(records).records), (), (), ())


def counted(case: Path) -> dict[str, Any]:
    """Calls and tokens over all files of a case, as the reader adds them up."""
    files = [file for file in sorted(case.glob("*.json*")) if file.name != "expected.json"]
    found = totals.total(stream for file in files for stream in streams(file))
    usage = found.usage
    return {
        "model_calls": found.calls,
        "tokens": {
            "input": usage.get("input", {}).get("uncached"),
            "cache_read": usage.get("cacheRead"),
            "cache_write": usage.get("cacheWrite"),
            "output": usage.get("output", {}).get("total"),
        },
    }


@pytest.mark.parametrize("case", CASES)
def test_totals(case: str) -> None:
    expected = json.loads((FOLDER / case / "expected.json").read_text("utf-8"))
    assert expected.pop("why")
    assert counted(FOLDER / case) == expected


def test_the_page_names_every_case() -> None:
    page = (FOLDER / "README.md").read_text("utf-8")
    assert CASES
    assert all(f"| `{case}` |" in page for case in CASES)
    assert page.count("\n| `") == len(CASES)
