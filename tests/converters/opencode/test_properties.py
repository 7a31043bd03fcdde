"""What holds for every session: nothing is lost, the first units give the first records, nothing raises."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_asr.asr import codec
from git_asr.converters.base import Unit
from git_asr.converters.opencode.converter import OpenCode
from tests.converters import goldens
from tests.converters.opencode.conversion import lost_of, of
from tests.converters.rules import check_records, encoded
from tests.support.beginnings import broken
from tests.support.mutations import mutated, odd, some

CASES = [case for case in goldens.cases() if case.startswith(("opencode/", "kilo-code/"))]
NON_FINITE = {"opencode/odd-elements"}
ROUNDED = {"opencode/long-numbers"}
"""A number beyond 64 bits: the declared loss of documents."""


def units_of(case: str) -> tuple[list[Unit], bool]:
    native, found = goldens.units(goldens.chunks(case))
    assert native is not None
    return found, native.array is not None


def check(found: list[Unit], *, snapshot: bool) -> None:
    """Convert units and see that every rule holds."""
    records = of(found, snapshot=snapshot)
    whole = check_records(records, of(found, snapshot=snapshot))
    held = {unit.position for unit in found if unit.kind == "malformed"}
    lost = [one for one in lost_of(found, records) if one.position not in held]
    assert lost == [], lost
    for count in range(len(found)):
        begun = of(found[:count], snapshot=snapshot)
        ended = [one for one in begun if one["seq"] % 100 in (96, 97)]
        kept = len(begun) - len(ended)
        assert encoded(begun[:kept]) == whole[:kept]
        assert snapshot or not ended


@pytest.mark.parametrize("case", sorted({*CASES} - NON_FINITE - ROUNDED))
def test_every_rule_holds(case: str) -> None:
    found, snapshot = units_of(case)
    check(found, snapshot=snapshot)


@pytest.mark.parametrize("case", CASES)
def test_the_first_lines_give_the_first_records(case: str) -> None:
    found, snapshot = units_of(case)
    if not snapshot:
        assert broken(lambda: OpenCode(snapshot=False), found, "") == []


MESSAGES = [
    unit.value
    for case in CASES
    for unit in units_of(case)[0]
    if isinstance(unit.value, dict) and not unit.flags and unit.position
]
HEADS = [
    unit.value
    for case in CASES
    for unit in units_of(case)[0]
    if isinstance(unit.value, dict) and not unit.position
]


def as_units(head: Any, values: list[Any], *, snapshot: bool) -> list[Unit]:
    """Units as they are read: of lines the text is at hand."""
    if not snapshot:
        return [Unit(at, 0, one, codec.encode(one)) for at, one in enumerate(values, 1)]
    first = [Unit(0, 0, head, None)] if head else []
    return first + [Unit(at, 0, one, None) for at, one in enumerate(values, 1)]


@given(mutated(HEADS), st.lists(mutated(MESSAGES), max_size=8), st.booleans())
def test_mutated_messages_become_records(head: Any, values: list[Any], snapshot: bool) -> None:
    check(as_units(head, values, snapshot=snapshot), snapshot=snapshot)


IDS = ["a", "b", "REDACTED", "", "~1.0", "~2.100", "\ud800"]
ids = st.sampled_from(IDS)
texts = st.sampled_from(["go", "", "REDACTED", "The following tool was executed by the user"])
stamps = odd | st.sampled_from([1777885200000, 1777885209000, 1777885200.5, "2026-01-01T00:00:00Z"])
times = odd | some(created=stamps, completed=stamps, start=stamps, end=stamps, compacted=stamps)
tokens = odd | some(input=odd, output=odd, reasoning=odd, total=odd, cache=odd | some(read=odd, write=odd))
states = odd | some(
    status=st.sampled_from(["completed", "error", "running", "pending", "x", 1]),
    input=odd | st.sampled_from(['{"a":1}', "[1, 2]", "{", "[" * 300, '{"a":1e999}', '{"a":1,"a":2}'])
    | some(questions=odd | st.just([{"question": "q"}]), todos=odd | st.just([{"content": "c", "x": 1}]),
           command=texts, subagent_type=texts),
    output=texts | odd, error=st.sampled_from(["The user rejected permission", "Tool execution aborted", "x"]),
    metadata=odd | some(interrupted=odd, answers=odd | st.just([["x", "y"], "z", ["w"]]), sessionId=ids),
    attachments=odd | st.just([{"url": "data:image/png;base64,QUI=", "mime": "image/png"}, 7]), time=times,
)  # fmt: skip
parts = odd | some(
    type=st.sampled_from(["text", "reasoning", "tool", "file", "agent", "subtask", "compaction", "retry", "patch",
                          "snapshot", "step-start", "step-finish", "x"]),
    id=ids, messageID=ids, sessionID=ids, callID=ids, text=texts | odd, synthetic=odd, ignored=odd, time=times,
    tool=st.sampled_from(["bash", "question", "todowrite", "task"]), state=states, metadata=odd, snapshot=ids,
    hash=ids, files=odd | st.just(["f"]), url=st.sampled_from(["data:image/png;base64,QUI=", "file:///x", 1]),
    filename=texts, name=texts, prompt=texts | odd, command=texts | odd, auto=odd, tail_start_id=ids,
    error=odd | some(name=texts, data=odd | some(message=texts | odd)), reason=texts | odd, cost=odd, tokens=tokens,
)  # fmt: skip
infos = odd | some(
    id=ids, sessionID=ids, role=st.sampled_from(["user", "assistant", "user", "assistant", "system", 1]), time=times,
    agent=texts | odd, mode=texts | odd, variant=texts | odd, model=odd, path=odd | some(cwd=texts | odd, root=texts),
    parentID=ids, modelID=texts | odd, providerID=texts | odd, cost=odd, tokens=tokens, finish=texts | odd,
    summary=odd | st.just({"title": "t", "diffs": []}), tools=odd, system=odd, format=odd,
    error=odd | some(name=st.sampled_from(["MessageAbortedError", "APIError"]), data=odd | some(message=texts | odd)),
)  # fmt: skip
heads = odd | some(
    id=ids, title=texts | odd, messages=odd, version=odd | st.sampled_from(["1.2.3", "1.16.2", "1.9"]),
    info=odd | some(id=ids, parentID=ids, directory=texts | odd, title=texts | odd, time=times,
                    version=odd | st.sampled_from(["1.2.3", "1.16.2", "1.9"]),
                    revert=odd | some(messageID=ids, partID=ids)),
)  # fmt: skip
elements = odd | some(info=infos, parts=odd | st.lists(parts, max_size=5), x=odd)


@given(heads, st.lists(elements, max_size=6), st.booleans())
def test_small_worlds_keep_the_rules(head: Any, values: list[Any], snapshot: bool) -> None:
    """Messages with few IDs, so that they meet: repeated, before what they refer to, of the wrong role."""
    check(as_units(head, values, snapshot=snapshot), snapshot=snapshot)
