"""Every transcript of Claude Code in the sample repositories."""

from __future__ import annotations

import functools
from dataclasses import replace
from pathlib import Path

import pytest

from git_asr.converters.claude.converter import Claude
from tests.converters.claude.conversion import SESSION, losses, streams, units
from tests.converters.rules import check_stream
from tests.converters.samples import Transcript, transcripts
from tests.support.beginnings import broken_apart
from tests.support.corpus import needs_corpus, samples, some_samples
from tests.support.losslessness import written

pytestmark = [needs_corpus, pytest.mark.no_cover]  # what covers is there without it


@functools.cache
def read(name: str, folder: Path) -> list[tuple[Transcript, bytes]]:
    """The newest transcript of each session, each of which is the same file once."""
    return [(one, b"\n".join(one.chunks)) for one in transcripts(name, folder, "claude")]


@pytest.mark.parametrize("name", samples())
def test_nothing_is_lost(name: str, folder: Path) -> None:
    for _, text in read(name, folder):
        assert losses(text) == []


@pytest.mark.parametrize("name", some_samples(1))
def test_the_first_lines_give_the_first_records(name: str, folder: Path) -> None:
    """Cut after every line of every transcript."""
    for _, text in read(name, folder):
        found = units(text)
        apart = (
            replace(unit, position=at) for at, one in enumerate(text.split(b"\n"), 1) for unit in units(one)
        )
        assert found == list(apart)
        assert broken_apart(Claude(), found, SESSION) == []
        converter = Claude()
        list(converter.convert(iter(found), None, SESSION))
        for one in converter.embedded:
            assert broken_apart(one.converter, found, f"{SESSION}.{one.suffix}") == []


@pytest.mark.parametrize("name", samples())
def test_records_keep_the_rules(name: str, folder: Path) -> None:
    for _, text in read(name, folder):
        for made in streams(text).values():
            check_stream(written(made).records)
