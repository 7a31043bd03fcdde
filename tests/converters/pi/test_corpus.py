"""Every transcript of Pi in the sample repositories."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from git_asr.converters.base import Unit
from git_asr.converters.detect import detect
from git_asr.converters.pi.converter import PiSession
from git_asr.converters.units import read_units
from tests.converters.claude.rules import check_stream
from tests.converters.pi.conversion import figures, lost_of, of
from tests.converters.test_corpus import chunks
from tests.support.beginnings import broken
from tests.support.corpus import expected, needs_corpus, sample, samples
from tests.support.losslessness import written

pytestmark = needs_corpus


@dataclass(frozen=True, slots=True)
class Transcript:
    figures: dict[str, Any]
    units: list[Unit]


def _newest(name: str) -> list[dict[str, Any]]:
    found = (one.get("newest") or {} for one in expected()["samples"][name].get("sessions", ()))
    return [one for one in found if one.get("format") == "pi"]


NAMES = [name for name in samples() if _newest(name)]


@functools.cache
def transcripts(name: str, folder: Path) -> list[Transcript]:
    return list(_read(name, sample(name, folder)))


def _read(name: str, repository: Path) -> Iterator[Transcript]:
    for newest in _newest(name):
        files = chunks(repository, newest)
        yield Transcript(newest, list(read_units(files, detect(files))))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("samples")


def test_there_are_some() -> None:
    assert NAMES


@pytest.mark.parametrize("name", NAMES)
def test_figures(name: str, folder: Path) -> None:
    for one in transcripts(name, folder):
        found = figures(of(one.units))
        counts, usage = found["counts"], found["usage"]
        assert {
            "prompts": counts["prompts"],
            "tool_calls": counts["toolCalls"],
            "tool_results": counts["toolResults"],
            "model_calls": counts["inferences"],
            "tokens": {
                "input": usage["input"]["uncached"],
                "cache_read": usage["cacheRead"],
                "cache_write": usage["cacheWrite"],
                "output": usage["output"]["total"],
            },
        } == {
            key: one.figures[key]
            for key in ("prompts", "tool_calls", "tool_results", "model_calls", "tokens")
        }


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_lost_and_every_rule_holds(name: str, folder: Path) -> None:
    for one in transcripts(name, folder):
        records = of(one.units)
        assert lost_of(one.units, records) == []
        check_stream(written(records).records)


@pytest.mark.parametrize("name", NAMES)
def test_the_first_lines_give_the_first_records(name: str, folder: Path) -> None:
    for one in transcripts(name, folder):
        assert broken(PiSession, one.units, "") == []
