"""Detection, units, facts and the opaque converter over the transcripts of the sample repositories."""

from __future__ import annotations

from pathlib import Path

import pytest

from git_asr.asr import codec
from git_asr.asr.ids import usable, without_date
from git_asr.asr.numbering import number
from git_asr.converters.detect import detect
from git_asr.converters.opaque import DOCUMENTS, LINES
from tests.converters.samples import Transcript, transcripts
from tests.support.corpus import needs_corpus, samples

pytestmark = needs_corpus

NAMES = {
    "claude": "claude-code-jsonl",
    "codex": "codex-jsonl",
    "copilot": "copilot-cli-jsonl",
    "cursor": "cursor-jsonl",
    "droid": "factory-droid-jsonl",
    "gemini-document": "gemini-cli-json",
    "gemini-lines": "gemini-cli-jsonl",
    "kiro-document": "kiro-json",
    "opencode-document": "opencode-json",
    "opencode-lines": "opencode-jsonl",
    "pi": "pi-jsonl",
    "type-message-lines": "roger-roger-jsonl",
}

SESSION_IN_FILE = {"claude", "copilot", "droid", "gemini-lines", "opencode-document", "opencode-lines", "pi"}
"""Formats whose files name the session that the metadata name; Codex' review threads have another one."""


@pytest.mark.parametrize("name", samples())
def test_transcripts(name: str, tmp_path: Path) -> None:
    for transcript in transcripts(name, tmp_path):
        check_format(transcript)
        check_places(transcript)
        check_facts(transcript)
        check_records(transcript)


def check_format(transcript: Transcript) -> None:
    assert transcript.native.name == NAMES[transcript.figures["format"]], transcript.session
    assert detect(iter(transcript.chunks)) is transcript.native


def check_places(transcript: Transcript) -> None:
    figures, units = transcript.figures, transcript.units
    values = [unit for unit in units if unit.kind == "value"]
    assert sum(unit.index == 1 for unit in values) == figures["glued_lines"]
    assert len({unit.position for unit in units if unit.kind == "malformed"}) == figures["broken_lines"]
    places = [(unit.position, unit.index) for unit in units]
    assert places == sorted(set(places))
    if transcript.native.array is not None:
        assert units[-1].position == figures["elements"]
        return
    assert units[-1].position <= figures["lines"]
    text = b"\n".join(transcript.chunks)
    assert text.endswith(b"\n") is figures["final_newline"]
    lines = text.split(b"\n")
    assert len(lines) - figures["final_newline"] == figures["lines"]
    present = {at for at, line in enumerate(lines, 1) if line.strip()}
    assert {unit.position for unit in units} == present
    for unit in values:
        if unit.text is not None:
            assert unit.text in lines[unit.position - 1]
            assert codec.strict(unit.text) == unit.value


def check_facts(transcript: Transcript) -> None:
    kind = transcript.figures["format"]
    facts = list(transcript.facts)
    ids = [fact.id for fact in facts if usable(fact.id)]
    session = next((fact.session for fact in facts if fact.session), None)
    if kind in SESSION_IN_FILE:
        assert session == without_date(transcript.session)
    if kind == "claude":
        assert (
            len(ids) - len(set(ids)) <= transcript.figures["glued_lines"]
        )  # the agent wrote such a line again
        assert all(fact.ts and fact.id and fact.session == session for fact in facts if fact.chained)
    if kind in ("codex", "copilot", "gemini-lines", "pi"):
        assert all(fact.ts and (fact.type or fact.opens) for fact in facts)
        first_file = not transcript.figures["files"][0].endswith(".001")
        assert facts[0].opens is first_file
    if kind in ("copilot", "pi"):
        known = {None, *ids}
        assert all(fact.chained and fact.parent in known for fact in facts if not fact.opens)
    if kind in ("gemini-document", "opencode-document"):
        assert len(set(ids)) == transcript.figures["elements"]


def check_records(transcript: Transcript) -> None:
    converter = LINES if transcript.native.array is None else DOCUMENTS
    records = list(number(converter.convert(iter(transcript.units), transcript.native)))
    read_back = [codec.decode(codec.encode(record)).value for record in records]
    assert [record["value"] for record in read_back] == [unit.value for unit in transcript.units]
    assert len({record["id"] for record in records}) == len(records)
    if converter is LINES:
        lines: dict[int, bytes] = {}
        for unit, record in zip(transcript.units, records, strict=True):
            lines[unit.position] = lines.get(unit.position, b"") + record["value"].data
        assert list(lines.values()) == [
            line for line in b"\n".join(transcript.chunks).split(b"\n") if line.strip()
        ]
