"""What came from other clones: checked, then merged, in real repositories."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from git_asr.asr.header import SessionKey
from git_asr.companion.arrivals import Merged, merged
from git_asr.companion.forgetting import Forget, buried
from git_asr.errors import Diagnostic
from git_asr.git.backend import open_objects
from git_asr.git.repository import open_repository
from git_asr.git.writing import ObjectWriter
from tests.companion.test_merging import ONE, PIECES, Piece, gathered
from tests.support.companion import REF, bundles, replace, tree_files
from tests.support.repo_builder import fsck, git


def merge(hub: Path, tips: Iterable[str]) -> tuple[Merged, list[Diagnostic]]:
    """Merge tips, and point the companion ref at the result."""
    found: list[Diagnostic] = []
    repo = open_repository(hub)
    with open_objects(repo) as objects, ObjectWriter(repo, objects) as writer:
        result = merged(repo, objects, writer, tips, found.append)
    if result.commit is not None:
        git(hub, "update-ref", REF, result.commit)
    return result, found


def test_the_same_tips_give_the_same_commit(tmp_path: Path) -> None:
    hub, tips = gathered(tmp_path, [(0, "plain", 3)], [(1, "plain", 8)], [(2, "other", 4)])
    results = [merge(hub, order)[0] for order in (tips, tips[::-1], [tips[1], *tips])]
    assert len({one.commit for one in results}) == 1
    assert results[0].parents == tuple(sorted(tips))
    assert len(bundles(hub)) == 2
    fsck(hub)


def test_a_tip_that_has_it_all_is_the_result(tmp_path: Path) -> None:
    hub, tips = gathered(tmp_path, [(0, "plain", 3)], [(1, "plain", 8)])
    union, _ = merge(hub, tips)
    again, _ = merge(hub, [*tips, str(union.commit)])
    assert again.commit == union.commit
    assert again.parents == (union.commit,)
    assert merge(hub, tips[:1])[0].commit == tips[0]


def test_a_session_that_fails_is_left_out_and_the_rest_is_merged(tmp_path: Path) -> None:
    hub, tips = gathered(tmp_path, [(0, "plain", 3), (1, "other", 3)], [(2, "plain", 5)])
    files = tree_files(hub, tips[0])
    bad = next(path for path in files if path.endswith("~000001.jsonl"))
    replace(hub, {**files, bad: files[bad] + b"\n"}, "refs/asr/remotes/bad/sessions")
    lying = git(hub, "rev-parse", "refs/asr/remotes/bad/sessions").strip()
    result, found = merge(hub, [lying, tips[1]])
    (refused,) = result.refused
    assert refused.path is not None and bad.startswith(refused.path)
    assert [one.code for one in found] == ["unsound-session"]
    assert "is not the file that its manifest lists" in found[0].message
    assert lying in result.parents
    bundles(hub)


@pytest.mark.parametrize("what", ["absent", "blob", "tag", "damaged", "parentless", "foreign", "nothing"])
def test_a_tip_that_is_none_counts_as_not_there(tmp_path: Path, what: str) -> None:
    hub, tips = gathered(tmp_path, [(0, "plain", 3)])
    match what:
        case "absent":
            other = "12" * 20
        case "blob":
            other = git(hub, "hash-object", "-w", "--stdin", stdin=b"x").strip()
        case "tag":
            tag = f"object {tips[0]}\ntype commit\ntag x\ntagger x <x> 0 +0000\n\nx\n"
            other = git(hub, "hash-object", "-w", "-t", "tag", "--stdin", stdin=tag.encode()).strip()
        case "damaged":
            other = git(hub, "commit-tree", "-m", "y", f"{tips[0]}^{{tree}}")
            path = hub / "objects" / other[:2] / other[2:]
            path.chmod(0o644)
            path.write_bytes(b"no object")
        case "parentless":
            tree = git(hub, "rev-parse", f"{tips[0]}^{{tree}}")
            body = f"tree {tree}\nparent {'12' * 20}\nauthor x <x> 0 +0000\ncommitter x <x> 0 +0000\n\nx\n"
            other = git(hub, "hash-object", "-w", "-t", "commit", "--stdin", stdin=body.encode())
        case "foreign":
            replace(hub, {"README": b"x"}, "refs/asr/remotes/x/sessions")
            other = git(hub, "rev-parse", "refs/asr/remotes/x/sessions").strip()
        case _:
            assert merge(hub, []) == (Merged(None, None, (), 0, ()), [])
            return
    result, found = merge(hub, [*tips, other])
    assert result.tree == git(hub, "rev-parse", f"{tips[0]}^{{tree}}").strip()
    assert result.parents == tuple(tips)
    assert {one.code for one in found} == {"unsound-session"}


def tree_of(hub: Path, entries: Iterable[tuple[str, str, str]]) -> str:
    """A tree of modes, names and object IDs, however many and whatever they say."""
    body = b"".join(f"{mode} {name}".encode() + b"\0" + bytes.fromhex(oid) for mode, name, oid in entries)
    return git(hub, "hash-object", "-w", "-t", "tree", "--literally", "--stdin", stdin=body)


def commit_of(hub: Path, tree: str, *parents: str) -> str:
    return git(hub, "commit-tree", "-m", "x", *(word for one in parents for word in ("-p", one)), tree)


def nested(hub: Path, path: str, tree: str) -> str:
    """A tree in which one stands at a path."""
    for name in reversed(path.split("/")):
        tree = tree_of(hub, [("40000", name, tree)])
    return tree


def hostile(hub: Path, what: str) -> tuple[str, str]:
    """A tip with something that nobody would make who means well, and words of what is said about it."""
    blob = git(hub, "hash-object", "-w", "--stdin", stdin=b"{}\n")
    one = bundles(hub, "refs/asr/remotes/c0/sessions")[0]
    place = one.path.rpartition("/")[0]
    match what:
        case "parts":
            parts = tree_of(hub, (("100644", f"s~{n:07d}.jsonl", blob) for n in range(1_000_000)))
            session = nested(hub, "sessions", parts)
            return commit_of(hub, nested(hub, one.path, session)), "has more than 8 MiB"
        case "files":
            parts = tree_of(hub, (("100644", f"s~{n:06d}.jsonl", blob) for n in range(30_000)))
            session = nested(hub, "sessions", parts)
            return commit_of(hub, nested(hub, one.path, session)), "more than 20,000 files"
        case "entries":
            tree = tree_of(hub, (("100644", f"f{n:06d}", blob) for n in range(100_000)))
            return commit_of(hub, tree), "more than 10,000 files and folders that are no sessions"
        case "sessions":
            empty = tree_of(hub, [])
            names = tree_of(hub, (("40000", f"f{n:05d}", empty) for n in range(20_000)))
            return commit_of(hub, nested(hub, place, names)), "it has no bundle.json"
        case "deep":
            return commit_of(hub, nested(hub, f"{one.path}/{'/'.join(['d'] * 30)}", tree_of(hub, []))), "deep"
        case "twice":
            tree = tree_of(hub, [("40000", "a", blob), ("40000", "A", blob)])
            return commit_of(hub, nested(hub, one.path, tree)), "has a name twice"
        case "link":
            tree = tree_of(hub, [("120000", "bundle.json", blob)])
            return commit_of(hub, nested(hub, one.path, tree)), "is no ordinary file"
        case "up":
            tree = tree_of(hub, [("100644", "..", blob)])
            return commit_of(hub, nested(hub, one.path, tree)), "a name that no tree may hold"
        case _:
            tree = git(hub, "rev-parse", f"refs/asr/remotes/c0/sessions:{one.path}")
            return commit_of(hub, nested(hub, f"{place}/other", tree)), "its manifest is of the session"


WHAT = ("parts", "files", "entries", "sessions", "deep", "twice", "link", "up", "elsewhere")


@pytest.mark.parametrize("what", WHAT)
def test_a_hostile_tip_is_one_line_and_changes_nothing(tmp_path: Path, what: str) -> None:
    hub, tips = gathered(tmp_path, [(0, "plain", 3)], [(1, "plain", 8)])
    good, _ = merge(hub, tips)
    tip, why = hostile(hub, what)
    result, found = merge(hub, [*tips, tip])
    assert result.commit == good.commit
    assert len(found) == 1
    assert why in found[0].message


def test_a_manifest_that_lies_is_found_out(tmp_path: Path) -> None:
    hub, tips = gathered(tmp_path, [(0, "plain", 3)], [(0, "other", 3)])
    files = tree_files(hub, tips[0])
    path = next(one for one in files if one.endswith("bundle.json"))
    part = next(one for one in files if one.endswith("~000001.jsonl"))
    folder = path.rpartition("/")[0]
    lies = {
        "lacks": {name: data for name, data in files.items() if name != part},
        "does not list": {**files, f"{folder}/sessions/x.jsonl": b"{}\n"},
        "no name that a file of a bundle may have": {**files, f"{folder}/sessions/a b": b"{}\n"},
        "damaged bundle.json": {**files, path: files[path].replace(b'"bytes"', b'"octets"', 1)},
        "says that it was forgotten": {
            **files,
            path: files[path].replace(b'"blobs"', b'"forgotten": {}, "blobs"'),
        },
        "not of one session": {**files, path: b'{"sessions": [], "blobs": []}'},
        "format version": {**files, path: files[path].replace(b'"0.1"', b'"1.0"', 1)},
    }
    for why, lie in lies.items():
        replace(hub, {**lie, **tree_files(hub, tips[1])}, "refs/asr/remotes/lie/sessions")
        tip = git(hub, "rev-parse", "refs/asr/remotes/lie/sessions")
        result, found = merge(hub, [tip])
        assert [why in one.message for one in found] == [True], (why, found)
        assert len(bundles(hub)) == 1
        assert result.parents == (tip,)


def with_forgotten(hub: Path, tip: str) -> str:
    """The tip with one session forgotten on top of it."""
    repo = open_repository(hub)
    with open_objects(repo) as objects, ObjectWriter(repo, objects) as writer:
        forget = Forget((SessionKey("claude-code", ONE),), "r")
        tree = buried(objects, writer, objects.commit_tree(tip), forget)
    return commit_of(hub, str(tree), tip)


@example(one=[(0, "plain", 1), (0, "plain", 1)], two=[(0, "plain", 5)], three=[(0, "plain", 1)], forget=False)
@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(PIECES, PIECES, PIECES, st.booleans())
def test_merging_tips_is_commutative_associative_idempotent(
    tmp_path_factory: pytest.TempPathFactory,
    one: list[Piece],
    two: list[Piece],
    three: list[Piece],
    forget: bool,
) -> None:
    """An accepted link of a session that one of the clones forgot is the exception: it goes with it or does not."""
    clones = [
        [(n, kind.rstrip("+") if forget else kind, size) for n, kind, size in each]
        for each in (one, two, three)
    ]
    hub, (a, b, c) = gathered(tmp_path_factory.mktemp("arrivals"), *clones)
    if forget:
        c = with_forgotten(hub, c)
    whole = merge(hub, [a, b, c])[0]
    assert not forget or not any(ONE in path and "/sessions/" in path for path in tree_files(hub))
    bundles(hub)
    fsck(hub)
    assert merge(hub, [c, a, b])[0] == whole
    first, last = (str(merge(hub, pair)[0].commit) for pair in ([a, b], [b, c]))
    assert merge(hub, [first, c])[0].tree == merge(hub, [a, last])[0].tree == whole.tree
    again = merge(hub, [str(whole.commit), a, first])[0]
    assert again.tree == whole.tree
    assert again.commit in (whole.commit, first)  # of two that hold the same, that with the smaller ID


def test_of_very_many_tips_a_thousand_are_merged_and_the_rest_is_one_line(tmp_path: Path) -> None:
    hub, tips = gathered(tmp_path, [(0, "plain", 3)])
    tree = git(hub, "rev-parse", f"{tips[0]}^{{tree}}")
    files = [tmp_path / f"{n}" for n in range(1002)]
    for n, file in enumerate(files):
        file.write_text(f"tree {tree}\nauthor x <x> {n} +0000\ncommitter x <x> {n} +0000\n\n")
    listed = "".join(f"{file}\n" for file in files).encode()
    others = git(hub, "hash-object", "-w", "-t", "commit", "--stdin-paths", stdin=listed).split()
    result, found = merge(hub, others)
    assert [one.message for one in found] == ["there are 1,002 tips, and 1,000 are merged"]
    assert result.tree == tree
    assert len(result.refused) == 2


LIMITS = {
    "soundness.MOST_FILE": (0, "has more than 0 MiB"),
    "soundness.MOST_BYTES": (0, "it holds more than 0 GiB"),
    "soundness.MOST_MANIFEST": (0, "has more than 0 MiB"),
    "soundness.MOST_FILES": (1, "it holds more than 1 files"),
    "arrivals.MOST_SESSIONS": (0, "it holds more than 0 sessions"),
    "soundness.MOST_TREE": (0, "has more than 0 MiB"),
}


@pytest.mark.parametrize("name", LIMITS)
def test_what_is_beyond_a_limit_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    hub, tips = gathered(tmp_path, [(0, "plain", 3)])
    limit, why = LIMITS[name]
    monkeypatch.setattr(f"git_asr.companion.{name}", limit)
    result, found = merge(hub, tips)
    assert (result.commit, result.tree) == (None, None)
    assert [why in one.message for one in found] == [True]


def test_sessions_with_many_files_are_looked_at_a_few_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub, tips = gathered(tmp_path, [(0, "plain", 3), (1, "other", 3)], [(2, "fork", 3)])
    whole, _ = merge(hub, tips)
    monkeypatch.setattr("git_asr.companion.soundness.FILES_AT_ONCE", 2)
    assert merge(hub, tips) == (whole, [])
    monkeypatch.setattr("git_asr.companion.soundness.AT_ONCE", 1)
    assert merge(hub, tips) == (whole, [])


@pytest.mark.parametrize("what", ["manifest", "tree", "blob", "header", "lines", "other header"])
def test_what_lacks_or_damages_an_object_is_left_out(tmp_path: Path, what: str) -> None:
    hub, tips = gathered(tmp_path, [(0, "plain", 3)], [(0, "other", 3)])
    files = tree_files(hub, tips[0])
    path = next(one for one in files if one.endswith("bundle.json"))
    header = next(one for one in files if one.endswith(".jsonl") and "~" not in one)
    place = path.rpartition("/")[0]
    absent = "12" * 20
    match what:
        case "manifest":
            tree = tree_of(hub, [])
            tip = commit_of(hub, nested(hub, place, tree))
        case "tree":
            tip = commit_of(hub, nested(hub, place, tree_of(hub, [("40000", "sessions", absent)])))
        case "blob":
            tip = commit_of(hub, nested(hub, place, tree_of(hub, [("100644", "bundle.json", absent)])))
        case _:
            data = {
                "header": b"{}\n",
                "lines": b"x",
                "other header": files[header].replace(b'"stream":"', b'"stream":"x'),
            }[what]
            manifest = json.loads(files[path])
            for file in manifest["sessions"][0]["streams"][0]["files"]:
                if header.endswith(file["path"]):
                    file |= {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
            replace(hub, {**files, header: data, path: json.dumps(manifest).encode()}, "refs/x")
            tip = git(hub, "rev-parse", "refs/x")
    result, found = merge(hub, [tip, tips[1]])
    assert result.commit == tips[1]
    assert len(found) == 1
