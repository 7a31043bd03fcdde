"""Every transcript of Gemini CLI in the sample repositories."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from git_asr.converters.base import Unit
from git_asr.converters.detect import detect
from git_asr.converters.gemini.converter import Gemini
from git_asr.converters.units import read_units
from tests.converters.claude.rules import check_stream
from tests.converters.gemini.conversion import figures, lost_of, of
from tests.converters.test_corpus import chunks
from tests.support.beginnings import broken
from tests.support.corpus import expected, needs_corpus, sample
from tests.support.losslessness import written

pytestmark = needs_corpus

NAMES = [
    *("gemini-set-patches", "made-chunks", "made-v2-archives", "migrated-delta", "mixed-agents"),
    "v2-many-agents",
]


@dataclass(frozen=True, slots=True)
class Transcript:
    figures: dict[str, Any]
    units: list[Unit]
    snapshot: bool


@functools.cache
def transcripts(name: str, folder: Path) -> list[Transcript]:
    return list(_read(name, sample(name, folder)))


def _read(name: str, repository: Path) -> Iterator[Transcript]:
    for one in expected()["samples"][name]["sessions"]:
        newest = one.get("newest") or {"format": ""}
        if newest["format"].startswith("gemini"):
            files = chunks(repository, newest)
            native = detect(files)
            assert native is not None
            yield Transcript(newest, list(read_units(files, native)), native.array is not None)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("samples")


@pytest.mark.parametrize("name", NAMES)
def test_figures(name: str, folder: Path) -> None:
    for one in transcripts(name, folder):
        found = figures(of(one.units, snapshot=one.snapshot))
        counts, usage = found.get("counts", {}), found.get("usage", {})
        tokens = {
            "input": usage["input"]["uncached"],
            "cache_read": usage["cacheRead"],
            "cache_write": usage.get("cacheWrite"),
            "output": usage["output"]["total"],
        } if usage else None  # fmt: skip
        assert {
            "prompts": counts.get("prompts", 0),
            "tool_calls": counts.get("toolCalls", 0),
            "tool_results": counts.get("toolResults", 0),
            "model_calls": counts.get("inferences", 0),
            "tokens": tokens,
        } == {
            key: one.figures[key]
            for key in ("prompts", "tool_calls", "tool_results", "model_calls", "tokens")
        }


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_lost_and_every_rule_holds(name: str, folder: Path) -> None:
    for one in transcripts(name, folder):
        records = of(one.units, snapshot=one.snapshot)
        assert lost_of(one.units, records) == []
        check_stream(written(records).records)


@pytest.mark.parametrize("name", NAMES)
def test_the_first_units_give_the_first_records(name: str, folder: Path) -> None:
    for one in transcripts(name, folder):
        assert broken(lambda one=one: Gemini(snapshot=one.snapshot), one.units, "") == []
