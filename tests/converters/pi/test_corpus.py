"""Every transcript of Pi in the sample repositories."""

from __future__ import annotations

from pathlib import Path

import pytest

from git_asr.converters.pi.converter import PiSession
from tests.converters.pi.conversion import lost_of, of
from tests.converters.rules import check_stream
from tests.converters.samples import transcripts
from tests.support.beginnings import broken_apart
from tests.support.corpus import needs_corpus
from tests.support.losslessness import written

pytestmark = [needs_corpus, pytest.mark.no_cover]  # what covers is there without it

NAMES = ["claude-pi-growing"]


@pytest.mark.parametrize("name", NAMES)
def test_rules_losses_and_beginnings(name: str, tmp_path: Path) -> None:
    for one in transcripts(name, tmp_path, "pi"):
        records = of(one.units)
        assert lost_of(one.units, records) == []
        check_stream(written(records).records)
        assert broken_apart(PiSession(), one.units, "") == []
