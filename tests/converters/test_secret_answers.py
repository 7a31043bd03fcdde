from __future__ import annotations

from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_asr.asr import codec
from git_asr.asr.numbering import number
from git_asr.converters.opaque import LINES
from git_asr.converters.registry import by_name, converter_for
from git_asr.converters.secret_answers import CodexSecretAnswers
from git_asr.converters.units import read_units

SECRET = "hunter2-is-the-answer"


def item(payload: dict[str, Any], kind: str = "response_item") -> dict[str, Any]:
    return {"timestamp": "2026-01-01T00:00:00Z", "type": kind, "payload": payload}


def asks(call: str, arguments: Any) -> dict[str, Any]:
    return {"type": "function_call", "name": "request_user_input", "call_id": call, "arguments": arguments}


def answers(call: str, text: str = SECRET) -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": call, "output": text}


def question(secret: bool) -> str:
    return orjson.dumps({"questions": [{"id": "q", "question": "?", "isSecret": secret}]}).decode()


def converted(*values: dict[str, Any]) -> list[dict[str, Any]]:
    """The records of the opaque converter; no converter may tell what this one does not."""
    native = by_name("codex-jsonl")
    data = b"\n".join(map(orjson.dumps, values)) + b"\n"
    drafts = LINES.convert(read_units([data], native), native)
    records = [orjson.loads(codec.encode(record)) for record in number(drafts)]
    own = converter_for(native).convert(read_units([data], native), native)
    told = [orjson.loads(codec.encode(record)) for record in number(own)]
    assert (SECRET in str(records)) is (SECRET in str(told))
    assert any(one.get("capture") == {"state": "masked"} for one in told) is any(
        "capture" in one for one in records
    )
    return records


def test_the_answer_to_a_secret_question_is_in_no_record() -> None:
    records = converted(
        item(asks("c1", question(secret=True))),
        item(answers("c1")),
        item(answers("c2", "plain")),
        item({"message": "", "replacement_history": [answers("c1"), {"type": "message"}]}, "compacted"),
    )
    assert SECRET not in str(records)
    assert [record.get("capture") for record in records] == [
        None,
        {"state": "masked"},
        None,
        {"state": "masked"},
    ]
    assert records[1]["value"]["payload"] == {"type": "function_call_output", "call_id": "c1"}
    assert records[3]["value"]["payload"]["replacement_history"][1] == {"type": "message"}
    assert "_meta" not in records[1]


@pytest.mark.parametrize(
    "arguments", [question(secret=False), "{}", None, "no JSON", {"questions": [{"id": "q"}]}]
)
def test_an_open_question_keeps_its_answer(arguments: Any) -> None:
    records = converted(item(asks("c1", arguments)), item(answers("c1")))
    assert records[1]["value"]["payload"]["output"] == SECRET
    assert "capture" not in records[1]


@pytest.mark.parametrize("arguments", ['{"isSecret": tru', {"questions": [{"isSecret": True}]}])
def test_in_doubt_an_answer_is_secret(arguments: Any) -> None:
    assert SECRET not in str(converted(item(asks("c1", arguments)), item(answers("c1"))))


def test_a_secret_that_stands_in_a_history_first_is_masked_too() -> None:
    history = [asks("c1", question(secret=True)), answers("c1"), "text", {"call_id": 7}]
    assert SECRET not in str(
        converted(item({"replacement_history": history}, "compacted"), item(answers("c1")))
    )


def test_a_retained_context_has_no_answer_once_a_secret_was_asked_for() -> None:
    context = item(
        {"verified_answer": {"question": "?", "answer": SECRET}, "kept": [{"answers": [SECRET]}, 1]}
    )
    context["type"] = "retained_context"
    records = converted(item(asks("c1", question(secret=True))), context)
    assert records[1]["value"]["payload"] == {"kept": [{}, 1]}
    assert SECRET in str(converted(context))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["payload", "call_id", "name", "type", "arguments", "questions", "replacement_history"]
            ),
            inner | st.sampled_from(["request_user_input", "function_call_output", '"isSecret"']),
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(st.lists(JSON, max_size=4))
def test_nothing_raises(values: list[Any]) -> None:
    watch = CodexSecretAnswers()
    for value in values:
        masked = watch(value)
        assert masked is None or masked != value
