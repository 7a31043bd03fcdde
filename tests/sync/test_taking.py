"""Sessions that bundles bring into the companion ref, and what later syncs do with them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from git_asr.asr.bundle import Bundle, Manifest, load
from git_asr.asr.joining import join
from git_asr.asr.links import AcceptedLink
from git_asr.companion import exporting, store
from git_asr.companion.tree import read_tip
from git_asr.errors import AsrError, Diagnostic
from git_asr.git.backend import open_objects
from git_asr.git.repository import open_repository
from git_asr.sync.flow import Options, sync
from git_asr.sync.taking import Offer
from tests.support.companion import bundles, replace, tip, tree_files
from tests.support.entire_repo import EntireRepo, Stored, claude
from tests.support.repo_builder import git
from tests.sync.syncing import ONE, TWO, UNITS, run, units

A, B, C = "0a1b2c3d4e50", "0a1b2c3d4e51", "0a1b2c3d4e52"
Files = dict[str, bytes]


def made(path: Path, *checkpoints: tuple[str, str, int]) -> EntireRepo:
    """A repository with a checkpoint and a commit for each: its ID, its session, how many units."""
    repo = EntireRepo(path)
    repo.commit()
    for number, (checkpoint, session, count) in enumerate(checkpoints):
        repo.checkpoint(checkpoint, Stored(session, claude(session, UNITS[:count]), number * 60))
        repo.commit(checkpoint)
    repo.build()
    return repo


def exported(path: Path) -> Files:
    """The bundle of all sessions of a companion: its files by path."""
    repo = open_repository(path)
    with open_objects(repo, "git") as objects:
        tree = read_tip(repo, objects).tree
        assert tree is not None
        whole = exporting.bundle_of(objects, tree, store.keys(objects, tree))
        return files_of(whole)


def files_of(whole: Bundle) -> Files:
    found = {path: whole.file(path) for path in whole.manifest.files()}
    return {
        "bundle.json": whole.manifest.dump(),
        **{path: data for path, data in found.items() if data is not None},
    }


def as_bundle(files: Files) -> Bundle:
    return Bundle(load(files["bundle.json"]), files.get)


def changed(files: Files, edit: Callable[[Any], object], **more: bytes) -> Files:
    """A bundle with another manifest; ``more`` files are added under ``extra/`` (the name as it is given)."""
    manifest = json.loads(files["bundle.json"])
    edit(manifest)
    return {
        **files,
        "bundle.json": json.dumps(manifest).encode(),
        **{f"extra/{n}": d for n, d in more.items()},
    }


def entry(path: str, data: bytes, **other: Any) -> dict[str, Any]:
    return {"path": path, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest(), **other}


def taken(path: Path, files: Files | Bundle, **options: Any) -> tuple[list[str], list[str]]:
    """What became of each session, and what was said."""
    found: list[Diagnostic] = []
    whole = files if isinstance(files, Bundle) else as_bundle(files)
    offer = Offer(whole, found.append, lambda *_: None)
    outcome = sync(open_repository(path), Options(offers=(offer,), **options), lambda _: None)
    return [one.became for one in outcome.taken], [one.message for one in found]


@pytest.fixture
def source(tmp_path: Path) -> Files:
    """Two sessions, as somebody exported them."""
    repo = made(tmp_path / "source", (A, ONE, 6), (B, ONE, 20), (C, TWO, 4))
    run(repo.path)
    return exported(repo.path)


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    return made(tmp_path / "empty").path


def test_it_comes_in_stays_and_goes_out_as_it_was(source: Files, empty: Path) -> None:
    assert taken(empty, source) == (["new", "new"], [])
    assert units(empty) == {ONE: 20, TWO: 4}
    there = tip(empty)
    assert taken(empty, source) == (["unchanged", "unchanged"], [])
    for options in ({}, {"full": True}, {"orphans": True}, {"reconvert": True, "full": True}):
        run(empty, **options)
        assert tip(empty) == there
        assert exported(empty) == source


def test_joined_streams_are_cut_again(source: Files, empty: Path) -> None:
    joined = join(as_bundle(source))
    assert all(len(one.files) == 1 for each in joined.manifest.sessions for one in each.streams)
    taken(empty, joined)
    assert exported(empty) == source
    assert files_of(join(as_bundle(exported(empty)))) == files_of(joined)


def test_the_longer_version_stays_whoever_syncs(source: Files, tmp_path: Path) -> None:
    """A checkpoint that is here gives less than the bundle; one that comes later gives more."""
    repo = made(tmp_path / "r", (A, ONE, 6))
    run(repo.path)
    assert taken(repo.path, source) == (["changed", "new"], [])
    for options in ({}, {"full": True}):
        run(repo.path, **options)
        assert units(repo.path) == {ONE: 20, TWO: 4}
    repo.commit(A)  # which touches the session
    repo.build()
    run(repo.path)
    assert units(repo.path) == {ONE: 20, TWO: 4}
    links = {one["id"].partition("@")[0] for one in bundles(repo.path)[0].links + bundles(repo.path)[1].links}
    assert links == {A, B, C}
    repo.checkpoint("0a1b2c3d4e53", Stored(ONE, claude(ONE, UNITS[:25]), 600))
    repo.commit("0a1b2c3d4e53")
    repo.build()
    run(repo.path)
    assert units(repo.path) == {ONE: 25, TWO: 4}


def test_what_is_the_same_is_not_marked(tmp_path: Path) -> None:
    """So it goes with its checkpoint, as if no bundle had come."""
    repo = made(tmp_path / "r", (A, ONE, 6))
    run(repo.path)
    before = tip(repo.path)
    assert taken(repo.path, exported(repo.path)) == (["unchanged"], [])
    assert tip(repo.path) == before
    repo.checkpoint(A, Stored(TWO, claude(TWO, UNITS[:3])))
    repo.build()
    run(repo.path)
    assert units(repo.path) == {TWO: 3}


@pytest.mark.parametrize("full", [False, True])
def test_it_stays_when_the_checkpoint_here_holds_it_no_more(
    source: Files, tmp_path: Path, full: bool
) -> None:
    repo = made(tmp_path / "r", (A, ONE, 6))
    run(repo.path)
    taken(repo.path, source)
    repo.checkpoint(A, Stored("another", claude("another", UNITS[:3])))
    repo.build()
    run(repo.path, full=full)
    assert units(repo.path) == {ONE: 20, TWO: 4, "another": 3}


def test_only_what_came_stays(tmp_path: Path, source: Files) -> None:
    """A fork that was made here goes with its checkpoint; its content is in no blob that is left."""
    repo = made(tmp_path / "r", (A, ONE, 6))
    fork = [*UNITS[:3], "x1", "x2"]
    large = claude(ONE, fork).replace(b"text of x2", b"s" * 70_000)
    repo.checkpoint("0a1b2c3d4e55", Stored(ONE, large, 900))
    repo.commit("0a1b2c3d4e55")
    repo.build()
    run(repo.path)
    taken(repo.path, source)
    assert units(repo.path) == {ONE: 20, f"{ONE}@x1": 5, TWO: 4}
    for checkpoint in (A, "0a1b2c3d4e55"):
        repo.checkpoint(checkpoint, Stored("another", claude("another", UNITS[:3])))
    repo.build()
    run(repo.path)
    assert units(repo.path) == {ONE: 20, TWO: 4, "another": 3}
    assert not any(path.count("/blobs/") for path in tree_files(repo.path))


def test_excluded_and_forgotten_sessions_are_refused(source: Files, empty: Path, tmp_path: Path) -> None:
    assert taken(empty, source, exclusions=(f"session:{ONE}",)) == (
        ["refused", "new"],
        ["asr.exclude keeps it out"],
    )
    assert units(empty) == {TWO: 4}
    run(empty, exclusions=(f"session:{TWO}",))
    assert units(empty) == {}
    repo = made(tmp_path / "r", (A, ONE, 6))
    run(repo.path)
    (bundle,) = bundles(repo.path)
    manifest = {**bundle.manifest, "forgotten": {"reason": "asked"}, "blobs": []}
    manifest["sessions"] = [{**manifest["sessions"][0], "streams": []}]
    replace(repo.path, {f"{bundle.path}/bundle.json": json.dumps(manifest).encode()})
    assert taken(repo.path, source) == (["refused", "new"], ["it was forgotten"])
    said = "the bundle has nothing of it"
    assert taken(empty, changed(source, lambda one: one.update(forgotten={}))) == (
        ["refused"] * 2,
        [said] * 2,
    )


def test_streams_that_are_none_are_refused_one_by_one(source: Files, empty: Path) -> None:
    def renamed(manifest: Any) -> None:
        manifest["sessions"][0]["session"]["id"] = "other"

    refused, said = taken(empty, changed(source, renamed))
    assert (refused, said) == (["refused", "new"], [f"the header of stream {ONE} is another stream's"])
    files = dict(source)
    path = f"sessions/{ONE}.jsonl"
    files[path] = b"{}\n"

    def listed(manifest: Any) -> None:
        manifest["sessions"][0]["streams"][0]["files"][0] = entry(path, b"{}\n")

    assert taken(empty, changed(files, listed)) == (["refused", "unchanged"], ["a stream without a header"])
    files[path] = source[path].replace(b'"capture":{', b'"capture":[],"was":{')

    def odd(manifest: Any) -> None:
        manifest["sessions"][0]["streams"][0]["files"][0] = entry(path, files[path])

    refused, said = taken(empty, changed(files, odd))
    assert refused == ["refused", "unchanged"]
    assert said[0].startswith("a header of another shape")


UNKNOWN = {"tomorrow": {"number": 1.10, "text": "\u2028"}}


def everywhere(manifest: Any) -> None:
    """Put unknown fields into every object of a manifest, and list more files."""
    session = manifest["sessions"][0]
    stream = session["streams"][0]
    for one in (manifest, session, session["session"], stream, stream["files"][0], stream["summary"]):
        one["tomorrow"] = UNKNOWN["tomorrow"]
    manifest["_meta"] = {"x.example/of": "all"}
    blob = b"nobody names it"
    manifest["blobs"] = [
        {"sha256": hashlib.sha256(blob).hexdigest(), "bytes": len(blob), "mediaType": "a/b", "tomorrow": 1}
    ]
    manifest["attachments"] = [entry("extra/one", b"1", title="One"), {"deep": entry("extra/two", b"2")}]
    mine = entry("native/n", b"n", session={"harness": "claude-code", "id": ONE})
    manifest["native"] = [entry("native/m", b"m"), mine]


def with_unknown(source: Files) -> Files:
    blob = b"nobody names it"
    files = changed(source, everywhere, one=b"1", two=b"2")
    files |= {"native/n": b"n", "native/m": b"m", f"blobs/sha256/{hashlib.sha256(blob).hexdigest()}": blob}
    return files


def test_what_is_unknown_is_kept(source: Files, empty: Path) -> None:
    files = with_unknown(source)
    canonical = files_of(as_bundle(files))
    assert canonical.keys() == files.keys()
    assert json.loads(canonical["bundle.json"]) == json.loads(files["bundle.json"]) | {
        "producer": {"name": "git-asr"}
    }
    assert b'"number": 1.1,' in canonical["bundle.json"]
    assert taken(empty, files) == (["new", "new"], [])
    assert exported(empty) == canonical
    for options in ({}, {"full": True}):
        run(empty, **options)
        assert exported(empty) == canonical
    assert taken(empty, source)[0] == ["unchanged", "unchanged"]


def test_what_is_unknown_is_kept_by_merging(source: Files, tmp_path: Path) -> None:
    """Also where a checkpoint gives the greater stream, and where two bundles differ in it."""
    repo = made(tmp_path / "r", (A, ONE, 25))
    run(repo.path)
    taken(repo.path, with_unknown(source))
    taken(
        repo.path,
        changed(source, lambda one: one.update(attachments=[entry("extra/four", b"4")], other=2), four=b"4"),
    )
    out = exported(repo.path)
    manifest = json.loads(out["bundle.json"])
    assert json.loads(out[f"sessions/{ONE}.jsonl"])["capture"]["through"] == 25
    listed = {one.get("path") or one["deep"]["path"] for one in manifest["attachments"]}
    assert listed == {"extra/one", "extra/two", "extra/four"}
    assert {out[f"extra/{name}"] for name in ("one", "two", "four")} == {b"1", b"2", b"4"}
    assert (manifest["tomorrow"], manifest["other"], out["native/n"]) == (UNKNOWN["tomorrow"], 2, b"n")
    assert [one["mediaType"] for one in manifest["blobs"]] == ["a/b"]


def test_a_stream_of_another_major_version_is_opaque(source: Files, empty: Path) -> None:
    data = {"sessions/later.cbor": b"\xff\x00", "sessions/sub/more.bin": b"later"}

    def add(manifest: Any) -> None:
        manifest["sessions"][0]["streams"].append(
            {
                "stream": "later",
                "files": [entry(path, one) for path, one in data.items()],
                "records": 7,
                "contentLevel": "sealed",
                "formatVersion": "2.0",
                "summary": {"agent": "x", "models": [], "commits": []},
            }
        )

    files = changed({**source, **data}, add)
    canonical = files_of(as_bundle(files))
    assert taken(empty, files) == (["new", "new"], [])
    assert exported(empty) == canonical
    run(empty, full=True)
    assert exported(empty) == canonical
    assert files_of(join(as_bundle(canonical)))["sessions/later.cbor"] == b"\xff\x00"


def test_a_stream_that_does_not_say_its_blobs(tmp_path: Path, empty: Path) -> None:
    repo = made(tmp_path / "r")
    large = claude(ONE, UNITS[:3]).replace(b"text of u1", b"s" * 70_000)
    repo.checkpoint(A, Stored(ONE, large))
    repo.commit(A)
    repo.build()
    run(repo.path)
    out = exported(repo.path)

    def silent(manifest: Any) -> None:
        del manifest["sessions"][0]["streams"][0]["blobs"]

    taken(empty, changed(out, silent))
    assert exported(empty) == out


def test_accepted_links_come_too(tmp_path: Path) -> None:
    one = made(tmp_path / "one", (A, ONE, 6))
    one.commit(message="lost")
    one.build()
    commit = git(one.path, "rev-parse", "main")
    run(one.path, decisions=(AcceptedLink(commit, A, "2026-01-01T00:00:00Z", "hand"),))
    other = made(tmp_path / "other", (A, ONE, 6))
    run(other.path)
    assert taken(other.path, exported(one.path)) == (["changed"], [])
    for options in ({}, {"full": True}):
        run(other.path, **options)
        assert [link["id"] for link in bundles(other.path)[0].links if "#" in link["id"]] == [
            f"{A}@{commit}#hand"
        ]


def test_a_session_without_a_transcript_gives_way(tmp_path: Path, source: Files) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.checkpoint(C, Stored(TWO, None))
    repo.commit(C)
    repo.build()
    run(repo.path)
    assert [one.manifest["sessions"][0]["session"]["harness"] for one in bundles(repo.path)] == ["unknown"]
    taken(repo.path, source)
    assert {one.manifest["sessions"][0]["session"]["harness"] for one in bundles(repo.path)} == {
        "claude-code"
    }


def test_two_sessions_with_one_name_are_not_put_together(tmp_path: Path, source: Files) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.checkpoint("0a1b2c3d4e57", Stored(TWO, None))
    repo.commit("0a1b2c3d4e57")
    repo.build()
    run(repo.path)
    taken(repo.path, source)
    with pytest.raises(AsrError, match="a bundle cannot hold both"):
        exported(repo.path)


def test_a_damaged_session_is_named(source: Files, empty: Path) -> None:
    taken(empty, source)
    (path,) = [one for one in tree_files(empty) if ONE in one and one.endswith("bundle.json")]
    replace(empty, {**tree_files(empty), path: b"{"})
    repo = open_repository(empty)
    with open_objects(repo, "git") as objects:
        tree = str(read_tip(repo, objects).tree)
        with pytest.raises(AsrError, match=rf"session {ONE}: a damaged bundle"):
            exporting.bundle_of(objects, tree, [load(source["bundle.json"]).sessions[0].key])
        with pytest.raises(AsrError, match="no session"):
            exporting.bundle_of(objects, tree, [store.SessionKey("x", "y")])


def test_a_manifest_without_sessions(empty: Path) -> None:
    assert taken(empty, Bundle(Manifest(()), lambda _: None)) == ([], [])
    assert tip(empty) is None
