"""Every transcript of Kiro in the sample repositories."""

from __future__ import annotations

from pathlib import Path

import pytest

from git_asr.converters.kiro.converter import Kiro
from tests.converters.kiro.conversion import lost_of, of
from tests.converters.rules import check_stream
from tests.converters.samples import transcripts
from tests.support.beginnings import broken
from tests.support.corpus import needs_corpus
from tests.support.losslessness import written

pytestmark = [needs_corpus, pytest.mark.no_cover]  # what covers is there without it

NAMES = ["v2-many-agents", "made-v2-archives"]


@pytest.mark.parametrize("name", NAMES)
def test_rules_losses_and_beginnings(name: str, tmp_path: Path) -> None:
    for one in transcripts(name, tmp_path, "kiro"):
        records = of(one.units, snapshot=True)
        assert lost_of(one.units, records) == []
        check_stream(written(records).records)
        assert broken(lambda: Kiro(snapshot=True), one.units, "") == []
