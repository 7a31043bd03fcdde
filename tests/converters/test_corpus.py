"""The transcripts of the sample repositories: detection, units, facts, opaque records, and the known figures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from git_asr.asr import codec
from git_asr.asr.draft import Record
from git_asr.asr.ids import usable, without_date
from git_asr.asr.numbering import number
from git_asr.converters.detect import detect
from git_asr.converters.opaque import DOCUMENTS, LINES
from tests.converters.oracle import streams
from tests.converters.samples import Transcript, tally, transcripts
from tests.support.corpus import expected, needs_corpus, samples

pytestmark = [needs_corpus, pytest.mark.no_cover]  # what covers is there without it

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


DIFFERENCES: dict[str, dict[str, dict[str, int]]] = {
    "calls that no item tells: searches, and those that scripts of the agent make, which only events tell": {
        "codex-pull-refs/019f1f9d": {"tool_calls": 6},
        "codex-pull-refs/019f5cfd": {"tool_calls": 9, "tool_results": 8},
        "codex-pull-refs/019f5d4f": {"tool_calls": 2, "tool_results": 2},
        "copilot-codex-squash/019ed50c": {"tool_calls": 3},
        "made-chunks/019f1f9d": {"tool_calls": 6},
        "made-chunks/019f5cfd": {"tool_calls": 6, "tool_results": 6},
        "made-chunks/019f5d4f": {"tool_calls": 2, "tool_results": 2},
        "mixed-agents/019d776c": {"tool_calls": 1},
    },
    "the file begins in the middle: its first total is of calls before it": {
        "made-chunks/019f5cfd": {"input": -46283, "cache_read": -386048, "output": -5082},
    },
    "calls without an ID: we give them one": {
        "made-v2-archives/fcab959a": {"tool_calls": 1},
        "made-v2-archives/85611a98": {"tool_calls": 1},
        "made-v2-archives/8e8c58be": {"tool_calls": 1},
        "v2-many-agents/fcab959a": {"tool_calls": 1},
        "v2-many-agents/85611a98": {"tool_calls": 1},
        "v2-many-agents/8e8c58be": {"tool_calls": 1},
    },
    "the prompt of a subagent's thread is the agent's that started it": {
        "mixed-agents/ses_2bef2563": {"prompts": -1},
        "own-refs-beside-v1/019ed457": {"prompts": -1},
        "own-refs-beside-v1/019ed461": {"prompts": -1},
        "own-refs-beside-v1/019ed470": {"prompts": -1},
        "own-refs-beside-v1/019ed475": {"prompts": -1},
        "own-refs-beside-v1/019ed481": {"prompts": -1},
        "own-refs-beside-v1/019ed48b": {"prompts": -1},
        "own-refs-beside-v1/019ed490": {"prompts": -1},
    },
    "a text that was delivered by a queued_command alone is a prompt too": {
        "own-refs-beside-v1/5b613073": {"prompts": 1},
    },
    "what the program shows the person (user_only) is no prompt": {
        "made-v2-archives/a31fbbb0": {"prompts": -1},
        "v2-many-agents/a31fbbb0": {"prompts": -1},
    },
    "base64 with wrong padding is kept as it is": {
        "own-refs-beside-v1/019ddeed": {"images": -1},
    },
    "an asset of the checkpoint: sync puts the image back, the file has none": {
        "made-subagents-assets/8ecab05f": {"images": -2},
        "made-subagents-assets/bc7cb13e": {"images": -1},
        "made-subagents-assets/d161f8df": {"images": -1},
    },
}
"""Why records have other figures than ``expected.json``, and by how much: sample and beginning of the session ID."""


@pytest.mark.parametrize("name", samples())
def test_figures_of_every_session(name: str, tmp_path: Path) -> None:
    """Calls, results, model calls, tokens, prompts, interruptions, compactions and images."""
    seen = set()
    for one in transcripts(name, tmp_path):
        seen.add(one.session)
        records = streams(one.native, one.units)["stream"]
        assert flat(tally(records)) | others(records) == wanted(name, one), one.session
    known = expected()["samples"][name]["sessions"]
    assert seen == {session["session_id"] for session in known if session.get("newest")}


def flat(figures: dict[str, Any]) -> dict[str, Any]:
    """Figures with each counter of tokens beside the others."""
    tokens = figures.pop("tokens") or {}
    return {**figures, **{key: value for key, value in tokens.items() if value is not None}}


def others(records: Sequence[Record]) -> dict[str, int]:
    """Interruptions, compactions that stand, and images."""
    gone = {one.get("supersedes") for one in records}
    parts = [
        part
        for one in records
        for part in one.get("content", ())
        if one["type"] in ("message", "tool_result")
    ]
    return {
        "aborts": sum(one.get("state") == "interrupted" for one in records if one["type"] == "state"),
        "compactions": sum(one["type"] == "compaction" and one["id"] not in gone for one in records),
        "images": sum(part["type"] == "image" for part in parts),
    }


def wanted(name: str, one: Transcript) -> dict[str, Any]:
    """The known figures of a session, with the differences that are argued above."""
    result = flat(one.tally) | {key: one.figures[key] for key in ("aborts", "compactions", "images")}
    for why in DIFFERENCES.values():
        for key, difference in why.get(
            f"{name}/{one.session[:12]}", why.get(f"{name}/{one.session[:8]}", {})
        ).items():
            result[key] += difference
    return result


def test_every_difference_is_of_a_session() -> None:
    named = {
        f"{name}/{session['session_id'][:length]}"
        for name, sample in expected()["samples"].items()
        for session in sample.get("sessions", [])
        for length in (8, 12)
    }
    assert named >= {place for why in DIFFERENCES.values() for place in why}
