from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_asr.converters.base import Facts, NativeFormat, Sample
from git_asr.converters.fields import is_rfc3339
from git_asr.converters.opaque import DOCUMENTS, LINES
from git_asr.converters.registry import CONVERTERS, FORMATS, by_name, converter_for
from tests.converters import goldens

PAGE = Path(__file__).parents[2] / "docs" / "registry.md"

KEYS = sorted(
    {
        *(
            "type",
            "uuid",
            "parentUuid",
            "sessionId",
            "timestamp",
            "payload",
            "id",
            "parentId",
            "data",
            "message",
        ),
        *(
            "info",
            "parts",
            "messages",
            "history",
            "conversation",
            "steps",
            "role",
            "content",
            "time",
            "created",
        ),
        *("$set", "$rewindTo", "conversation_id", "user", "assistant", "working_dir", "schema_version", "v"),
        *(
            "agentMode",
            "messageId",
            "threadID",
            "meta",
            "sentAt",
            "step_index",
            "step_id",
            "source",
            "status",
        ),
        *(
            "event",
            "agent",
            "cli_version",
            "ts",
            "kind",
            "version",
            "projectHash",
            "startTime",
            "lastUpdated",
        ),
        *(
            "attachment",
            "subtype",
            "snapshot",
            "metadata",
            "userVisible",
            "tool_calls",
            "created_at",
            "session_id",
        ),
    }
)
TYPES = sorted(
    {
        *(
            "user",
            "assistant",
            "system",
            "progress",
            "session",
            "session_meta",
            "response_item",
            "session.start",
        ),
        *(
            "session_start",
            "message",
            "gemini",
            "info",
            "prompt",
            "Prompt",
            "turn_ended",
            "summary",
            "ATIF-v1.7",
        ),
        *("2026-05-04T09:00:00Z", "REDACTED", "", "x"),
    }
)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(exclude_categories=()), max_size=5)
    | st.sampled_from(TYPES)
)
ANYTHING = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=2), inner, max_size=6)
    ),
    max_leaves=12,
)


@given(ANYTHING)
def test_facts_never_raise_and_are_what_they_say(value: Any) -> None:
    for native in FORMATS:
        facts = native.facts(value)
        for field in fields(Facts):
            fact = getattr(facts, field.name)
            expected = bool if field.name in ("chained", "opens") else str | None
            assert isinstance(fact, expected), (native.name, field.name)
        assert facts.ts is None or is_rfc3339(facts.ts)
        assert facts.chained or facts.parent is None


@given(st.lists(ANYTHING, max_size=4), st.booleans(), st.text(max_size=20))
def test_recognising_never_raises_and_never_varies(values: list[Any], document: bool, text: str) -> None:
    sample = Sample(tuple(values), document, text)
    for native in FORMATS:
        assert native.recognises(sample) is native.recognises(sample)


@pytest.mark.parametrize("native", FORMATS, ids=lambda native: native.name)
def test_formats_are_frozen(native: NativeFormat) -> None:
    with pytest.raises(AttributeError):
        native.harness = "another"


@pytest.mark.parametrize("native", FORMATS, ids=lambda native: native.name)
def test_attributes(native: NativeFormat) -> None:
    assert re.fullmatch(r"[a-z][a-z-]*", native.harness)
    assert native.name.startswith(native.harness) or native.name == "entire-transcript"
    assert native.marks_start or not native.first_line  # type: ignore[attr-defined]
    assert not native.marks_start or native.array is None


def test_names_are_unique_and_found() -> None:
    assert len({native.name for native in FORMATS}) == len(FORMATS)
    assert all(by_name(native.name) is native for native in FORMATS)
    assert by_name("no-such-format") is None


def test_formats_that_mark_their_start_have_a_first_unit_that_says_so() -> None:
    marked = set()
    for case in goldens.cases():
        native, units = goldens.units(goldens.chunks(case))
        if native is not None and native.marks_start:
            facts = [native.facts(unit.value) for unit in units if unit.kind == "value"]
            if any(fact.opens or (fact.chained and fact.parent is None) for fact in facts):
                marked.add(native.name)
    assert marked == {native.name for native in FORMATS if native.marks_start}


def test_what_has_no_converter_of_its_own_is_kept_opaque() -> None:
    for native in FORMATS:
        fallback = LINES if native.array is None else DOCUMENTS
        converter = converter_for(native)
        if native.name in CONVERTERS:
            assert converter.name != "opaque"
            assert converter_for(native) is not converter  # one converts one stream
        else:
            assert converter is fallback
    assert converter_for(None) is LINES
    assert set(CONVERTERS) <= {native.name for native in FORMATS}


def test_the_table_of_the_page_is_the_registry() -> None:
    rows = re.findall(r"^\| `([a-z-]+)` \| `([a-z-]+)` \|(.*)\|$", PAGE.read_text("utf-8"), re.MULTILINE)
    assert [(harness, name) for harness, name, _ in rows] == [
        (native.harness, native.name) for native in FORMATS
    ]
    for native, (_, _, row) in zip(FORMATS, rows, strict=True):
        cells = [cell.strip() for cell in row.split("|")]
        assert len(cells) == 8
        assert all(cells)
        assert cells[-1] == f"`{converter_for(native).name}`"


@pytest.mark.parametrize("name", sorted(CONVERTERS))
def test_a_converter_declares_what_lines_or_documents_lose(name: str) -> None:
    native = by_name(name)
    assert native is not None
    converter = converter_for(native)
    features = {one["feature"] for one in converter.lossy}
    text = name == "cursor-text"
    assert len(features) == len(converter.lossy)
    assert ("number_precision" in features) is not text
    assert ("cut_last_line" in features) is (native.array is None and not text)


@pytest.mark.parametrize(
    ("name", "lacks"),
    [
        ("antigravity-jsonl", "stop_reasons usage call_ids agent_version approvals branch rewinds workspace"),
        ("claude-code-jsonl", "approvals compaction_usage"),
        ("codex-jsonl", "stop_reasons approvals"),
        ("copilot-cli-jsonl", "stop_reasons inference_input"),
        (
            "cursor-jsonl",
            "tool_results inferences call_ids times compactions rewinds workspace branch approvals",
        ),
        ("factory-droid-jsonl", "stop_reasons usage agent_version approvals rewinds"),
        ("gemini-cli-json", "stop_reasons agent_version approvals branch workspace"),
        ("gemini-cli-jsonl", "stop_reasons agent_version approvals branch workspace"),
        ("opencode-json", "approvals branch"),
        ("pi-jsonl", "agent_version approvals branch"),
    ],
)
def test_a_converter_declares_what_its_agent_never_tells(name: str, lacks: str) -> None:
    """The cells of the comparison that say no (reference native-transcripts, section 13.3)."""
    features = {one["feature"] for one in converter_for(by_name(name)).lossy}
    assert set(lacks.split()) - features == set()
