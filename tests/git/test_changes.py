"""What commits change, by digests and patch IDs, and the graph around them."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest

from git_asr.errors import AsrError, UsageError
from git_asr.git import graph
from git_asr.git.base import Repository
from git_asr.git.changes import changes, patch_ids
from git_asr.git.history import listed
from git_asr.git.repository import open_repository
from tests.support.repo_builder import RepoBuilder, git

MAIN, SIDE = "refs/heads/main", "refs/heads/side"


class Built:
    """A small history: main has a, b, an empty commit and a binary; side picks b elsewhere."""

    def __init__(self, path: Path, object_format: Literal["sha1", "sha256"]) -> None:
        builder = RepoBuilder(path, object_format)
        lines = "".join(f"{number}\n" for number in range(30))
        marks = {
            "root": builder.commit(MAIN, "root", {"f": lines, "odd\nname \x01é": "x"}),
            "b": builder.commit(MAIN, "b \x1b[31m" + "x" * 400, {"f": lines.replace("20\n", "twenty\n")}),
            "empty": builder.commit(MAIN, "empty"),
            "binary": builder.commit(MAIN, "binary", {"pic": b"\0\1\2", "f": None}),
        }
        marks["above"] = builder.commit(SIDE, "above", {"f": "new\n" + lines}, parents=[marks["root"]])
        marks["picked"] = builder.commit(SIDE, "picked", {"f": "new\n" + lines.replace("20\n", "twenty\n")})
        marks["other"] = builder.commit(SIDE, "other", {"pic": b"\0\1\3", "f": None})
        marks["merge"] = builder.commit(MAIN, "merge", {"m": "1"}, parents=[marks["binary"], marks["other"]])
        builder.build()
        self.repo: Repository = open_repository(path)
        self.oids = {name: builder.oid(mark) for name, mark in marks.items()}
        self.path = path

    def name(self, oid: str) -> str:
        return next(name for name, one in self.oids.items() if one == oid)


@pytest.fixture(params=["sha1", "sha256"])
def built(tmp_path: Path, request: pytest.FixtureRequest) -> Built:
    return Built(tmp_path / "r", request.param)


def test_changes_say_which_files_and_blobs(built: Built) -> None:
    pairs = [(oid, None) for oid in built.oids.values()]
    found = {built.name(one.commit): one for one in changes(built.repo, pairs, detailed=True)}
    assert [*found] == ["root", "b", "binary", "above", "picked", "other"]
    assert found["root"].files == ("f", "odd\nname \x01é")
    assert found["b"].blobs == tuple(
        git(built.path, "rev-parse", f"{built.oids['b']}{at}:f") for at in ("~", "")
    )
    assert len(found["binary"].blobs) == 2  # one went, one came
    assert found["b"].paths == found["picked"].paths
    assert found["b"].content != found["picked"].content
    assert [one.files for one in changes(built.repo, pairs[:1])] == [()]


def test_a_commit_is_compared_with_another_base(built: Built) -> None:
    ((one),) = changes(built.repo, [(built.oids["binary"], built.oids["root"])], detailed=True)
    assert (one.commit, one.files) == (built.oids["binary"], ("f", "pic"))
    ((commit, _),) = patch_ids(built.repo, [(built.oids["binary"], built.oids["root"])])
    assert commit == built.oids["binary"]


def test_patch_ids_see_through_moved_lines_and_into_binary_files(built: Built) -> None:
    found = {
        built.name(one): patch
        for one, patch in patch_ids(built.repo, [(o, None) for o in built.oids.values()])
    }
    assert [*found] == ["root", "b", "binary", "above", "picked", "other"]
    assert found["b"] == found["picked"]
    assert found["binary"] != found["other"]


def test_nothing_asked_gives_nothing(built: Built) -> None:
    assert [*changes(built.repo, []), *patch_ids(built.repo, []), *graph.listed(built.repo, [])] == []
    assert [*listed(built.repo, []), *graph.beside(built.repo, [], [])] == []


def test_what_came_before_a_missing_object_is_right_and_the_cut_off_patch_is_not_told(built: Built) -> None:
    blob = git(built.path, "rev-parse", f"{built.oids['picked']}:f")
    file = built.path / ".git" / "objects" / blob[:2] / blob[2:]
    if not file.exists():
        pack = next((built.path / ".git" / "objects" / "pack").glob("*.pack"))
        data = pack.read_bytes()
        for one in pack.parent.glob(f"{pack.stem}.*"):
            one.unlink()
        git(built.path, "unpack-objects", "-q", stdin=data)
    file.unlink()
    told = []
    with pytest.raises(AsrError, match="git diff-tree"):
        for commit, _ in patch_ids(
            built.repo, [(built.oids[one], None) for one in ("root", "b", "picked", "other")]
        ):
            told.append(built.name(commit))
    assert told in (["root"], ["root", "b"])  # one more is held back where the next was not begun


def test_the_graph(built: Built) -> None:
    nodes = {built.name(one.oid): one for one in graph.selected(built.repo, ["main"])}
    assert nodes.keys() == built.oids.keys()
    assert nodes["merge"].parents == (built.oids["binary"], built.oids["other"])
    assert (
        nodes["b"].tree == nodes["empty"].tree == git(built.path, "rev-parse", f"{built.oids['b']}^{{tree}}")
    )
    assert len(nodes["b"].subject) == graph.MAX_SUBJECT
    beside = graph.beside(
        built.repo, [built.oids["merge"], "0" * built.repo.hex_length], [built.oids["binary"]]
    )
    assert {built.name(one.oid) for one in beside} == {"above", "picked", "other", "merge"}
    absent = "1" * built.repo.hex_length
    assert [one.oid for one in graph.listed(built.repo, [built.oids["b"], absent])] == [built.oids["b"]]
    assert [one.oid for one in listed(built.repo, [absent, built.oids["b"]])] == [built.oids["b"]]
    assert graph.tips(built.repo, ["main~1..side"]) == [git(built.path, "rev-parse", "side")]
    assert graph.independent(built.repo, [built.oids["root"], built.oids["b"]]) == [built.oids["b"]]
    assert graph.border(built.repo) == frozenset()
    for wrong in ("nope", "-x"):
        with pytest.raises(UsageError):
            list(graph.selected(built.repo, [wrong]))
