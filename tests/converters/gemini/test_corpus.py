"""Every transcript of Gemini CLI in the sample repositories."""

from __future__ import annotations

import functools
from pathlib import Path

import pytest

from git_asr.converters.gemini.converter import Gemini
from tests.converters.gemini.conversion import lost_of, of
from tests.converters.rules import check_stream
from tests.converters.samples import Transcript, transcripts
from tests.support.beginnings import broken_apart
from tests.support.corpus import needs_corpus
from tests.support.losslessness import written

pytestmark = [needs_corpus, pytest.mark.no_cover]  # what covers is there without it

NAMES = [
    *("gemini-set-patches", "made-chunks", "made-v2-archives", "migrated-delta", "mixed-agents"),
    "v2-many-agents",
]


@functools.cache
def read(name: str, folder: Path) -> list[Transcript]:
    return transcripts(name, folder, "gemini")


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_lost_and_every_rule_holds(name: str, folder: Path) -> None:
    for one in read(name, folder):
        records = of(one.units, snapshot=one.snapshot)
        assert lost_of(one.units, records) == []
        check_stream(written(records).records)


@pytest.mark.parametrize("name", NAMES)
def test_the_first_units_give_the_first_records(name: str, folder: Path) -> None:
    for one in read(name, folder):
        assert broken_apart(Gemini(snapshot=one.snapshot), one.units, "") == []
