"""What single events become; the fixtures show the usual ones, this the corners."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from git_asr.asr.context import view
from git_asr.asr.large import describe, line
from git_asr.converters.base import TellsLineage, Unit
from git_asr.converters.building import MAX_BLOCKS
from git_asr.converters.copilot.chunks import MAX_HELD
from git_asr.converters.copilot.converter import CopilotEvents
from git_asr.converters.copilot.state import MAX_STREAMS
from git_asr.converters.copilot.usage import normal
from git_asr.converters.fragments import MAX_RESTATED
from tests.converters import goldens
from tests.converters.copilot.conversion import SESSION, VENDOR, convert, event, lines, losses, streams
from tests.converters.rules import check_stream
from tests.support.converted import figures, kinds
from tests.support.losslessness import written

CASES = [case for case in goldens.cases() if case.startswith("copilot-cli/")]


def user(content: str, **more: Any) -> tuple[str, Any]:
    return "user.message", {"content": content, **more}


def said(content: str, **more: Any) -> tuple[str, Any]:
    return "assistant.message", {"content": content, "messageId": f"m {content}", **more}


def call(identifier: str, **more: Any) -> dict[str, Any]:
    return {"toolCallId": identifier, "name": "bash", "arguments": {"command": "ls"}, **more}


def texts(records: list[dict[str, Any]]) -> list[str]:
    """What stands in the context."""
    found = view(records)
    assert found is not None
    return [one["content"][0]["text"] for one in found.records if one["type"] == "message"]


@pytest.mark.parametrize("case", CASES)
def test_nothing_is_lost_and_every_rule_holds(case: str) -> None:
    found = goldens.units(goldens.chunks(case))[1]
    for records in streams(found).values():
        check_stream(written(records).records)


def test_what_the_session_says_of_itself() -> None:
    converter = CopilotEvents()
    assert (converter.format_version, converter.workspace, converter.lineage) == (None, None, None)
    context = {"cwd": "/w", "branch": "b", "headCommit": "1" * 40}
    start = {"sessionId": SESSION, "copilotVersion": "1.0.64", "context": context}
    start["detachedFromSpawningParentSessionId"] = "parent"
    first = event("session.start", 1, start)
    second = event("session.handoff", 2, {"remoteSessionId": "remote", "summary": "done"})
    third = event("session.handoff", 3, {"remoteSessionId": "another", "summary": "done"})
    found = [Unit(at, 0, one, None) for at, one in enumerate((first, second, third), 1)]
    list(converter.convert(iter(found), None, SESSION))
    assert isinstance(converter, TellsLineage)
    assert converter.format_version == "1.0.64"
    assert converter.workspace == {"cwd": "/w", "vcs": {"branch": "b", "head": "1" * 40}}
    assert converter.lineage == {
        "spawnedBy": {"session": {"harness": "copilot-cli", "id": "parent"}, "evidence": "native_field"},
        "continues": {
            "session": {"harness": "copilot-cli", "id": "remote"},
            "reason": "handoff",
            "evidence": "native_field",
        },
    }


def test_a_start_told_again_is_nothing_new_and_a_place_is_told_when_it_changes() -> None:
    again = ("session.start", {"sessionId": SESSION})
    here = ("session.context_changed", {"cwd": "/w"})
    records = convert(lines(again, here, here, ("session.resume", {"context": {"cwd": "/v", "x": 1}})))
    assert [one.get("cwd") for one in kinds(records, "git-asr/context")] == [None, "/w", "/v"]
    assert kinds(records, f"{VENDOR}/session-start")
    assert losses(lines(again, here, here)) == []


def test_a_model_that_was_selected_before_is_told_once() -> None:
    one = ("session.resume", {"selectedModel": "m"})
    records = convert(lines(one, one, ("session.model_change", {"newModel": "n"})))
    assert [found["mode"] for found in kinds(records, "git-asr/mode")] == ["m", "n"]


def test_an_event_follows_the_one_that_it_names() -> None:
    def after(parent: Any) -> dict[str, Any]:
        found = [event("user.message", 1, {"content": "one"}), event("user.message", 2, {"content": "two"})]
        found.append(event("user.message", 3, {"content": "three"}, parentId=parent))
        return written(streams([Unit(at, 0, one, None) for at, one in enumerate(found, 1)])[SESSION]).records[
            -1
        ]

    assert "predecessors" not in after("e2")
    assert after("e1")["predecessors"] == ["e1"]
    gap = after("gone")
    assert (gap["predecessors"], gap["_meta"][VENDOR]) == (["gone"], {"parentId": "gone"})
    for odd in (None, "", 5):
        assert "predecessors" not in after(odd)
    without = event("user.message", 2, {"content": "x"})
    del without["parentId"]
    assert "predecessors" not in streams([Unit(2, 0, without, None)])[SESSION][0]


def test_no_event_follows_itself() -> None:
    alone = event("user.message", 1, {"content": "x"}, parentId="e1")
    late = [event("assistant.turn_start", 5, parentId="e6"), event("user.message", 6, {"content": "x"})]
    for values in ([alone], late):
        records = streams([Unit(at, 0, one, None) for at, one in enumerate(values, 1)])[SESSION]
        assert all("predecessors" not in one for one in records)
        check_stream(written(records).records)


def test_an_event_that_follows_one_before_everything_is_a_root() -> None:
    found = [
        event("assistant.turn_start", 1, {"turnId": "0"}),
        event("user.message", 2, {"content": "one"}),
        event("user.message", 3, {"content": "two"}, parentId="e1"),
    ]
    records = streams([Unit(at, 0, one, None) for at, one in enumerate(found, 1)])[SESSION]
    assert records[-1]["predecessors"] == []


def test_a_damaged_line_leaves_a_gap() -> None:
    text = lines(user("one"), user("two"), user("three")).split(b"\n")
    text[2] = text[2][:40]
    records = convert(b"\n".join(text))
    assert [one["type"] for one in records[2:]] == ["git-asr/notice", "message"]
    assert records[-1]["predecessors"] == ["e3"]


def test_what_a_rewind_takes_back() -> None:
    told = [user("one"), said("two"), user("three"), said("four")]
    assert texts(convert(lines(*told, ("session.snapshot_rewind", {"upToEventId": "e4"}), user("five")))) == [
        "one",
        "two",
        "five",
    ]
    records = convert(lines(("session.snapshot_rewind", {"upToEventId": "e1"})))
    assert kinds(records, "rewind")[0]["to"] is None


def test_what_a_compaction_replaces() -> None:
    begin, end = ("session.compaction_start", {}), ("session.compaction_complete", {"summaryContent": "sum"})
    assert texts(convert(lines(user("one"), begin, user("two"), end, user("three")))) == [
        "two",
        "sum",
        "three",
    ]
    assert texts(convert(lines(user("one"), end, user("two")))) == ["sum", "two"]
    nothing = [Unit(1, 0, event("session.compaction_complete", 1, {"success": True}), None)]
    nothing.append(Unit(2, 0, event("session.context_cleared", 2), None))
    first, second = kinds(streams(nothing)[SESSION], "compaction")
    assert (first["replaces"], second["replaces"]) == ({"unknown": True}, {"through": "e1"})
    alone = [Unit(1, 0, event("session.context_cleared", 1), None)]
    assert kinds(streams(alone)[SESSION], "compaction")[0]["replaces"] == {"unknown": True}


def test_a_chunk_is_no_call_of_its_own() -> None:
    chunks = [said(str(n), apiCallId="a", chunkIndex=n, chunkCount=3) for n in range(3)]
    chunks[2][1]["outputTokens"] = 9
    first, last = kinds(convert(lines(*chunks)), "inference")
    assert (last["supersedes"], last["usage"]) == (first["id"], {"output": {"total": 9}})
    same = convert(
        lines(said("x", apiCallId="a"), said("y", apiCallId="a"), said("z", apiCallId="a", model="m"))
    )
    assert [one.get("model") for one in kinds(same, "inference")] == [None, "m"]


def test_calls_that_have_no_id_of_their_own_are_told_apart_by_turns() -> None:
    def turn(number: str) -> tuple[str, Any]:
        return "assistant.turn_start", {"turnId": number, "interactionId": "i"}

    told = [turn("0"), said("a"), said("b", outputTokens=1), said("c", outputTokens=2), turn("1"), said("d")]
    records = convert(lines(*told))
    assert figures(records)["counts"]["inferences"] == 3
    assert [one["inferenceId"] for one in kinds(records, "message")] == [
        "~3.281",
        "~3.281",
        "~5.281",
        "~7.281",
    ]
    assert "inferenceId" not in kinds(convert(lines(said("a", outputTokens=1))), "message")[0]
    named = convert(lines(said("a", requestId="r"), said("b", requestId="r", apiCallId="REDACTED")))
    assert [one["inferenceId"] for one in kinds(named, "message")] == ["r", "r"]


def test_tokens_in_normal_form() -> None:
    told = {
        "inputTokens": 10,
        "cacheReadTokens": 4,
        "cacheWriteTokens": 1,
        "outputTokens": 2,
        "reasoningTokens": 1,
    }
    assert normal({**told, "x": 1}, includes=True) == (
        {"input": {"total": 10, "includesCache": True, "uncached": 5}, "cacheRead": 4, "cacheWrite": 1,
         "output": {"total": 2, "reasoning": 1}},
        {"x": 1},
    )  # fmt: skip
    assert normal({"inputTokens": 1, "cacheReadTokens": 4, "cacheWriteTokens": 0}, includes=True)[0][
        "input"
    ] == {
        "total": 1,
        "includesCache": True,
    }
    assert normal({"input": 5, "cachedInput": 4, "output": 1}, includes=None)[0] == {
        "input": {"total": 5, "includesCache": None},
        "cacheRead": 4,
        "output": {"total": 1},
    }
    assert normal(None, includes=True) == ({}, {})


def test_a_process_covers_the_calls_since_it_began() -> None:
    def end(n: int) -> tuple[str, Any]:
        return "session.shutdown", {"modelMetrics": {"m": {"usage": {"outputTokens": n}}}}

    one, two = said("a", apiCallId="a", outputTokens=5), said("b", apiCallId="b", outputTokens=7)
    records = convert(lines(one, end(50), ("session.resume", {}), two, end(70), end(1)))
    assert [found["covers"] for found in kinds(records, "usage_summary")] == [
        {"start": 1, "through": 3, "model": "m"},
        {"start": 4, "through": 6, "model": "m"},
        {"start": 7, "through": 7, "model": "m"},
    ]
    assert figures(records)["usage"] == {"output": {"total": 121}}
    crashed = convert(lines(one, ("session.resume", {}), two, end(70)))
    assert figures(crashed)["usage"] == {"output": {"total": 75}}


def test_the_calls_of_a_model_without_counters_count_themselves() -> None:
    one, two = (
        said("a", apiCallId="a", model="m", outputTokens=5),
        said("b", apiCallId="b", model="n", outputTokens=7),
    )
    told = {"m": {"usage": {"outputTokens": 50}}, "n": {"requests": {"count": 1}}, "": {}}
    text = lines(one, two, ("session.shutdown", {"modelMetrics": told}))
    records = convert(text)
    (summary,) = kinds(records, "usage_summary")
    assert summary["covers"] == {"start": 1, "through": 4, "model": "m", "except": ["n"]}
    assert figures(records)["usage"] == {"output": {"total": 57}}
    assert losses(text) == []


def test_models_that_exceed_the_range_stay_with_the_end() -> None:
    metrics = {f"m{n}": {"usage": {"outputTokens": 1}} for n in range(MAX_BLOCKS + 2)}
    text = lines(("session.shutdown", {"modelMetrics": metrics}))
    records = convert(text)
    assert len(kinds(records, "usage_summary")) == MAX_BLOCKS
    assert len(kinds(records, "state")[0]["_meta"][VENDOR]["modelMetrics"]) == 2
    assert losses(text) == []


def test_what_exceeds_the_range_stays_in_one_record() -> None:
    files = [{"type": "file", "path": str(n)} for n in range(MAX_BLOCKS + 1)]
    text = lines(user("x", attachments=files))
    (more,) = kinds(convert(text), f"{VENDOR}/attachments")
    assert len(more["value"]) == 2
    assert losses(text) == []
    text = lines(said("x", toolRequests=[call(str(n)) for n in range(MAX_BLOCKS)], apiCallId="a"))
    records = convert(text)
    (more,) = kinds(records, f"{VENDOR}/toolRequests")
    assert len(more["value"]) == 2
    assert losses(text) == []


def test_subagents_that_exceed_the_number_stay_where_they_are() -> None:
    values = [event("user.message", n + 1, {"content": "x"}, agentId=f"a{n}") for n in range(MAX_STREAMS + 1)]
    made = streams([Unit(at, 0, one, None) for at, one in enumerate(values, 1)])
    assert len(made) == MAX_STREAMS + 1
    (whole,) = made[SESSION]
    assert (whole["type"], whole["value"]["agentId"]) == (f"{VENDOR}/user-message", f"a{MAX_STREAMS}")


def test_the_model_calls_of_a_subagent_are_those_of_the_session() -> None:
    tokens = {"inputTokens": 5, "outputTokens": 1}
    values = [
        event("assistant.message", 1, {"content": "x", "apiCallId": "i", "outputTokens": 2}, agentId="a"),
        event("session.compaction_complete", 2, {"compactionTokensUsed": tokens}, agentId="a"),
    ]
    made = streams([Unit(at, 0, one, None) for at, one in enumerate(values, 1)])
    assert [one["usage"]["output"]["total"] for one in kinds(made[SESSION], "inference")] == [2, 1]
    assert [one["type"] for one in made[f"{SESSION}.a.embedded"]] == ["message", "compaction"]


def test_a_gap_before_a_subagents_event_is_kept() -> None:
    values = [
        event("user.message", 1, {"content": "x"}),
        event("user.message", 2, {"content": "y"}, agentId="a", parentId="gone"),
        event("user.message", 3, {"content": "z"}),
    ]
    made = streams([Unit(at, 0, one, None) for at, one in enumerate(values, 1)])
    assert [one["type"] for one in made[SESSION]] == ["message", f"{VENDOR}/unit", "message"]
    assert made[SESSION][-1]["predecessors"] == ["gone"]


def test_the_text_around_a_message_is_the_harness() -> None:
    for sent, around, where in (
        ("<a/>hi<b/>", ["<a/>", "<b/>"], "around"),
        ("<a/>hi", ["<a/>"], "before"),
        ("hi<b/>", ["<b/>"], "behind"),
        ("ho", ["ho"], "instead"),
    ):
        text = lines(user("hi", transformedContent=sent))
        typed, added = kinds(convert(text), "message")
        assert [one["text"] for one in added["content"]] == around
        assert added["_meta"][VENDOR] == {"transformedContent": where}
        assert (typed["author"], added["author"]) == ("human", "harness")
        assert losses(text) == []
    assert len(kinds(convert(lines(user("hi", transformedContent="hi"))), "message")) == 1


def test_who_wrote_a_message() -> None:
    for more, author in (
        ({}, "human"),
        ({"source": "user"}, "human"),
        ({"source": "agent-x"}, "agent"),
        ({"source": "skill-x"}, "harness"),
        ({"isAutopilotContinuation": True}, "harness"),
    ):
        assert kinds(convert(lines(user("hi", **more))), "message")[0]["author"] == author


def test_a_thought_is_told_once() -> None:
    thought = ("assistant.reasoning", {"content": "hm"})
    records = convert(lines(thought, said("a", reasoningText="hm"), said("b", reasoningText="hm")))
    assert [one["content"][0]["text"] for one in kinds(records, "reasoning")] == ["hm", "hm"]
    sealed = convert(lines(thought, said("a", reasoningText="hm", reasoningOpaque="x")))[-2]
    assert (sealed["content"], sealed["capture"]) == ([], {"state": "omitted", "reason": "recorded before"})
    for opaque, capture in (
        ("REDACTED", {"state": "masked"}),
        ("x", {"state": "omitted", "reason": "encrypted"}),
    ):
        assert kinds(convert(lines(said("", reasoningOpaque=opaque))), "reasoning")[0]["capture"] == capture
    empty = kinds(convert(lines(("assistant.reasoning", {"content": ""}))), "reasoning")
    assert empty[0]["content"] == []


def test_a_response_of_which_nothing_is_known_is_kept() -> None:
    text = lines(said(""))
    assert kinds(convert(text), f"{VENDOR}/assistant-message")[0]["value"] == {"messageId": "m "}
    assert losses(text) == []


def test_a_call_that_a_response_names_after_it_began_stands_for_its_beginning() -> None:
    begun = ("tool.execution_start", {"toolCallId": "t", "toolName": "bash", "arguments": {"command": "ls"}})
    first, second = kinds(convert(lines(begun, said("", toolRequests=[call("t")]))), "tool_call")
    assert second["supersedes"] == first["id"]
    other = ("tool.execution_start", {"toolCallId": "t", "toolName": "bash", "arguments": {"command": "rm"}})
    records = convert(lines(said("", toolRequests=[call("t")]), other, begun))
    assert [one["value"] for one in kinds(records, f"{VENDOR}/tool-execution_start")] == [
        {"toolName": "bash", "arguments": {"command": "rm"}},
        {"toolName": "bash", "arguments": {"command": "ls"}},
    ]
    masked = [
        event("tool.execution_start", 1, begun[1], id="REDACTED"),
        event("assistant.message", 2, {"content": "", "toolRequests": [call("t")]}),
    ]
    first, second = kinds(
        streams([Unit(at, 0, one, None) for at, one in enumerate(masked, 1)])[SESSION], "tool_call"
    )
    assert (first["id"], second["supersedes"]) == ("~1.0", "~1.0")
    bare = convert(lines(("tool.execution_start", {"toolCallId": "t", "toolName": "bash"})))
    assert "arguments" not in kinds(bare, "tool_call")[0]


def test_how_a_call_ended() -> None:
    def status(*before: tuple[str, Any], **more: Any) -> str:
        records = convert(lines(*before, ("tool.execution_complete", {"toolCallId": "t", **more})))
        return str(kinds(records, "tool_result")[0]["status"])

    assert status(success=True) == "ok"
    assert status() == "unknown"
    assert status(success=False) == "error"
    assert status(success=False, error={"code": "denied"}) == "rejected"
    assert status(success=False, error={"code": "aborted"}) == "cancelled"
    asked = ("permission.requested", {"requestId": "p", "permissionRequest": {"toolCallId": "t"}})
    denied = ("permission.completed", {"requestId": "p", "result": {"kind": "denied-by-rules"}})
    assert status(asked, denied, success=False) == "rejected"
    assert (
        status(asked, ("permission.completed", {"requestId": "p", "result": {"kind": "approved"}}))
        == "unknown"
    )


def test_an_error_that_the_result_tells_too_is_told_once() -> None:
    told = {"toolCallId": "t", "success": False, "result": {"content": "no"}, "error": {"message": "no"}}
    (result,) = kinds(convert(lines(("tool.execution_complete", told))), "tool_result")
    assert result["content"] == [{"type": "text", "text": "no"}]


def test_what_a_tool_returned_beside_its_text() -> None:
    def result(**found: Any) -> dict[str, Any]:
        text = lines(("tool.execution_complete", {"toolCallId": "t", "success": True, "result": found}))
        assert losses(text) == []
        return dict(kinds(written(convert(text)).records, "tool_result")[0])

    same = {"type": "image", "data": "QUI=", "mimeType": "image/png"}
    found = result(content="x", binaryResultsForLlm=[same], contents=[same, {"type": "text", "text": "y"}])
    assert [one["type"] for one in found["content"]] == ["text", "image"]
    assert found["output"] == {"contents": [{"type": "text", "text": "y"}]}
    assert "output" not in result(content="x", detailedContent="x", contents=[{"type": "text", "text": "x"}])
    assert result(binaryResultsForLlm=[7])["content"] == [{"type": "json", "value": 7}]
    assert result(contents=[{"data": "QUI="}])["content"][0]["mediaType"] == "application/octet-stream"


def test_what_a_person_runs_is_no_call_of_the_agent() -> None:
    typed = ("tool.user_requested", {"toolCallId": "u", "toolName": "bash", "arguments": {"command": "ls"}})

    def printed(**result: Any) -> dict[str, Any]:
        records = convert(lines(typed, ("tool.execution_complete", {"toolCallId": "u", "result": result})))
        assert kinds(records, "tool_result") == []
        return kinds(written(records).records, "git-asr/command")[1]

    assert printed(content="a")["text"] == "a"
    picture = {"data": "QUI=", "mimeType": "image/png"}
    both = printed(content="a", binaryResultsForLlm=[picture])
    assert (both["text"], both["content"][0]["type"]) == ("a", "image")
    assert "text" not in printed(binaryResultsForLlm=[picture])
    assert "text" not in printed()
    nameless = convert(lines(("tool.user_requested", {"toolName": "bash", "toolCallId": "REDACTED"})))
    assert kinds(nameless, "git-asr/command")[0]["name"] == "bash"


def test_answers_belong_to_the_call_that_asked() -> None:
    asked = ("user_input.requested", {"requestId": "q", "question": "?", "toolCallId": "t"})
    records = convert(lines(asked, ("user_input.completed", {"requestId": "q", "answer": "a"})))
    assert kinds(records, "input_response")[0]["callId"] == "t"
    other = ("user_input.completed", {"requestId": "q", "toolCallId": "o"})
    (none,) = kinds(convert(lines(asked, other)), "input_response")
    assert (none["callId"], "answers" in none) == ("o", False)


def test_a_malformed_last_line_is_held_back() -> None:
    one = lines(user("a"))
    assert len(convert(one + b'{"type":')) == len(convert(one))


def test_ids_and_times_that_are_none_are_kept() -> None:
    odd = event("user.message", 1, {"content": "x"}, id=5, timestamp="soon", agentId=0)
    (record,) = streams([Unit(1, 0, odd, None)])[SESSION]
    assert record["_meta"][VENDOR] == {"id": 5, "timestamp": "soon", "agentId": 0}
    assert record["id"] == "~1.0"


def test_attachments_of_any_shape() -> None:
    text = lines(user("x", attachments=[7, {"type": "file"}, {"type": "selection", "text": "y"}]))
    records = convert(text)
    assert kinds(records, f"{VENDOR}/attachment")[0]["value"] == 7
    assert [one.get("name") for one in kinds(records, "git-asr/attachment")] == [None, None]
    assert losses(text) == []


def test_a_hook_that_failed_says_why() -> None:
    told = {"hookType": "x", "success": False, "error": {"message": "no"}}
    (hook,) = kinds(convert(lines(("hook.end", told))), "git-asr/hook")
    assert (hook["outcome"], hook["text"], "_meta" in hook) == ("failed", "no", False)


def test_a_subagent_that_starts_another() -> None:
    asked = event("assistant.message", 1, {"content": "", "toolRequests": [7, call("b")]}, agentId="a")
    begun = event("subagent.started", 2, {"toolCallId": "b", "agentName": "x"}, agentId="b")
    done = event("subagent.completed", 3, {"toolCallId": "b", "agentName": "x"}, agentId="b")
    made = streams([Unit(at, 0, one, None) for at, one in enumerate((asked, begun, done), 1)])
    assert [*made] == [SESSION, f"{SESSION}.a.embedded"]
    assert [one["state"] for one in kinds(made[f"{SESSION}.a.embedded"], "subagent")] == ["started", "ended"]


def test_a_second_value_on_a_line() -> None:
    one = lines(said("a", apiCallId="a", toolRequests=[call("t")])).rstrip()
    glued = orjson.dumps(event("assistant.message", 3, {"content": "b", "apiCallId": "b"}))
    text = one + glued + b"\n"
    records = convert(text)
    assert [one["seq"] % 1_000_000 for one in kinds(records, "message")] == [200, 500_200]
    check_stream(written(records).records)


def test_numbers_that_are_none_keep_the_event_whole() -> None:
    unit = Unit(
        1, 0, event("user.message", 1, {"content": "x", "n": float("nan")}), None, "value", ("non-finite",)
    )
    (record,) = streams([unit])[SESSION]
    assert (record["id"], record["type"]) == ("e1", f"{VENDOR}/user-message")
    assert "NaN" in record["native"]["value"]


def chunk(content: str, index: int, count: int = 4, **more: Any) -> tuple[str, Any]:
    return said(content, apiCallId="a", messageId=f"m{index}", chunkIndex=index, chunkCount=count, **more)


TOOL = ("tool.execution_start", {"toolCallId": "c", "toolName": "bash", "arguments": {"command": "ls"}})
DONE = ("tool.execution_complete", {"toolCallId": "c", "success": True, "result": {"content": "x"}})


def test_chunks_are_one_message_where_the_last_stands() -> None:
    """Profile section 3: increments are folded; what runs beside them is told where it stands."""
    told = [
        chunk("Three", 0),
        chunk("", 1, toolRequests=[call("c")]),
        TOOL,
        chunk(" beds", 2),
        chunk("", 3),
        DONE,
    ]
    records = convert(lines(*told))
    (message,) = kinds(records, "message")
    assert (message["seq"], message["id"], message["messageId"]) == (6_000_200, "e6", "m0")
    assert message["content"] == [{"type": "text", "text": "Three beds"}]
    assert message["assembly"] == {"state": "final", "fragments": 3}
    assert message["_meta"][VENDOR] == {
        "event": {"id": "e2", "timestamp": "2026-05-04T09:00:02.000Z"},
        "chunkIndex": 0,
        "chunkCount": 4,
        "chunks": [
            {
                "event": {"id": "e5", "timestamp": "2026-05-04T09:00:05.000Z"},
                "messageId": "m2",
                "chunkIndex": 2,
            },
            {"messageId": "m3", "chunkIndex": 3},
        ],
    }
    assert [one["id"] for one in records[1:]] == ["~2.281", "e3", "e4", "e6", "e7"]
    assert losses(lines(*told)) == []


def test_a_message_that_is_open_at_the_end_is_partial() -> None:
    def at_end(*told: tuple[str, Any]) -> dict[str, Any]:
        (message,) = kinds(convert(lines(*told)), "message")
        return message

    first = at_end(chunk("One", 0, reasoningText="why"))
    assert (first["seq"], first["assembly"]) == (2_000_200, {"state": "partial", "fragments": 1})
    for beside in (TOOL, ("hook.start", {"hookType": "x"}), chunk("", 1), ("x.y", {})):
        assert at_end(chunk("One", 0, reasoningText="why"), beside) == first
    longer = at_end(chunk("One", 0, reasoningText="why"), TOOL, chunk(" two", 1))
    assert (longer["seq"], longer["assembly"]) == (4_000_200, {"state": "partial", "fragments": 2})
    assert longer["_meta"][VENDOR] == {"messageId": "m1", "chunkIndex": 1, "chunkCount": 4}


def test_a_chunk_that_comes_after_something_else_replaces_the_message() -> None:
    """The new record has all of it, and stands, for the context, where the old one stood."""
    for between in (user("no"), DONE, ("session.info", {"message": "x"}), said("Else", apiCallId="b")):
        told = [chunk("Three", 0), between, chunk(" beds", 1), chunk(".", 3)]
        records = convert(lines(*told))
        first, *_, last = kinds(records, "message")
        assert (first["id"], first["assembly"]["state"]) == ("e2", "partial")
        assert (last["id"], last["supersedes"]) == ("e5", "e2")
        assert last["content"] == [{"type": "text", "text": "Three beds."}]
        assert last["assembly"] == {"state": "final", "fragments": 3}
        assert texts(records)[0] == "Three beds."
        assert losses(lines(*told)) == []


def test_chunks_of_a_subagent_and_beside_it() -> None:
    """The events of the others are none of a stream's, so they part no message."""
    other = {**event("assistant.message", 3, chunk("x", 0)[1]), "agentId": "c"}
    told = [
        event(kind, at, data)
        for at, (kind, data) in ((1, user("go")), (2, chunk("a", 0)), (4, chunk("b", 3)))
    ]
    more = [{**event("assistant.message", 5, chunk("y", 3)[1]), "agentId": "c"}]
    found = [Unit(at, 0, one, None) for at, one in enumerate([*told[:2], other, told[2], *more], 1)]
    made = streams(found)
    for records, said_there in zip(made.values(), ("ab", "xy"), strict=True):
        message = kinds(records, "message")[-1]
        assert "supersedes" not in message
        assert message["content"][0]["text"] == said_there
        check_stream(written(records).records)


def test_what_is_taken_back_or_branches_amid_chunks() -> None:
    """References to a message that moved go to what stands before it."""
    told = [user("one"), chunk("Two", 0), TOOL, chunk(" three", 1), user("four")]
    for target, kept in (("e3", ["one"]), ("e4", ["one"]), ("e5", ["one"])):
        back = lines(*told, ("session.snapshot_rewind", {"upToEventId": target}))
        assert texts(convert(back))[:1] == kept
        check_stream(written(convert(back)).records)
    plain = [event("user.message", 1, {"content": "one"}), event("assistant.message", 2, chunk("Two", 0)[1])]
    aside = event("assistant.message", 3, chunk(" three", 1)[1], parentId="e1")
    first, last = kinds(streams([Unit(n, 0, one, None) for n, one in enumerate([*plain, aside], 1)])[SESSION],
                        "message")[1:]  # fmt: skip
    assert (last["supersedes"], last["predecessors"]) == (first["id"], ["e1"])
    late = event("assistant.message", 2, chunk("Two", 0)[1], parentId="gone")
    found = [Unit(n, 0, one, None) for n, one in enumerate([plain[0], late, event(*TOOL[:1], 3, TOOL[1])], 1)]
    assert kinds(streams(found)[SESSION], "message")[1]["predecessors"] == ["gone"]


def test_how_chunks_had_to_be_read_and_what_is_masked_is_said() -> None:
    text = lines(chunk("[REDACTED_TOKEN]", 0), chunk("\x7f", 1), chunk(".", 3)).replace(b"\x7f", b"\xff")
    (message,) = kinds(convert(text), "message")
    assert message["_meta"]["git-asr/encoding"] == ["invalid-utf-8"]
    assert (message["capture"], message["content"][0]["text"]) == (
        {"state": "masked"},
        "[REDACTED_TOKEN]\udcff.",
    )


def test_a_message_is_not_held_without_end() -> None:
    hooks = [("hook.start", {"hookType": "x"})] * MAX_HELD
    first, last = kinds(convert(lines(chunk("a", 0), *hooks, chunk("b", 1))), "message")
    assert (first["assembly"]["state"], last["supersedes"]) == ("partial", first["id"])


def test_chunks_that_are_restated_too_often_or_begin_anew_are_messages_of_their_own() -> None:
    told = [one for n in range(MAX_RESTATED + 2) for one in (chunk("x", n, 99), DONE)]
    made = kinds(convert(lines(*told)), "message")
    assert [n for n, one in enumerate(made) if "supersedes" not in one] == [0, MAX_RESTATED + 1]
    assert made[-1]["content"][0]["text"] == "x"
    assert kinds(convert(lines(*told, chunk("", 98, 99))), "message")[-1]["content"][0]["text"] == "x"
    again = [chunk(one, 0, 2) for one in "xy"]
    assert texts(convert(lines(*again))) == ["x", "y"]


@pytest.mark.no_cover  # it takes long, measured twice as long
@pytest.mark.parametrize(
    "make",
    [
        lambda n: [user(f"x{n}", transformedContent=f"<a/>x{n}<b/>")],
        lambda n: [said("x", apiCallId="a", chunkIndex=n, chunkCount=10_000)],
        lambda n: [said("x" * 200, apiCallId="a", chunkIndex=n, chunkCount=10_000)],
        lambda n: [chunk("x" * 50, n, 10_000), DONE],
        lambda n: [chunk("x", n, 10_000), TOOL],
        lambda n: [said("x", toolRequests=[call(f"{n} {m}") for m in range(20)])],
        lambda n: [("session.shutdown", {"modelMetrics": {"m": {"usage": {"outputTokens": n}}}})],
        lambda n: [("session.snapshot_rewind", {"upToEventId": f"e{n}"}), user("x")],
        lambda n: [("session.compaction_complete", {"summaryContent": "s"}), user("x")],
    ],
)
def test_records_do_not_grow_with_the_square_of_the_lines(make: Any) -> None:
    def size(count: int) -> int:
        text = lines(*(one for n in range(count) for one in make(n)))
        return sum(len(line(record, describe)) for record in convert(text))

    assert size(1_000) < 2.2 * size(500)
