from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from git_asr.entire.stores.base import Change, Cleared, Location, Merit, Removed, Store
from git_asr.entire.stores.branch_v1 import BranchV1
from git_asr.entire.stores.registry import LAYOUTS, changes, discover, searched, unite
from git_asr.errors import Diagnostic
from git_asr.git.backend import open_objects
from git_asr.git.base import Ref
from git_asr.git.refs import is_ancestor, list_refs
from git_asr.git.repository import open_repository
from tests.support.repo_builder import RepoBuilder, git

LOCAL = "refs/heads/entire/checkpoints/v1"
ORIGIN = "refs/remotes/origin/entire/checkpoints/v1"
ULID = "01KXDM08H2V0SZREV3NDG2R38M"


def seen(path: Path, ref: str, old_tip: str | None = None) -> tuple[list[Change] | None, list[Diagnostic]]:
    said: list[Diagnostic] = []
    repo = open_repository(path)
    (store,) = [store for store in discover(list_refs(repo)) if store.ref == ref]
    with open_objects(repo) as objects:
        return changes(objects, store, old_tip, said.append), said


def location(path: Path, checkpoint: str, ref: str = LOCAL) -> Location:
    folder = f"{checkpoint[:2]}/{checkpoint[2:]}"
    return Location(checkpoint, ref, "branch-v1", git(path, "rev-parse", f"{ref}:{folder}"), folder)


def test_discovery_and_order() -> None:
    stores = [
        "refs/heads/entire/checkpoints/v1",
        "refs/remotes/team/store/entire/checkpoints/v1",
        "refs/remotes/origin/entire/checkpoints/v1",
        "refs/remotes/another/entire/checkpoints/v1",
        "refs/remotes/upstream/entire/checkpoints/v1",
    ]
    others = [
        "refs/heads/main",
        "refs/heads/entire/checkpoints/v1x",
        "refs/heads/entire/checkpoints/v1/x",
        "refs/heads/entire/checkpoints",
        "refs/heads/x/entire/checkpoints/v1",
        "refs/heads/entire/039dfc5-e3b0c4",
        "refs/heads/entire/trails/v1",
        "refs/remotes/entire/checkpoints/v1",
        "refs/remotes/origin/notentire/checkpoints/v1",
        "refs/remotes/origin/x-entire/checkpoints/v1",
        "refs/tags/entire/checkpoints/v1",
        "refs/entire/policies/checkpoint",
        "refs/pull/1/head",
    ]
    found = discover([Ref(name, "1" * 40) for name in sorted(stores + others)], remote="team/store")
    assert [store.ref for store in found] == stores
    assert {(store.tip, store.layout.kind) for store in found} == {("1" * 40, "branch-v1")}
    plain = discover([Ref(name, "1" * 40) for name in stores])
    assert [store.ref for store in plain] == [stores[0], stores[2], stores[3], stores[1], stores[4]]
    assert discover([Ref(stores[2], "1" * 40)], remote="origin")[0].layout.rank(stores[2], "origin") == 1
    assert discover([]) == []


def test_layouts_are_told_apart() -> None:
    kinds = [layout.kind for layout in LAYOUTS]
    assert len(set(kinds)) == len(kinds) > 0


def test_what_was_searched_in_words() -> None:
    layout = BranchV1()
    stores = [Store(ref, layout, "1" * 40) for ref in (LOCAL, ORIGIN, LOCAL)]
    assert searched(stores) == (LOCAL, ORIGIN)
    assert searched([]) == ()


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_a_store_and_its_changes(object_format: str, tmp_path: Path) -> None:
    builder = RepoBuilder(tmp_path / "repo", object_format=object_format, bare=True)  # type: ignore[arg-type]
    one = {"00/0000000000/metadata.json": "{}", "00/0000000000/0/full.jsonl": "1"}
    other = {f"{ULID[:2]}/{ULID[2:]}/metadata.json": "{}", "README.md": "mine", "ff/x/metadata.json": "{}"}
    marks = [
        builder.commit(LOCAL, "Initialize metadata branch"),
        builder.commit(LOCAL, "Checkpoint: 000000000000", one),
        builder.commit(LOCAL, f"Checkpoint: {ULID}", other),
        builder.commit(LOCAL, "Finalize transcript", {"00/0000000000/0/full.jsonl": "12"}),
        builder.commit(LOCAL, "by accident", {"src/app.js": "x", "ab/0123456789": "a file"}),
        builder.commit(LOCAL, "Cleanup: removed 1 orphaned checkpoints", {"00/0000000000": None}),
    ]
    path = builder.build()
    tips = [builder.oid(mark) for mark in marks]

    def between(old: int | None, new: int) -> list[Change]:
        git(path, "update-ref", LOCAL, tips[new])
        found, said = seen(path, LOCAL, None if old is None else tips[old])
        assert found is not None and said == []
        return found

    hex_id = "000000000000"
    assert between(None, 0) == []
    assert between(None, 1) == between(0, 1) == [location(path, hex_id)]
    assert between(1, 2) == [location(path, ULID)]
    assert between(None, 2) == [location(path, hex_id), location(path, ULID)]
    assert between(2, 3) == [location(path, hex_id)]
    assert between(3, 4) == []
    assert between(4, 4) == []
    assert between(4, 5) == [Removed(hex_id)]
    assert between(0, 5) == [location(path, ULID)]
    assert between(5, 0) == [Removed(ULID)]
    assert between(2, 0) == [Removed(hex_id), Removed(ULID)]


def test_a_checkpoint_that_becomes_a_file_is_removed(tmp_path: Path) -> None:
    builder = RepoBuilder(tmp_path / "repo", bare=True)
    old = builder.commit(LOCAL, "one", {"00/0000000000/metadata.json": "{}"})
    builder.commit(LOCAL, "two", {"00/0000000000": "a file"}, replace=True)
    path = builder.build()
    assert seen(path, LOCAL, builder.oid(old)) == ([Removed("000000000000")], [])
    assert seen(path, LOCAL) == ([], [])


def test_an_equal_tip_costs_nothing(tmp_path: Path) -> None:
    builder = RepoBuilder(tmp_path / "repo", bare=True)
    builder.commit(LOCAL, "one", {"00/0000000000/metadata.json": "{}"})
    path = builder.build()
    tip = git(path, "rev-parse", LOCAL)
    for file in (path / "objects").rglob("*"):
        if file.is_file():
            file.unlink()
    assert seen(path, LOCAL, tip) == ([], [])
    found, said = seen(path, LOCAL)
    assert found is None
    assert [(one.code, one.where) for one in said] == [("unreadable-store", LOCAL)]


def test_an_old_tip_that_is_gone(tmp_path: Path) -> None:
    builder = RepoBuilder(tmp_path / "repo", bare=True)
    builder.commit(LOCAL, "one", {"00/0000000000/metadata.json": "{}"})
    path = builder.build()
    assert seen(path, LOCAL, "1" * 40) == ([Cleared(), location(path, "000000000000")], [])


def test_refs_that_lead_to_no_tree(tmp_path: Path) -> None:
    builder = RepoBuilder(tmp_path / "repo", bare=True)
    tip = builder.commit(LOCAL, "one", {"00/0000000000/metadata.json": "{}"})
    builder.tag("x", tip)
    path = builder.build()
    blob = git(path, "hash-object", "-w", "--stdin", stdin=b"x")
    tag = git(path, "rev-parse", "refs/tags/x")
    (path / "refs/heads/entire/checkpoints").mkdir(parents=True, exist_ok=True)
    for oid, code in [(blob, "unreadable-store"), ("2" * 40, "unreadable-store"), (tag, None)]:
        (path / LOCAL).write_text(f"{oid}\n")
        found, said = seen(path, LOCAL, builder.oid(tip))
        assert (found is None) == (code is not None)
        assert [(one.code, one.where) for one in said] == ([(code, LOCAL)] if code else [])


def chosen(
    candidates: Sequence[Location],
    tips: dict[str, str] | None = None,
    behind: set[tuple[str, str]] = frozenset(),  # type: ignore[assignment]
    merits: dict[str, Merit] | None = None,
) -> Location:
    return unite(
        candidates,
        tips=tips or {},
        is_ancestor=lambda one, other: (one, other) in behind,
        merit=lambda location: (merits or {})[location.store],
    )


def copy(store: str, tree: str) -> Location:
    return Location("000000000000", store, "branch-v1", tree, "00/0000000000")


def test_equal_copies_are_the_preferred_one_unasked() -> None:
    assert chosen([copy("a", "t"), copy("b", "t"), copy("c", "t")]).store == "a"
    assert chosen([copy("a", "t")]).store == "a"


def test_the_copy_of_the_tip_that_descends_from_the_other() -> None:
    tips = {"a": "1", "b": "2", "c": "3"}
    assert chosen([copy("a", "t"), copy("b", "u")], tips, {("1", "2")}).store == "b"
    assert chosen([copy("a", "t"), copy("b", "u")], tips, {("2", "1")}).store == "a"
    chain = {("1", "2"), ("2", "3"), ("1", "3")}
    assert chosen([copy("a", "t"), copy("b", "u"), copy("c", "t")], tips, chain).store == "c"
    assert (
        chosen([copy("a", "t"), copy("b", "u"), copy("c", "u")], tips, {("1", "2"), ("1", "3")}).store == "b"
    )


def test_the_copy_of_greater_merit() -> None:
    two, tips = [copy("a", "t"), copy("b", "u")], {"a": "1", "b": "2"}
    assert chosen(two, tips, merits={"a": (1, 9, 9), "b": (2, 0, 0)}).store == "b"
    assert chosen(two, tips, merits={"a": (2, 1, 9), "b": (2, 2, 0)}).store == "b"
    assert chosen(two, tips, merits={"a": (2, 2, 1), "b": (2, 2, 2)}).store == "b"
    assert chosen(two, tips, merits={"a": (2, 2, 2), "b": (2, 2, 2)}).store == "a"
    assert chosen(two, {"a": "1", "b": "1"}, {("1", "1")}, {"a": (1, 1, 1), "b": (1, 1, 2)}).store == "b"


def test_two_copies_in_a_repository(tmp_path: Path) -> None:
    builder = RepoBuilder(tmp_path / "repo", bare=True)
    first = builder.commit(
        ORIGIN, "create", {"00/0000000000/metadata.json": "{}", "11/1111111111/metadata.json": "{}"}
    )
    builder.commit(LOCAL, "finalise", {"00/0000000000/metadata.json": '{"x": 1}'}, parents=[first])
    path = builder.build()
    repo = open_repository(path)
    stores = discover(list_refs(repo))
    tips = {store.ref: store.tip for store in reversed(stores)}
    with open_objects(repo) as objects:
        held: dict[str, list[Location]] = {}
        for store in reversed(stores):
            for change in changes(objects, store, None, lambda _: None) or []:
                assert isinstance(change, Location)
                held.setdefault(change.checkpoint, []).append(change)
    united = {
        checkpoint: unite(
            copies,
            tips=tips,
            is_ancestor=lambda one, other: is_ancestor(repo, one, other),
            merit=lambda _: (0, 0, 0),
        )
        for checkpoint, copies in held.items()
    }
    assert united["000000000000"].store == LOCAL
    assert united["111111111111"].store == ORIGIN  # the same tree in both: the first one asked
