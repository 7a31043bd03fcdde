from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_asr.asr.codec import encode
from git_asr.converters.base import Sample
from git_asr.converters.detect import detect
from git_asr.converters.registry import FORMATS
from tests.converters import goldens

CLAUDE = b'{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"s","message":{"content":"hi"}}'
CHAT = b'{"role":"user","content":"hi"}'


def name(*chunks: bytes) -> str | None:
    native = detect(chunks)
    return native.name if native else None


@pytest.mark.parametrize("case", goldens.cases())
def test_the_same_bytes_are_the_same_format(case: str) -> None:
    chunks = goldens.chunks(case)
    assert detect(chunks) is detect(iter(chunks))
    if len(chunks) == 1:
        assert detect(chunks[0]) is detect(chunks)


@pytest.mark.parametrize("case", [case for case in goldens.cases() if not case.startswith("unknown/")])
def test_one_format_recognises_a_case_or_the_first_is_the_narrower(case: str) -> None:
    native, units = goldens.units(goldens.chunks(case))
    assert native is not None
    if native.array is None and units[0].kind == "value":
        sample = Sample(tuple(unit.value for unit in units[:20]), document=False, text="")
        others = {other.name for other in FORMATS if other.array is None and other.recognises(sample)}
        narrower = {"kilo-code-jsonl": "opencode-jsonl", "oh-my-pi-jsonl": "pi-jsonl"}
        assert others == {native.name} | ({narrower[native.name]} if native.name in narrower else set())


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"\n\n",
        b"\x00\x00\xef\xbb\xbf",
        b"{}",
        b"{}\n{}\n",
        b"[]",
        b"17",
        b'"text"',
        b"null\nnull\n",
        CHAT + b"\n" + CHAT,
        b'{"type":"user","message":"hi","extra":1}\n',
        b'{"type":"user","sessionId":"s"}\n',
        b'{"type":"summary","summary":"x"}\n',
        b'{"type":"session","title":"x"}\n',
        b'{"type":"session","id":"x"}\n',
        b'{"v":1,"type":"user","content":"x"}\n',
        b'{"v":1,"event":"Stop","agent":"somebody"}\n',
        b'{"timestamp":"x","type":"response_item"}\n',
        b'{"timestamp":"x","type":"log.line","payload":{}}\n',
        b'{"type":"user.message","data":{}}\n',
        b'{"messages":[]}',
        b'{"messages":[{"id":"1","type":"human"}]}',
        b'{"messages":[{"id":"1","type":"user"}],"more":1}',
        b'{"messages":{"id":"1"},"sessionId":"s","startTime":"t"}',
        b'{"info":{"id":"1"},"messages":[{"text":"x"}]}',
        b'{"history":[]}',
        b'{"schema_version":"1.0","steps":[]}',
        b"A diary.\n" + CLAUDE,
        b"user: hello\n",
        b"usher:\n",
        b"####x\n",
        b"# a page\n",
    ],
)
def test_what_is_no_known_format(text: bytes) -> None:
    assert name(text) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (CLAUDE, "claude-code-jsonl"),
        (b"\xef\xbb\xbf\r\n\x00" + CLAUDE, "claude-code-jsonl"),
        (b'{"cut":\n' + CLAUDE, "claude-code-jsonl"),
        (b'{"cut":\xff"\n' * 199 + CLAUDE, "claude-code-jsonl"),
        (b'{"cut":\n' * 200 + CLAUDE, None),
        (CHAT + CLAUDE, "claude-code-jsonl"),
        (b"{}\n" * 19 + CLAUDE, "claude-code-jsonl"),
        (b"{}\n" * 20 + CLAUDE, None),
        (CLAUDE + b"\n" + b'{"role":"user","message":{"content":"x"}}', "claude-code-jsonl"),
        (b'{"role":"user","message":{"content":"x"}}\n' + CHAT, None),
        (b'{"type":"turn_ended","status":"error"}', "cursor-jsonl"),
        (b'{"role":"tool","tool_call_id":"x"}', "openai-chat-jsonl"),
        (b'{"info":{"id":"1"},"messages":[1,{"info":{},"parts":[]}]}', "opencode-json"),
        (b'{"info":{"id":"1","x":"\\ud800"},\n"messages":[]}', "opencode-json"),
        (b'{"info":{"id":"1","x":NaN},\n"messages":[]}', "opencode-json"),
        (b'\xef\xbb\xbf{"conversation_id":"",\n"history":[]}\x00', "kiro-json"),
        (b'[\n{"type":"user","message":"x"}\n]', None),
        (b"user:\r\nhello", "cursor-text"),
        (b"\n\n#### Prune the hedge", "aider-markdown"),
    ],
)
def test_by_content(text: bytes, expected: str | None) -> None:
    assert name(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b'{"info":{"id":"1"},\n"messages":[{"info":{},"parts":[]},{', "opencode-json"),
        (b'{"info":{"id":"1"},"messages":[]}}', "opencode-json"),
        (b'{"sessionId":"s","startTime":"t","messages":[{"id":"1","ty', "gemini-cli-json"),
        (b'{"messages":[{"id":"1","type":"user"},{"id', "gemini-cli-json"),
        (b'{"cut":[1,\n' + CLAUDE, "claude-code-jsonl"),
        (b'{"info":{"id":"1"},"messages":[' + b"[" * 600 + b"]" * 600 + b"]", None),
        (b'{"mess', None),
    ],
)
def test_a_document_that_is_damaged_is_known_by_its_beginning(text: bytes, expected: str | None) -> None:
    assert name(text) == expected


def test_lines_inside_a_document_are_not_the_transcript() -> None:
    assert name(b'{"log":[\n' + CLAUDE + b"\n]}") is None


def test_the_first_file_may_be_a_document() -> None:
    slices = [b'{"messages":[{"id":"1","type":"user"}]}', b'{"messages":[{"id":"2","type":"gemini"}]}']
    assert name(*slices) == "gemini-cli-json"
    assert name(b"\n", *slices) == "gemini-cli-json"
    assert name(b'{"info":{"id":"1"},', b'"messages":[]}') == "opencode-json"
    assert name(b'{"info":{"id":"1"},', b'"messages":[') is None  # its first file alone says too little


def test_the_first_line_may_be_alone_in_its_file() -> None:
    assert name(b'{"type":"last"}', CLAUDE) == "claude-code-jsonl"
    assert name(b'{"cut', CLAUDE) == "claude-code-jsonl"


def test_only_the_head_is_read() -> None:
    def endless() -> Iterator[bytes]:
        yield b"\n".join([CLAUDE] * 20)
        raise AssertionError("the second file was asked for")

    native = detect(endless())
    assert native is not None
    assert native.name == "claude-code-jsonl"


@given(st.binary(max_size=300))
def test_any_bytes(data: bytes) -> None:
    assert detect(data) is detect([data])


@given(st.sampled_from(goldens.cases()), st.data())
def test_mutated_transcripts(case: str, data: st.DataObject) -> None:
    text = bytearray(b"\n".join(goldens.chunks(case)))
    for _ in range(data.draw(st.integers(1, 5)) if text else 0):
        text[data.draw(st.integers(0, len(text) - 1))] = data.draw(st.integers(0, 255))
    assert detect(bytes(text)) is detect(iter([bytes(text)]))


@given(st.lists(st.dictionaries(st.text(max_size=5), st.text(max_size=5)), max_size=5))
def test_made_up_lines_are_unknown(values: list[dict[str, str]]) -> None:
    assert detect(b"\n".join(map(encode, values))) is None
