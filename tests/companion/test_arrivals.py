"""What came from other clones: checked, then merged, in real repositories."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from git_asr.companion.arrivals import Merged, merged
from git_asr.errors import Diagnostic
from git_asr.git.backend import open_objects
from git_asr.git.repository import open_repository
from git_asr.git.writing import ObjectWriter
from tests.companion.test_merging import gathered
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


@pytest.mark.parametrize("what", ["absent", "blob", "foreign", "nothing"])
def test_a_tip_that_is_none_counts_as_not_there(tmp_path: Path, what: str) -> None:
    hub, tips = gathered(tmp_path, [(0, "plain", 3)])
    match what:
        case "absent":
            other = "12" * 20
        case "blob":
            other = git(hub, "hash-object", "-w", "--stdin", stdin=b"x").strip()
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
