"""Every transcript of Copilot CLI in the sample repositories."""

from __future__ import annotations

from pathlib import Path

import pytest

from git_asr.converters.copilot.converter import CopilotEvents
from tests.converters.copilot.conversion import SESSION, lost_of, streams
from tests.converters.rules import check_stream
from tests.converters.samples import transcripts
from tests.support.beginnings import broken
from tests.support.corpus import needs_corpus
from tests.support.losslessness import written

pytestmark = [needs_corpus, pytest.mark.no_cover]  # what covers is there without it

NAMES = ["copilot-codex-squash", "made-v2-archives", "v2-many-agents"]


@pytest.mark.parametrize("name", NAMES)
def test_rules(name: str, tmp_path: Path) -> None:
    for one in transcripts(name, tmp_path, "copilot"):
        made = streams(one.units)
        assert lost_of(one.units, made) == []
        for records in made.values():
            check_stream(written(records).records)
        assert broken(CopilotEvents, one.units, SESSION) == []
