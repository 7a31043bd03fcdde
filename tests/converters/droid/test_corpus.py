"""Every transcript of Droid in the sample repositories."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.converters.droid.conversion import DROID
from tests.converters.samples import transcripts
from tests.support.beginnings import broken
from tests.support.converted import figures
from tests.support.corpus import needs_corpus

pytestmark = [needs_corpus, pytest.mark.no_cover]  # what covers is there without it


@pytest.mark.parametrize("name", ["made-v2-archives", "v2-many-agents"])
def test_transcripts(name: str, tmp_path: Path) -> None:
    found = [one for one in transcripts(name, tmp_path) if one.native.name == "factory-droid-jsonl"]
    assert found
    for one in found:
        DROID.check(one.units)
        assert broken(DROID.make, one.units, "stream") == []
        told = figures(DROID.of(one.units))
        assert not told["firstPrompt"].startswith("<system-reminder>")
