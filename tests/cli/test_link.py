"""``git asr link``: what it prints, what it writes, and what it refuses."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from git_asr.cli.suggested import accepted_lines, answer_lines
from git_asr.companion.state_file import known_state
from git_asr.git.repository import open_repository
from git_asr.sync.linking import Accepted
from git_asr.sync.look import directory
from git_asr.sync.suggest import Answer
from git_asr.views.suggestions import Evidence, Suggested, Suggestion
from tests.cli.test_show import keys
from tests.e2e.sample_repos import own, session
from tests.e2e.terminal import run_on_terminal
from tests.support.entire_repo import EntireRepo, Stored, claude
from tests.support.repo_builder import git
from tests.support.run import PROJECT, Result, run_cli

A, B, C = "aaaa00000001", "aaaa00000002", "cccc00000001"
SIDE = "refs/heads/side"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Two commits on a branch that name checkpoints, and their like on main, which name none; a claim besides."""
    repo = EntireRepo(tmp_path / "r")
    root = repo.commit(message="root")
    for number, checkpoint in enumerate((A, B), start=1):
        lines = claude(session(number), [f"{number}.1", f"{number}.2"])
        repo.checkpoint(checkpoint, Stored(session(number), lines, number * 60, prompt="do \x1b[31mit"))
    builder = repo.builder
    for ref in (SIDE, "refs/heads/main"):
        trailer = (lambda one: f"\n\nEntire-Checkpoint: {one}\n") if ref == SIDE else (lambda _: "")
        builder.commit(ref, "first \x1b[31mred" + trailer(A), {"a": "1"}, parents=[root])
        builder.commit(ref, "second" + trailer(B), {"b": "1"}, when=1_770_000_000 + (ref == SIDE))
    builder.build()
    commit = git(tmp_path / "r", "rev-parse", "main~2")
    stored = Stored(session(3), claude(session(3), ["3.1"]), 200, metadata={"commit_sha": commit})
    repo.checkpoint(C, stored)
    return repo.build()


def link(path: Path, *arguments: str) -> Result:
    return run_cli(["link", *arguments], path)


def out(path: Path, *arguments: str) -> str:
    ended = link(path, *arguments)
    assert ended.status == 0, ended.err
    return ended.out


def read(path: Path, *arguments: str) -> Any:
    return json.loads(out(path, *arguments, "--json"))


def test_suggestions_for_people(path: Path) -> None:
    assert run_cli(["sync"], path).status == 0
    before = own(path)
    ended = link(path, "--suggest")
    second, first, root = (git(path, "rev-parse", f"main{at}")[:12] for at in ("", "~1", "~2"))
    one, two = (git(path, "rev-parse", f"side{at}")[:12] for at in ("~1", ""))
    assert ended.out.splitlines() == [
        f"{second}  second",
        f"  {B}  exact   the same tree and the same change as commit {two}, which names it",
        "                        claude-code 00000002 · claude-opus-4-8 · 1s · “do ^[[31mit”",
        "",
        f"{first}  first ^[[31mred",
        f"  {A}  exact   the same tree and the same change as commit {one}, which names it",
        "                        claude-code 00000001 · claude-opus-4-8 · 1s · “do ^[[31mit”",
        "",
        f"{root}  root",
        f"  {C}  likely  the checkpoint's metadata name the commit (it is not said how it is known)",
        "                        claude-code 00000003",
        "",
        "suggestions for 3 commits of 3 without a session",
    ]
    assert ended.err.splitlines() == [
        "hint: git asr link --accept-exact   accepts those that are exact",
        f"hint: git asr link accept {second} {B}   accepts one",
    ]
    assert own(path) == before


def test_nothing_to_suggest(path: Path) -> None:
    assert out(path, "--suggest", "side^!") == "no commit without a session among 1 commit\n"
    git(path, "update-ref", "-d", "refs/heads/side")
    git(path, "update-ref", "-d", "refs/heads/entire/checkpoints/v1")
    assert out(path, "--suggest") == "no suggestion for 3 commits without a session\n"


def test_accepting_what_is_exact_shows_everywhere_and_comes_back_after_a_full_sync(path: Path) -> None:
    assert out(path).strip() == ""
    assert out(path, "--accept-exact").splitlines()[-1] == (
        "accepted 2 links of 2 commits; 1 commit left without a session"
    )
    assert run_cli(["show", "main"], path).out.splitlines()[3] == f"session {session(2)}"
    assert "claude-code 00000002" in run_cli(["log", "-1", "main"], path).out
    listed = json.loads(run_cli(["sessions", "--json"], path).out)["sessions"]
    assert [len(one["commits"]) for one in listed] == [2, 2]
    found = read(path)["accepted"]
    assert {(one["commit"], one["checkpoint"], one["method"]) for one in found} == {
        (git(path, "rev-parse", "main"), B, "tree"),
        (git(path, "rev-parse", "main~1"), A, "tree"),
    }
    assert run_cli(["sync", "--full"], path).status == 0
    assert read(path)["accepted"] == found
    assert read(path, "--suggest")["without"] == 1
    assert "first ^[[31mred" in out(path)
    assert read(path, "--accept-exact")["accepted"] == found


def test_one_is_accepted_by_the_beginning_of_its_id_and_taken_back(path: Path) -> None:
    root = git(path, "rev-parse", "main~2")[:12]
    assert out(path, "accept", "main~2", "c") == f"commit {root} is linked to checkpoint {C} (commit-sha)\n"
    assert f"session {session(3)}" in run_cli(["show", "main~2"], path).out
    assert out(path, "accept", "main~2", A) == f"commit {root} is linked to checkpoint {A} (hand)\n"
    assert [one["checkpoint"] for one in read(path)["accepted"]] == [A, C]
    assert out(path, "remove", "main~2", C) == (
        f"the accepted link from commit {root} to checkpoint {C} was taken back\n"
    )
    assert [one["method"] for one in read(path, "remove", "main~2", A)["accepted"]] == []
    assert run_cli(["show", "main~2"], path).status == 1


def test_a_link_of_a_commit_that_is_gone_can_be_taken_back(path: Path) -> None:
    lost = git(path, "rev-parse", "main")
    assert link(path, "accept", "main", B).status == 0
    git(path, "update-ref", "refs/heads/main", "main~1")
    git(path, "reflog", "expire", "--expire=now", "--all")
    git(path, "gc", "-q", "--prune=now")
    assert out(path).splitlines()[0].strip() == lost[:12]  # its subject is gone with it
    assert link(path, "remove", "zz", B).status == 2
    assert link(path, "remove", lost[:8], B).status == 0
    assert read(path)["accepted"] == []


@pytest.mark.parametrize(
    ("arguments", "status", "error"),
    [
        (("accept", "main", "aaaa"), 2, "'aaaa' is ambiguous"),
        (("accept", "main", ""), 2, "no checkpoint begins with ''"),
        (("accept", "main", "dddd"), 2, "no checkpoint begins with 'dddd'"),
        (("accept", "nope", A), 2, "unknown revision 'nope'"),
        (("accept", "side", B), 1, "commit {side} names checkpoint aaaa00000002 already"),
        (("remove", "side", B), 2, "there is no accepted link from commit {side} to checkpoint aaaa00000002"),
        (("accept", "main"), 2, "'accept' is not understood here"),
        (("main",), 2, "'main' is not understood here"),
        (("--suggest", "nope"), 2, "unknown revision 'nope'"),
        (("--suggest", "--accept-exact"), 2, "--suggest and --accept-exact exclude each other"),
        (("--weak",), 2, "--weak goes with --suggest"),
    ],
)
def test_what_is_refused(path: Path, arguments: tuple[str, ...], status: int, error: str) -> None:
    ended = link(path, *arguments)
    expected = error.replace("{side}", git(path, "rev-parse", "side")[:12])
    assert (ended.status, ended.out) == (status, "")
    assert ended.err.startswith(f"error: {expected}")


def test_a_commit_without_a_session_says_where_to_look(path: Path) -> None:
    short = git(path, "rev-parse", "main")[:12]
    hint = run_cli(["show", "main"], path).err.splitlines()[1]
    assert hint == f"hint: git asr link --suggest {short}^!   looks for one that it may belong to"
    assert read(path, "--suggest", f"{short}^!")["suggested"][0]["commit"].startswith(short)


def test_nothing_was_synced(path: Path) -> None:
    git(path, "config", "asr.autosync", "false")
    ended = link(path, "--suggest")
    assert (ended.status, ended.err.splitlines()[1]) == (1, "error: nothing is synced yet")


def test_every_key_is_documented(path: Path) -> None:
    page = (PROJECT / "docs" / "json.md").read_text("utf-8")
    documented = set(re.findall(r"`([A-Za-z_]+)`", page))
    suggestions = read(path, "--suggest", "--weak")
    assert keys(suggestions) <= documented
    assert keys(read(path, "accept", "main", B)) <= documented


def test_many_suggestions_are_counted_for_people(path: Path, tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "many")
    mark = repo.commit(message="root")
    repo.build()
    for number in range(30):
        root = {"linked_commits": repo.oid(mark)}
        repo.checkpoint(f"{number:012x}", Stored(session(number), b"", 60), root=root)
    found = out(repo.build(), "--suggest").splitlines()
    assert found[-3] == "  and 20 more: --json lists 30"
    assert len(read(repo.path, "--suggest")["suggested"][0]["suggestions"]) == 30


def test_ids_of_checkpoints_are_neutral(path: Path) -> None:
    """Whatever let one pass that no store can have: the state and the companion ref are read, not trusted."""
    hostile = "\x1b[31m\u202ec\n"
    shown = "^[[31m<U+202E>c"
    repo = open_repository(path)
    evidence = Evidence("tree", "exact", via="1" * 40)
    found = Suggested("2" * 40, "work", (Suggestion(hostile, (evidence,)),), 0, False)
    assert run_cli(["sync"], path).status == 0
    with known_state(directory(repo)) as state:
        suggestions = [*answer_lines(state, Answer(1, 0, 1, (found,)))]
        links = [*accepted_lines(repo, state, [Accepted("2" * 40, hostile, "hand", None)])]
    assert suggestions[1].startswith(f"  {shown}  exact ")
    assert links[1] == f"  {shown}  hand"


def test_what_is_ambiguous_and_what_merges_bring_in_is_said(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    root = repo.commit(message="root")
    for number, checkpoint in enumerate((A, B), start=1):
        repo.checkpoint(checkpoint, Stored(session(number), claude(session(number), ["u"]), number))
        message = f"side\n\nEntire-Checkpoint: {checkpoint}"
        repo.builder.commit(f"refs/heads/s{number}", message, {"a": "1"}, parents=[root])
    one = repo.builder.commit("refs/heads/main", "which", {"a": "1"}, parents=[root])
    repo.builder.commit("refs/heads/main", "merge", parents=[one, root])
    lines = out(repo.build(), "--suggest").splitlines()
    assert lines[1] == "  several commits make just this change, and name different checkpoints:"
    assert [line.split()[:2] for line in lines if line.startswith("  aaaa")] == [[A, "likely"], [B, "likely"]]
    assert lines[-1] == "1 merge left out: what a merge brings in is linked by its own commits"
    assert out(repo.path, "--accept-exact").startswith("accepted 0 links of 0 commits; ")


def test_on_a_terminal_it_is_coloured(path: Path) -> None:
    status, shown = run_on_terminal(["link", "--suggest"], path)
    assert status == 0
    assert "\x1b[32mexact " in shown
    assert "^[[31mred" in shown
