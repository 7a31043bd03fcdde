"""Task folders: where they lie, to which session each belongs, which transcripts it has."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import cast

import pytest

from git_asr.entire.contents import Checkpoint, SessionFolder
from git_asr.entire.files import SmallFiles
from git_asr.entire.tasks import MAX_FACTS, Task, tasks
from git_asr.errors import Diagnostic, Report
from git_asr.git.base import Objects

A, B = "aaaaaaaa-0000-0000-0000-000000000000", "bbbbbbbb-0000-0000-0000-000000000000"
OBJECTS: dict[str, bytes] = {}


class Held:
    """The blobs of these tests."""

    def sizes(self, oids: Iterable[str]) -> dict[str, int | None]:
        return {oid: len(OBJECTS[oid]) for oid in oids}

    def blob(self, oid: str) -> bytes:
        return OBJECTS[oid]


def small(report: Report) -> SmallFiles:
    return SmallFiles(cast("Objects", Held()), {}, report)


def blob(data: bytes) -> str:
    name = f"blob {len(OBJECTS)}"
    OBJECTS[name] = data
    return name


def folder(name: str, session: str | None, files: Mapping[str, bytes] = {}) -> SessionFolder:
    return SessionFolder(
        checkpoint="cp",
        folder=name,
        metadata={},
        session_id=session,
        created_at=None,
        created=None,
        agent=None,
        model=None,
        start=None,
        transcript=(),
        transcript_name=None,
        missing_parts=0,
        compact=None,
        prompt=None,
        content_hash=None,
        files={path: blob(data) for path, data in files.items()},
    )


def found(
    sessions: list[SessionFolder], files: Mapping[str, bytes] = {}
) -> tuple[list[Task], list[Diagnostic]]:
    said: list[Diagnostic] = []
    outside = {path: blob(data) for path, data in files.items()}
    checkpoint = Checkpoint("cp", "ref", ("tree",), {}, tuple(sessions), outside, ())
    return list(tasks(checkpoint, small(said.append))), said


def facts(**fields: str) -> bytes:
    return json.dumps(fields).encode()


def test_both_places_and_what_a_task_says() -> None:
    inside = {
        "tasks/toolu_2/task.json": facts(tool_use_id="toolu_2", transcript_unavailable_reason="not_found"),
        "tasks/toolu_2/assets/img.png": b"x",
        "tasks/loose.txt": b"no task",
        "other/tasks/toolu_9/task.json": b"{}",
    }
    outside = {"tasks/toolu_1/checkpoint.json": facts(session_id=A, agent_id="a1"), "tasks/x": b""}
    (second, first), said = found([folder("0", A, inside)], outside)
    assert not said
    assert (first.path, first.folder and first.folder.folder, first.call) == ("tasks/toolu_1", "0", "toolu_1")
    assert first.said == {"checkpoint.json": {"session_id": A, "agent_id": "a1"}}
    assert (first.told, first.parts) == ({"tasks/toolu_1/checkpoint.json"}, set())
    assert (second.path, second.call, second.transcripts) == ("0/tasks/toolu_2", "toolu_2", ())
    assert second.said["task.json"]["transcript_unavailable_reason"] == "not_found"


@pytest.mark.parametrize(
    ("named", "lies_in", "owner"),
    [
        (B, "0", "1"),
        (A, "0", "0"),
        (f"2026-01-09-{B}", "0", "1"),
        (B, None, "1"),
        ("cccccccc", "0", "0"),
        (None, "1", "1"),
        ("cccccccc", None, None),
        (None, None, None),
    ],
)
def test_the_session_of_a_task(named: str | None, lies_in: str | None, owner: str | None) -> None:
    data = facts() if named is None else facts(session_id=named)
    own = {"tasks/toolu_1/checkpoint.json": data}
    sessions = [folder(name, key, own if name == lies_in else {}) for name, key in (("0", A), ("1", B))]
    some, said = found(sessions, {} if lies_in else own)
    assert [one.folder and one.folder.folder for one in some] == [owner]
    assert [one.code for one in said] == (["task-without-session"] if owner is None else [])


def test_one_session_in_several_folders_is_the_only_one() -> None:
    own = {"tasks/t/task.json": facts(a="b")}
    sessions = [folder("0", f"2026-01-09-{A}"), folder("1", A)]
    ((one,), _) = found(sessions, own)
    assert one.folder is not None
    assert one.folder.folder == "1"
    ((one,), _) = found([folder("0", None)], own)
    assert one.folder is not None
    assert one.folder.folder == "0"
    same = [folder("0", A, {"tasks/t/checkpoint.json": facts(session_id=A)}), folder("1", A)]
    ((one,), _) = found(same)
    assert one.folder is not None
    assert one.folder.folder == "0"


def test_transcripts_of_a_task() -> None:
    files = {
        "tasks/toolu_1/agent-a1.jsonl.010": b"3",
        "tasks/toolu_1/agent-a1.jsonl": b"1",
        "tasks/toolu_1/agent-a1.jsonl.2": b"2",
        "tasks/toolu_1/agent-b/../x.jsonl": b"deeper",
        "tasks/toolu_1/agent-a.embedded.jsonl": b"by the call",
        "tasks/toolu_1/agent-.jsonl": b"no agent",
        "tasks/toolu_1/agent-x.jsonl.bak": b"none",
        "tasks/REDACTED/agent-REDACTED.jsonl": b"nothing names it",
    }
    (masked, one), said = found([folder("0", A)], files)
    assert not said
    assert [(each.agent, each.path) for each in one.transcripts] == [
        ("toolu_1", "tasks/toolu_1/agent-a.embedded.jsonl"),
        ("a1", "tasks/toolu_1/agent-a1.jsonl"),
    ]
    assert [OBJECTS[oid] for oid in one.transcripts[1].parts.values()] == [b"1", b"2", b"3"]
    assert one.told | one.parts == {
        "tasks/toolu_1/agent-a.embedded.jsonl",
        *(f"tasks/toolu_1/agent-a1.jsonl{end}" for end in ("", ".2", ".010")),
    }
    assert (masked.call, masked.transcripts) == (None, ())


def test_damage_is_told_and_the_rest_is_read() -> None:
    large = b'{"a":"' + b"x" * MAX_FACTS + b'"}'
    inside = {
        "tasks/t/checkpoint.json": b"{",
        "tasks/t/task.json": large,
        "tasks/t/agent-a.jsonl": b"1",
    }
    ((one,), said) = found([folder("0", A, inside)])
    assert [each.code for each in said] == ["damaged-metadata"]
    assert [each.where for each in said] == ["checkpoint cp, 0/tasks/t/checkpoint.json"]
    assert one.said == {}
    assert one.told | one.parts == {"0/tasks/t/agent-a.jsonl"}
