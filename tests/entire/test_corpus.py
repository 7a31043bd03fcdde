"""The sample repositories, against figures that another reader took from them."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

from git_asr.converters.detect import detect
from git_asr.entire.contents import read_checkpoints
from git_asr.entire.files import SmallFiles, check_hash
from git_asr.entire.links import KEY, WALK_EXCLUDES, Mention, checkpoint_ids
from git_asr.entire.session import joined
from git_asr.entire.stores.base import Location
from git_asr.entire.stores.registry import changes, copies, discover
from git_asr.errors import Diagnostic
from git_asr.git.backend import open_objects
from git_asr.git.base import Repository
from git_asr.git.history import walk
from git_asr.git.refs import list_refs
from git_asr.git.repository import open_repository
from tests.support.corpus import expected, needs_corpus, sample, samples
from tests.support.repo_builder import git

pytestmark = [needs_corpus, pytest.mark.no_cover]  # what covers is there without it
NAMES = (
    (r"refs/entire/checkpoints/../\w{12,26}", "one ref a checkpoint"),
    (r"(.*/v2/full/)[0-9]{13}", r"\1<number>"),
)
"""How the figures name stores of which there are many."""


def links_of(repo: Repository) -> dict[str, tuple[Mention, ...]]:
    commits = walk(repo, revisions=None, exclude_refs=WALK_EXCLUDES, needle=KEY.encode())
    found = {commit.oid: checkpoint_ids(commit.message) for commit in commits}
    return {oid: links for oid, links in found.items() if links}


def locations_of(repo: Repository) -> dict[str, list[Location]]:
    said: list[Diagnostic] = []
    with open_objects(repo) as objects:
        held = {
            store.ref: [
                one for one in changes(objects, store, None, said.append) or [] if isinstance(one, Location)
            ]
            for store in discover(list_refs(repo))
        }
    assert said == []
    return held


@pytest.mark.parametrize("name", samples())
def test_trailers(name: str, tmp_path: Path) -> None:
    path = sample(name, tmp_path)
    figures = expected()["samples"][name]["git"]
    links = links_of(open_repository(path))
    excludes = [f"--exclude={glob}" for glob in WALK_EXCLUDES]
    assert int(git(path, "rev-list", "--count", *excludes, "--all")) == figures["commits"]
    assert len(links) == figures["commits_with_trailer"]
    assert sum(len(some) > 1 for some in links.values()) == figures["commits_with_several_trailers"]
    assert sum(len(some) for some in links.values()) == figures["trailer_lines_scan"]
    commits = defaultdict(set)
    for oid, some in links.items():
        for link in some:
            commits[link.checkpoint].add(oid)
    assert len(commits) == figures["ids_scan"]
    assert sum(len(some) > 1 for some in commits.values()) == figures["ids_on_several_commits"]
    assert all(link.place != "elsewhere" for some in links.values() for link in some)


@pytest.mark.parametrize("name", samples())
def test_the_last_block_is_what_git_reads(name: str, tmp_path: Path) -> None:
    path = sample(name, tmp_path)
    figures = expected()["samples"][name]["git"]
    links = links_of(open_repository(path))
    in_block = {
        oid: [link.checkpoint for link in some if link.place == "last-block"] for oid, some in links.items()
    }
    for oid, ids in in_block.items():
        shown = git(path, "log", "-1", f"--format=%(trailers:key={KEY},valueonly)", oid)
        assert ids == shown.split()
    assert sum(len(ids) for ids in in_block.values()) == figures["trailer_lines_git"]
    assert len({one for ids in in_block.values() for one in ids}) == figures["ids_git"]
    fewer = sum(len(in_block[oid]) < len(some) for oid, some in links.items())
    assert fewer == figures["commits_where_git_sees_fewer"]


def figure_name(ref: str) -> str:
    for pattern, name in NAMES:
        ref = re.sub(f"^{pattern}$", name, ref)
    return ref


@pytest.mark.parametrize("name", samples())
def test_stores(name: str, tmp_path: Path) -> None:
    figures = expected()["samples"][name]
    repo = open_repository(sample(name, tmp_path))
    held = locations_of(repo)
    counted: Counter[str] = Counter()
    for ref, some in held.items():
        counted[figure_name(ref)] += len(some)
    assert counted == figures["stores"]
    for ref, some in held.items():
        for location in some:
            path = f"{location.checkpoint[:2]}/{location.checkpoint[2:]}"
            where = f"{ref}:" if location.kind == "per-checkpoint" else f"{ref}:{path}"
            assert location.trees == (git(repo.git_dir, "rev-parse", where),)


@pytest.mark.parametrize("name", samples())
def test_what_resolves(name: str, tmp_path: Path) -> None:
    figures = expected()["samples"][name]
    repo = open_repository(sample(name, tmp_path))
    named = {link.checkpoint for some in links_of(repo).values() for link in some}
    held = {location.checkpoint for some in locations_of(repo).values() for location in some}
    assert len(named & held) == figures["git"]["ids_resolving"]
    assert len(named - held) == figures["git"]["ids_not_resolving"]
    assert len(held) == figures["checkpoints"]
    assert len(held - named) == figures["checkpoints_without_commit"]


def copies_of(repo: Repository) -> list[Location]:
    """Every copy of every checkpoint; the stores come by preference."""
    located = defaultdict(list)
    for some in locations_of(repo).values():
        for one in some:
            located[one.checkpoint].append(one)
    return [copy for some in located.values() for copy in copies(some)]


@pytest.mark.parametrize("name", samples())
def test_sessions(name: str, tmp_path: Path) -> None:
    figures = expected()["samples"][name]
    repo = open_repository(sample(name, tmp_path))
    said: list[Diagnostic] = []
    sessions: dict[Any, dict[str, Any]] = {}
    links = defaultdict(set)
    for oid, some in links_of(repo).items():
        for link in some:
            links[link.checkpoint].add(oid)
    triples = set()
    with open_objects(repo) as objects:
        for checkpoint in read_checkpoints(objects, copies_of(repo), said.append):
            assert checkpoint.metadata["checkpoint_id"] == checkpoint.id
            assert checkpoint.absent == ()
            for folder in checkpoint.sessions:
                key = folder.agent, folder.session_id
                entry = sessions.setdefault(key, {"checkpoints": set(), "folders": 0, "copies": 0})
                entry["checkpoints"].add(checkpoint.id)
                entry["folders"] += 1
                entry["copies"] += bool(folder.transcript)
                triples |= {(folder.session_id, checkpoint.id, oid) for oid in links[checkpoint.id]}
                assert folder.created is not None
                entry["newest"] = max(
                    entry.get("newest", (-1,)),
                    (folder.created, checkpoint.id, folder.folder, folder.transcript)
                    if folder.transcript
                    else (-1,),
                )
                for inner, oid in folder.files.items():
                    path = f"{folder.folder}/{inner}".removeprefix("/")
                    found = [objects.lookup(tree, path) for tree in checkpoint.trees]
                    assert oid in [entry.oid for entry in found if entry is not None]
    listed = {(one["agent"], one["session_id"]): one for one in figures["sessions"]}
    assert set(sessions) == set(listed)
    for key, entry in sessions.items():
        one = listed[key]
        assert sorted(entry["checkpoints"]) == sorted(one["checkpoints"])
        assert entry["folders"] == one["folders"]
        assert entry["copies"] == one["copies_with_transcript"]
        if "newest" in one:
            assert len(entry["newest"][3]) == len(one["newest"]["files"])
            assert entry["newest"][1:3] == (one["newest"]["checkpoint"], one["newest"]["folder"])
    assert len(triples) == figures["links"]
    assert sum(not entry["copies"] for entry in sessions.values()) == figures["sessions_without_transcript"]
    assert {one.code for one in said} <= {"missing-transcript", "missing-part"}


@pytest.mark.parametrize("name", samples())
def test_content_hashes(name: str, tmp_path: Path) -> None:
    """The figures leave out what was cut into documents, and call wrong what lacks a part, which is not judged here."""
    figures = expected()["samples"][name]
    repo = open_repository(sample(name, tmp_path))
    said: list[Diagnostic] = []
    right = incomplete = 0
    with open_objects(repo) as objects:
        files = SmallFiles(objects, {}, said.append)
        for checkpoint in read_checkpoints(objects, copies_of(repo), lambda _: None):
            for folder in checkpoint.sessions:
                chunks = [objects.blob(oid) or b"" for oid in folder.transcript]
                native = detect(iter(chunks))
                if not chunks or folder.content_hash is None or (chunks[1:] and native and native.array):
                    continue
                before = len(said)
                check_hash(files, folder, joined(iter(chunks))[0])
                incomplete += bool(folder.missing_parts)
                right += before == len(said) and not folder.missing_parts
    assert {one.code for one in said} <= {"content-hash"}
    assert len(said) + incomplete == figures["content_hash_wrong"]
    assert right == figures["content_hash_right"]
