"""Native transcripts as they may leave: without secret answers, or not at all."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from git_asr.converters.masking import masked
from git_asr.errors import AsrError
from tests.converters.test_secret_answers import SECRET, answers, asks, item, question

META = item({"id": "s", "cwd": "/x", "originator": "codex_cli_rs"}, "session_meta")
SAID = item({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "  hello "}]})


def rollout(*values: dict[str, Any] | bytes) -> bytes:
    lines = [one if isinstance(one, bytes) else orjson.dumps(one) for one in (META, *values)]
    return b"\n".join(lines) + b"\n"


def test_a_rollout_without_questions_stays_as_it_is() -> None:
    data = rollout(SAID, b'{"cut', asks("c1", "{}"), b"", answers("c2"))
    assert masked(rollout(SAID, b'{"cut')) == rollout(SAID, b'{"cut')
    assert masked(data) == data


def test_only_the_lines_with_answers_are_changed() -> None:
    spaced = b'  {"type": "event_msg",  "payload": {"type": "task_started"}} '
    calls = [item(asks("c1", question(secret=True))), item(asks("c2", question(secret=False)))]
    data = rollout(SAID, spaced, *calls, item(answers("c1")), item(answers("c2", "told")), spaced)
    out = masked(data)
    assert SECRET not in out.decode()
    assert b"told" in out
    before, after = data.splitlines(), out.splitlines()
    assert [
        number for number, (one, other) in enumerate(zip(before, after, strict=True)) if one != other
    ] == [5]
    assert masked(out) == out
    assert masked(data[:-1]) == out[:-1]


def test_the_calls_of_a_shell_are_seen() -> None:
    shell = item({"type": "local_shell_call", "call_id": "c3", "action": {}})
    data = rollout(shell, item({"type": "function_call_output", "call_id": "c3", "output": "x"}))
    assert masked(data) == data


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([item(answers("c9"))], "it begins after some of its calls"),
        ([item(asks("c1", question(secret=True))), b'{"payload":{"output":"' + SECRET.encode()], "damaged"),
        ([item(asks("c1", question(secret=True))), item(answers("c1")), b"{} {}"], "damaged"),
    ],
)
def test_where_nobody_can_tell_it_is_refused(values: list[Any], said: str) -> None:
    with pytest.raises(AsrError, match=said):
        masked(rollout(*values))


def test_entires_own_transcript() -> None:
    head = {"v": 1, "agent": "codex", "cli_version": "0.9.0", "type": "assistant"}

    def line(secret: bool) -> bytes:
        block = {
            "type": "tool_use",
            "name": "request_user_input",
            "id": "c",
            "input": orjson.loads(question(secret)),
        }
        content = [{**block, "result": {"output": SECRET, "status": "success"}}]
        return orjson.dumps({**head, "content": content}) + b"\n"

    assert masked(line(False)) == line(False)
    out = masked(line(False) + line(True))
    assert out.startswith(line(False))
    assert out.count(SECRET.encode()) == 1


@pytest.mark.parametrize(
    "data", [b"", b"plain text\n", b'{"type":"user","sessionId":"s","uuid":"u"}\n', b"\xff\x00"]
)
def test_other_formats_know_no_secrets(data: bytes) -> None:
    assert masked(data) == data
