"""What holds for every session: nothing is lost, the first units give the first records, nothing raises."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.converters.goose.conversion import GOOSE, HEAD
from tests.support.mutations import odd, replaced, some, varied
from tests.support.sessions import as_units, ids, stamps

VALUES = GOOSE.values()


@given(
    st.lists(st.tuples(st.integers(0, len(VALUES) - 1), st.integers(0, 3)), max_size=8),
    st.booleans(),
    st.randoms(),
)
def test_mutated_messages_become_records(
    picked: list[tuple[int, int]], snapshot: bool, choose: random.Random
) -> None:
    values = varied(VALUES, picked, choose)
    head = replaced(HEAD, choose) if choose.random() < 0.5 else HEAD
    GOOSE.check(as_units(head, values, snapshot=snapshot), snapshot=snapshot)


texts = st.sampled_from(["go", "", "REDACTED", "The user has declined to run this tool.", "- [x] a\n- [ ] b"])
data = st.sampled_from(["QUI=", "REDACTED", "x"]) | odd
audiences = odd | some(audience=odd | st.sampled_from([["user"], ["assistant"], ["user", "assistant"], [7]]))
items = odd | some(
    type=st.sampled_from(["text", "image", "resource"]), text=texts | odd, data=data,
    mimeType=st.just("image/png") | odd, annotations=audiences,
)  # fmt: skip
results = odd | some(
    status=st.sampled_from(["success", "error", "x"]) | odd, error=texts | odd, x=odd,
    value=odd | st.lists(items, max_size=3) | some(content=odd | st.lists(items, max_size=3), isError=odd, x=odd),
)  # fmt: skip
calls = odd | some(
    status=st.sampled_from(["success", "error"]) | odd, error=texts | odd, x=odd,
    value=odd | some(name=st.sampled_from(["shell", "todo__write", "delegate", "x__subagent"]) | odd, x=odd,
                     arguments=odd | some(content=texts)),
)  # fmt: skip
blocks = odd | some(
    type=st.sampled_from(["text", "image", "thinking", "redactedThinking", "reasoning", "toolRequest",
                          "frontendToolRequest", "toolResponse", "toolConfirmationRequest", "actionRequired",
                          "systemNotification", "x"]),
    text=texts | odd, thinking=texts | odd, signature=odd, data=data | some(
        actionType=st.sampled_from(["toolConfirmation", "elicitation", "elicitationResponse", "x"]), id=ids,
        message=texts | odd, prompt=texts | odd, userData=odd, x=odd),
    mimeType=st.just("image/png") | odd, id=ids | odd, toolCall=calls, toolResult=results, prompt=texts | odd,
    msg=texts | odd, notificationType=texts | odd, annotations=audiences, x=odd,
)  # fmt: skip
flags = odd | some(userVisible=st.booleans() | odd, agentVisible=st.booleans() | odd, x=odd)
heads = odd | some(
    id=ids, working_dir=texts | odd, name=texts | odd, created_at=stamps, session_type=st.just("sub_agent") | odd,
    parent_session_id=ids, accumulated_input_tokens=odd, accumulated_output_tokens=odd,
    accumulated_total_tokens=odd, accumulated_cache_read_tokens=odd, accumulated_cost=odd, x=odd,
)  # fmt: skip
messages = some(
    id=ids | odd, role=st.sampled_from(["user", "user", "assistant", "system", "owl"]), created=stamps,
    content=odd | st.lists(blocks, max_size=4), metadata=flags, session=heads, type=st.just("user") | odd,
    timestamp=stamps, x=odd,
)  # fmt: skip
lines = messages | odd | some(message=messages, type=odd, session=heads, created=odd)


@given(heads, st.lists(lines, max_size=6), st.booleans())
def test_small_worlds_keep_the_rules(head: Any, values: list[Any], snapshot: bool) -> None:
    """Messages with few IDs, so that they meet: repeated, hidden, before what they refer to."""
    GOOSE.check(as_units(head, values, snapshot=snapshot), snapshot=snapshot)
