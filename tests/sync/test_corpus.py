"""The samples: what a sync makes of them, whatever the layout of their checkpoints."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.support.companion import StoredBundle, bundles, tip
from tests.support.corpus import expected, needs_corpus, sample, samples, some_samples, synced_sample
from tests.support.remote_helper import dialogue
from tests.support.repo_builder import fsck, git
from tests.support.run import run_cli

pytestmark = pytest.mark.no_cover  # other tests cover the same; measured, it takes twice as long

Synced = tuple[str, Path, dict[str, Any]]


@pytest.fixture(scope="module", params=samples())
def synced(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, Path, dict[str, Any]]:
    """A sample after one sync: its name, where it lies, what sync printed."""
    repo = sample(request.param, tmp_path_factory.mktemp("sample"))
    result = run_cli(["sync", "--json"], repo)
    assert result.status == 0, result.err
    return request.param, repo, json.loads(result.out)


def figures(name: str) -> dict[str, Any]:
    found: dict[str, Any] = expected()["samples"][name]
    return found


def linked(name: str, repo: Path) -> set[str]:
    """The checkpoints of a sample that a commit names, by the records of the companion ref."""
    return {r["id"].split("@")[0] for bundle in bundles(repo) for r in bundle.links if r["type"] == "vcs"}


def stored_ids(record: dict[str, Any]) -> list[str]:
    value = record["_meta"]["io.entire/checkpoint"].get("session_id", [])
    return value if isinstance(value, list) else [value]


@needs_corpus
def test_links_and_ids(synced: Synced) -> None:
    name, repo, outcome = synced
    wanted = figures(name)
    links = {
        (stored, record["id"])
        for bundle in bundles(repo)
        for record in bundle.links
        if record["type"] == "vcs"
        for stored in stored_ids(record)
    }
    assert len(links) == wanted["links"]
    assert outcome["links"] == sum(r["type"] == "vcs" for bundle in bundles(repo) for r in bundle.links)
    assert len(outcome["unresolved"]) == wanted["git"]["ids_not_resolving"]
    # a checkpoint may be named and hold no session, and may hold some and not be named
    assert len(linked(name, repo)) <= wanted["git"]["ids_resolving"]


@needs_corpus
def test_sessions_and_their_copies(synced: Synced) -> None:
    name, repo, _ = synced
    named = linked(name, repo)
    found = bundles(repo)
    for session in figures(name)["sessions"]:
        holding = [bundle for bundle in found if holds(bundle, session["session_id"])]
        if not set(session["checkpoints"]) & named:
            assert not holding
            continue
        checkpoints = {
            record["id"]
            for bundle in holding
            for record in bundle.links
            if record["type"] == "io.entire/checkpoint" and session["session_id"] in metadata_ids(record)
        }
        assert checkpoints == set(session["checkpoints"])
        newest = session.get("newest")
        if newest is None:
            assert all(s.header["capture"]["state"] == "omitted" for b in holding for s in b.streams.values())
            continue
        check_newest(holding, newest, session)


def check_newest(holding: list[StoredBundle], newest: dict[str, Any], session: dict[str, Any]) -> None:
    """The newest transcript's bytes are among the sources, and all its positions stand in one stream."""
    sources = [
        (source, stream)
        for bundle in holding
        for stream in bundle.streams.values()
        for source in stream.header.get("nativeSources", ())
        if source["sha256"] == newest["sha256"]
    ]
    assert sources, session["session_id"]
    source, stream = sources[0]
    assert source["bytes"] == newest["bytes"]
    extent = newest["lines"] if source["format"].endswith("-jsonl") else newest["elements"]
    assert source["positions"][1] == extent
    assert stream.header["capture"]["through"] >= extent
    glued = sum(record["seq"] % 1_000_000 == 500_000 for record in stream.records)
    assert glued >= newest["glued_lines"]


def holds(bundle: StoredBundle, session_id: str) -> bool:
    return any(
        session_id in metadata_ids(record)
        for record in bundle.links
        if record["type"] == "io.entire/checkpoint"
    )


def metadata_ids(record: dict[str, Any]) -> list[str]:
    found: list[str] = record["sessionIds"]
    return found


@needs_corpus
@pytest.mark.parametrize("synced", some_samples(2), indirect=True)
def test_again_and_from_scratch_nothing_moves(synced: Synced) -> None:
    _, repo, outcome = synced
    before = {path: path.stat().st_mtime_ns for path in (repo / "objects").rglob("*") if path.is_file()}
    refs = (tip(repo), tip(repo, "refs/notes/asr"))
    assert refs[0] == outcome["companion"]
    for again in (["sync"], ["sync", "--full"]):
        assert run_cli(again, repo).status == 0
        assert (tip(repo), tip(repo, "refs/notes/asr")) == refs
    assert {
        path: path.stat().st_mtime_ns for path in (repo / "objects").rglob("*") if path.is_file()
    } == before
    shutil.rmtree(repo / "asr")
    assert run_cli(["sync"], repo).status == 0
    assert (tip(repo), tip(repo, "refs/notes/asr")) == refs
    fsck(repo)


@needs_corpus
@pytest.mark.parametrize("synced", some_samples(1), indirect=True)
def test_both_backends_write_the_same(synced: Synced, tmp_path: Path) -> None:
    name, _, outcome = synced
    repo = sample(name, tmp_path)
    config = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "asr.backend", "GIT_CONFIG_VALUE_0": "git"}
    assert run_cli(["sync"], repo, env=config).status == 0
    assert tip(repo) == outcome["companion"]


@needs_corpus
@pytest.mark.parametrize("name", some_samples(0))
def test_with_orphans_every_session_is_there(name: str, tmp_path: Path) -> None:
    repo = synced_sample(name, tmp_path)
    assert len(bundles(repo)) == figures(name)["session_keys"]
    listed = json.loads(run_cli(["sessions", "--orphans", "--json"], repo).out)["orphans"]
    assert all(one["taken"] for one in listed)
    orphaned = {one for each in listed for one in each["checkpoints"]}
    assert len(orphaned) <= figures(name)["checkpoints_without_commit"]
    assert not orphaned & linked(name, repo)


@needs_corpus
@pytest.mark.parametrize("synced", some_samples(0), indirect=True)
def test_the_validator_finds_nothing(synced: Synced) -> None:
    _, repo, outcome = synced
    result = run_cli(["validate", "--ref", "--json"], repo)
    if outcome["companion"] is None:
        assert (result.status, result.err) == (
            2,
            "error: no companion ref here yet\nhint: git asr sync   makes it\n",
        )
        return
    printed = json.loads(result.out)
    assert (result.status, printed["findings"]) == (0, [])
    assert printed["bundles"] == outcome["sessions"]


@needs_corpus
@pytest.mark.parametrize("synced", some_samples(2), indirect=True)
def test_converted_for_plain_git_it_is_the_same(synced: Synced, tmp_path: Path) -> None:
    """``asr::convert+`` with what a host shows of the sample: all its refs but our own."""
    _, repo, outcome = synced
    git(repo, "config", "transfer.hideRefs", "refs/asr")
    git(repo, "config", "uploadpack.allowFilter", "true")
    env = {"XDG_CACHE_HOME": str(tmp_path)}
    told = dialogue(f"convert+{repo}", "list\n\n", tmp_path, env, git_dir=None)
    wanted = f"{outcome['companion']} refs/asr/sessions\n" if outcome["companion"] else ""
    assert (told.status, told.out) == (0, f"{wanted}\n"), told.err
