"""Which commits removed folders from a tree."""

from __future__ import annotations

from pathlib import Path

import pytest

from git_asr.errors import AsrError
from git_asr.git import changes
from git_asr.git.changes import removals
from git_asr.git.repository import open_repository
from tests.support.repo_builder import RepoBuilder, git

REF = "refs/heads/store"


@pytest.mark.parametrize("more", [0, 40], ids=["few", "many"])
def test_removals(tmp_path: Path, more: int) -> None:
    builder = RepoBuilder(tmp_path / "r")
    folders = ["ab/c*", "ab/d", "cd/e", *(f"no/{number}" for number in range(more))]
    builder.commit(REF, "all\n", {f"{one}/x": "1" for one in (*folders, "ab/cx")} | {"0" * 40: "a file"})
    builder.commit(REF, "other\n", {"ab/cx": None, "0" * 40: None})
    first = builder.commit(REF, "one\n", {"ab/c*": None})
    side = builder.commit("refs/heads/side", "side\n", {"cd/e": None}, parents=[first])
    merge = builder.commit(REF, "merge\n", {"ab/d": None, "cd/e": None}, parents=[first, side])
    path = builder.build()
    found = set(removals(open_repository(path), git(path, "rev-parse", REF), folders))
    expected = {(first, "ab/c*"), (side, "cd/e"), (merge, "ab/d"), (merge, "cd/e")}
    assert found == {(builder.oid(mark), folder) for mark, folder in expected}


def test_only_the_newest_commits_are_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    builder = RepoBuilder(tmp_path / "r")
    builder.commit(REF, "all\n", {"ab/c/x": "1", "ab/d/x": "1"})
    builder.commit(REF, "old\n", {"ab/c": None})
    new = builder.commit(REF, "new\n", {"ab/d": None})
    path = builder.build()
    monkeypatch.setattr(changes, "MOST_LOOKED_AT", 1)
    tip = git(path, "rev-parse", REF)
    assert list(removals(open_repository(path), tip, ["ab/c", "ab/d"])) == [(builder.oid(new), "ab/d")]


def test_a_history_that_is_not_here(tmp_path: Path) -> None:
    path = RepoBuilder(tmp_path / "r").build()
    with pytest.raises(AsrError):
        list(removals(open_repository(path), "ab" * 20, ["ab/c"]))
