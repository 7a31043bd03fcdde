"""Every transcript of OpenCode in the sample repositories."""

from __future__ import annotations

import functools
from pathlib import Path

import pytest

from git_asr.converters.opencode.converter import OpenCode
from tests.converters.opencode.conversion import lost_of, of
from tests.converters.rules import check_stream
from tests.converters.samples import Transcript, transcripts
from tests.support.beginnings import broken
from tests.support.corpus import needs_corpus
from tests.support.losslessness import written

pytestmark = [needs_corpus, pytest.mark.no_cover]  # what covers is there without it

NAMES = ["made-chunks", "mixed-agents", "opencode-crlf-large", "opencode-early"]


@functools.cache
def read(name: str, folder: Path) -> list[Transcript]:
    return transcripts(name, folder, "opencode")


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_lost_and_every_rule_holds(name: str, folder: Path) -> None:
    for one in read(name, folder):
        records = of(one.units, snapshot=one.snapshot)
        assert lost_of(one.units, records) == []
        check_stream(written(records).records)


@pytest.mark.parametrize("name", NAMES)
def test_the_first_units_give_the_first_records(name: str, folder: Path) -> None:
    for one in read(name, folder):
        if not one.snapshot:
            assert broken(lambda: OpenCode(snapshot=False), one.units, "") == []
            continue
        whole = of(one.units, snapshot=True)
        for count in range(0, len(one.units), 7):
            some = of(one.units[:count], snapshot=True)
            assert some == whole[: len(some)]
