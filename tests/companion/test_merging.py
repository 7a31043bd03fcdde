"""Companion refs of several clones, merged in real repositories."""

from __future__ import annotations

from functools import partial
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from git_asr.asr.links import AcceptedLink
from git_asr.companion import arrivals
from git_asr.companion.merging import merge_trees
from git_asr.errors import Diagnostic
from git_asr.git.backend import open_objects
from git_asr.git.repository import open_repository
from git_asr.git.writing import ObjectWriter
from git_asr.sync.flow import Options, sync
from tests.support.companion import bundles, tip, tree_files
from tests.support.entire_repo import EntireRepo, Stored, claude
from tests.support.repo_builder import fsck, git

ONE, TWO = "11111111-2222-3333-4444-555555555555", "66666666-7777-8888-9999-000000000000"
UNITS = [f"u{n}" for n in range(20)]
CPS = [f"{n:02x}0f6af2363f" for n in range(8)]

Piece = tuple[int, str, int]
"""Checkpoint, kind of copy (with a plus: a link to it was accepted), length."""


def clone(folder: Path, pieces: list[Piece]) -> str:
    """A repository in which only some checkpoints can be read, synced; its companion tip."""
    repo = EntireRepo(folder)
    for number, kind, length in pieces:
        data: bytes | None = claude(ONE, UNITS[:length])
        session = ONE
        match kind.rstrip("+"):
            case "bare":
                data = None
            case "other":
                session, data = TWO, claude(TWO, UNITS[:length])
            case "fork":
                data = claude(ONE, UNITS[:2]) + claude(
                    ONE, [f"f{n}" for n in range(length)], parent="u1", second=90
                )
        files = {"context.md": f"of {CPS[number]}".encode()}
        if data is None:
            files["tasks/toolu_1/agent-a.jsonl"] = claude(
                ONE, [f"a{n}" for n in range(length)], note="x" * 70_000
            )
        repo.checkpoint(CPS[number], Stored(session, data, created=number * 60, files=files))
        repo.commit(CPS[number], when=1_767_225_600 + number)
    path = repo.build()
    decisions = tuple(
        AcceptedLink(f"{number}" * 40, CPS[number], "2026-01-01T00:00:00+00:00", "hand")
        for number, kind, _ in pieces
        if kind.endswith("+")
    )
    sync(open_repository(path), Options(decisions=decisions), lambda _: None)
    found = tip(path)
    assert found is not None
    return found


def gathered(folder: Path, *clones: list[Piece]) -> tuple[Path, list[str]]:
    """A bare repository that has fetched the companion refs of several clones; their tips."""
    git(folder, "init", "-q", "--bare", "hub")
    tips = []
    for number, pieces in enumerate(clones):
        tips.append(clone(folder / f"c{number}", pieces))
        git(
            folder / "hub",
            "fetch",
            "-q",
            str(folder / f"c{number}"),
            f"refs/asr/sessions:refs/asr/remotes/c{number}/sessions",
        )
    return folder / "hub", tips


def joined(hub: Path, left: str, right: str) -> str:
    """The tree that merges two trees."""
    repo = open_repository(hub)
    with open_objects(repo) as objects, ObjectWriter(repo, objects) as writer:
        tree = merge_trees(objects, writer, left, right, _fail)
        writer.finish()
    assert tree is not None
    return tree


def merged(hub: Path, *tips: str) -> str:
    """Merge tips and point the companion ref at the result."""
    found: list[Diagnostic] = []
    repo = open_repository(hub)
    with open_objects(repo) as objects, ObjectWriter(repo, objects) as writer:
        commit = arrivals.merged(repo, objects, writer, tips, found.append).commit
    assert not found
    assert commit is not None
    git(hub, "update-ref", "refs/asr/sessions", commit)
    return commit


def test_the_longer_stream_stays_and_all_links_are_kept(tmp_path: Path) -> None:
    hub, tips = gathered(tmp_path, [(0, "plain", 3), (1, "plain", 8)], [(0, "plain", 3), (2, "plain", 5)])
    merged(hub, *tips)
    (bundle,) = bundles(hub)
    (stream,) = bundle.streams.values()
    assert stream.units == UNITS[:8]
    assert {r["id"] for r in stream.links if r["type"] == "io.entire/checkpoint"} == set(CPS[:3])
    fsck(hub)


def test_sessions_and_forks_of_both_sides_are_there(tmp_path: Path) -> None:
    hub, tips = gathered(tmp_path, [(0, "plain", 4), (1, "fork", 3)], [(2, "other", 2), (0, "plain", 4)])
    merged(hub, *tips)
    streams = {name for bundle in bundles(hub) for name in bundle.streams}
    assert streams == {ONE, f"{ONE}@f0", TWO}


def test_two_people_who_merge_the_same_tips_get_the_same_commit(tmp_path: Path) -> None:
    hub, tips = gathered(tmp_path, [(0, "plain", 3)], [(1, "fork", 5)], [(2, "other", 1)])
    commits = {merged(hub, *order) for order in permutations(tips)}
    assert len(commits) == 1
    assert git(hub, "rev-list", "--parents", "-1", *commits).split()[1:] == sorted(tips)
    assert merged(hub, tips[0], tips[0]) == tips[0]
    fsck(hub)


def test_a_bare_bundle_goes_where_another_holds_its_checkpoints(tmp_path: Path) -> None:
    hub, tips = gathered(tmp_path, [(0, "bare", 1)], [(0, "plain", 3)])
    merged(hub, *tips)
    (bundle,) = bundles(hub)
    assert bundle.path.startswith("claude-code/")


def test_what_a_bare_bundle_had_accepted_goes_to_those_that_hold_its_checkpoints(tmp_path: Path) -> None:
    hub, tips = gathered(tmp_path, [(0, "bare+", 1)], [(0, "plain", 3)], [(0, "other", 3)])
    trees = set()
    for order in permutations(tips):
        merged(hub, *order)
        found = [r["id"] for bundle in bundles(hub) for r in bundle.links if "#" in r["id"]]
        assert found == [f"{CPS[0]}@{'0' * 40}#hand"] * 2
        trees.add(git(hub, "rev-parse", "refs/asr/sessions^{tree}"))
    assert len(trees) == 1


def test_a_bare_bundle_stays_beside_another_session_of_its_checkpoint(tmp_path: Path) -> None:
    hub, tips = gathered(tmp_path, [(0, "bare", 1)], [(0, "other", 3)])
    merged(hub, *tips)
    assert len(bundles(hub)) == 2


def test_what_stays_of_a_bare_bundle_keeps_its_blobs(tmp_path: Path) -> None:
    """Of its two checkpoints another bundle holds one; the files of the other stay."""
    hub, tips = gathered(tmp_path, [(0, "bare", 1), (1, "bare", 2)], [(0, "plain", 3)])
    merged(hub, *tips)
    bare = next(one for one in bundles(hub) if one.path.startswith("unknown/"))
    (checkpoint,) = [one for one in bare.links if one["type"] == "io.entire/checkpoint"]
    assert checkpoint["id"] == CPS[1]
    assert len(bare.manifest["blobs"]) == len(checkpoint["content"]) == 2


@pytest.mark.parametrize("first", [0, 1])
def test_of_a_damaged_bundle_the_other_side_stands(tmp_path: Path, first: int) -> None:
    hub, tips = gathered(tmp_path, [(0, "plain", 3)], [(0, "plain", 5)])
    folder = bundles(hub, "refs/asr/remotes/c0/sessions")[0].path
    blob = git(hub, "hash-object", "-w", "--stdin", stdin=b"{}")
    env = {"GIT_INDEX_FILE": str(tmp_path / "index")}
    damaged = _with_file(hub, tips[0], f"{folder}/bundle.json", blob, env)
    trees = [damaged, git(hub, "rev-parse", f"{tips[1]}^{{tree}}")]
    found: list[Diagnostic] = []
    repo = open_repository(hub)
    with open_objects(repo) as objects, ObjectWriter(repo, objects) as writer:
        tree = merge_trees(objects, writer, trees[first], trees[1 - first], found.append)
        writer.finish()
    assert tree == trees[1]
    assert [one.code for one in found] == ["damaged-bundle"]


def test_damaged_on_both_sides_it_stays_as_it_is(tmp_path: Path) -> None:
    hub, tips = gathered(tmp_path, [(0, "plain", 3)], [(0, "plain", 5)])
    folder = bundles(hub, "refs/asr/remotes/c0/sessions")[0].path
    env = {"GIT_INDEX_FILE": str(tmp_path / "index")}
    trees = [
        _with_file(
            hub, one, f"{folder}/bundle.json", git(hub, "hash-object", "-w", "--stdin", stdin=text), env
        )
        for one, text in zip(tips, (b"{}", b"[]"), strict=True)
    ]
    found: list[Diagnostic] = []
    repo = open_repository(hub)
    with open_objects(repo) as objects, ObjectWriter(repo, objects) as writer:
        assert merge_trees(objects, writer, trees[0], trees[1], found.append) == trees[0]
    assert len(found) == 2


def _with_file(hub: Path, commit: str, path: str, blob: str, env: dict[str, str]) -> str:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in env.items():
            patch.setenv(name, value)
        git(hub, "read-tree", f"{commit}^{{tree}}")
        git(hub, "update-index", "--add", "--cacheinfo", f"100644,{blob},{path}")
        return git(hub, "write-tree")


def test_a_forgotten_session_without_a_transcript_stays_forgotten(tmp_path: Path) -> None:
    hub, tips = gathered(tmp_path, [(0, "bare", 1)])
    folder = bundles(hub, "refs/asr/remotes/c0/sessions")[0].path
    forgotten = (
        b'{"formatVersion":"0.1","producer":{"name":"git-asr"},"shareable":false,"sessions":[{"session":'
        b'{"harness":"unknown","id":"'
        + ONE.encode()
        + b'"},"streams":[]}],"blobs":[],"forgotten":{"reason":"r"}}'
    )
    blob = git(hub, "hash-object", "-w", "--stdin", stdin=forgotten)
    with_it = _with_file(
        hub, tips[0], f"{folder}/bundle.json", blob, {"GIT_INDEX_FILE": str(tmp_path / "index")}
    )
    bare = git(hub, "rev-parse", f"{tips[0]}^{{tree}}")
    join = partial(joined, hub)
    once = join(bare, with_it)
    assert git(hub, "ls-tree", "-r", "--name-only", once) == f"{folder}/bundle.json"
    assert join(once, bare) == join(bare, once) == join(once, once) == once


PIECES = st.lists(
    st.tuples(
        st.integers(0, 5),
        st.sampled_from(["plain", "fork", "bare", "other", "plain+", "bare+"]),
        st.integers(1, 6),
    ),
    min_size=1,
    max_size=3,
)


@example(one=[(0, "plain", 1)], two=[(1, "plain", 1)], three=[(0, "fork", 1), (1, "plain", 3)])
@settings(max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(PIECES, PIECES, PIECES)
def test_merging_trees_is_commutative_associative_idempotent(
    tmp_path_factory: pytest.TempPathFactory, one: list[Piece], two: list[Piece], three: list[Piece]
) -> None:
    hub, tips = gathered(tmp_path_factory.mktemp("merge"), one, two, three)
    join = partial(joined, hub)
    a, b, c = (git(hub, "rev-parse", f"{one}^{{tree}}") for one in tips)
    assert join(a, b) == join(b, a)
    assert join(join(a, b), c) == join(a, join(b, c))
    assert join(a, a) == a
    assert join(join(a, b), b) == join(a, b)
    git(hub, "update-ref", "refs/asr/sessions", git(hub, "commit-tree", "-m", "x", join(join(a, b), c)))
    assert len(tree_files(hub)) > 0
    bundles(hub)
    fsck(hub)


def _fail(diagnostic: Diagnostic) -> None:
    pytest.fail(str(diagnostic))
