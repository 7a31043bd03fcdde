"""The text of records that people look for."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_asr.asr import codec
from git_asr.asr.reading import fault
from git_asr.views.passages import has_text, passage
from git_asr.views.text import neutral
from tests.views.test_hostile import FIELDS, KEYS, KNOWN, TEXTS


def record(kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": kind, "seq": 1_000_000, "id": "a", **fields}


def text_of(kind: str, **fields: Any) -> str | None:
    found = passage(record(kind, **fields), {"big": b"from a blob"}.get)
    return None if found is None else found.text


TEXT = {"type": "text", "text": "said\nmore"}


@pytest.mark.parametrize(
    ("kind", "fields", "text"),
    [
        ("message", {"content": [TEXT, {"type": "text", "text": "x"}]}, "said\nmore\nx"),
        ("message", {"content": [{"type": "json", "value": {"a": "b"}}]}, "a: b"),
        ("message", {"content": [{"type": "image", "blob": "big", "mediaType": "image/png"}]}, None),
        ("message", {"content": [{"type": "text", "blob": "big", "mediaType": "text/plain"}]}, "from a blob"),
        ("message", {"content": [{"type": "text", "blob": "other", "mediaType": "text/plain"}]}, None),
        ("message", {}, None),
        ("reasoning", {"content": [TEXT]}, "said\nmore"),
        ("tool_call", {"callId": "c", "name": "Edit", "arguments": {"file_path": "a.py"}}, "Edit\nfile_path: a.py"),
        ("tool_call", {"callId": "c", "argumentsBlob": {"blob": "big", "mediaType": "text/plain"}}, "from a blob"),
        ("tool_call", {"callId": "c", "name": "sh", "arguments": {"c": ["ls", "-l"]}}, "sh\nc: ls\nc: -l"),
        ("tool_call", {"callId": "c", "name": "P", "arguments": {"src/a.py": {}, "b.py": ""}}, "P\nsrc/a.py:\nb.py"),
        ("tool_call", {"callId": "c", "name": "P", "arguments": {"b.py": None}}, "P\nb.py"),
        ("tool_call", {"callId": "c", "name": "P", "arguments": {"t": "a\nb", "n": 5}}, "P\nt:\na\nb\nn: 5"),
        ("tool_call", {"callId": "c", "name": "P", "arguments": {"y": [True, {"z": 1}]}}, "P\ny: true\ny:\nz: 1"),
        ("tool_call", {"callId": "c", "name": "P", "arguments": codec.NumberText("1e999")}, "P\n1e999"),
        ("tool_result", {"callId": "c", "content": [TEXT], "output": {"stdout": "other"}}, "said\nmore"),
        ("tool_result", {"callId": "c", "output": {"stdout": "other"}}, "stdout: other"),
        ("input_request", {"requestId": "r", "questions": [{"question": "Why?"}]}, "question: Why?"),
        ("input_response", {"requestId": "r", "answers": ["So."]}, "So."),
        ("plan", {"items": [{"text": "do it", "status": "pending"}]}, "text: do it\nstatus: pending"),
        ("git-asr/file-snapshot", {"files": ["a/b.py", {"path": "c.py"}]}, "a/b.py\npath: c.py"),
        ("git-asr/unit", {"value": {"type": "strange", "said": "x"}}, "type: strange\nsaid: x"),
        ("git-asr/notice", {"text": "careful"}, "careful"),
        ("inference", {"inferenceId": "i", "model": "m"}, None),
        ("com.example/other", {"value": "x"}, None),
    ],
)  # fmt: skip
def test_the_text_of_a_record(kind: str, fields: dict[str, Any], text: str | None) -> None:
    assert fault(record(kind, **fields)) is None
    assert text_of(kind, **fields) == text


@pytest.mark.parametrize(
    ("kind", "fields", "who"),
    [
        ("message", {"author": "human", "content": [TEXT]}, "human"),
        ("message", {"content": [TEXT]}, "message"),
        ("tool_call", {"callId": "c", "name": "Edit"}, "Edit"),
        ("tool_result", {"callId": "c", "content": [TEXT]}, "result"),
        ("git-asr/title", {"title": "T"}, "title"),
    ],
)
def test_who_said_it(kind: str, fields: dict[str, Any], who: str) -> None:
    found = passage(record(kind, ts="2026-01-01T00:00:00Z", **fields), lambda _: None)
    assert found is not None
    assert (found.who, found.ts, found.record, found.type) == (who, "2026-01-01T00:00:00Z", "a", kind)


def test_what_is_deep_is_read_without_recursion() -> None:
    deep: Any = "bottom"
    for _ in range(5000):
        deep = [deep]
    assert text_of("tool_call", callId="c", name="P", arguments=deep) == "P\nbottom"


VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS | KNOWN,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)


@given(
    st.sampled_from(sorted(FIELDS)), st.dictionaries(KEYS | st.sampled_from(sum(FIELDS.values(), ())), VALUES)
)
def test_whatever_stands_in_a_record(kind: str, fields: dict[str, Any]) -> None:
    made = {**fields, **record(kind)}
    if fault(made) is not None:
        return
    found = passage(made, lambda _: b'"\\ud800"')
    assert found is None or has_text(made)
    assert found is None or neutral(found.text + found.who).isprintable() or "\n" in found.text
