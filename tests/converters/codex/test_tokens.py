"""The input of Codex includes what came from the cache."""

from __future__ import annotations

import pytest

from git_asr.asr import totals
from tests.converters.test_tokens import CASES, FOLDER, streams


@pytest.mark.parametrize("case", [case for case in CASES if case.startswith("codex-")])
def test_the_input_includes_the_cache(case: str) -> None:
    files = sorted((FOLDER / case).glob("*.jsonl"))
    found = totals.total(stream for file in files for stream in streams(file))
    assert found.usage["input"]["includesCache"] is True
    assert found.unknown == 0
