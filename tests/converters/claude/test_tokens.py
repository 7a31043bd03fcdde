"""The token fixtures: known causes of wrong totals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.converters.claude.conversion import streams
from tests.support.run import PROJECT

FOLDER = PROJECT / "fixtures" / "tokens"
CASES = sorted(path.parent.name for path in FOLDER.glob("claude-*/expected.json"))


def total(case: Path) -> dict[str, Any]:
    """Calls and tokens over all streams of a case: the last record of each call, each call once."""
    calls: dict[str, dict[str, Any]] = {}
    for file in sorted(case.glob("*.jsonl")):
        for name, records in streams(file.read_bytes()).items():
            for record in records:
                if record["type"] == "inference":
                    native = record["inferenceId"]
                    calls[native if not native.startswith("~") else f"{name} {native}"] = record.get(
                        "usage", {}
                    )
    usages = list(calls.values())
    return {
        "model_calls": len(calls),
        "tokens": {
            "input": sum(one["input"]["uncached"] for one in usages),
            "cache_read": sum(one["cacheRead"] for one in usages),
            "cache_write": sum(one["cacheWrite"] for one in usages),
            "output": sum(one["output"]["total"] for one in usages),
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


def test_placeholders_are_marked() -> None:
    text = (FOLDER / "claude-placeholder-output" / "session.jsonl").read_bytes()
    (record,) = [one for one in next(iter(streams(text).values())) if one["type"] == "inference"]
    assert record["_meta"]["com.anthropic.claude-code"]["outputTokens"] == "placeholder"
