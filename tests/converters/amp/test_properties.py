"""What holds for every thread: nothing is lost, the first units give the first records, nothing raises."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.converters.amp.conversion import AMP, HEAD, SESSION
from tests.support.mutations import odd, replaced, some, varied
from tests.support.sessions import as_units, ids, stamps

VALUES = AMP.values()


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
    AMP.check(as_units(head, values, snapshot=snapshot), snapshot=snapshot)


texts = st.sampled_from(["go", "", "REDACTED"])
media = st.sampled_from(["image/png", "application/pdf"]) | odd
data = st.sampled_from(["QUI=", "REDACTED", "entire-asset:assets/img-00.png", "x"]) | odd
images = some(
    type=st.just("image"), source=odd | some(type=st.just("base64"), mediaType=media, data=data, x=odd),
    data=data, mimeType=media, x=odd,
)  # fmt: skip
returned = odd | texts | st.lists(some(type=st.just("text"), text=texts, x=odd) | images | odd, max_size=2) | some(
    output=texts, content=data, diff=texts, isImage=odd, imageInfo=odd | some(mimeType=media), exitCode=odd
)  # fmt: skip
statuses = st.sampled_from(
    ["done", "error", "cancelled", "rejected-by-user", "in-progress", "blocked-on-user"]
)
runs = odd | some(
    status=statuses | odd, result=returned, error=odd | texts | some(message=texts | odd, errorCode=odd),
    progress=odd, trackFiles=odd, reason=texts | odd,
)  # fmt: skip
blocks = odd | images | some(
    type=st.sampled_from(["text", "thinking", "redacted_thinking", "tool_use", "server_tool_use", "tool_result",
                          "tool_search_tool_result", "summary", "manual_bash_invocation", "x"]),
    text=texts | odd, thinking=texts | odd, signature=odd, provider=odd, data=odd, id=ids,
    name=st.sampled_from(["Bash", "todo_write", "Task"]) | odd, complete=odd, startTime=stamps, finalTime=stamps,
    input=odd | some(todos=odd | st.just([{"content": "c", "status": "todo"}, {"content": "d"}, 7])),
    toolUseID=ids, tool_use_id=ids, run=runs, userInput=odd | some(accepted=odd | st.just(False)), content=odd,
    summary=odd | some(type=st.just("message"), summary=texts), args=odd | some(cmd=texts, cwd=odd),
    toolRun=odd | some(status=statuses, result=odd | some(output=texts | odd, exitCode=odd)), x=odd,
)  # fmt: skip
usages = odd | some(
    model=odd, inputTokens=odd, outputTokens=odd, cacheReadInputTokens=odd, cacheCreationInputTokens=odd,
    totalInputTokens=odd, timestamp=stamps, x=odd,
)  # fmt: skip
messages = odd | some(
    role=st.sampled_from(["user", "assistant", "assistant", "info", "owl"]), messageId=ids | odd,
    content=odd | st.lists(blocks, max_size=4), meta=odd | some(sentAt=stamps, x=odd), usage=usages,
    state=odd | some(type=st.sampled_from(["complete", "cancelled", "error", "x"]), stopReason=texts | odd,
                     error=odd | texts | some(message=texts, x=odd)),
    fileMentions=odd | some(files=odd | st.lists(odd | some(uri=texts, path=texts, content=data, isImage=odd,
                                                            imageInfo=odd | some(mimeType=media)), max_size=2), x=odd),
    interrupted=odd, agentMode=texts | odd, threadID=ids | st.just(SESSION), type=texts | st.just("user"),
    timestamp=stamps, message=odd | some(role=st.sampled_from(["user", "x"]), id=ids, content=odd), x=odd,
)  # fmt: skip
heads = odd | some(
    v=odd, id=ids, title=texts | odd, agentMode=texts | odd, created=stamps, creatorUserID=odd, x=odd,
    env=odd | some(initial=odd | some(
        trees=odd | st.lists(
            odd | some(uri=st.just("file:///a%20b") | odd, repository=odd | some(ref=texts, sha=texts)), max_size=2),
        platform=odd | some(clientVersion=odd, installationID=odd, os=odd))),
    relationships=odd | st.lists(odd | some(type=st.sampled_from(["handoff", "fork", "mention"]), threadID=ids,
                                            role=st.sampled_from(["child", "parent"])), max_size=3),
)  # fmt: skip


@given(heads, st.lists(messages, max_size=6), st.booleans())
def test_small_worlds_keep_the_rules(head: Any, values: list[Any], snapshot: bool) -> None:
    """Messages with few IDs, so that they meet: repeated, before what they refer to, of the wrong role."""
    AMP.check(as_units(head, values, snapshot=snapshot), snapshot=snapshot)
