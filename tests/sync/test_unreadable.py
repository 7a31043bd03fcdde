"""What cannot be read today takes nothing away that was converted yesterday, and stops nothing else."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from git_asr.asr.links import is_link
from tests.support.companion import bundles, tip
from tests.support.entire_repo import STORE, EntireRepo, Stored, claude
from tests.support.repo_builder import git
from tests.sync.syncing import ONE, TWO, UNITS, units
from tests.sync.syncing import run_codes as run

CPS = [f"{n:02x}0f6af2363f" for n in range(5)]


def loose(path: Path, checkpoint: str, name: str = "0/full.jsonl") -> Path:
    """The loose object of a file of a checkpoint; everything is unpacked first."""
    packs = list((path / ".git" / "objects" / "pack").glob("*.pack"))
    for pack in packs:
        moved = path / pack.name
        pack.rename(moved)
        git(path, "unpack-objects", "-q", stdin=moved.read_bytes())
    oid = git(path, "rev-parse", f"{STORE}:{checkpoint[:2]}/{checkpoint[2:]}/{name}")
    return path / ".git" / "objects" / oid[:2] / oid[2:]


def grown(tmp_path: Path) -> EntireRepo:
    repo = EntireRepo(tmp_path / "r")
    for number, length in enumerate((10, 20)):
        repo.checkpoint(CPS[number], Stored(ONE, claude(ONE, UNITS[:length]), created=number))
        repo.commit(CPS[number])
    repo.checkpoint(CPS[3], Stored(TWO, claude(TWO, ["x", "y"])))
    repo.commit(CPS[3])
    run(repo.build())
    return repo


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("damaged", [False, True])
def test_an_unreadable_transcript_takes_no_session_away(tmp_path: Path, full: bool, damaged: bool) -> None:
    repo = grown(tmp_path)
    blob = loose(repo.path, CPS[1])
    before = blob.read_bytes()
    blob.chmod(0o644)
    if damaged:
        blob.write_bytes(before[: len(before) // 2])
    else:
        blob.unlink()
    repo.checkpoint(CPS[2], Stored(ONE, claude(ONE, UNITS[:12]), created=9))
    repo.commit(CPS[2])
    _, codes = run(repo.build(), full=full)
    if full:
        assert "absent-blob" in codes
    assert units(repo.path) == {ONE: 20, TWO: 2}
    blob.write_bytes(before)
    run(repo.path, full=True)
    assert units(repo.path) == {ONE: 20, TWO: 2}


def test_a_session_of_which_nothing_can_be_read_any_more_stays_what_it_was(tmp_path: Path) -> None:
    repo = grown(tmp_path)
    first = tip(repo.path)
    loose(repo.path, CPS[3]).unlink()
    outcome, codes = run(repo.path, full=True)
    assert "absent-blob" in codes
    assert units(repo.path) == {ONE: 20, TWO: 2}
    assert outcome.sessions == 2
    shutil.rmtree(repo.path / ".git" / "asr")
    run(repo.path)
    assert units(repo.path) == {ONE: 20, TWO: 2}
    assert git(repo.path, "rev-parse", f"{first}^{{tree}}:claude-code") != ""


def test_damaged_metadata_blobs_stop_nothing_else(tmp_path: Path) -> None:
    repo = grown(tmp_path)
    blob = loose(repo.path, CPS[3], "0/metadata.json")
    blob.chmod(0o644)
    blob.write_bytes(blob.read_bytes()[:20])
    outcome, codes = run(repo.path, full=True)
    assert {"damaged-object", "absent-blob"} <= set(codes)
    assert outcome.sessions == 2
    assert units(repo.path)[ONE] == 20


def test_what_is_excluded_goes_though_nothing_leads_to_it_any_more(tmp_path: Path) -> None:
    repo = grown(tmp_path)
    git(repo.path, "update-ref", "-d", STORE)
    outcome, _ = run(repo.path, exclusions=(f"session:{TWO}",))
    assert units(repo.path) == {ONE: 20}
    assert (outcome.tally.excluded, outcome.tally.removed) == (1, 1)
    git(repo.path, "update-ref", "-d", "refs/heads/main")
    shutil.rmtree(repo.path / ".git" / "asr")
    run(repo.path, exclusions=("agent:*",))
    assert tip(repo.path) is None


def test_exclusion_by_path_looks_into_metadata_that_became_a_blob(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    touched = {"files_touched": ["a.py", "secret/key"], "pad": "p" * 70_000}
    repo.checkpoint(CPS[0], Stored(ONE, claude(ONE, ["a"]), metadata=touched))
    repo.commit(CPS[0])
    run(repo.build())
    git(repo.path, "update-ref", "-d", STORE)
    assert len(bundles(repo.path)) == 1
    run(repo.path, exclusions=("path:other/*",))
    assert len(bundles(repo.path)) == 1
    run(repo.path, exclusions=("path:secret/*",))
    assert tip(repo.path) is None


@pytest.mark.parametrize("first", [b'"x"', b"5", b"null", b"hello", b'\xff{"a":1}', b'{"a": '])
def test_a_damaged_first_line_costs_only_itself(tmp_path: Path, first: bytes) -> None:
    repo = EntireRepo(tmp_path / "r")
    whole = claude(ONE, UNITS[:8])
    repo.checkpoint(CPS[0], Stored(ONE, first + b"\n" + whole.partition(b"\n")[2]))
    repo.commit(CPS[0])
    run(repo.build())
    (bundle,) = bundles(repo.path)
    assert bundle.path.startswith("claude-code/")
    (stream,) = bundle.streams.values()
    assert "lineage" not in stream.header or first in (b'"x"', b"5", b"null")
    assert stream.units == UNITS[1:8]


@pytest.mark.parametrize("stored", ["a\x9b31mb", "a\u202eb", "../a", "\ud800"])
def test_the_links_of_a_session_with_an_id_that_cannot_be_used_are_read(tmp_path: Path, stored: str) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.checkpoint(CPS[0], Stored(stored, claude(ONE, UNITS[:2])))
    repo.checkpoint(CPS[1], Stored(stored, b"of no known agent\n"))
    repo.commit(CPS[0])
    repo.commit(CPS[1])
    run(repo.build())
    links = [
        record for bundle in bundles(repo.path) for one in bundle.streams.values() for record in one.links
    ]
    assert len(links) == 4
    assert all(map(is_link, links))
    assert ONE in units(repo.path)
