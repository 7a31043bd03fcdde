"""Every transcript of Kiro in the sample repositories."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from git_asr.converters.detect import detect
from git_asr.converters.kiro.converter import Kiro
from git_asr.converters.units import read_units
from tests.converters.claude.rules import check_stream
from tests.converters.kiro.conversion import figures, lost_of, of
from tests.converters.test_corpus import chunks
from tests.support.beginnings import broken
from tests.support.corpus import expected, needs_corpus, sample, samples
from tests.support.losslessness import written

pytestmark = needs_corpus


def _newest(name: str) -> list[dict[str, Any]]:
    found = (one.get("newest") or {} for one in expected()["samples"][name].get("sessions", ()))
    return [one for one in found if one.get("format") == "kiro-document"]


NAMES = [name for name in samples() if _newest(name)]


def test_there_are_some() -> None:
    assert NAMES


@pytest.mark.parametrize("name", NAMES)
def test_transcripts(name: str, tmp_path: Path) -> None:
    repository = sample(name, tmp_path)
    for newest in _newest(name):
        files = chunks(repository, newest)
        found = list(read_units(files, detect(files)))
        records = of(found, snapshot=True)
        assert lost_of(found, records) == []
        check_stream(written(records).records)
        assert broken(lambda: Kiro(snapshot=True), found, "") == []
        counts = figures(records)["counts"]
        assert newest["tokens"] is None
        assert {
            "prompts": counts["prompts"],
            "tool_calls": counts["toolCalls"],
            "tool_results": counts.get("toolResults", 0),
            "model_calls": counts.get("inferences", 0),
        } == {
            "prompts": newest["prompts"],
            "tool_calls": newest["tool_calls"] + newest["tool_calls_without_id"],
            "tool_results": newest["tool_results"],
            "model_calls": newest["model_calls"],
        }
