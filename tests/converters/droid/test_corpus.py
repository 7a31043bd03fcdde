"""Every transcript of Droid in the sample repositories."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.converters.droid.conversion import DROID
from tests.converters.samples import transcripts
from tests.support.beginnings import broken
from tests.support.converted import figures
from tests.support.corpus import needs_corpus

pytestmark = needs_corpus


@pytest.mark.parametrize("name", ["made-v2-archives", "v2-many-agents"])
def test_transcripts(name: str, tmp_path: Path) -> None:
    found = [one for one in transcripts(name, tmp_path) if one.native.name == "factory-droid-jsonl"]
    assert found
    for one in found:
        DROID.check(one.units)
        assert broken(DROID.make, one.units, "stream") == []
        told = figures(DROID.of(one.units))
        counts = told.get("counts", {})
        shown = sum(unit.value.get("message", {}).get("visibility") == "user_only" for unit in one.units)
        assert {
            "prompts": counts.get("prompts", 0)
            + shown,  # the figures count what the program says to people, too
            "tool_calls": counts.get("toolCalls", 0),
            "tool_results": counts.get("toolResults", 0),
            "model_calls": counts.get("inferences", 0),
            "tokens": told.get("usage"),
        } == {
            key: one.figures[key]
            for key in ("prompts", "tool_calls", "tool_results", "model_calls", "tokens")
        }
        assert not told["firstPrompt"].startswith("<system-reminder>")
