"""The Codex sessions of the sample repositories: nothing is lost, and the figures are the recorded ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.converters.codex.conversion import convert
from tests.converters.codex.rules import check
from tests.converters.samples import Transcript, transcripts
from tests.support.converted import figures
from tests.support.corpus import needs_corpus

pytestmark = [needs_corpus, pytest.mark.no_cover]  # what covers is there without it

SAMPLES = [
    *("codex-pull-refs", "codex-review-squash", "copilot-codex-squash", "made-chunks", "mixed-agents"),
    "own-refs-beside-v1",
]


def rollouts(name: str, folder: Path) -> list[Transcript]:
    return transcripts(name, folder, "codex")


def beside_items(text: bytes) -> tuple[int, int]:
    """Calls that the reader of the figures does not count: searches, and those that only an event tells of."""
    searches, events = 0, 0
    calls: set[Any] = set()
    for line in text.splitlines():
        payload = orjson.loads(line)["payload"]
        kind = payload.get("type")
        searches += kind == "web_search_call"
        if kind in ("function_call", "custom_tool_call"):
            calls.add(payload["call_id"])
        if kind in ("exec_command_end", "patch_apply_end") and payload["call_id"] not in calls:
            assert payload["call_id"].startswith("exec-")  # of a script
            events += 1
    return searches + _alone(text), events


def _alone(text: bytes) -> int:
    """Searches of which only an event tells."""
    told = [orjson.loads(line)["payload"] for line in text.splitlines()]
    items = [one["action"] for one in told if one.get("type") == "web_search_call"]
    return sum(one["action"] not in items for one in told if one.get("type") == "web_search_end")


@pytest.mark.parametrize("name", SAMPLES)
def test_figures(name: str, tmp_path: Path) -> None:
    found = rollouts(name, tmp_path)
    assert found
    for transcript in found:
        text = b"\n".join(chunk.rstrip(b"\n") for chunk in transcript.chunks) + b"\n"
        expected = transcript.figures
        records = convert(text)
        told = figures(records)
        counts = told["counts"]
        searches, events = beside_items(text)
        assert counts["toolCalls"] == expected["tool_calls"] + searches + events
        assert counts["toolResults"] == expected["tool_results"] + events
        assert counts["inferences"] == expected["model_calls"]
        by_agent = b'"thread_source":"subagent"' in text
        assert counts.get("prompts", 0) == (0 if by_agent else expected["prompts"])
        assert sum(one.get("state") == "interrupted" for one in records) == expected["aborts"]
        if not transcript.figures["files"][0].endswith(
            ".001"
        ):  # else the first total is of calls before the file
            usage = told["usage"]
            assert usage["input"]["uncached"] == expected["tokens"]["input"]
            assert usage["cacheRead"] == expected["tokens"]["cache_read"]
            assert usage["output"]["total"] == expected["tokens"]["output"]


@pytest.mark.parametrize("name", SAMPLES)
def test_rules(name: str, tmp_path: Path) -> None:
    for transcript in rollouts(name, tmp_path):
        check(b"\n".join(chunk.rstrip(b"\n") for chunk in transcript.chunks) + b"\n", cut=False)
