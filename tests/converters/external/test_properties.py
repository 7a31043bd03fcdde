"""What holds for every session, whatever its lines are: nothing is lost, the first ones stay, nothing raises."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.converters.external.conversion import CASES, CHAT, GEMINI, QWEN, ROGER, WINDSURF
from tests.support.converting import as_units, mutated, values_of
from tests.support.mutations import some

ALL = (ROGER, CHAT, QWEN, GEMINI, WINDSURF)
VALUES = values_of(list(CASES))


@given(
    st.sampled_from(ALL),
    st.lists(st.tuples(st.integers(0, len(VALUES) - 1), st.integers(0, 3)), max_size=8),
    st.randoms(),
)
def test_mutated_lines_become_records(
    converting: Any, picked: list[tuple[int, int]], choose: random.Random
) -> None:
    """Also of another format than the converter's own."""
    converting.check(mutated(VALUES, picked, choose))


odd = st.sampled_from([None, 0, 1, True, 1.0, -1, 1 << 60, "", "x", [], {}, ["x"], {"x": 1}, {"x": True}])
ids = st.sampled_from(["a", "b", "REDACTED", "", "~1.0", "~2.300", "\ud800", 7])
texts = odd | st.sampled_from(["go", "REDACTED", '{"a":1}', "[1, 2]", "\ud800"])
stamps = odd | st.sampled_from(["2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z"])
pictures = some(url=st.sampled_from(["data:image/png;base64,QUI=", "https://x", 7]), detail=odd)
contents = texts | st.lists(odd | some(type=texts, text=texts, image_url=odd | pictures, x=odd), max_size=2)
calls = odd | some(id=ids, type=texts | st.just("function"), index=odd, x=odd,
                   function=odd | some(name=st.sampled_from(["f", "g", 7]), arguments=texts, x=odd))  # fmt: skip
messages = some(
    role=st.sampled_from(["user", "assistant", "assistant", "tool", "system", "x", 7]), content=contents,
    message_id=ids, tool_call_id=ids, name=st.sampled_from(["f", "g", 7]), reasoning_content=texts, model=texts,
    finish_reason=texts, tool_calls=odd | st.lists(calls, max_size=3), x=odd,
)  # fmt: skip
externals = some(
    type=st.sampled_from(["user", "assistant", "x", 7]), uuid=ids, timestamp=stamps, x=odd,
    message=texts | some(content=contents, x=odd),
)  # fmt: skip
EVENTS = [
    *(
        "SessionStart",
        "SessionEnd",
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUse",
        "PostToolUseFailure",
        "Stop",
    ),
    *(
        "StopFailure",
        "PostCompact",
        "Notification",
        "PermissionRequest",
        "SubagentStart",
        "SubagentStop",
        "X",
    ),
]
events = some(
    v=odd, agent=texts, event=st.sampled_from(EVENTS), session_id=ids, ts=stamps, timestamp=stamps, cwd=texts,
    model=texts, permission_mode=texts, native_transcript_path=texts, prompt=texts, agent_id=ids, agent_type=texts,
    tool_name=st.sampled_from(["f", "g", 7]), tool_use_id=ids, tool_input=odd, error=texts, error_details=texts,
    tool_response=texts | some(error=odd, llmContent=texts, x=odd), is_interrupt=odd, is_timeout=odd, trigger=texts,
    last_assistant_message=texts, compact_summary=texts, notification_type=texts, reason=texts, source=texts, x=odd,
    type=st.sampled_from(["user", "assistant", 7]),
    message=texts | some(role=st.just("user"), content=st.lists(some(type=st.just("text"), text=texts), max_size=2)),
)  # fmt: skip
files = some(
    v=odd,
    type=st.sampled_from(["prompt", "file", "response", "x"]),
    content=texts,
    path=texts,
    ts=stamps,
    x=odd,
)


@given(st.lists(externals | odd, max_size=6))
def test_worlds_of_external_lines(values: list[Any]) -> None:
    ROGER.check(as_units(values))


@given(st.lists(messages | odd, max_size=6))
def test_worlds_of_chat_messages(values: list[Any]) -> None:
    CHAT.check(as_units(values))


@given(st.lists(events | odd, max_size=6))
def test_worlds_of_events(values: list[Any]) -> None:
    QWEN.check(as_units(values))


@given(st.lists(files | odd, max_size=6))
def test_worlds_of_files(values: list[Any]) -> None:
    WINDSURF.check(as_units(values))
