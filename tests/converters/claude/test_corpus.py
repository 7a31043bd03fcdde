"""Every transcript of Claude Code in the sample repositories."""

from __future__ import annotations

import functools
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from git_asr.converters.claude.converter import Claude
from tests.converters.claude.conversion import SESSION, convert, figures, losses, streams, units
from tests.converters.claude.rules import check_stream
from tests.converters.test_corpus import chunks
from tests.support.beginnings import broken
from tests.support.corpus import expected, needs_corpus, sample, samples
from tests.support.losslessness import written

pytestmark = needs_corpus

MORE_PROMPTS = {"5b613073-e70b-48a1-b6ae-c6aaa99ec2b1": 1}
"""Sessions in which a text was delivered by a ``queued_command`` alone, which the figures do not count as a prompt."""


@functools.cache
def transcripts(name: str, folder: Path) -> list[tuple[dict[str, Any], bytes]]:
    """The newest transcript of each session, each of which is the same file once."""
    sessions = [one["newest"] for one in expected()["samples"][name].get("sessions", []) if one.get("newest")]
    claude = [one for one in sessions if one["format"] == "claude"]
    if not claude:
        pytest.skip(f"{name} holds no transcripts of Claude Code")
    repository = sample(name, folder)
    return [(one, b"\n".join(chunks(repository, one))) for one in claude]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("samples")


@pytest.mark.parametrize("name", samples())
def test_figures(name: str, folder: Path) -> None:
    for newest, text in transcripts(name, folder):
        records = convert(text)
        found = figures(records)
        counts, usage = found.get("counts", {}), found.get("usage", {})
        session = next((one["session"] for one in records if "session" in one), "")
        assert {
            "prompts": counts.get("prompts", 0) - MORE_PROMPTS.get(session, 0),
            "tool_calls": counts.get("toolCalls", 0),
            "tool_results": counts.get("toolResults", 0),
            "model_calls": counts.get("inferences", 0),
            "tokens": {
                "input": usage.get("input", {}).get("uncached", 0),
                "cache_read": usage.get("cacheRead", 0),
                "cache_write": usage.get("cacheWrite", 0),
                "output": usage.get("output", {}).get("total", 0),
            },
        } == {
            name: newest[name] for name in ("prompts", "tool_calls", "tool_results", "model_calls", "tokens")
        }


@pytest.mark.parametrize("name", samples())
def test_nothing_is_lost(name: str, folder: Path) -> None:
    for _, text in transcripts(name, folder):
        assert losses(text) == []


@pytest.mark.parametrize("name", samples())
def test_the_first_lines_give_the_first_records(name: str, folder: Path) -> None:
    """Cut after every line of every transcript."""
    for _, text in transcripts(name, folder):
        found = units(text)
        apart = (
            replace(unit, position=at) for at, one in enumerate(text.split(b"\n"), 1) for unit in units(one)
        )
        assert found == list(apart)
        assert broken(Claude, found, SESSION) == []
        converter = Claude()
        list(converter.convert(iter(found), None, SESSION))
        for one in converter.embedded:
            assert broken(lambda one=one: one.converter, found, f"{SESSION}.{one.suffix}") == []


@pytest.mark.parametrize("name", samples())
def test_records_keep_the_rules(name: str, folder: Path) -> None:
    for _, text in transcripts(name, folder):
        for made in streams(text).values():
            check_stream(written(made).records)
