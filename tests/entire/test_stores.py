from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from git_asr.entire.stores.base import Change, Cleared, Location, Removed
from git_asr.entire.stores.registry import LAYOUTS, changes, copies, discover, rivals, searched
from git_asr.errors import Diagnostic
from git_asr.git.backend import open_objects
from git_asr.git.base import Ref
from git_asr.git.refs import is_ancestor, list_refs
from git_asr.git.repository import open_repository
from tests.support.repo_builder import RepoBuilder, git
from tests.support.run import PROJECT

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
    return Location(checkpoint, ref, "branch-v1", (git(path, "rev-parse", f"{ref}:{folder}"),))


HEX = "5f0af6f2363f"
STORES = [
    f"refs/entire/checkpoints/3f/{HEX}",
    f"refs/entire/checkpoints/8M/{ULID}",
    f"refs/entire/checkpoints/xx/{HEX}",  # it is refused when it is read, and that is told
    "refs/heads/entire/checkpoints/v1",
    "refs/remotes/team/store/entire/checkpoints/v1",
    "refs/remotes/origin/entire/checkpoints/v1",
    "refs/remotes/another/entire/checkpoints/v1",
    "refs/remotes/upstream/entire/checkpoints/v1",
    "refs/entire/checkpoints/v1",
    "refs/entire/checkpoints/v1.1",
    "refs/entire/remotes/team/store/checkpoints/v1.1",
    "refs/entire/remotes/origin/checkpoints/v1.1",
    "refs/entire/remotes/another/checkpoints/v1",
    "refs/entire/checkpoints/v2/main",
    "refs/entire/checkpoints/v2/full/current",
    "refs/entire/checkpoints/v2/full/0000000000011",
    "refs/entire/checkpoints/v2/full/0000000000002",
    "refs/entire/remotes/origin/checkpoints/v2/main",
    "refs/heads/entire/sessions/v1",
    "refs/remotes/origin/entire/sessions/v1",
    "refs/heads/entire/sessions",
    "refs/remotes/origin/entire/sessions",
    "refs/remotes/another/entire/sessions",
]
"""By preference, if the checkpoints are pushed to the remote ``team/store``."""
SEARCHED = [
    "refs/entire/checkpoints/*/*",
    *STORES[3:14],
    "refs/entire/checkpoints/v2/full/*",
    *STORES[17:],
]


def test_discovery_and_order() -> None:
    others = [
        "refs/heads/main",
        "refs/heads/entire/checkpoints/v1x",
        "refs/heads/entire/checkpoints/v1/x",
        "refs/heads/entire/checkpoints/v1.1",
        "refs/heads/entire/checkpoints",
        "refs/heads/x/entire/checkpoints/v1",
        "refs/heads/xentire/checkpoints/v1",
        "refs/heads/entire/039dfc5-e3b0c4",
        "refs/heads/entire/039dfc5",
        "refs/heads/entire/039dfc5be0b4e9a1d0f5d0a3c1b2f4e5d6c7b8a9",
        "refs/heads/entire/trails/v1",
        "refs/remotes/origin/entire/trails/v1",
        "refs/remotes/entire/checkpoints/v1",
        "refs/remotes/origin/notentire/checkpoints/v1",
        "refs/remotes/origin/x-entire/checkpoints/v1",
        "refs/remotes/origin/entire/checkpoints/v1.1",
        "refs/tags/entire/checkpoints/v1",
        "refs/entire/policies/checkpoint",
        "refs/entire/checkpoints/v2",
        "refs/entire/checkpoints/v2/mainx",
        "refs/entire/checkpoints/v2/full/000000000001",
        "refs/entire/checkpoints/v2/full/current/x",
        "refs/entire/checkpoints/v3/main",
        "refs/entire/checkpoints/v1x1",
        "refs/entire/remotes/checkpoints/v1",
        f"refs/entire/checkpoints/{HEX}",
        f"refs/entire/checkpoints/3f/{HEX}/x",
        f"refs/entire/checkpoints/3F/{HEX.upper()}",
        f"refs/entire/checkpoints/8m/{ULID.lower()}",
        "refs/pull/1/head",
    ]
    found = discover([Ref(name, "1" * 40) for name in sorted(STORES + others)], remote="team/store")
    assert [store.ref for store in found] == STORES
    assert {store.tip for store in found} == {"1" * 40}
    kinds = [store.layout.kind for store in found]
    assert kinds == [
        *["per-checkpoint"] * 3,
        *["branch-v1"] * 5,
        *["custom-ref"] * 5,
        *["v2"] * 5,
        *["sessions-v1"] * 2,
        *["flat"] * 3,
    ]
    plain = discover([Ref(name, "1" * 40) for name in STORES[3:8]])
    assert [store.ref for store in plain] == [STORES[at] for at in (3, 5, 6, 4, 7)]
    assert discover([Ref(STORES[5], "1" * 40)], remote="origin")[0].layout.rank(STORES[5], "origin") == 1
    assert discover([]) == []


def test_layouts_are_told_apart() -> None:
    kinds = [layout.kind for layout in LAYOUTS]
    assert len(set(kinds)) == len(kinds) == 6
    assert set(kinds) == {
        path.name for path in (PROJECT / "fixtures" / "checkpoints").iterdir() if path.is_dir()
    }


def test_what_was_searched_in_words() -> None:
    many = [f"refs/entire/checkpoints/{n % 100:02}/{n:012}" for n in range(20_000)]
    found = discover([Ref(name, "1" * 40) for name in (*STORES, *many)], remote="team/store")
    assert list(searched(found)) == SEARCHED
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


def left(
    candidates: Sequence[Location],
    tips: dict[str, str] | None = None,
    behind: set[tuple[str, str]] = frozenset(),  # type: ignore[assignment]
) -> list[str]:
    return [one.store for one in rivals(candidates, tips or {}, lambda one, other: (one, other) in behind)]


def copy(store: str, tree: str) -> Location:
    return Location("000000000000", store, "branch-v1", (tree,))


def test_equal_copies_are_the_preferred_one_unasked() -> None:
    assert left([copy("a", "t"), copy("b", "t"), copy("c", "t")], {"a": "1", "b": "2", "c": "3"}) == ["a"]
    assert left([copy("a", "t")]) == ["a"]
    assert left([]) == []


def test_the_copy_of_the_tip_that_descends_from_the_other() -> None:
    tips = {"a": "1", "b": "2", "c": "3"}
    assert left([copy("a", "t"), copy("b", "u")], tips, {("1", "2")}) == ["b"]
    assert left([copy("a", "t"), copy("b", "u")], tips, {("2", "1")}) == ["a"]
    chain = {("1", "2"), ("2", "3"), ("1", "3")}
    assert left([copy("a", "t"), copy("b", "u"), copy("c", "t")], tips, chain) == ["c"]
    assert left([copy("a", "t"), copy("b", "u"), copy("c", "u")], tips, {("1", "2"), ("1", "3")}) == ["b"]


def test_copies_between_which_their_merit_decides() -> None:
    tips = {"a": "1", "b": "2", "c": "3"}
    three = [copy("c", "t"), copy("a", "u"), copy("b", "t")]
    assert left(three, tips) == ["c", "a"]
    assert left(three, {"a": "1", "b": "1", "c": "1"}, {("1", "1")}) == ["c", "a"]
    assert left(three, {"b": "2"}, {("2", "2")}) == ["c", "a"]  # the others descend from nothing


def test_what_layered_stores_hold_is_one_copy() -> None:
    def at(store: str, kind: str, *trees: str) -> Location:
        return Location("000000000000", store, kind, trees)

    parts = [
        at("a", "per-checkpoint", "t"),
        at("b", "v2", "u"),
        at("c", "v2", "v"),
        at("d", "v2", "w"),
        at("e", "flat", "u"),
    ]
    assert copies(parts) == [parts[0], at("b", "v2", "u", "v", "w"), parts[4]]
    assert copies(parts[2:3]) == parts[2:3]


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
@pytest.mark.parametrize("identifier", [ULID, HEX])
def test_a_ref_that_is_a_checkpoint(identifier: str, object_format: str, tmp_path: Path) -> None:
    ref = f"refs/entire/checkpoints/{identifier[-2:]}/{identifier}"
    builder = RepoBuilder(tmp_path / "repo", object_format=object_format, bare=True)  # type: ignore[arg-type]
    old = builder.commit(ref, f"Checkpoint: {identifier}", {"metadata.json": "{}", "0/full.jsonl": "1"})
    builder.commit(ref, f"Finalize transcript for Checkpoint: {identifier}", {"0/full.jsonl": "12"})
    path = builder.build()
    here = Location(identifier, ref, "per-checkpoint", (git(path, "rev-parse", f"{ref}:"),))
    assert seen(path, ref) == ([here], [])
    assert seen(path, ref, builder.oid(old)) == ([here], [])
    assert seen(path, ref, git(path, "rev-parse", ref)) == ([], [])


@pytest.mark.parametrize("shard", ["5f", "ff", "3F", "3", "v1"])
def test_a_ref_name_that_lies_about_its_id(shard: str, tmp_path: Path) -> None:
    ref = f"refs/entire/checkpoints/{shard}/{HEX}"
    builder = RepoBuilder(tmp_path / "repo", bare=True)
    builder.commit(ref, "Checkpoint", {"metadata.json": "{}", "0/full.jsonl": "1"})
    found, said = seen(builder.build(), ref)
    assert found == []
    assert [(one.code, one.where) for one in said] == [("misplaced-ref", ref)]


def test_junk_in_a_store_is_not_looked_into(tmp_path: Path) -> None:
    builder = RepoBuilder(tmp_path / "repo", bare=True)
    builder.commit(LOCAL, "one", {"00/0000000000/metadata.json": "{}"})
    path = builder.build()
    gone = "1" * 40  # whoever looked into it would find that it is not there
    names = [f"{n:05}" for n in range(10_000)] + ["0", "zz", "8Z", "0O", "src", "FF", "a"]
    shard = "".join(
        f"040000 tree {gone}\t{name}\n" for name in ("0", "000000000", "00000000000", "000000000g")
    )
    shard += git(path, "ls-tree", f"{LOCAL}:00")
    odd = git(path, "mktree", "--missing", stdin=shard.encode())
    lines = [f"040000 tree {gone}\t{name}" for name in names] + [f"040000 tree {odd}\t00"]
    tree = git(path, "mktree", "--missing", stdin="\n".join(lines).encode() + b"\n")
    commit = git(path, "commit-tree", "-m", "junk", "-p", LOCAL, tree)
    git(path, "update-ref", LOCAL, commit)
    assert seen(path, LOCAL) == ([location(path, "000000000000")], [])


def test_two_copies_in_a_repository(tmp_path: Path) -> None:
    builder = RepoBuilder(tmp_path / "repo", bare=True)
    first = builder.commit(
        ORIGIN, "create", {"00/0000000000/metadata.json": "{}", "11/1111111111/metadata.json": "{}"}
    )
    builder.commit(LOCAL, "finalise", {"00/0000000000/metadata.json": '{"x": 1}'}, parents=[first])
    path = builder.build()
    repo = open_repository(path)
    stores = discover(list_refs(repo))
    tips = {store.ref: store.tip for store in stores}
    with open_objects(repo) as objects:
        held: dict[str, list[Location]] = {}
        for store in stores:
            for change in changes(objects, store, None, lambda _: None) or []:
                assert isinstance(change, Location)
                held.setdefault(change.checkpoint, []).append(change)
    united = {
        checkpoint: rivals(some, tips, lambda one, other: is_ancestor(repo, one, other))
        for checkpoint, some in held.items()
    }
    assert [one.store for one in united["000000000000"]] == [LOCAL]
    assert [one.store for one in united["111111111111"]] == [
        LOCAL
    ]  # the same tree in both: the preferred one
