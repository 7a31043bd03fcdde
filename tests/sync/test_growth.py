"""Sessions that grow, change and vanish: what each sync leaves in the companion ref."""

from __future__ import annotations

import cProfile
import shutil
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.companion import bundles, tip, tree_files
from tests.support.entire_repo import EntireRepo, Stored, claude
from tests.support.repo_builder import fsck, git
from tests.sync.syncing import only, run

ONE = "11111111-2222-3333-4444-555555555555"
TWO = "66666666-7777-8888-9999-000000000000"
CPS = [f"{n:02x}0f6af2363f" for n in range(16)]
UNITS = [f"u{n}" for n in range(40)]


def objects(path: Path) -> set[str]:
    return set(git(path, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)").split())


def growing(path: Path, *lengths: int) -> EntireRepo:
    repo = EntireRepo(path)
    for number, length in enumerate(lengths):
        add(repo, number, length)
    repo.build()
    return repo


def add(repo: EntireRepo, number: int, length: int, **other: object) -> str:
    transcript = claude(ONE, UNITS[:length], **other)
    repo.checkpoint(CPS[number], Stored(ONE, transcript, created=number * 60))
    return repo.commit(CPS[number])


def test_a_session_and_its_commits(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.checkpoint(CPS[0], Stored(ONE, claude(ONE, UNITS[:4]), prompt="first\n\n---\n\nsecond", start=1))
    commits = [repo.commit(CPS[0]), repo.commit(CPS[0], ref="refs/heads/other", message="again")]
    path = repo.build()
    outcome, found = run(path)
    assert (outcome.tally.new, outcome.sessions, outcome.links, found) == (1, 1, 2, [])
    bundle = only(path)
    assert bundle.path.startswith("claude-code/")
    (stream,) = bundle.streams.values()
    assert stream.name == ONE
    assert stream.units == UNITS[:4]
    assert {record["commit"] for record in stream.links if record["type"] == "vcs"} == set(
        map(repo.oid, commits)
    )
    (checkpoint,) = [record for record in stream.links if record["type"] == "io.entire/checkpoint"]
    assert (checkpoint["start"], checkpoint["through"]) == (2, 4)
    assert stream.summary["firstPrompt"] == "first"
    assert stream.header["_meta"]["io.entire/checkpoint"] == {
        "id": CPS[0],
        "createdAt": "2026-01-01T00:00:00Z",
        "agent": "Claude Code",
        "redaction": "entire",
    }
    fsck(path)


def test_growing_rewrites_header_last_part_and_links_only(tmp_path: Path) -> None:
    big = {"pad": "p" * 60_000}
    repo = EntireRepo(tmp_path / "r")
    add(repo, 0, 10, **big)
    run(repo.build())
    before = tree_files(repo.path)
    add(repo, 1, 14, **big)
    run(repo.build())
    after = tree_files(repo.path)
    parts = sorted(path for path in before if "~0" in path)
    assert len(parts) == 3
    changed = {path for path in before if before[path] != after[path]}
    assert not changed & set(parts[:-1])
    assert {path.rpartition("/")[2] for path in changed} == {
        "bundle.json",
        f"{ONE}.jsonl",
        f"{ONE}~000003.jsonl",
        f"{ONE}~links.jsonl",
    }


def test_nothing_new_writes_nothing(tmp_path: Path) -> None:
    repo = growing(tmp_path / "r", 3, 5)
    first, _ = run(repo.path)
    before = objects(repo.path), tip(repo.path), tip(repo.path, "refs/notes/asr")
    for full in (False, True):
        again, _ = run(repo.path, full=full)
        assert again.commit == first.commit
        assert (again.sessions, again.links) == (first.sessions, first.links)
    assert (objects(repo.path), tip(repo.path), tip(repo.path, "refs/notes/asr")) == before


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(
            st.integers(0, 5), st.integers(1, 20), st.sampled_from(["plain", "rewritten", "fork", "delta"])
        ),
        min_size=1,
        max_size=6,
    )
)
def test_a_sync_after_each_step_equals_one_from_scratch(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[int, int, str]]
) -> None:
    """Also when checkpoints are rewritten, shrink, fork or are slices; byte for byte."""
    folder = tmp_path_factory.mktemp("growth")
    repo = EntireRepo(folder / "r")
    for turn, (number, length, kind) in enumerate(steps):
        match kind:
            case "plain":
                data = claude(ONE, UNITS[:length])
            case "rewritten":
                data = claude(ONE, UNITS[:length], turn=turn)
            case "fork":
                data = claude(ONE, UNITS[:3]) + claude(
                    ONE, [f"f{n}" for n in range(length)], parent="u2", second=90
                )
            case _:
                data = claude(ONE, UNITS[5 : 5 + length], parent="u4", second=5)
        repo.checkpoint(CPS[number], Stored(ONE, data, created=turn * 60))
        repo.commit(CPS[number])
        run(repo.build())
    stepwise = tip(repo.path), tip(repo.path, "refs/notes/asr")
    bundles(repo.path)
    git(repo.path, "update-ref", "-d", "refs/asr/sessions")
    git(repo.path, "update-ref", "-d", "refs/notes/asr")
    shutil.rmtree(repo.path / ".git" / "asr")
    run(repo.path)
    assert (tip(repo.path), tip(repo.path, "refs/notes/asr")) == stepwise
    fsck(repo.path)


def test_the_companion_is_one_commit_that_sync_replaces(tmp_path: Path) -> None:
    repo = growing(tmp_path / "r", 3)
    run(repo.path)
    first = tip(repo.path)
    add(repo, 1, 5)
    run(repo.build())
    assert tip(repo.path) != first
    assert git(repo.path, "rev-list", "--count", "refs/asr/sessions") == "1"
    shown = git(
        repo.path, "log", "-1", "--format=%an <%ae> %cn <%ce> %ad %s", "--date=raw", "refs/asr/sessions"
    )
    assert shown == (
        f"git-asr <git-asr@localhost> git-asr <git-asr@localhost> "
        f"{git(repo.path, 'log', '-1', '--format=%ct', 'main')} +0000 Agent sessions"
    )


def test_an_exchanged_commit_becomes_a_parent_and_its_streams_are_merged(tmp_path: Path) -> None:
    repo = growing(tmp_path / "r", 3, 9)
    run(repo.path)
    exchanged = tip(repo.path)
    assert exchanged is not None
    git(repo.path, "update-ref", "refs/asr/remotes/origin/sessions", exchanged)
    # the longer copy goes from the store; what was exchanged still has it
    repo.builder.commit("refs/heads/entire/checkpoints/v1", "drop", {f"{CPS[1][:2]}/{CPS[1][2:]}": None})
    add(repo, 2, 4)
    run(repo.build())
    assert git(repo.path, "rev-list", "--parents", "-1", "refs/asr/sessions").split()[1:] == [exchanged]
    (stream,) = only(repo.path).streams.values()
    assert stream.units == UNITS[:9]
    assert {r["id"] for r in stream.links if r["type"] == "io.entire/checkpoint"} == set(CPS[:3])
    add(repo, 3, 5)
    run(repo.build())
    assert git(repo.path, "rev-list", "--count", "refs/asr/sessions") == "2"


def test_a_commit_that_no_ref_leads_to_any_more_keeps_its_link(tmp_path: Path) -> None:
    repo = growing(tmp_path / "r", 3)
    gone = repo.commit(CPS[0], ref="refs/heads/topic", message="to be rebased")
    run(repo.build())
    git(repo.path, "update-ref", "-d", "refs/heads/topic")
    shutil.rmtree(repo.path / ".git" / "asr")
    outcome, _ = run(repo.path, full=True)
    assert repo.oid(gone) in {record.get("commit") for record in only(repo.path).links}
    assert outcome.links == 2


def test_a_checkpoint_that_no_store_holds_any_more_keeps_its_records(tmp_path: Path) -> None:
    repo = growing(tmp_path / "r", 3, 6)
    run(repo.path)
    repo.builder.commit("refs/heads/entire/checkpoints/v1", "drop", {f"{CPS[1][:2]}/{CPS[1][2:]}": None})
    outcome, _ = run(repo.build())
    assert [checkpoint for checkpoint, _ in outcome.unresolved] == [CPS[1]]
    (stream,) = only(repo.path).streams.values()
    assert stream.units == UNITS[:3]
    assert {r["id"] for r in stream.links if r["type"] == "io.entire/checkpoint"} == set(CPS[:2])


def test_a_session_whose_checkpoints_are_all_gone_stays(tmp_path: Path) -> None:
    repo = growing(tmp_path / "r", 3)
    run(repo.path)
    git(repo.path, "update-ref", "-d", "refs/heads/entire/checkpoints/v1")
    outcome, _ = run(repo.path)
    assert outcome.sessions == 1
    assert len(only(repo.path).links) == 2


def test_a_finalised_checkpoint_is_converted_again(tmp_path: Path) -> None:
    repo = growing(tmp_path / "r", 3)
    run(repo.path)
    repo.checkpoint(CPS[0], Stored(ONE, claude(ONE, UNITS[:7])))
    outcome, _ = run(repo.build())
    assert (outcome.tally.new, outcome.tally.changed) == (0, 1)
    (stream,) = only(repo.path).streams.values()
    assert len(stream.units) == 7


def test_a_bare_session_is_replaced_when_its_transcript_appears(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.checkpoint(CPS[0], Stored(f"2026-01-01-{ONE}", None))
    repo.commit(CPS[0])
    run(repo.build())
    bare = only(repo.path)
    assert bare.path.startswith("unknown/")
    (stream,) = bare.streams.values()
    assert stream.header["session"] == {"harness": "unknown", "id": ONE, "idSource": "metadata"}
    assert stream.header["capture"] == {"state": "omitted", "reason": "no transcript is stored"}
    assert stream.records == []
    repo.checkpoint(CPS[0], Stored(f"2026-01-01-{ONE}", claude(ONE, UNITS[:2])))
    outcome, _ = run(repo.build())
    assert only(repo.path).path.startswith("claude-code/")
    assert outcome.tally.removed == 1
    entire = only(repo.path).streams[ONE].header["_meta"]["io.entire/checkpoint"]
    assert entire["session_id"] == f"2026-01-01-{ONE}"


def test_a_bare_session_is_replaced_though_the_state_was_lost(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.checkpoint(CPS[0], Stored(ONE, None))
    repo.commit(CPS[0])
    run(repo.build())
    repo.checkpoint(CPS[0], Stored(ONE, claude(ONE, UNITS[:2])))
    shutil.rmtree(repo.path / ".git" / "asr")
    run(repo.build())
    assert only(repo.path).path.startswith("claude-code/")


def test_metadata_without_transcript_joins_the_session_that_has_one(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.checkpoint(CPS[0], Stored(ONE, claude(ONE, UNITS[:2])))
    repo.checkpoint(CPS[1], Stored(ONE, None, created=60))
    repo.commit(*CPS[:2])
    run(repo.build())
    (stream,) = only(repo.path).streams.values()
    by_id = {record["id"]: record for record in stream.links if record["type"] == "io.entire/checkpoint"}
    assert set(by_id) == set(CPS[:2])
    assert "through" not in by_id[CPS[1]]


def test_a_review_under_its_parents_id_is_a_session_of_its_own(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    stored = [
        Stored(ONE, claude(ONE, UNITS[:2])),
        Stored(ONE, claude(TWO, ["r0", "r1"]), metadata={"kind": "agent_review"}),
    ]
    repo.checkpoint(CPS[0], *stored)
    repo.commit(CPS[0])
    run(repo.build())
    one, two = sorted(bundles(repo.path), key=lambda bundle: next(iter(bundle.streams)))
    assert (list(one.streams), list(two.streams)) == ([ONE], [TWO])
    assert two.streams[TWO].header["_meta"]["io.entire/checkpoint"]["session_id"] == ONE


def test_one_session_under_two_stored_ids_is_one_bundle(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.checkpoint(CPS[0], Stored(ONE, claude(ONE, UNITS[:2])))
    repo.checkpoint(CPS[1], Stored("another", claude(ONE, UNITS[:5]), created=60))
    repo.commit(*CPS[:2])
    run(repo.build())
    (stream,) = only(repo.path).streams.values()
    assert len(stream.units) == 5
    assert {tuple(r["sessionIds"]) for r in stream.links if r["type"] == "io.entire/checkpoint"} == {
        (ONE,),
        ("another",),
    }


def test_orphans_are_left_out_until_a_commit_names_them(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.checkpoint(CPS[0], Stored(ONE, claude(ONE, UNITS[:2])))
    repo.checkpoint(CPS[1], Stored(TWO, claude(TWO, ["x"])))
    repo.commit(CPS[0])
    run(repo.build())
    assert list(only(repo.path).streams) == [ONE]
    repo.commit(CPS[1])
    outcome, _ = run(repo.build())
    assert outcome.tally.new == 1
    assert len(bundles(repo.path)) == 2


def test_only_the_revisions_given_are_walked(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    for number, session in enumerate((ONE, TWO)):
        repo.checkpoint(CPS[number], Stored(session, claude(session, [f"x{number}"])))
        repo.commit(CPS[number], ref=f"refs/heads/b{number}")
    path = repo.build()
    run(path, revisions=("b0",))
    assert list(only(path).streams) == [ONE]
    outcome, _ = run(path)
    assert outcome.sessions == 2


def test_a_local_store_and_a_tracking_one_are_united_per_checkpoint(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.checkpoint(CPS[0], Stored(ONE, claude(ONE, UNITS[:2])))
    repo.checkpoint(
        CPS[0], Stored(ONE, claude(ONE, UNITS[:4])), ref="refs/remotes/origin/entire/checkpoints/v1"
    )
    repo.checkpoint(
        CPS[1],
        Stored(ONE, claude(ONE, UNITS[:6]), created=60),
        ref="refs/remotes/origin/entire/checkpoints/v1",
    )
    repo.commit(*CPS[:2])
    outcome, _ = run(repo.build())
    assert not outcome.unresolved
    (stream,) = only(repo.path).streams.values()
    by_id = {r["id"]: r for r in stream.links if r["type"] == "io.entire/checkpoint"}
    assert by_id[CPS[0]]["through"] == 4  # of two copies with as many sessions and one time the longer
    assert len(stream.units) == 6


def test_sha256_from_the_start(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r", object_format="sha256")
    for number, length in enumerate((2, 4, 5)):
        add(repo, number, length)
    path = repo.build()
    outcome, _ = run(path)
    assert outcome.links == 3
    (stream,) = only(path).streams.values()
    assert {r["objectFormat"] for r in stream.links if r["type"] == "vcs"} == {"sha256"}
    assert all(len(r["commit"]) == 64 for r in stream.links if r["type"] == "vcs")
    first = tip(path)
    run(path, full=True)
    assert tip(path) == first
    fsck(path)


@pytest.mark.parametrize(
    ("value", "left"),
    [
        (f"session:{ONE[:8]}*", {TWO}),
        ("agent:CODEX*", {ONE}),
        ("agent:claude-code", set()),
        ("path:secret/*", {ONE}),
        ("session:nothing", {ONE, TWO}),
    ],
)
def test_excluded_sessions_are_not_converted_and_go_if_they_were(
    tmp_path: Path, value: str, left: set[str]
) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.checkpoint(CPS[0], Stored(ONE, claude(ONE, UNITS[:2])))
    repo.checkpoint(
        CPS[1],
        Stored(
            TWO, claude(TWO, ["x"]), agent="Codex", metadata={"files_touched": ["a.py", "secret/key.txt"]}
        ),
    )
    repo.commit(*CPS[:2])
    path = repo.build()
    run(path)
    outcome, _ = run(path, exclusions=(value,))
    assert {name for bundle in bundles(path) for name in bundle.streams} == left
    assert outcome.tally.excluded == 2 - len(left)
    run(path)
    assert len(bundles(path)) == 2


def test_a_forgotten_session_stays_forgotten(tmp_path: Path) -> None:
    repo = growing(tmp_path / "r", 3)
    run(repo.path)
    folder = only(repo.path).path
    forgotten = (
        '{"formatVersion":"0.1","producer":{"name":"git-asr"},"shareable":false,"sessions":[{"session":'
        f'{{"harness":"claude-code","id":"{ONE}"}},"streams":[]}}],"blobs":[],"forgotten":{{"reason":"asked"}}}}\n'
    )
    repo.builder.commit("refs/asr/sessions", "forget", {f"{folder}/bundle.json": forgotten}, parents=[])
    add(repo, 1, 5)
    run(repo.build())
    assert tree_files(repo.path) == {f"{folder}/bundle.json": forgotten.encode()}


def test_notes_follow_the_sessions(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.checkpoint(CPS[0], Stored(ONE, claude(ONE, UNITS[:3]), prompt="Do \x1b[31mit\u202e now"))
    mark = repo.commit(CPS[0])
    path = repo.build()
    run(path)
    assert git(path, "notes", "--ref=asr", "show", repo.oid(mark)) == (
        "claude-code 11111111 · claude-opus-4-8 · 2s · “Do ^[[31mit<U+202E> now”"
    )
    git(path, "update-ref", "-d", "refs/notes/asr")
    run(path)
    assert tip(path, "refs/notes/asr") is not None
    run(path, exclusions=("session:*",))
    assert tip(path, "refs/notes/asr") is None
    assert tip(path) is None


def test_an_absent_transcript_is_looked_for_again(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "whole")
    repo.checkpoint(CPS[0], Stored(ONE, claude(ONE, UNITS[:20])))
    repo.commit(CPS[0])
    whole = repo.build()
    git(whole, "config", "uploadpack.allowFilter", "true")
    part = tmp_path / "part"
    git(tmp_path, "clone", "-q", "--mirror", "--filter=blob:limit=1k", f"file://{whole}", str(part))
    outcome, found = run(part)
    assert [one.code for one in found] == ["absent-blob"]
    assert only(part).path.startswith("unknown/")
    assert run(part)[0].commit == outcome.commit
    git(part, "fetch", "-q", "--refetch", "--no-filter", f"file://{whole}", "+refs/heads/*:refs/heads/*")
    again, found = run(part)
    assert (found, list(again.findings)) == ([], [])
    assert only(part).path.startswith("claude-code/")


def calls(path: Path, number: int) -> dict[str, int]:
    """How often each function was called by the first sync of a session that some checkpoints hold."""
    repo = EntireRepo(path)
    for one in range(number):
        checkpoint = f"{one:02x}0f6af2363f"
        repo.checkpoint(checkpoint, Stored(ONE, claude(ONE, UNITS[:3]), created=one * 60))
        repo.commit(checkpoint)
    repo.build()
    profile = cProfile.Profile()
    profile.enable()
    run(path)
    profile.disable()
    found = Counter[str]()
    for entry in profile.getstats():
        if not isinstance(entry.code, str):
            found[f"{entry.code.co_filename}:{entry.code.co_firstlineno} {entry.code.co_name}"] += (
                entry.callcount
            )
    return found


def test_effort_grows_with_the_checkpoints_of_a_session_and_not_with_their_square(tmp_path: Path) -> None:
    few, many = 10, 40
    before, after = calls(tmp_path / "few", few), calls(tmp_path / "many", many)
    grown = {name: after[name] for name in after if after[name] > many * (before[name] / few + 1)}
    assert grown == {}
