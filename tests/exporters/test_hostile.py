"""Whatever stands in the records of a stream, every export is made, is of its format, and loses nothing unsaid."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from git_asr.asr.reading import Stream
from git_asr.exporters import registry
from git_asr.exporters.base import Exporter
from git_asr.exporters.markdown import MARKDOWN, code
from tests.exporters import exporting
from tests.views.test_hostile import BLOBS, read, records

TEXTS = [
    "</code><script>alert(1)</script>",
    "[a](javascript:alert(1)) ![b](data:image/png;base64,AAAA) <https://example.com> www.example.com",
    "```\n<img src=x onerror=alert(1)>\n```",
    "`" * 40 + "\n" + "~~~\n# heading\n| a | b |\n|---|---|",
    "\x1b[31mred\x1b]0;title\x07 \u202e\u2066 \x00\x0b\x0c\r x\u2028y",
    "\ud800 \udc00\ud83d",
    "a" + "\u0301" * 5_000,
    "    indented\n\ttab\n- list\n1. one\n> quote\n***\n&lt;b&gt; &#60;",
    "\\`\\` \\",
    "",
]


def stream(said: str) -> Stream:
    parts = [{"type": "text", "text": said}]
    found: list[dict[str, Any]] = [
        {"type": "message", "id": said[:300] or "m", "role": "user", "author": "human", "content": parts},
        {
            "type": "message",
            "id": "o",
            "role": "user",
            "author": said[:99],
            "from": said[:99],
            "content": parts,
        },
        {"type": "inference", "id": "i", "inferenceId": "i", "model": said[:99], "provider": said[:99]},
        {"type": "reasoning", "id": "r", "inferenceId": "i", "content": parts},
        {"type": "message", "id": "a", "role": "assistant", "inferenceId": "i", "content": parts},
        {
            "type": "tool_call",
            "id": "c",
            "callId": said[:99],
            "name": said[:99],
            "arguments": {said[:99]: said},
        },
        {
            "type": "tool_result",
            "id": "t",
            "callId": said[:99],
            "status": "ok",
            "content": parts,
            "output": [said],
        },
        {"type": "tool_call", "id": "e", "callId": "e", "name": "Edit"},
        {"type": "git-asr/notice", "id": "n", "text": said, "kind": said[:99]},
        {"type": "plan", "id": "p", "items": [{"text": said, "status": said[:99]}]},
        {"type": "vcs", "id": "0a1b2c3d4e50@" + "1" * 40, "commit": "1" * 40, "_meta": {}},
    ]
    found[7]["arguments"] = {"file_path": said[:99], "old_string": said, "new_string": said + "\nx"}
    for number, one in enumerate(found, 1):
        one["seq"] = number * 1_000_000
        one["ts"] = said[:40] if number % 2 else "2026-01-01T00:00:00Z"
    return read("s", found, [])


@pytest.mark.parametrize("exporter", exporting.EXPORTERS)
@pytest.mark.parametrize("said", TEXTS, ids=lambda said: repr(said[:12]))
def test_hostile_texts(exporter: Exporter, said: str) -> None:
    files, _ = exporting.written(exporter, [exporting.session(stream(said), identifier=said[:50])])
    exporting.check(exporter.name, files)


@pytest.mark.parametrize("exporter", exporting.EXPORTERS)
@pytest.mark.parametrize("levels", [150, 900])
def test_values_that_are_nested_deeply(exporter: Exporter, levels: int) -> None:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    found = [
        {"type": "tool_call", "id": "c", "seq": 1, "callId": "c", "name": "x", "arguments": {"a": value}},
        {
            "type": "message",
            "id": "m",
            "seq": 2,
            "role": "user",
            "content": [{"type": "json", "value": value}],
        },
    ]
    files, _ = exporting.written(exporter, [exporting.session(read("s", found, []))])
    exporting.check(exporter.name, files)


@pytest.mark.parametrize("exporter", exporting.EXPORTERS)
def test_a_line_of_five_megabytes(exporter: Exporter) -> None:
    parts = [{"type": "text", "text": "x" * (5 << 20)}]
    found = read(
        "s", [{"type": "message", "id": "m", "seq": 1_000_000, "role": "user", "content": parts}], []
    )
    files, _ = exporting.written(exporter, [exporting.session(found)])
    exporting.check(exporter.name, files)


@pytest.mark.parametrize("said", TEXTS, ids=lambda said: repr(said[:12]))
def test_a_text_stands_in_markdown_as_it_was_but_for_what_deceives(said: str) -> None:
    markdown_it = pytest.importorskip("markdown_it", reason="markdown-it-py is not installed")
    from git_asr.views.text import neutral

    files, _ = exporting.written(MARKDOWN, [exporting.session(stream(said))])
    ((_, data),) = files.items()
    tokens = markdown_it.MarkdownIt("commonmark").parse(data.decode())
    assert neutral(said, lines=True) + "\n" in [one.content for one in tokens if one.type == "fence"]


@given(st.text(st.sampled_from("`a \n\\<|*_[]()"), max_size=30) | st.text(max_size=30))
def test_a_code_span_holds_what_it_was_given(said: str) -> None:
    markdown_it = pytest.importorskip("markdown_it", reason="markdown-it-py is not installed")
    from git_asr.views.text import one_line

    (inline,) = [
        one
        for one in markdown_it.MarkdownIt("gfm-like", {"linkify": False}).parse(f"# x {code(said)}")
        if one.children
    ]
    assert inline.children is not None
    assert [one.type for one in inline.children] == ["text", "code_inline"]
    assert inline.children[1].content.strip() == one_line(said, 200).strip()


@pytest.mark.parametrize("exporter", exporting.EXPORTERS)
def test_halves_of_characters_are_only_lost_where_the_format_has_no_place(exporter: Exporter) -> None:
    files, losses = exporting.written(exporter, [exporting.session(stream("\ud800 \ud83d\ude00"))])
    if exporter.name == "jsonl":
        assert json.loads(files["records.jsonl"].split(b"\n")[2])["content"][0]["text"][0] == "\ud800"
    elif exporter.name in ("markdown", "html"):
        assert b"U+D800" in next(iter(files.values()))
    else:
        assert losses.counts["half-characters"]


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=60)
@given(st.lists(records(), max_size=9), st.lists(records(), max_size=4), BLOBS)
def test_anything(main: list[dict[str, Any]], below: list[dict[str, Any]], blobs: dict[str, bytes]) -> None:
    found = exporting.session(read("s", main, []), read("s.x", below, ["a", "b"]), blob=blobs.get)
    for exporter in registry.EXPORTERS:
        files, losses = exporting.written(exporter, [found])
        exporting.check(exporter.name, files)
        losses.as_json()
        assert exporting.written(exporter, [found])[0] == files
