"""What single messages become; the fixtures show the usual ones, this the corners."""

from __future__ import annotations

import pytest

from git_asr.asr.context import view
from git_asr.converters.base import Facts, Sample, TellsLineage, Unit
from git_asr.converters.building import MAX_BLOCKS
from git_asr.converters.registry import by_name, converter_for
from git_asr.converters.session import MAX_TOMBSTONES
from git_asr.converters.units import read_lines
from tests.converters.amp.conversion import AMP, HEAD, SESSION, VENDOR, agent, call, result, text, user
from tests.converters.rules import check_stream
from tests.support.converted import figures, kinds
from tests.support.losslessness import written
from tests.support.sessions import as_units, damaged, size


@pytest.mark.parametrize("case", AMP.cases())
def test_every_rule_holds(case: str) -> None:
    found, snapshot = AMP.fixture(case)
    AMP.check(found, snapshot=snapshot)


@pytest.mark.parametrize("name", ["amp-json", "amp-jsonl"])
def test_every_format_has_its_losses(name: str) -> None:
    native = by_name(name)
    assert native is not None
    features = {one["feature"] for one in converter_for(native).lossy}
    assert {"device_identifiers", "rewinds", "repeated_values"} <= features
    assert ("cut_last_line" in features) is (native.array is None)


def test_facts_of_a_thread_and_of_its_messages() -> None:
    document, lines = by_name("amp-json"), by_name("amp-jsonl")
    assert document is not None
    assert lines is not None
    assert document.facts(HEAD) == Facts(session=SESSION, ts="2026-05-04T09:00:00.000Z")
    said = user(3, agentMode="smart", threadID=SESSION)
    assert document.facts(said) == lines.facts(said) == Facts(session=SESSION, id="3", type="user")


def test_a_thread_without_a_mode_is_known_by_its_id() -> None:
    native = by_name("amp-json")
    assert native is not None
    for more, known in (
        ({"id": SESSION}, True),
        ({"agentMode": "smart"}, True),
        ({"id": "x"}, False),
        ({}, False),
    ):
        assert native.recognises(Sample(({"v": 1, "messages": [], **more},), True, "")) is known
    assert not native.recognises(Sample(({"v": 1, "id": SESSION},), True, ""))


def test_where_a_thread_is_at_work_and_where_it_comes_from() -> None:
    tree = {"uri": "file:///a%20b", "repository": {"ref": "refs/heads/x/y", "sha": "c0ffee"}}
    initial = {"trees": [tree], "platform": {"clientVersion": "0.1", "deviceFingerprint": "d"}}
    links = [
        {"type": "handoff", "role": "child", "threadID": "T-a"},
        {"type": "handoff", "role": "parent", "threadID": "T-b"},
        {"type": "fork", "role": "child", "threadID": "T-c"},
        {"type": "mention", "role": "child", "threadID": "T-d"},
        {"type": "fork", "role": "child", "threadID": "REDACTED"},
        7,
    ]
    head = {**HEAD, "env": {"initial": initial}, "relationships": links, "creatorUserID": "user_1"}
    made = AMP.make(snapshot=True)
    drafts = list(made.convert(iter(as_units(head, [], snapshot=True)), None))
    assert made.format_version == "0.1"
    assert made.workspace == {"cwd": "/a b", "vcs": {"branch": "x/y", "head": "c0ffee"}}
    assert isinstance(made, TellsLineage)
    assert made.lineage == {
        "continues": {
            "session": {"harness": "amp", "id": "T-a"},
            "reason": "handoff",
            "evidence": "native_field",
        },
        "forkedFrom": {"session": {"harness": "amp", "id": "T-c"}, "evidence": "native_field"},
    }
    assert b"user_1" not in repr(drafts).encode()
    assert "fingerprint" not in repr(drafts).lower()
    plain = AMP.make(snapshot=True)
    assert list(plain.convert(iter(as_units(HEAD, [], snapshot=True)), None))
    assert (plain.workspace, plain.format_version, plain.lineage) == (None, None, None)
    other = {**HEAD, "env": {"initial": {"trees": [{"uri": "vscode-remote://x/y"}]}}}
    (context,) = kinds(AMP.document(other), "git-asr/context")
    assert "cwd" not in context


def test_a_person_s_message_is_one_however_many_parts_it_has() -> None:
    mixed = user(0, result("t"), text("one", cache=1), {"type": "x"}, text("two"))
    told, said, other = AMP.document(HEAD, mixed)[-3:]
    assert [one["type"] for one in (told, said, other)] == ["tool_result", "message", f"{VENDOR}/x"]
    assert [one["text"] for one in said["content"]] == ["one", "two"]
    assert said["_meta"][VENDOR] == {"content": {"1": {"cache": 1}}}
    assert figures(AMP.document(HEAD, mixed, user(1), user(2, result("u"))))["counts"]["prompts"] == 1


@pytest.mark.parametrize(
    ("run", "status", "shown"),
    [
        ({"status": "done", "result": "a"}, "ok", ["a"]),
        ({"status": "done", "result": ""}, "ok", []),
        ({"status": "error", "error": "e"}, "error", ["e"]),
        ({"status": "error", "error": {"message": "m", "errorCode": 3}}, "error", ["m"]),
        ({"status": "error", "error": {"errorCode": 3}}, "error", []),
        ({"status": "rejected-by-user", "reason": "r"}, "rejected", ["r"]),
        ({"status": "cancelled", "reason": ""}, "cancelled", []),
        ({"status": "new", "result": "a"}, "unknown", ["a"]),
        ({"result": {"output": "o", "exitCode": 1}}, "unknown", ["o"]),
    ],
)
def test_results(run: dict[str, object], status: str, shown: list[str]) -> None:
    block = {"type": "tool_result", "toolUseID": "t", "run": run}
    (told,) = kinds(AMP.document(HEAD, user(0, block)), "tool_result")
    assert (told["status"], [one["text"] for one in told["content"]]) == (status, shown)
    assert AMP.losses(user(0, block), head=HEAD) == []


def test_a_run_that_did_not_end_is_no_result() -> None:
    records = AMP.document(HEAD, user(0, result("t", "in-progress"), result("u", "blocked-on-user")))
    assert kinds(records, "tool_result") == []
    assert len(kinds(records, f"{VENDOR}/run")) == 2
    refused = {**result("t", "blocked-on-user"), "userInput": {"accepted": False}}
    (told,) = kinds(AMP.document(HEAD, user(0, refused)), "tool_result")
    assert told["status"] == "rejected"


def test_what_a_tool_returned_is_shown_as_text_where_it_has_one() -> None:
    listed = [text("a"), {"type": "image", "data": "QUI=", "mimeType": "image/png"}]
    shown = {
        "list": (listed, ["text", "image"]),
        "odd list": ([text("a", x=1)], ["json"]),
        "empty list": ([], []),
        "number": (7, ["json"]),
        "image": ({"isImage": True, "content": "QUI="}, ["file"]),
        "no image": ({"isImage": True, "content": "not base64"}, ["text"]),
        "object": ({"x": 1}, ["json"]),
    }
    for name, (returned, types) in shown.items():
        (told,) = kinds(AMP.document(HEAD, user(0, result("t", result=returned))), "tool_result")
        assert [one["type"] for one in told["content"]] == types, name


def test_images_keep_what_their_bytes_do_not_say() -> None:
    source = {"type": "base64", "mediaType": 7, "data": "QUI=", "x": 1}
    (said,) = kinds(
        AMP.document(HEAD, user(0, {"type": "image", "source": source, "sourcePath": "p"})), "message"
    )
    assert said["content"][0]["mediaType"] == "application/octet-stream"
    assert said["_meta"][VENDOR]["content"] == {"0": {"sourcePath": "p", "source": {"mediaType": 7, "x": 1}}}


def test_one_model_call_for_each_message_with_usage_or_a_reason_to_stop() -> None:
    usage = {"model": "m", "inputTokens": 1, "outputTokens": 2, "totalInputTokens": 1}
    records = AMP.document(
        HEAD,
        agent(0, text("a"), call("t"), usage=usage, state={"type": "complete", "stopReason": "tool_use"}),
        agent(1, text("b"), state={"type": "complete", "stopReason": "end_turn"}),
        agent(2, text("c"), state={"type": "cancelled"}),
    )
    first, second = kinds(records, "inference")
    assert (first["model"], first["stopReason"]) == ("m", "tool_use")
    assert first["usage"] == {"input": {"uncached": 1, "includesCache": False}, "output": {"total": 2}}
    assert "usage" not in second
    assert [one.get("inferenceId") for one in kinds(records, "message")] == ["~1.83", "~2.83", None]
    assert [one["state"] for one in kinds(records, "state")] == ["interrupted"]


def test_counters_that_are_all_zero_were_not_counted() -> None:
    zeros = {
        "inputTokens": 0,
        "outputTokens": 0,
        "cacheReadInputTokens": 0,
        "timestamp": "0001-01-01T00:00:00Z",
    }
    (told,) = kinds(
        AMP.lines(agent(0, text("a"), usage=zeros, timestamp="0001-01-01T00:00:00Z")), "inference"
    )
    assert "usage" not in told
    assert "ts" not in told
    assert told["_meta"][VENDOR]["usage"] == zeros
    (told,) = kinds(AMP.document(HEAD, agent(0, usage={"inputTokens": 0, "outputTokens": 1})), "inference")
    assert told["usage"] == {"input": {"uncached": 0, "includesCache": False}, "output": {"total": 1}}
    assert told["id"] == "0"
    none = kinds(AMP.document(HEAD, agent(0, usage={"cacheReadInputTokens": 4})), "inference")[0]
    assert none["usage"] == {"cacheRead": 4}
    for value in (7, 0, False):
        odd = kinds(AMP.document(HEAD, agent(0, usage=value, state={"stopReason": "x"})), "inference")[0]
        assert odd["_meta"][VENDOR]["usage"] is value


def test_plans_and_subagents() -> None:
    plan = call("p", "todo_write", todos=[{"content": "a", "status": "done"}, {"content": "b"}, {"x": 1}])
    records = AMP.document(
        HEAD,
        agent(0, plan, call("q", "todo_write", todos=7), call("s", "Task", prompt="go")),
        user(1, result("s", "error", error="lost")),
    )
    (told,) = kinds(records, "plan")
    assert told["items"] == [{"text": "a", "status": "done"}, {"text": "b"}]
    assert [(one["state"], one.get("status")) for one in kinds(records, "subagent")] == [
        ("started", None),
        ("ended", "error"),
    ]


def test_a_summary_replaces_all_before() -> None:
    summary = {"type": "summary", "summary": {"type": "message", "summary": "sum", "by": "x"}, "at": 1}
    info = {"role": "info", "messageId": 2, "content": [summary, summary]}
    records = AMP.document(HEAD, user(0, text("one")), agent(1, text("two")), info, user(3, text("three")))
    (compaction,) = kinds(records, "compaction")
    assert (compaction["summary"], compaction["replaces"]) == ("2", {"through": "1"})
    found = view(records)
    assert found is not None
    said = [one["content"][0]["text"] for one in found.records if one["type"] == "message"]
    assert said == ["sum", "sum", "three"]
    assert kinds(records, "message")[2]["_meta"][VENDOR] == {"summary": {"by": "x"}, "at": 1}
    (first,) = kinds(AMP.document({}, info), "compaction")
    assert first["replaces"] == {"unknown": True}
    again = AMP.lines(user(0, text("one")), info, user(3, text("two")), info)
    assert len(kinds(again, "compaction")) == 1
    assert kinds(again, "tombstone") == []


def test_what_the_program_says() -> None:
    run = {"status": "done", "result": {"exitCode": 1}}
    content = [
        {"type": "manual_bash_invocation", "args": {"cmd": "make"}, "toolRun": run},
        {"type": "manual_bash_invocation", "args": {"cmd": "ls", "cwd": "/"}},
        {"type": "text", "text": "low"},
    ]
    records = AMP.document(HEAD, {"role": "info", "messageId": 0, "content": content})
    assert [one["kind"] for one in kinds(records, "git-asr/command")] == ["shell", "shell-output", "shell"]
    assert kinds(records, "git-asr/command")[1]["_meta"][VENDOR] == run
    assert kinds(records, "git-asr/notice")[0]["text"] == "low"


def test_how_messages_end() -> None:
    records = AMP.document(
        HEAD,
        agent(0, state={"type": "error", "error": {"message": "m", "type": "t"}}),
        agent(1, state={"type": "error", "error": "e"}),
        agent(2, state={"type": "error"}),
        agent(3, state="odd"),
        agent(4, text("")),
        user(5, text("x"), interrupted=True),
    )
    assert [one["text"] for one in kinds(records, "git-asr/notice")] == ["m", "e"]
    assert [one["author"] for one in kinds(records, "message")] == ["agent", "agent", "agent", "human"]
    assert kinds(records, "state")[0]["state"] == "interrupted"


def test_a_message_that_comes_again() -> None:
    first = agent(1, *(call(f"t{n}") for n in range(MAX_TOMBSTONES + 2)), usage={"outputTokens": 1})
    grown = {**first, "usage": {"outputTokens": 5}}
    records = AMP.lines(user(0, text("go")), first, user(0, text("go")), grown)
    one, two = kinds(records, "inference")
    assert two["supersedes"] == one["id"]
    assert two["inferenceId"] == one["inferenceId"]
    assert figures(records)["counts"]["inferences"] == 1
    assert figures(records)["usage"] == {"output": {"total": 5}}
    assert len(kinds(records, "message")) == 1
    less = AMP.lines(first, agent(1, text("x")))
    assert len(kinds(less, "tombstone")) == MAX_TOMBSTONES
    (more,) = kinds(less, f"{VENDOR}/tombstones")
    assert len(more["value"]["targets"]) == 3
    check_stream(written(less).records)


def test_what_exceeds_the_range_stays_in_one_record() -> None:
    many = agent(0, *(text(str(n)) for n in range(MAX_BLOCKS + 2)), usage={"outputTokens": 1})
    records = AMP.document(HEAD, many)
    (more,) = kinds(records, f"{VENDOR}/more")
    assert [one["text"] for one in more["value"]] == [str(MAX_BLOCKS), str(MAX_BLOCKS + 1)]
    check_stream(written(records).records)
    assert AMP.losses(many, head=HEAD) == []
    full = user(0, *(result(f"t{n}") for n in range(MAX_BLOCKS)), fileMentions={"files": [{"uri": "u"}]})
    assert AMP.losses(full, head=HEAD) == []
    glued = [Unit(1, 1, user(0, text("a")), None)]
    assert AMP.of(glued, snapshot=False)[0]["seq"] == 1_500_100


def test_lines_say_again_what_the_adapter_derived() -> None:
    said = user(0, text("go"), meta={"sentAt": 1777885200000}, threadID=SESSION)
    derived = {
        "type": "user",
        "timestamp": "2026-05-04T09:00:00Z",
        "message": {"role": "user", "content": []},
    }
    (one, context) = AMP.lines({**said, **derived})
    assert "_meta" not in one
    assert context["session"] == SESSION
    other = {"type": "x", "timestamp": "2026-05-04T09:00:07Z", "message": {"role": "user", "more": 1}}
    assert AMP.lines({**said, **other})[0]["_meta"][VENDOR] == other
    timeless = {**user(0, text("go")), **derived}
    assert AMP.lines(timeless)[0]["ts"] == "2026-05-04T09:00:00Z"
    switched = AMP.lines(said, {**said, "messageId": 1, "threadID": "T-2"})
    assert [one["session"] for one in kinds(switched, "git-asr/context")] == [SESSION, "T-2"]


def test_one_damaged_line_costs_only_itself() -> None:
    values = [user(n, text(f"{n}")) for n in range(5)]
    for at in range(5):
        records = AMP.of(list(read_lines([damaged(values, at)])), snapshot=False)
        said = [one["content"][0]["text"] for one in kinds(records, "message")]
        assert said == [str(n) for n in range(5) if n != at]
        assert len(kinds(records, "git-asr/notice")) == (at < 4)


def test_a_document_that_cannot_be_read_is_one_record() -> None:
    (notice,) = AMP.of(AMP.units(b"[" * 600), snapshot=True)
    assert notice["type"] == "git-asr/notice"


def test_twice_the_messages_give_twice_the_bytes() -> None:
    def many(count: int) -> int:
        said = [agent(n, text("x"), call(f"t{n}"), usage={"outputTokens": 1}) for n in range(count)]
        return size(AMP.document(HEAD, *said))

    assert many(400) < 2.2 * many(200)
