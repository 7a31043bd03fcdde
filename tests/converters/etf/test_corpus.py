"""Every transcript of Entire's own in the sample repositories, and what its counters are beside the native ones."""

from __future__ import annotations

import functools
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from git_asr.converters.base import Unit
from git_asr.converters.detect import detect
from git_asr.converters.etf.converter import EntireLines
from git_asr.converters.etf.format import slug
from git_asr.converters.etf.usage import UNCACHED, normal
from git_asr.converters.registry import converter_for
from git_asr.converters.units import read_lines, read_units
from tests.converters.etf.conversion import lost_of, of
from tests.converters.rules import check_stream
from tests.support.beginnings import broken_apart
from tests.support.corpus import needs_corpus, sample
from tests.support.losslessness import written

pytestmark = [needs_corpus, pytest.mark.no_cover]  # what covers is there without it

NAMES = ["made-sha256", "made-v2-archives", "own-refs-beside-v1", "v2-many-agents"]


def git(repository: Path, *args: str) -> bytes:
    return subprocess.run(["git", "-C", str(repository), *args], check=True, capture_output=True).stdout


def folders(repository: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """The blobs of each folder with such a transcript, by name; those of v2 lie on several refs."""
    found: dict[str, dict[str, str]] = {}
    for ref in git(repository, "for-each-ref", "--format=%(refname)").decode().split():
        for line in git(repository, "ls-tree", "-r", ref).decode().splitlines():
            meta, path = line.split("\t")
            base, _, name = path.rpartition("/")
            where = base if base.count("/") > 1 else f"{ref}/{base}"
            found.setdefault(where, {}).setdefault(name, meta.split()[2])
    yield from ((where, files) for where, files in sorted(found.items()) if "transcript.jsonl" in files)


@functools.cache
def transcripts(name: str, folder: Path) -> dict[bytes, bytes | None]:
    """Each transcript once, with the native one beside it."""
    repository = sample(name, folder)
    found: dict[bytes, bytes | None] = {}
    for _, files in folders(repository):
        native = next((files[one] for one in ("full.jsonl", "raw_transcript") if one in files), None)
        data = git(repository, "cat-file", "blob", files["transcript.jsonl"])
        found.setdefault(data, None if native is None else git(repository, "cat-file", "blob", native))
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("samples")


def units(text: bytes) -> list[Unit]:
    assert getattr(detect(text), "name", None) == "entire-transcript"
    return list(read_lines([text]))


@pytest.mark.parametrize("name", NAMES)
def test_every_rule_holds(name: str, folder: Path) -> None:
    assert transcripts(name, folder)
    for text in transcripts(name, folder):
        found = units(text)
        records = of(found)
        assert lost_of(found, records) == []
        check_stream(written(records).records)
        assert broken_apart(EntireLines(), found, "") == []
        assert not [one for one in records if one["type"].startswith("io.entire.transcript/")]


@pytest.mark.parametrize("name", NAMES)
def test_the_agent_is_the_native_one(name: str, folder: Path) -> None:
    """But where Entire took a Gemini session for one of OpenCode."""
    for text, native in transcripts(name, folder).items():
        told = detect(text)
        found = None if native is None else detect(native)
        agents = {told.agent(unit.value) for unit in units(text)}  # type: ignore[union-attr]
        if found is not None and agents != {"opencode"}:
            assert agents == {found.harness}


def checked(name: str, folder: Path) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """The lines whose producer is in the table, with the usage of the native response of their ID."""
    for text, native in transcripts(name, folder).items():
        lines = [unit.value for unit in units(text) if "uncached" in normal(unit.value)[0].get("input", {})]
        if not lines or native is None:
            assert not lines
            continue
        form = detect(native)
        drafts = converter_for(form).convert(read_units([native], form), form)
        calls = {one.fields["inferenceId"]: one.fields["usage"] for one in drafts if one.type == "inference"}
        yield from ((line, calls[line["id"]]) for line in lines)


def test_input_tokens_leave_the_cache_out_where_the_table_says_so(folder: Path) -> None:
    seen = set()
    for name in NAMES:
        for line, usage in checked(name, folder):
            assert usage["input"]["uncached"] == line["input_tokens"]
            assert usage["cacheRead"] + usage["cacheWrite"] > 0  # else it would show nothing
            assert usage["output"]["total"] == line["output_tokens"]
            seen.add(slug(line["agent"]))
    assert seen == {agent for agent, *_ in UNCACHED}
