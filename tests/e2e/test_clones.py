"""Clones of every kind, with checkpoints in every layout: what is here is told, and nothing is fetched unasked."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any, Literal

import pytest

from tests.e2e.sample_repos import checkpoint, session
from tests.support.entire_repo import EntireRepo, Stored, claude, own_ref
from tests.support.repo_builder import git
from tests.support.run import run_cli

ULID = "01KXDM08H2V0SZREV3NDG2R38M"
IDS = (checkpoint(1), ULID, checkpoint(3))
READING = (
    ["sync"], ["sync", "--full"], ["status"], ["coverage"], ["sessions"], ["sessions", "--orphans"],
    ["link", "--suggest", "--weak"], ["show", "main"], ["show", "main~3"],
)  # fmt: skip
"""All that reads, but for ``git asr log``: that is Git's own, which looks for a mailmap wherever it is."""


def stored(number: int) -> Stored:
    lines = claude(session(number), [f"{number}.0", f"{number}.1"], second=number * 60)
    return Stored(session(number), lines, created=number * 60)


@pytest.fixture
def object_format() -> Literal["sha1", "sha256"]:
    return "sha1"


@pytest.fixture
def far(tmp_path: Path, object_format: Literal["sha1", "sha256"]) -> Path:
    """A checkpoint on the branch, one on a ref of its own, one in v2; a mailmap, and a commit without a trailer."""
    repo = EntireRepo(tmp_path / "far", object_format)
    repo.checkpoint(IDS[0], stored(1))
    repo.checkpoint(ULID, stored(2), ref=own_ref(ULID))
    repo.v2(IDS[2], stored(3))
    repo.builder.commit("refs/heads/main", "first\n", {".mailmap": "Good Name <ann@example.com>\n"})
    for number, one in enumerate(IDS):
        repo.commit(one, message=f"work {number}")
    path = repo.builder.build(checkout=True)
    git(path, "config", "uploadpack.allowFilter", "true")
    git(path, "config", "uploadpack.allowAnySHA1InWant", "true")
    return path


def told(path: Path, *command: str) -> dict[str, Any]:
    ended = run_cli([*command, "--json"], path)
    assert ended.status == 0, ended.err
    found: dict[str, Any] = json.loads(ended.out)
    return found


def states(path: Path) -> list[str]:
    """The states of the commits, the oldest first."""
    return [one["state"] for one in told(path, "coverage", "main")["commits"]][::-1]


def unresolved(path: Path) -> set[str]:
    return {one["checkpoint"] for one in told(path, "sync")["unresolved"]}


ALL = ["no-trailer", "linked", "linked", "linked"]


def watched(path: Path, log: Path) -> None:
    """Let every Git that serves the remote of a clone leave a line."""
    script = log.with_suffix(".sh")
    script.write_text(f'#!/bin/sh\necho asked >>{log}\nexec git-upload-pack "$@"\n')
    script.chmod(0o755)
    git(path, "config", "remote.origin.uploadpack", str(script))


def asked(log: Path) -> int:
    return len(log.read_text().splitlines()) if log.exists() else 0


def objects(path: Path) -> set[str]:
    return set(git(path, "cat-file", "--batch-all-objects", "--batch-check").splitlines())


@pytest.mark.parametrize("how", [[], ["--bare"], ["--mirror"]], ids=["plain", "bare", "mirror"])
@pytest.mark.parametrize("filtered", ["blob:none", "tree:0"])
def test_a_partial_clone_asks_nobody_until_it_is_told_to(
    far: Path, tmp_path: Path, filtered: str, how: list[str]
) -> None:
    git(tmp_path, "clone", "-q", *how, f"--filter={filtered}", f"file://{far}", "part")
    path, log = tmp_path / "part", tmp_path / "asked"
    watched(path, log)
    promised = objects(path)
    for command in READING:
        ended = run_cli(command, path)
        assert "could not fetch" not in ended.err
        assert "fault" not in ended.err
        assert ended.status == 0 or command[0] == "show", ended.err
    assert asked(log) == 0
    fetched = {line for line in objects(path) - promised if line.split()[0] in git(far, "rev-list", "--all")}
    assert fetched == set()
    found = told(path, "coverage", "main")
    assert {one["author"] for one in found["commits"]} == ({"Ann Author"} if how else {"Good Name"}), (
        "the mailmap of a bare clone is not here"
    )
    commands = {one["command"] for one in found["commits"] if one["state"] != "no-trailer"}
    assert commands == {"git asr fetch --checkpoints origin"}
    assert told(path, "status")["absent"] or filtered == "tree:0"
    told(path, "fetch", "--checkpoints")
    rounds = asked(log)
    assert rounds <= 4, "the refs, then trees and files, each in one go"
    assert told(path, "sync")["diagnostics"] == []
    assert states(path) == ALL
    assert asked(log) == rounds


@pytest.mark.parametrize("filtered", ["blob:none", "tree:0"])
def test_a_partial_clone_whose_remote_is_gone(far: Path, tmp_path: Path, filtered: str) -> None:
    """What is absent is told, and the rest goes on."""
    git(tmp_path, "clone", "-q", "--mirror", f"--filter={filtered}", f"file://{far}", "part")
    path = tmp_path / "part"
    git(path, "config", "remote.origin.url", str(tmp_path / "nowhere"))
    ended = run_cli(["sync"], path)
    assert ended.status == 0
    assert "not in this repository" in ended.err
    for command in READING:
        ended = run_cli(command, path)
        assert ended.status == 0 or command[0] == "show", ended.err
        assert "could not fetch" not in ended.err
    assert "linked" not in states(path)
    ended = run_cli(["fetch", "--checkpoints"], path)
    assert ended.status == 1
    assert "error: " in ended.err
    git(path, "config", "remote.origin.url", f"file://{far}")
    told(path, "fetch", "--checkpoints")
    assert told(path, "sync")["diagnostics"] == []
    assert states(path) == ALL


def test_commits_that_a_partial_clone_has_not_got(far: Path, tmp_path: Path, unsound: set[Path]) -> None:
    """Where the history itself has a hole, that is one line; nothing is fetched to fill it."""
    git(tmp_path, "clone", "-q", "--mirror", "--filter=blob:none", f"file://{far}", "part")
    path, log = tmp_path / "part", tmp_path / "asked"
    unsound.add(path)
    tip = git(path, "rev-parse", "main")
    tree = git(path, "rev-parse", "main^{tree}")
    watched(path, log)
    lost = git(far, "commit-tree", "-m", "lost", "-p", tip, tree)
    body = (
        f"tree {tree}\nparent {lost}\nauthor A <a> 1767225600 +0000\ncommitter A <a> 1767225600 +0000\n\nx\n"
    )
    above = git(path, "hash-object", "-w", "-t", "commit", "--literally", "--stdin", stdin=body.encode())
    (path / "refs" / "heads" / "above").write_text(f"{above}\n")
    for command in (["sync"], ["coverage", "above"], ["link", "--suggest", "above"]):
        ended = run_cli(command, path)
        assert ended.status == 1
        errors = [line for line in ended.err.splitlines() if line.startswith("error: ")]
        assert len(errors) == 1, ended.err
        assert above in ended.err
        assert "hint: " in ended.err
    assert asked(log) == 0
    assert run_cli(["status"], path).status == 0


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
@pytest.mark.parametrize(
    ("how", "found"),
    [
        ([], {IDS[0]}),
        (["--bare"], {IDS[0]}),
        (["--mirror"], set(IDS)),
        (["--shared"], {IDS[0]}),
        (["--shared", "--mirror"], set(IDS)),
        (["--single-branch", "--branch=main"], set()),
    ],
    ids=["plain", "bare", "mirror", "shared", "shared mirror", "single branch"],
)
def test_a_clone(far: Path, tmp_path: Path, how: list[str], found: set[str]) -> None:
    git(tmp_path, "clone", "-q", *how, str(far), "r")
    path = tmp_path / "r"
    assert unresolved(path) == set(IDS) - found
    assert states(path) == [
        "no-trailer", *("linked" if one in found else "dangling" for one in IDS),
    ]  # fmt: skip
    told(path, "fetch", "--checkpoints")
    assert unresolved(path) == set()
    assert states(path) == ALL


def test_objects_of_a_reference_that_are_borrowed(far: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--mirror", str(far), "reference")
    git(tmp_path, "clone", "-q", "--reference", str(tmp_path / "reference"), f"file://{far}", "r")
    path = tmp_path / "r"
    told(path, "fetch", "--checkpoints")
    assert "count: 0" in git(path, "count-objects", "-v")
    assert (unresolved(path), states(path)) == (set(), ALL)


def test_a_worktree_and_a_bare_repository_with_worktrees(far: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--mirror", str(far), "r.git")
    bare, linked = tmp_path / "r.git", tmp_path / "linked"
    git(bare, "worktree", "add", "-q", "--detach", str(linked), "main")
    assert unresolved(linked) == set()
    assert states(linked) == states(bare) == ALL
    assert told(linked, "status") == told(bare, "status")


def test_a_shallow_clone_that_is_deepened(far: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--depth=1", "--no-single-branch", f"file://{far}", "r")
    path = tmp_path / "r"
    assert unresolved(path) == {IDS[2]}
    assert states(path) == ["dangling"]
    told(path, "fetch", "--checkpoints")
    assert (path / ".git" / "shallow").is_file(), "fetching checkpoints does not deepen the project"
    assert (unresolved(path), states(path)) == (set(), ["linked"])
    for depth, number in ((2, 2), (3, 3), (10, 4)):
        git(path, "fetch", "-q", f"--depth={depth}", "origin", "main")
        assert unresolved(path) == set()
        assert states(path) == ALL[-number:]


def test_reftable(far: Path, tmp_path: Path) -> None:
    made = subprocess.run(
        ["git", "clone", "-q", "--mirror", "--ref-format=reftable", str(far), str(tmp_path / "r")],
        capture_output=True,
        check=False,
    )
    if made.returncode:
        pytest.skip("this Git knows no reftable")
    assert (unresolved(tmp_path / "r"), states(tmp_path / "r")) == (set(), ALL)
