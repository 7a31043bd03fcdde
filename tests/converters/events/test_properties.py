"""What holds for every file: nothing is lost, the first lines give the first records, nothing raises."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from git_asr.asr import codec
from git_asr.asr.draft import Record
from git_asr.asr.large import describe, line
from git_asr.converters import fields
from git_asr.converters.base import Unit
from git_asr.converters.events.lifecycle import NAMES
from git_asr.converters.events.state import PRIVATE
from git_asr.converters.secret_answers import entire_secret_answers
from tests.converters.events.conversion import SESSION, of, told
from tests.converters.rules import check_stream
from tests.support.losslessness import Path, leaves, written
from tests.support.mutations import some

_SAID = {
    *("ok", "completed", "success", "error", "failed", "rejected", "cancelled"),
    *("message", "append", "result", "usage", "drop"),
}
"""Types and status that a record says in other words."""
_CALLS = ("tool_use_id", "tool_call_id", "call_id", "callId", "id")
"""Members that name the call of a result."""


def implied(path: Path, value: Any) -> bool:
    """What the records say in other words."""
    key = path[-1] if path else None
    if key in ("timestamp", "ts"):
        return fields.time({"": value}, "") is not None
    if key in ("type", "is_error"):
        return not isinstance(value, float)
    return isinstance(value, str) and (value in _SAID or value == SESSION)


def lost(found: Sequence[Unit], records: Sequence[Record], secrets: set[str]) -> list[Any]:
    """The leaves of the units that no record has; texts may be a part of one, for chunks are joined."""
    held = {(type(item), item) for one in written(records).records for _, item in leaves(one)}
    texts = [item for kind, item in held if kind is str]
    return [
        (path, item)
        for unit in found
        for value in [_public(unit.value)]
        if not (isinstance(value, dict) and any(str(value.get(key)) in secrets for key in _CALLS))
        for path, item in leaves(value)
        if (type(item), item) not in held
        and not implied(path, item)
        and not (isinstance(item, str) and any(item in text for text in texts))
    ]


def _public(value: Any) -> Any:
    """A value without what is to be recorded nowhere."""
    masked = entire_secret_answers(value)
    value = value if masked is None else masked
    return (
        {key: item for key, item in value.items() if key not in PRIVATE} if isinstance(value, dict) else value
    )


def check(found: Sequence[Unit]) -> None:
    """Convert units and see that every rule holds."""
    converter, records = of(found)
    encoded = [line(one, describe) for one in records]
    assert encoded == [line(one, describe) for one in of(found)[1]]
    out = written(records).records
    assert [codec.encode(one) + b"\n" for one in out] == encoded
    check_stream(out)
    assert lost(found, records, converter.state.secrets) == []
    for count in range(len(found)):
        some = [line(one, describe) for one in _closed(of(found[:count])[1])]
        assert some == encoded[: len(some)]


def _closed(records: list[Record]) -> list[Record]:
    """Without the message that is open at the end, and its calls."""
    at = next((n for n, one in enumerate(records) if one.get("assembly", {}).get("state") == "partial"), None)
    return records[:at]


ids = st.sampled_from(["a", "b", "c", "REDACTED", "", "~1.0", "\ud800"])
odd = st.sampled_from([None, 0, 1, True, 1.0, -1, 2.5, 1 << 60, "", "x", [], {}, ["x"], {"x": 1}])
texts = st.sampled_from(["go", "", "REDACTED", "on"])
calls = some(
    type=st.just("tool_use"), id=ids | odd, name=st.sampled_from(["Read", "request_user_input"]) | odd,
    input=odd | st.just({"questions": [{"isSecret": True}]}), result=odd, x=odd,
)  # fmt: skip
contents = (
    odd | texts | st.lists(texts | odd | calls | some(type=st.just("text"), text=texts, x=odd), max_size=3)
)
stamps = odd | st.sampled_from(["2026-01-01T00:00:00Z", 1777885200])
kinds = (
    st.sampled_from([*NAMES, *range(9), "message", "message", "append", "append", "result", "usage", "drop"])
    | odd
)
status = st.sampled_from(["ok", "error", "x"]) | odd
values = odd | some(
    type=kinds, id=ids | odd, message_id=ids, call_id=ids, target=ids, request_id=ids, tool_use_id=ids | odd,
    session_id=st.just(SESSION), previous_session_id=ids | odd, role=st.sampled_from(["user", "assistant"]) | odd,
    author=st.sampled_from(["human", "x"]) | odd, content=contents, text=texts | odd, output=odd, status=status,
    is_error=odd, usage=odd | some(input_tokens=odd, x=odd), output_tokens=odd | st.integers(0, 2), model=texts | odd,
    timestamp=stamps, ts=stamps, prompt=texts | odd, response_message=texts | odd, subagent_type=texts | odd,
    session_ref=texts, stop_reason=odd, x=odd,
)  # fmt: skip


@given(st.lists(values, max_size=7))
def test_small_worlds_keep_the_rules(found: list[Any]) -> None:
    """Lines with few IDs, so that they meet."""
    check([Unit(at, 0, one, codec.encode(one)) for at, one in enumerate(found, 1)])


@given(st.binary(max_size=200), st.sampled_from([None, SESSION]))
def test_any_bytes_can_be_read(data: bytes, session: str | None) -> None:
    for one in told(data, session)[0]:
        of(one.units, one.session)
    assert re.fullmatch("[a-z-]*", "".join(code for code, *_ in told(data, session)[1]))
