"""Odd trees in stores, odd commits, and clones that lack something: the rest goes on, and nothing is lost."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.sample_repos import checkpoint, repository, session
from tests.support.companion import bundles, tip
from tests.support.entire_repo import STORE, EntireRepo, Stored, claude
from tests.support.repo_builder import git
from tests.support.run import run_cli

# --- the tree of a store and of a checkpoint ------------------------------------------------------------------------


def with_files(tmp_path: Path, files: Mapping[str, bytes | str], *, root: Any = None) -> EntireRepo:
    """A checkpoint with more files in it, and another root if there is one."""
    repo = EntireRepo(tmp_path / "r")
    repo.checkpoint(checkpoint(1), Stored(session(1), claude(session(1), ["a"])))
    base = f"{checkpoint(1)[:2]}/{checkpoint(1)[2:]}"
    more = {f"{base}/{name}": content for name, content in files.items()}
    if root is not None:
        more[f"{base}/metadata.json"] = json.dumps(root)
    repo.builder.commit(STORE, "more\n", more)
    repo.commit(checkpoint(1))
    repo.build()
    return repo


def sync(path: Path) -> tuple[str, list[str]]:
    ended = run_cli(["sync"], path)
    assert ended.status == 0
    return ended.out, ended.err.splitlines()


def test_pointers_that_lead_outside(tmp_path: Path) -> None:
    pointers = [
        {"metadata": "../../x", "transcript": "../../../../etc/passwd"},
        {"metadata": "/etc/passwd"},
        {"metadata": "a/" * 5000},
        {"metadata": "\x1b[2J/\u202e"},
        {"metadata": ""},
        {"metadata": ["0/metadata.json"]},
        {"metadata": None, "transcript": {}},
        7,
        None,
        [],
        "0",
    ]
    repo = with_files(tmp_path, {}, root={"sessions": pointers})
    out, (line,) = sync(repo.path)
    assert out == "1 session (1 new), 1 link to commits\n"
    assert line == f"warning: checkpoint {checkpoint(1)}: 3 listed and not there, first ../x"


@pytest.mark.parametrize("sessions", [None, {}, "x", 5, [[[]]], [{"a": 1}] * 1000])
def test_a_root_whose_sessions_are_something_else(tmp_path: Path, sessions: Any) -> None:
    repo = with_files(tmp_path, {}, root={"sessions": sessions})
    assert sync(repo.path) == ("1 session (1 new), 1 link to commits\n", [])


def test_names_of_session_folders(tmp_path: Path) -> None:
    """Numbers are sessions, however they are spelled; of other names only those at which the root points."""
    names = ("7", "007", "abc", "-1", "1e3", "٣", "9999999", "~", "a b", "with\\slash", "ünïcode")
    files = {
        f"{name}/{file}": data
        for number, name in enumerate(names)
        for file, data in {
            "metadata.json": json.dumps({"session_id": f"s{number}"}),
            "full.jsonl": claude(f"s{number}", ["x"]),
        }.items()
    }
    repo = with_files(
        tmp_path, {**files, "5": "a file"}, root={"sessions": [{"metadata": "/abc/metadata.json"}]}
    )
    assert sync(repo.path)[0] == "4 sessions (4 new), 4 links to commits\n"
    ids = {bundle.manifest["sessions"][0]["session"]["id"] for bundle in bundles(repo.path)}
    assert ids == {session(1), "s0", "s1", "s2"}


def test_a_store_full_of_junk(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.checkpoint(checkpoint(1), Stored(session(1), claude(session(1), ["a"])))
    junk = {f"junk{n}": b"x" for n in range(4000)}
    junk |= {f"{n:04x}/zz/0/full.jsonl": b"x" for n in range(3000)}
    junk |= {f"00/{n:09x}/0/full.jsonl": b"x" for n in range(3000)}
    junk |= {f"0{n:x}/{'0' * 10}/x": b"no checkpoint" for n in range(1, 16)}
    repo.builder.commit(STORE, "junk\n", junk)
    repo.commit(checkpoint(1))
    out, lines = sync(repo.build())
    assert out == "1 session (1 new), 1 link to commits\n"
    assert lines == [
        f"warning: checkpoint 0{n:x}{'0' * 10}: the checkpoint holds no session" for n in range(1, 16)
    ]


def test_a_checkpoint_with_too_many_files(tmp_path: Path) -> None:
    files = {f"tasks/{n // 100}/{n}": b"x" for n in range(21_000)}
    repo = with_files(tmp_path, files)
    out, (seen, kept) = sync(repo.path)
    assert out == "1 session (1 new), 1 link to commits\n"
    assert seen.startswith(f"warning: checkpoint {checkpoint(1)}: more than 20000 files")
    assert kept.startswith(f"warning: checkpoint {checkpoint(1)}: ")
    assert " files are too many or too large to be kept" in kept


def test_links_submodules_and_deep_folders(tmp_path: Path) -> None:
    repo = with_files(tmp_path, {f"{'d/' * 40}deep": b"x"})
    base = f"{checkpoint(1)[:2]}/{checkpoint(1)[2:]}"
    git_env = {"GIT_INDEX_FILE": str(tmp_path / "index")}
    blob = git(repo.path, "hash-object", "-w", "--stdin", stdin=b"/etc/passwd")
    entries = f"120000 {blob}\t{base}/1/full.jsonl\n160000 {'1' * 40}\t{base}/2\n120000 {blob}\t{base}/link\n"
    commit = _commit_entries(repo.path, entries, git_env)
    git(repo.path, "update-ref", STORE, commit)
    out, lines = sync(repo.path)
    assert out == "1 session (1 new), 1 link to commits\n"
    assert len(lines) == 4
    assert sum("is a link or a submodule and is left out" in line for line in lines) == 3
    assert sum("is left out" in line and "d/d/d" in line for line in lines) == 1


def _commit_entries(path: Path, entries: str, env: Mapping[str, str]) -> str:
    """A commit on top of the store with more entries in its tree."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in env.items():
            patch.setenv(name, value)
        git(path, "read-tree", STORE)
        git(path, "update-index", "--index-info", stdin=entries.encode())
        tree = git(path, "write-tree", "--missing-ok")
    return git(path, "commit-tree", "-p", STORE, "-m", "entries", tree)


# --- commits --------------------------------------------------------------------------------------------------------


def test_ten_thousand_trailers(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.checkpoint(checkpoint(1), Stored(session(1), claude(session(1), ["a"])))
    repo.commit(*map(checkpoint, range(1, 10_001)))
    out, lines = sync(repo.build())
    assert out == "1 session (1 new, 9999 unresolved checkpoint IDs), 1 link to commits\n"
    assert len(lines) == 7
    ended = run_cli(["sync", "--json", "--strict"], repo.path)
    assert ended.status == 1
    assert len(json.loads(ended.out)["unresolved"]) == 9999


def test_messages_of_every_kind(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.checkpoint(checkpoint(1), Stored(session(1), claude(session(1), ["a"])))
    trailer = f"Entire-Checkpoint: {checkpoint(1)}".encode()
    messages = (
        b"",
        trailer,
        b"\xff\xfe\x80\n\n" + trailer,
        b"x" * 5_000_000 + b"\n\n" + trailer + b"\n",
        b"a\r\n\r\n" + trailer + b"\r\n",
        b"wrong case\n\nentire-checkpoint: " + checkpoint(1).encode() + b"\n",
        b"no ID\n\nEntire-Checkpoint: ../../../etc/passwd\nEntire-Checkpoint: \x1b[2J\n",
    )
    for message in messages:
        repo.builder.commit("refs/heads/main", message)
    assert sync(repo.build()) == ("1 session (1 new), 4 links to commits\n", [])


def test_commit_dates_of_every_kind(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.checkpoint(checkpoint(1), Stored(session(1), claude(session(1), ["a"])))
    for when in (0, 1, 2**31, 2**32, 2**40, 2**62):
        repo.commit(checkpoint(1), when=when)
    path = repo.build()
    assert sync(path) == ("1 session (1 new), 6 links to commits\n", [])
    times = [record["committedAt"] for record in bundles(path)[0].links if record["type"] == "vcs"]
    assert all(len(time) == 25 and "1970" <= time <= "9999-12-31T23:59:59+00:00" for time in times)
    assert run_cli(["sync"], path).out == "up to date: 1 session, 6 links to commits\n"


# --- what is not here -----------------------------------------------------------------------------------------------


def test_a_partial_clone(tmp_path: Path) -> None:
    """Nothing is fetched behind the user's back; what is absent is said each time, and found when it is there."""
    repo = repository(tmp_path / "whole", 2)
    big = claude(session(3), [f"u{n}" for n in range(50)])
    repo.checkpoint(checkpoint(3), Stored(session(3), big))
    repo.commit(checkpoint(3))
    repo.build()
    git(repo.path, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "-q", "--mirror", "--filter=blob:limit=3k", f"file://{repo.path}", "part")
    part = tmp_path / "part"
    line = f"warning: checkpoint {checkpoint(3)}, session folder 0: the transcript cannot be read in this repository"
    hint = "hint: fetch it from a complete clone: sync looks again each time"
    assert sync(part) == ("3 sessions (3 new), 3 links to commits\n", [line, hint])
    before = tip(part)
    assert sync(part) == ("up to date: 3 sessions, 3 links to commits\n", [line, hint])
    assert run_cli(["sync", "--strict"], part).status == 1
    assert tip(part) == before
    git(part, "fetch", "-q", "--refetch", "--no-filter", f"file://{repo.path}", "+refs/heads/*:refs/heads/*")
    assert sync(part)[1] == []
    assert run_cli(["sync", "--strict"], part).status == 0
    assert {name for bundle in bundles(part) for name in bundle.streams} == set(map(session, (1, 2, 3)))


def test_a_shallow_clone(tmp_path: Path) -> None:
    repo = repository(tmp_path / "whole", 3)
    git(
        tmp_path, "clone", "-q", "--bare", "--depth=1", "--no-single-branch", f"file://{repo.path}", "shallow"
    )
    assert sync(tmp_path / "shallow") == ("1 session (1 new), 1 link to commits\n", [])
    git(tmp_path / "shallow", "fetch", "-q", "--unshallow", "origin", "+refs/heads/*:refs/heads/*")
    assert sync(tmp_path / "shallow") == ("3 sessions (2 new), 3 links to commits\n", [])
