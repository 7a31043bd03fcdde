"""The input of Codex includes what came from the cache."""

from __future__ import annotations

import pytest

from git_asr.asr import totals
from git_asr.converters.codex.usage import normal
from tests.converters.test_tokens import CASES, FOLDER, streams


@pytest.mark.parametrize("case", [case for case in CASES if case.startswith("codex-")])
def test_the_input_includes_the_cache(case: str) -> None:
    files = sorted((FOLDER / case).glob("*.jsonl"))
    found = totals.total(stream for file in files for stream in streams(file))
    assert found.usage["input"]["includesCache"] is True
    assert found.unknown == 0


def test_counters_that_are_not_there_are_unknown() -> None:
    assert normal({"input_tokens": 5}) == ({"input": {"total": 5, "includesCache": True}}, {})
    assert normal({"output_tokens": 5}) == ({"output": {"total": 5}}, {})
