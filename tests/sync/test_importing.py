"""Sessions of which a file of events tells, in the companion ref."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from git_asr.companion.names import SESSIONS
from git_asr.converters.events.reading import read
from git_asr.errors import Diagnostic
from git_asr.git.repository import open_repository
from git_asr.sync.flow import Options, sync
from git_asr.sync.importing import Import
from git_asr.sync.outcome import Outcome
from git_asr.sync.taking import Offer
from tests.converters.events.conversion import lines
from tests.support.companion import StoredStream, bundles, check, replace, tip, tree_files
from tests.support.entire_repo import EntireRepo, Stored, claude
from tests.support.repo_builder import git
from tests.sync.syncing import run, run_codes
from tests.sync.test_taking import as_bundle, exported
from tests.sync.test_taking import made as made_with

SESSION = "11111111-2222-3333-4444-555555555555"
OTHER = "66666666-7777-8888-9999-000000000000"
CP = "0a1b2c3d4e50"
AT = "2026-05-04T09:00:{:02}Z"


def event(kind: int, second: int = 0, session: str = SESSION, **more: Any) -> dict[str, Any]:
    return {"type": kind, "session_id": session, "timestamp": AT.format(second), **more}


EVENTS = [event(1), event(2, 1, prompt="Do it", model="m"), event(3, 2, response_message="Done")]


def taken(
    path: Path, *values: Any, agent: str = "entire", **options: Any
) -> tuple[Outcome, list[tuple[str, str, str]]]:
    found: list[Diagnostic] = []
    one = Import("file", agent, tuple(read(lines(*values), None, "file", found.append)), found.append)
    outcome = sync(open_repository(path), Options(imports=(one,), **options), found.append)
    return outcome, [(each.code, each.where, each.message) for each in found]


def became(path: Path, *values: Any, **options: Any) -> list[str]:
    return [one.became for one in taken(path, *values, **options)[0].imported]


def streams(path: Path) -> dict[str, StoredStream]:
    return {name: stream for bundle in bundles(path) for name, stream in bundle.streams.items()}


@pytest.fixture
def repo(tmp_path: Path) -> EntireRepo:
    made = EntireRepo(tmp_path / "r")
    made.commit()
    made.build()
    return made


def test_a_session_becomes_a_stream(repo: EntireRepo) -> None:
    outcome, found = taken(repo.path, *EVENTS, agent="claude-code")
    assert found == []
    (one,) = outcome.imported
    assert (one.key.pair, one.stream, one.units, one.became) == (("claude-code", SESSION), SESSION, 3, "new")
    assert (outcome.sessions, outcome.tally.new) == (1, 1)
    (stream,) = streams(repo.path).values()
    header = stream.header
    assert (header["startedAt"], "endedAt" in header) == (AT.format(0), False)
    assert header["capture"] == {"state": "partial", "through": 3}
    assert header["contentLevel"] == "full"
    producer = header["producer"]
    assert (producer["version"], producer["method"]) == ("entire-events/1", "import")
    assert producer["source"] == {"format": "entire-events", "formatVersion": "1"}
    assert [one["type"] for one in stream.records] == [
        *("git-asr/context", "state", "message", "message", "state"),
    ]
    assert (stream.summary["firstPrompt"], stream.summary["models"]) == ("Do it", ["m"])
    assert git(repo.path, "log", "-1", "--format=%ct", SESSIONS) == "1777885202"


def test_the_end_and_the_session_before_stand_in_the_header(repo: EntireRepo) -> None:
    taken(repo.path, event(1, previous_session_id=OTHER), event(5, 9))
    (stream,) = streams(repo.path).values()
    assert stream.header["endedAt"] == AT.format(9)
    assert stream.header["lineage"] == {
        "continues": {
            "session": {"harness": "entire", "id": OTHER},
            "reason": "other",
            "evidence": "native_field",
        }
    }


def test_the_same_again_changes_nothing(repo: EntireRepo) -> None:
    assert became(repo.path, *EVENTS) == ["new"]
    first = tip(repo.path)
    assert became(repo.path, *EVENTS) == ["unchanged"]
    assert became(repo.path, *EVENTS[:2]) == ["unchanged"]
    assert tip(repo.path) == first
    assert run(repo.path)[0].sessions == 1
    assert run(repo.path, full=True)[0].sessions == 1
    assert tip(repo.path) == first
    assert became(repo.path, *EVENTS) == ["unchanged"]


def test_a_longer_file_extends_the_session(repo: EntireRepo) -> None:
    open_ = {"type": "message", "id": "m", "session_id": SESSION, "role": "assistant", "content": "a"}
    chunk = {"type": "append", "id": "m", "content": "b"}
    assert became(repo.path, *EVENTS, open_) == ["new"]
    assert became(repo.path, *EVENTS, open_, chunk) == ["extended"]
    assert became(repo.path, *EVENTS, open_) == ["unchanged"]
    (stream,) = streams(repo.path).values()
    assert stream.records[-1]["content"] == [{"type": "text", "text": "ab"}]
    assert became(repo.path, *EVENTS, open_, chunk, event(5)) == ["extended"]
    whole = streams(repo.path)[SESSION]
    other = EntireRepo(repo.path.parent / "other")
    other.commit()
    other.build()
    taken(other.path, *EVENTS, open_, chunk, event(5))
    assert streams(other.path)[SESSION] == whole


def test_the_file_in_which_a_line_stands_does_not_matter(repo: EntireRepo) -> None:
    among = [one for each in EVENTS for one in (event(2, session=OTHER), each)]
    assert became(repo.path, *EVENTS) == ["new"]
    assert became(repo.path, *among) == ["new", "unchanged"]


def test_lines_that_go_another_way_are_a_stream_of_their_own(repo: EntireRepo) -> None:
    taken(repo.path, *EVENTS)
    other = [*EVENTS[:2], event(3, 5, response_message="Something else")]
    assert became(repo.path, *other) == ["new"]
    assert became(repo.path, *other) == ["unchanged"]
    found = streams(repo.path)
    name = f"{SESSION}@{AT.format(5)}"
    assert sorted(found) == [SESSION, name]
    assert found[name].header["lineage"]["forkedFrom"]["stream"] == SESSION
    assert ["copiedFrom" in one for one in found[name].records] == [True, True, True, False, False]
    assert became(repo.path, *other, event(5, 9)) == ["extended"]
    assert became(repo.path, event(3, 5, response_message="A third")) == ["new"]
    assert len(streams(repo.path)) == 3
    third = streams(repo.path)[f"{name}@2"]
    assert "lineage" not in third.header
    assert became(repo.path, *EVENTS, event(5)) == ["extended"]


def test_a_name_is_that_of_the_record(repo: EntireRepo) -> None:
    taken(repo.path, *EVENTS)
    taken(repo.path, {"type": "message", "id": "m1", "session_id": SESSION, "content": "x"})
    taken(repo.path, {"type": "TurnEnd", "session_id": SESSION})
    assert sorted(streams(repo.path)) == [SESSION, f"{SESSION}@m1", f"{SESSION}@~1.0"]


def test_an_open_message_is_known_again_by_what_became_of_it(repo: EntireRepo) -> None:
    def said(text: str, call: str = "c") -> dict[str, Any]:
        block = {"type": "tool_use", "id": call, "name": "Read"}
        return {"type": "message", "id": "m", "session_id": SESSION, "content": [text, block]}

    taken(repo.path, EVENTS[0], said("one"), {"type": "append", "content": " two"})
    assert became(repo.path, EVENTS[0], said("one")) == ["unchanged"]
    assert became(repo.path, EVENTS[0], said("other")) == ["new"]
    assert became(repo.path, EVENTS[0], said("one", "d")) == ["new"]
    assert became(repo.path, *EVENTS[:2], said("one")) == ["new"]
    assert became(repo.path, said("one")) == ["new"]
    assert len(streams(repo.path)) == 5


def test_lines_that_were_written_anew_are_another_way(repo: EntireRepo) -> None:
    """They say the same, and it counts once; but whether they go on from the others cannot be told."""
    taken(repo.path, dict(reversed(EVENTS[0].items())))
    assert became(repo.path, EVENTS[0]) == ["unchanged"]
    assert became(repo.path, EVENTS[0], {"type": "message", "id": "m"}) == ["new"]
    assert ["copiedFrom" in one for one in streams(repo.path)[f"{SESSION}@m"].records] == [True, False]


def test_what_checkpoints_hold_is_left_as_it_is(repo: EntireRepo) -> None:
    repo.checkpoint(CP, Stored(SESSION, claude(SESSION, ["u1", "u2"])))
    repo.commit(CP)
    repo.build()
    outcome, found = taken(repo.path, *EVENTS, agent="claude-code")
    assert found == [("session-not-taken", f"session {SESSION}", "checkpoints hold it, and say more")]
    assert [one.became for one in outcome.imported] == ["refused"]
    assert outcome.findings == ()
    assert [len(stream.units) for stream in streams(repo.path).values()] == [2]
    assert became(repo.path, *EVENTS, agent="claude-code") == ["refused"]
    assert became(repo.path, *EVENTS, agent="codex") == ["new"]


def test_a_checkpoint_that_comes_later_takes_its_place(repo: EntireRepo) -> None:
    taken(repo.path, *EVENTS, agent="claude-code")
    repo.checkpoint(CP, Stored(SESSION, claude(SESSION, ["u1", "u2"])))
    repo.commit(CP)
    repo.build()
    run(repo.path)
    (stream,) = streams(repo.path).values()
    assert stream.header["producer"]["source"]["format"] == "claude-code-jsonl"


def test_an_excluded_session_is_not_taken(repo: EntireRepo) -> None:
    outcome, found = taken(repo.path, *EVENTS, exclusions=(f"session:{SESSION}",))
    assert [one.became for one in outcome.imported] == ["refused"]
    assert [said for *_, said in found] == ["asr.exclude keeps it out"]
    assert tip(repo.path) is None


def test_a_forgotten_session_is_not_taken(repo: EntireRepo) -> None:
    taken(repo.path, *EVENTS)
    files = tree_files(repo.path)
    (path,) = [name for name in files if name.endswith("bundle.json")]
    (bundle,) = bundles(repo.path)
    manifest = {**bundle.manifest, "forgotten": {"reason": "asked", "through": 1}, "blobs": []}
    manifest["sessions"] = [{**one, "streams": []} for one in manifest["sessions"]]
    replace(repo.path, {path: json.dumps(manifest).encode()})
    outcome, found = taken(repo.path, *EVENTS)
    assert [one.became for one in outcome.imported] == ["refused"]
    assert [said for *_, said in found] == ["it was forgotten"]


def test_what_a_bundle_brought_is_left_as_it_is(repo: EntireRepo, tmp_path: Path) -> None:
    other = made_with(tmp_path / "other", (CP, SESSION, 2))
    run(other.path)
    offer = Offer(as_bundle(exported(other.path)), [].append, lambda *_: None)
    outcome = sync(open_repository(repo.path), Options(offers=(offer,)), [].append)
    assert [one.became for one in outcome.taken] == ["new"]
    _, found = taken(repo.path, *EVENTS, agent="claude-code")
    assert [said for *_, said in found] == ["a bundle brought it, and says more"]


def test_what_others_have_is_merged(repo: EntireRepo) -> None:
    """The companion was exchanged: the next commit has it for a parent, and keeps what it holds."""
    taken(repo.path, *EVENTS)
    first = tip(repo.path)
    git(repo.path, "update-ref", "refs/asr/remotes/origin/sessions", str(first))
    assert became(repo.path, *EVENTS, event(5, 9)) == ["extended"]
    assert git(repo.path, "rev-parse", f"{SESSIONS}^") == first
    assert became(repo.path, event(3, 5, response_message="A third")) == ["new"]
    assert len(streams(repo.path)) == 2
    assert git(repo.path, "rev-parse", f"{SESSIONS}^") == first


def test_a_checkpoint_of_the_same_sync(repo: EntireRepo) -> None:
    taken(repo.path, *EVENTS, agent="claude-code")
    repo.checkpoint(CP, Stored(SESSION, claude(SESSION, ["u1"])))
    repo.commit(CP)
    repo.build()
    assert became(repo.path, *EVENTS, event(5), agent="claude-code") == ["refused"]
    repo.checkpoint(CP, Stored(OTHER, claude(OTHER, ["v1"])))
    repo.build()
    assert became(repo.path, *EVENTS, event(5), agent="claude-code") == ["new"]


def test_odd_lines_are_told_with_their_number(repo: EntireRepo) -> None:
    drop = {"type": "drop", "id": "x", "session_id": OTHER}
    _, found = taken(repo.path, *EVENTS, b"oops", drop)
    assert found == [
        ("damaged-line", "file, line 4", "no JSON: kept as text"),
        ("odd-line", "file, line 5", "it drops what is not there; it is kept as it is"),
    ]
    assert run_codes(repo.path)[1] == []


def test_it_is_sound(repo: EntireRepo) -> None:
    big = "x" * 100_000
    taken(
        repo.path,
        event(2, prompt=big),
        {"type": "message", "content": [{"type": "image", "source": {"type": "base64", "data": "QUI="}}]},
    )
    for bundle in bundles(repo.path):
        check(bundle.path, bundle.files)
    assert became(repo.path, event(2, prompt=big)) == ["unchanged"]


def test_nothing_to_take(repo: EntireRepo) -> None:
    assert taken(repo.path)[0].imported == ()
    assert tip(repo.path) is None
