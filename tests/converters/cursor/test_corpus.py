"""Every transcript of Cursor in the sample repositories."""

from __future__ import annotations

from pathlib import Path

import pytest

from git_asr.converters.cursor.lines import CursorMessages
from tests.converters.cursor.conversion import lost_of, of_lines
from tests.converters.rules import check_stream
from tests.converters.samples import transcripts
from tests.support.beginnings import broken
from tests.support.corpus import needs_corpus
from tests.support.losslessness import written

pytestmark = [needs_corpus, pytest.mark.no_cover]  # what covers is there without it


@pytest.mark.parametrize("name", ["made-v2-archives", "v2-many-agents"])
def test_rules(name: str, tmp_path: Path) -> None:
    for one in transcripts(name, tmp_path, "cursor"):
        records = of_lines(one.units)
        assert lost_of(one.units, records) == []
        check_stream(written(records).records)
        assert broken(CursorMessages, one.units, "") == []
