"""The token fixtures: known causes of wrong totals, of every agent that has a converter."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from git_asr.asr.draft import Record
from git_asr.asr.numbering import number
from git_asr.converters.registry import converter_for
from tests.converters import goldens
from tests.support.run import PROJECT

FOLDER = PROJECT / "fixtures" / "tokens"
CASES = sorted(path.parent.name for path in FOLDER.glob("*/expected.json"))


def streams(transcript: bytes) -> Iterator[tuple[str, list[Record]]]:
    """The records of a transcript, and of the streams embedded in it."""
    native, units = goldens.units([transcript])
    converter = converter_for(native)
    yield "main", list(number(converter.convert(iter(units), native, "main")))
    for one in converter.embedded:
        yield one.suffix, list(number(one.converter.convert(iter(units), native, one.suffix)))


def total(case: Path) -> dict[str, Any]:
    """Calls and tokens over all streams of a case: the last record of each call, each call once."""
    calls: dict[str, dict[str, Any]] = {}
    for file in sorted(case.glob("*.json*")):
        if file.name == "expected.json":
            continue
        for name, records in streams(file.read_bytes()):
            for record in records:
                if record["type"] == "inference":
                    native = record["inferenceId"]
                    known = native if not native.startswith("~") else f"{file.name} {name} {native}"
                    calls[known] = record.get("usage", {})
    usages = list(calls.values())
    tokens = {
        "input": [one.get("input", {}).get("uncached") for one in usages],
        "cache_read": [one.get("cacheRead") for one in usages],
        "cache_write": [one.get("cacheWrite") for one in usages],
        "output": [one.get("output", {}).get("total") for one in usages],
    }
    return {
        "model_calls": len(calls),
        "tokens": {
            name: sum(filter(None, found)) if any(one is not None for one in found) else None
            for name, found in tokens.items()
        },
    }


@pytest.mark.parametrize("case", CASES)
def test_totals(case: str) -> None:
    expected = json.loads((FOLDER / case / "expected.json").read_text("utf-8"))
    assert expected.pop("why")
    assert total(FOLDER / case) == expected


def test_the_page_names_every_case() -> None:
    page = (FOLDER / "README.md").read_text("utf-8")
    assert CASES
    assert all(f"| `{case}` |" in page for case in CASES)
    assert page.count("\n| `") == len(CASES)
