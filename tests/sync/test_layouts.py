"""Checkpoints in every layout, in several at once, and what changes in them between syncs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from git_asr.entire.stores.base import Location, Merit
from git_asr.git.base import Objects
from git_asr.sync import changes
from tests.support.companion import bundles, tip
from tests.support.entire_repo import FLAT, REFS, STORE, V2, EntireRepo, Stored, claude, own_ref
from tests.support.repo_builder import fsck, git
from tests.sync.syncing import ONE, TWO, UNITS, only, run, run_codes, scratch, units

CP, OTHER = "5f0af6f2363f", "d60164698930"
ULID = "01KXDM08H2V0SZREV3NDG2R38M"
CURRENT = f"{V2}/full/current"

Write = Callable[..., Any]


def on(ref: str) -> Write:
    """Write to a store of a layout with a folder for each checkpoint."""
    return lambda repo, *args: repo.checkpoint(*args, ref=ref)


LAYOUTS: dict[str, Write] = {
    "per-checkpoint": lambda repo, cp, *stored: repo.checkpoint(cp, *stored, ref=own_ref(cp)),
    "branch-v1": on(STORE),
    "branch-v1, fetched": on("refs/remotes/origin/entire/checkpoints/v1"),
    "custom-ref": on(f"{REFS}/v1.1"),
    "custom-ref, fetched": on("refs/entire/remotes/origin/checkpoints/v1.1"),
    "v2": EntireRepo.v2,
    "sessions-v1": on("refs/heads/entire/sessions/v1"),
    "flat": EntireRepo.flat,
    "flat branch with numbers": on(FLAT),
}
SAME = {name for name in LAYOUTS if name not in ("per-checkpoint", "v2", "flat")}
"""Layouts in which the files are the same and at the same paths."""


def two_sessions(path: Path, write: Write, **how: Any) -> EntireRepo:
    """Two checkpoints, of which the second holds the first's session, grown, and another."""
    repo = EntireRepo(path, **how)
    write(repo, CP, Stored(ONE, claude(ONE, UNITS[:3]), prompt="first"))
    write(
        repo,
        OTHER,
        Stored(TWO, claude(TWO, ["x"], second=60), created=50),
        Stored(ONE, claude(ONE, UNITS[:5]), created=60, prompt="second"),
    )
    repo.commit(CP)
    repo.commit(OTHER)
    repo.build()
    return repo


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_gives_the_sessions(layout: str, object_format: Any, tmp_path: Path) -> None:
    path = two_sessions(tmp_path / "r", LAYOUTS[layout], object_format=object_format).path
    outcome, said = run(path)
    assert said == []
    assert units(path) == {ONE: 5, TWO: 1}
    assert (outcome.links, outcome.unresolved) == (3, ())
    first = tip(path)
    for again in ({}, {"full": True}, {"full": True, "backend": "git"}):
        outcome, said = run(path, **again)
        assert (tip(path), said, outcome.tally.new, outcome.tally.changed) == (first, [], 0, 0)
    for stream in bundles(path)[0].streams.values():
        assert {one["start"] for one in stream.links if one["type"] == "io.entire/checkpoint"} == {1}
    fsck(path)


def test_the_same_files_give_the_same_commit_wherever_they_lie(tmp_path: Path) -> None:
    tips = set()
    for number, layout in enumerate(sorted(SAME)):
        path = two_sessions(tmp_path / str(number), LAYOUTS[layout]).path
        run(path)
        tips.add(tip(path))
    assert len(tips) == 1


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_checkpoint_that_grows_and_goes(layout: str, tmp_path: Path) -> None:
    write = LAYOUTS[layout]
    repo = two_sessions(tmp_path / "r", write)
    run(repo.path)
    write(repo, CP, Stored(ONE, claude(ONE, UNITS[:9]), created=90, prompt="first"))
    run(repo.build())
    assert units(repo.path) == {ONE: 9, TWO: 1}
    assert tip(repo.path) == scratch(repo.path)
    for ref in git(repo.path, "for-each-ref", "--format=%(refname)").split():
        if "entire/" in ref:
            git(repo.path, "update-ref", "-d", ref)
    outcome, _ = run(repo.path)
    assert [checkpoint for checkpoint, _ in outcome.unresolved] == [CP, OTHER]
    assert outcome.searched == ()


def test_ids_are_looked_up_in_every_store(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    for number, write in enumerate(LAYOUTS.values()):
        if write is not LAYOUTS["sessions-v1"]:  # a branch beside which none called entire/sessions can be
            checkpoint, session = f"{number:012x}", f"session-{number}"
            write(repo, checkpoint, Stored(session, claude(session, [f"u{number}"])))
            repo.commit(checkpoint)
    repo.checkpoint(ULID, Stored(ONE, claude(ONE, UNITS[:2])))  # a mirror, its own ref being elsewhere
    repo.commit(ULID, "ffffffffffff")
    outcome, said = run(repo.build())
    assert said == []
    assert len(units(repo.path)) == len(LAYOUTS)
    assert [checkpoint for checkpoint, _ in outcome.unresolved] == ["ffffffffffff"]
    assert outcome.searched == (
        f"{REFS}/*/*",
        STORE,
        "refs/remotes/origin/entire/checkpoints/v1",
        f"{REFS}/v1.1",
        "refs/entire/remotes/origin/checkpoints/v1.1",
        f"{V2}/main",
        f"{V2}/full/*",
        FLAT,
    )


# --- v2: one checkpoint on several refs --------------------------------------------------------------------------


def starts(path: Path) -> dict[str, int | None]:
    return {
        one["id"]: one.get("start")
        for bundle in bundles(path)
        for one in bundle.links
        if one["type"] == "io.entire/checkpoint"
    }


def test_transcripts_that_arrive_after_the_metadata(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.v2(CP, Stored(ONE, claude(ONE, UNITS[:3])), generation=None)
    repo.commit(CP)
    _, codes = run_codes(repo.build())
    assert set(codes) == {"missing-transcript"}
    (stream,) = only(repo.path).streams.values()
    assert stream.header["capture"]["state"] == "omitted"
    repo.v2(CP, Stored(ONE, claude(ONE, UNITS[:3])))
    outcome, codes = run_codes(repo.build())
    assert (units(repo.path), codes, outcome.findings) == ({ONE: 3}, [], ())
    assert tip(repo.path) == scratch(repo.path)


def test_a_generation_that_is_archived_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.v2(CP, Stored(ONE, claude(ONE, UNITS[:3])))
    repo.v2(OTHER, Stored(TWO, claude(TWO, ["x"])))
    repo.commit(CP, OTHER)
    run(repo.build())
    first, asked = tip(repo.path), []
    real = changes.read_checkpoints

    def watch(objects: Objects, where: Any, report: Any) -> Any:
        wanted = list(where)
        asked.extend(wanted)
        return real(objects, wanted, report)

    monkeypatch.setattr(changes, "read_checkpoints", watch)
    git(repo.path, "update-ref", f"{V2}/full/0000000000001", CURRENT)
    git(repo.path, "update-ref", "-d", CURRENT)
    run(repo.path)
    assert (tip(repo.path), asked) == (first, [])
    repo.builder.commit(
        CURRENT, "new generation", {f"{CP[:2]}/{CP[2:]}/0/raw_transcript": claude(ONE, UNITS[:6])}, parents=[]
    )
    run(repo.build())
    assert units(repo.path) == {ONE: 6, TWO: 1}
    assert {one.checkpoint for one in asked} == {CP}
    assert tip(repo.path) == scratch(repo.path)


def test_a_start_in_compact_lines_is_no_position(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.v2(CP, Stored(ONE, claude(ONE, UNITS[:3]), start=2))
    repo.v2(OTHER, Stored(ONE, claude(ONE, UNITS[:5]), created=60))
    repo.commit(CP, OTHER)
    run(repo.build())
    assert starts(repo.path) == {CP: None, OTHER: 1}
    repo.checkpoint(CP, Stored(ONE, claude(ONE, UNITS[:3]), start=1))
    run(repo.build())
    assert starts(repo.path) == {
        CP: 2,
        OTHER: 1,
    }  # v1 has the same transcript and says where its slice starts
    assert tip(repo.path) == scratch(repo.path)


# --- several copies of one checkpoint ----------------------------------------------------------------------------


def test_what_a_store_lacks_another_has(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.checkpoint(CP, Stored(ONE, claude(ONE, UNITS[:3])))
    repo.checkpoint(CP, Stored(ONE, claude(ONE, UNITS[:2])), ref="refs/remotes/origin/entire/checkpoints/v1")
    repo.checkpoint(OTHER, Stored(TWO, claude(TWO, ["x"])), ref="refs/remotes/origin/entire/checkpoints/v1")
    repo.commit(CP, OTHER)
    run(repo.build())
    assert units(repo.path) == {ONE: 3, TWO: 1}


def test_a_shallow_clone_that_is_deepened_knows_which_tip_is_the_newer(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    origin = "refs/remotes/origin/entire/checkpoints/v1"
    first = repo.checkpoint(CP, Stored(ONE, claude(ONE, UNITS[:9])), ref=origin)
    repo.builder.ref(STORE, first)
    repo.checkpoint(CP, Stored(ONE, claude(ONE, UNITS[:5])))
    repo.commit(CP)
    clone = tmp_path / "clone"
    git(tmp_path, "init", "-q", "--bare", str(clone))
    git(clone, "remote", "add", "--mirror=fetch", "origin", repo.build().as_uri())
    git(clone, "fetch", "-q", "--depth=1")
    run(clone)
    assert units(clone) == {ONE: 9}
    git(clone, "fetch", "-q", "--unshallow")
    run(clone)
    assert units(clone) == {ONE: 5}


@pytest.mark.parametrize("layout", [name for name in LAYOUTS if name != "branch-v1"])
def test_of_two_copies_the_one_of_greater_merit_counts(layout: str, tmp_path: Path) -> None:
    write = LAYOUTS[layout]
    repo = EntireRepo(tmp_path / "r")
    write(repo, CP, Stored(ONE, claude(ONE, UNITS[:3])))
    repo.checkpoint(CP, Stored(ONE, claude(ONE, UNITS[:5])))
    write(repo, OTHER, Stored(TWO, claude(TWO, ["x", "y"])))
    repo.checkpoint(OTHER, Stored(TWO, claude(TWO, ["x"])))
    repo.commit(CP, OTHER)
    run(repo.build())
    assert units(repo.path) == {ONE: 5, TWO: 2}
    git(repo.path, "update-ref", "-d", STORE)
    outcome, _ = run(repo.path)
    assert units(repo.path) == {ONE: 3, TWO: 2}
    assert outcome.unresolved == ()
    assert tip(repo.path) == scratch(repo.path)


def test_which_copy_counts_is_not_asked_again_for_what_did_not_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = EntireRepo(tmp_path / "r")
    ids = [f"{number:012x}" for number in range(20)]
    for number, checkpoint in enumerate(ids):
        stored = Stored(ONE, claude(ONE, UNITS[: number + 1]), created=number)
        repo.checkpoint(checkpoint, stored)
        repo.checkpoint(checkpoint, stored, ref=own_ref(checkpoint))
        repo.commit(checkpoint)
    asked: list[str] = []

    def watch(objects: Objects, where: list[Location]) -> dict[Location, Merit]:
        asked.extend(one.checkpoint for one in where)
        return real(objects, where)

    real = changes.merits
    monkeypatch.setattr(changes, "merits", watch)
    run(repo.build())
    assert sorted(set(asked)) == ids
    asked.clear()
    repo.checkpoint(CP, Stored(ONE, claude(ONE, UNITS[:25]), created=90))
    repo.commit(CP)
    run(repo.build())
    assert (units(repo.path), asked) == ({ONE: 25}, [])


# --- what is none of these stores --------------------------------------------------------------------------------


def test_what_only_looks_like_a_store_is_left_alone(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.checkpoint(CP, Stored(ONE, claude(ONE, UNITS[:3])))
    repo.commit(CP)
    base = f"{OTHER[:2]}/{OTHER[2:]}"
    lines = claude(TWO, ["x"]).decode()
    files = {f"{base}/0/full.jsonl": lines, f"{base}/0/metadata.json": '{"session_id":"s"}'}
    files |= {f"{base}/metadata.json": "{}", ".entire/metadata/s/full.jsonl": lines}
    repo.builder.commit("refs/heads/main", f"merged by accident\n\nEntire-Checkpoint: {OTHER}\n", files)
    for ref in (
        "refs/heads/entire/039dfc5-e3b0c4",
        "refs/heads/entire/039dfc5",
        "refs/heads/entire/trails/v1",
        "refs/entire/policies/checkpoint",
        "refs/heads/copy/entire/checkpoints/v1",
        f"{REFS}/{OTHER}",
        f"{REFS}/8M/{ULID.lower()}",
    ):
        message = f"Checkpoint: {OTHER}\n\nEntire-Checkpoint: eeeeeeeeeeee\n"
        repo.builder.commit(ref, message if "copy" not in ref else "a branch of theirs\n", files)
    outcome, said = run(repo.build())
    assert said == []
    assert units(repo.path) == {ONE: 3}
    assert [checkpoint for checkpoint, _ in outcome.unresolved] == [OTHER]
    assert outcome.searched == (STORE,)


def test_junk_among_the_checkpoints(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    junk = {f"{number:05}/deep/file.txt": "x" for number in range(10_000)}
    junk |= {f"{n:02x}/{n}.txt": "x" for n in range(256)} | {
        "package.json": "{}",
        ".entire/settings.json": "{}",
    }
    repo.builder.commit(STORE, "by accident", junk)
    repo.checkpoint(CP, Stored(ONE, claude(ONE, UNITS[:3])))
    repo.commit(CP)
    path = repo.build()
    own = {f"0/junk/{number:05}": "x" for number in range(10_000)}
    repo.checkpoint(ULID, Stored(TWO, claude(TWO, ["x"]), files={}), ref=own_ref(ULID))
    repo.builder.commit(own_ref(ULID), "junk", own)
    repo.commit(ULID)
    _, said = run(repo.build())
    assert [one.code for one in said] == ["files-left-out"]
    assert units(path) == {ONE: 3, TWO: 1}
