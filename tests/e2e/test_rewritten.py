"""Commits that Git makes anew, with real hooks: what the companion ref holds afterwards, and what is known of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from git_asr.companion import rewrites
from git_asr.hooks import queue
from tests.e2e.sample_repos import SESSIONS, own, session
from tests.support import alarms
from tests.support.companion import bundles
from tests.support.entire_repo import EntireRepo, Stored, claude
from tests.support.run import Result, run_cli

A, B, C, D = (f"{letter * 4}00000001" for letter in "abcd")


class Work:
    """A repository with hooks, four checkpoints, and a commit without any."""

    def __init__(self, path: Path) -> None:
        store = EntireRepo(path)
        for number, checkpoint in enumerate((A, B, C, D), start=1):
            store.checkpoint(checkpoint, Stored(session(number), claude(session(number), [f"{number}.1"])))
        self.path = store.build()
        self.tick = 0
        self.commit("base")
        alarms.install(self.path)
        self.git("branch", "start")

    def git(self, *args: str, fails: bool = False, **env: str) -> str:
        """Git as a person's, a second after the one before; nothing of what it starts may write to its output."""
        self.tick += 1
        dates = {f"GIT_{one}_DATE": f"@{1_770_000_000 + self.tick} +0000" for one in ("AUTHOR", "COMMITTER")}
        ended = subprocess.run(
            ["git", *args],
            cwd=self.path,
            env={**os.environ, "GIT_EDITOR": "true", **dates, **env},
            capture_output=True,
            check=False,
        )
        assert bool(ended.returncode) == fails, ended.stderr.decode()
        return ended.stdout.decode().strip()

    def commit(self, subject: str, *checkpoints: str, file: str | None = None, text: str = "") -> str:
        """Write a file of its own and commit it, with trailers; the commit."""
        (self.path / (file or subject)).write_text(text or subject)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message(subject, *checkpoints))
        return self.head()

    def head(self, at: str = "HEAD") -> str:
        return self.git("rev-parse", at)

    def settle(self) -> None:
        alarms.settled(self.path)

    def links(self) -> set[tuple[str, str]]:
        """What the companion holds once all is quiet: commits and checkpoints."""
        self.settle()
        found = [one for bundle in bundles(self.path) for one in bundle.links if one["type"] == "vcs"]
        assert {one["evidence"] for one in found} <= {"reported"}
        return {(one["commit"], one["id"].partition("@")[0]) for one in found}

    def pairs(self) -> list[tuple[str, str, str]]:
        return [(one.old, one.new, one.kind) for one in rewrites.pairs(self.path / ".git" / "asr")]

    def asr(self, *args: str) -> Result:
        return run_cli(args, self.path)

    def suggested(self, *revisions: str) -> dict[str, list[tuple[str, str, list[str]]]]:
        """By commit: checkpoints, how sure, and by which methods."""
        ended = self.asr("link", "--suggest", "--json", *revisions)
        assert ended.status == 0, ended.err
        return {
            one["commit"]: [
                (each["checkpoint"], each["sure"], [piece["method"] for piece in each["evidence"]])
                for each in one["suggestions"]
            ]
            for one in json.loads(ended.out)["suggested"]
        }

    def log_moves(self) -> None:
        """From now on Git keeps a log of where the companion ref stood."""
        self.settle()
        self.git("update-ref", "--create-reflog", SESSIONS, own(self.path)[SESSIONS])
        log = self.path / ".git" / "logs" / SESSIONS
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text("")

    def moves(self) -> int:
        """How often the companion ref moved since then."""
        self.settle()
        return len((self.path / ".git" / "logs" / SESSIONS).read_text().splitlines())

    def topic(self, *checkpoints: str) -> list[str]:
        """A branch with a commit for each checkpoint, beside a main that went on; all of it synced."""
        self.git("checkout", "-q", "-b", "topic", "start")
        made = [self.commit(f"t{number}", one) for number, one in enumerate(checkpoints, start=1)]
        self.git("checkout", "-q", "main")
        self.commit("ahead")
        self.git("checkout", "-q", "topic")
        self.settle()
        return made

    def rebase(self, script: str, *args: str) -> None:
        """An interactive rebase onto main, with the list of commits edited by sed."""
        self.git("rebase", "-q", "-i", *args, "main", GIT_SEQUENCE_EDITOR=f"sed -i -e '{script}'")


def each(commits: list[str], *checkpoints: str) -> set[tuple[str, str]]:
    return set(zip(commits, checkpoints, strict=True))


def message(subject: str, *checkpoints: str) -> str:
    return f"{subject}\n\n" + "".join(f"Entire-Checkpoint: {one}\n" for one in checkpoints)


@pytest.fixture
def work(tmp_path: Path) -> Work:
    return Work(tmp_path / "r")


def amended(work: Work, *args: str) -> tuple[str, str]:
    """A commit with a checkpoint, and what an amend made of it."""
    old = work.commit("one", A)
    work.settle()
    (work.path / "more").write_text("more")
    work.git("add", "more")
    work.git("commit", "-q", "--amend", *(args or ("--no-edit",)))
    work.settle()
    return old, work.head()


def test_amend_that_keeps_the_trailer(work: Work) -> None:
    old, new = amended(work)
    assert work.links() == {(old, A), (new, A)}
    assert work.pairs() == [(old, new, "amend")]


def test_amend_that_loses_the_trailer(work: Work) -> None:
    """The old commit keeps its link, and the new one gets none before a person says so."""
    old, new = amended(work, "-m", "reworded")
    assert work.links() == {(old, A)}
    assert work.pairs() == [(old, new, "amend")]
    assert work.suggested() == {new: [(A, "exact", ["rewritten"])]}
    ended = work.asr("show")
    assert (ended.status, ended.out) == (1, "")
    assert ended.err.splitlines() == [
        f"error: commit {new[:12]} names no checkpoint, so no session is tied to it;"
        f" it was rewritten from commit {old[:12]}, which has one",
        f"hint: git asr show {old[:12]}",
        f"hint: git asr link --suggest {new[:12]}^!   looks for one that it may belong to",
    ]
    assert work.asr("show", old[:12]).out.splitlines()[3] == f"session {session(1)}"


def test_an_accepted_rewrite_says_nothing_of_the_old_commit(work: Work) -> None:
    """What was rewritten into what is local: no record may hold it."""
    old, new = amended(work, "-m", "reworded")
    assert work.asr("link", "--accept-exact").status == 0
    records = [
        one for bundle in bundles(work.path) for one in bundle.links if one["id"] == f"{A}@{new}#rewritten"
    ]
    assert [(one["commit"], one["evidence"], one["_meta"]["git-asr/link"]) for one in records] == [
        (new, "rewritten", {})
    ]
    assert old not in json.dumps(records)
    assert work.asr("show").out.splitlines()[3] == f"session {session(1)}"
    (work.path / "again").write_text("again")
    work.git("add", "again")
    work.git("commit", "-q", "--amend", "--no-edit")
    work.settle()
    assert work.suggested() == {work.head(): [(A, "exact", ["rewritten"])]}  # an accepted link is one too


def test_amend_that_brings_a_trailer(work: Work) -> None:
    old = work.commit("one")
    work.git("commit", "-q", "--amend", "-m", message("one", A))
    new = work.head()
    assert work.links() == {(new, A)}
    assert work.pairs() == [(old, new, "amend")]
    ended = work.asr("show", old)
    assert ended.status == 1
    assert ended.err.splitlines()[0].endswith(f"; it was rewritten into commit {new[:12]}, which has one")
    assert ended.err.splitlines()[1] == f"hint: git asr show {new[:12]}"


def test_a_commit_that_is_not_here_any_more(work: Work) -> None:
    """Its ID, from a chat or a bug report, still leads to the session: by what became of it, however often."""
    old = work.commit("one")
    work.git("commit", "-q", "--amend", "-m", "once")
    work.git("commit", "-q", "--amend", "-m", message("twice", A))
    work.settle()
    new = work.head()
    work.git("reflog", "expire", "--expire=now", "--all")
    work.git("prune", "--expire=now")
    for what in (old, old[:7]):
        ended = work.asr("show", what)
        assert (ended.status, ended.out) == (1, "")
        assert ended.err.splitlines() == [
            f"error: commit {old[:12]} is not here any more;"
            f" it was rewritten into commit {new[:12]}, which has one",
            f"hint: git asr show {new[:12]}",
        ]
    assert work.asr("show", old[:3]).status == 2


@pytest.mark.parametrize("gone", [False, True], ids=["in the reflog", "gone"])
def test_rewrites_outlive_a_sync_from_scratch_and_the_old_commit(work: Work, gone: bool) -> None:
    old, once = amended(work, "-m", "once")
    work.git("commit", "-q", "--amend", "-m", "twice")
    new = work.head()
    if gone:
        work.git("reflog", "expire", "--expire=now", "--all")
        work.git("prune", "--expire=now")
    assert work.asr("sync", "--full").status == 0
    assert work.links() == {(old, A)}
    assert work.pairs() == [(old, once, "amend"), (once, new, "amend")]
    assert work.suggested() == {new: [(A, "exact", ["rewritten"])]}


# --- rebase ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("backend", ["--merge", "--apply"])
def test_rebase(work: Work, backend: str) -> None:
    one, two, three = work.topic(A, B, C)
    work.log_moves()
    work.git("rebase", "-q", backend, "main")
    new = [work.head(f"HEAD~{at}") for at in (2, 1, 0)]
    assert work.links() == each([one, two, three], A, B, C) | each(new, A, B, C)
    assert work.pairs() == [(old, now, "rebase") for old, now in zip((one, two, three), new, strict=True)]
    assert work.moves() == 1


def test_rebase_onto_and_a_commit_that_loses_its_trailer_on_the_way(work: Work) -> None:
    one, two, three = work.topic(A, B, C)
    work.git("rebase", "-q", "--onto", "main", one, "topic")
    new = [work.head(f"HEAD~{at}") for at in (1, 0)]
    assert work.links() == {(one, A), (two, B), (three, C), (new[0], B), (new[1], C)}
    assert work.pairs() == [(two, new[0], "rebase"), (three, new[1], "rebase")]


@pytest.mark.parametrize("word", ["fixup", "squash"])
def test_rebase_that_melts_two_into_one(work: Work, word: str) -> None:
    """Fixup keeps the message of the first, squash those of both: their trailers say what is linked."""
    one, two, three = work.topic(A, B, C)
    work.log_moves()
    work.rebase(f"2s/^pick/{word}/")
    both, last = work.head("HEAD~1"), work.head()
    wanted = {(one, A), (two, B), (three, C), (both, A), (last, C)} | (
        {(both, B)} if word == "squash" else set()
    )
    found = work.links()
    assert {(commit, each) for commit, each in found if commit in (one, two, three, both, last)} == wanted
    assert work.moves() == 1
    pairs = work.pairs()
    assert {(one, both, "rebase"), (two, both, "rebase"), (three, last, "rebase")} <= set(pairs)
    assert {kind for _, _, kind in pairs} <= {"rebase", "amend"}


def test_rebase_with_autosquash(work: Work) -> None:
    (one,) = work.topic(A)
    two = work.commit("t2", B)
    work.git("commit", "-q", "--allow-empty", "-m", message("fixup! t1", C))
    mending = work.head()
    work.settle()
    work.git("rebase", "-q", "-i", "--autosquash", "main")
    first, second = work.head("HEAD~1"), work.head()
    assert {(first, A), (second, B), (mending, C)} <= work.links()
    assert {(one, first, "rebase"), (mending, first, "rebase"), (two, second, "rebase")} <= set(work.pairs())


def test_rebase_with_a_new_message(work: Work) -> None:
    one, two = work.topic(A, B)
    work.log_moves()
    work.git(
        *("rebase", "-q", "-i", "main"),
        GIT_SEQUENCE_EDITOR="sed -i -e '1s/^pick/reword/'",
        GIT_EDITOR="sed -i -e '1s/.*/reworded/' -e /^Entire/d",
    )
    first, second = work.head("HEAD~1"), work.head()
    links = work.links()
    assert {(one, A), (two, B), (second, B)} <= links
    assert first not in {commit for commit, _ in links}
    assert {(one, first, "rebase"), (two, second, "rebase")} <= set(work.pairs())
    assert work.suggested("main..")[first][0][:2] == (A, "exact")
    assert work.moves() == 1


def test_rebase_that_drops_a_commit(work: Work) -> None:
    one, two = work.topic(A, B)
    work.rebase("1s/^pick/drop/")
    assert work.links() == {(one, A), (two, B), (work.head(), B)}
    assert work.pairs() == [(two, work.head(), "rebase")]
    ended = work.asr("show", one)
    assert (ended.status, ended.err) == (0, "")


def test_rebase_that_stops_for_a_conflict(work: Work) -> None:
    """What was picked until then waits in the queue; it is all synced at the end, or with the next commit."""
    one, two = work.topic(A, B)
    work.git("checkout", "-q", "main")
    work.commit("conflict", file="t2", text="theirs")
    work.git("checkout", "-q", "topic")
    work.log_moves()
    work.git("rebase", "-q", "main", fails=True)
    picked = work.head()
    assert {one.name for one in queue.items(work.path / ".git" / "asr")} == {picked, "scan"}
    (work.path / "t2").write_text("both")
    work.git("add", "t2")
    work.git("rebase", "--continue")
    first, second = work.head("HEAD~1"), work.head()
    assert first == picked
    assert work.links() == {(one, A), (two, B), (first, A), (second, B)}
    assert work.pairs() == [(one, first, "rebase"), (two, second, "rebase")]
    assert work.moves() == 1


def test_rebase_that_is_aborted(work: Work) -> None:
    one, two = work.topic(A, B)
    work.git("checkout", "-q", "main")
    work.commit("conflict", file="t2", text="theirs")
    work.git("checkout", "-q", "topic")
    work.settle()
    work.git("rebase", "-q", "main", fails=True)
    work.git("rebase", "--abort")
    three = work.commit("t3", C)
    links = work.links()
    assert {(one, A), (two, B), (three, C)} <= links
    assert work.pairs() == []


# --- what makes commits of others -------------------------------------------------------------------------------------


@pytest.mark.parametrize("option", ["", "-x", "--signoff"])
def test_cherry_pick(work: Work, option: str) -> None:
    (one,) = work.topic(A)
    work.git("checkout", "-q", "main")
    work.git("cherry-pick", *([option] if option else []), one)
    assert work.links() == {(one, A), (work.head(), A)}
    assert work.pairs() == []


def test_cherry_pick_of_many(work: Work) -> None:
    made = work.topic(A, B, C)
    work.git("checkout", "-q", "main")
    work.git("cherry-pick", "main..topic")
    new = [work.head(f"HEAD~{at}") for at in (2, 1, 0)]
    assert work.links() == each(made, A, B, C) | each(new, A, B, C)
    assert work.pairs() == []


def test_cherry_pick_without_a_commit(work: Work) -> None:
    """Git keeps the message for the commit that follows; another one has no trailer, and its change tells."""
    one, two = work.topic(A, B)
    work.git("checkout", "-q", "main")
    work.git("cherry-pick", "-n", one)
    work.git("commit", "-q", "--no-edit")
    first = work.head()
    work.git("cherry-pick", "-n", two)
    work.git("commit", "-q", "-m", "mine")
    assert work.links() == {(one, A), (two, B), (first, A)}
    assert work.suggested() == {work.head(): [(B, "exact", ["patch-id"])]}
    assert work.pairs() == []


def test_revert_and_its_revert(work: Work) -> None:
    """Taking a change back is no work of the session that made it; Git's message names no checkpoint."""
    one = work.commit("one", A)
    work.git("revert", "--no-edit", "HEAD")
    work.git("revert", "--no-edit", "HEAD")
    assert work.links() == {(one, A)}
    assert work.pairs() == []


# --- merges -----------------------------------------------------------------------------------------------------------


def test_merges(work: Work) -> None:
    """Fast forward, real, with a conflict: what came in is linked by its own commits, a merge by its own trailer."""
    (one,) = work.topic(A)
    work.git("checkout", "-q", "main")
    work.git("merge", "-q", "--no-edit", "topic")
    assert work.links() == {(one, A)}
    work.git("merge", "-q", "--no-ff", "--no-edit", "-m", message("again", B), "start", fails=False)
    work.git("checkout", "-q", "-b", "ahead", "topic")
    two = work.commit("two", C)
    work.git("checkout", "-q", "topic")
    work.git("merge", "-q", "--ff-only", "ahead")
    assert work.links() == {(one, A), (two, C)}
    work.commit("ours", file="same", text="ours")
    work.git("checkout", "-q", "ahead")
    work.commit("theirs", file="same", text="theirs")
    work.git("merge", "-q", "topic", fails=True)
    (work.path / "same").write_text("both")
    work.git("add", "same")
    work.git("commit", "-q", "-m", message("merged", D))
    assert work.links() == {(one, A), (two, C), (work.head(), D)}
    work.git("checkout", "-q", "main")
    work.git("merge", "-q", "-m", message("a merge of its own", B), "ahead")
    assert work.links() == {(one, A), (two, C), (work.head("ahead"), D), (work.head(), B)}
    assert work.pairs() == []


def test_squash_merge(work: Work) -> None:
    """Git's message quotes all others, and the commit is linked to what these name."""
    one, two = work.topic(A, B)
    work.git("checkout", "-q", "main")
    work.git("merge", "-q", "--squash", "topic")
    work.git("commit", "-q", "--no-edit")
    assert work.links() == {(one, A), (two, B), (work.head(), A), (work.head(), B)}
    assert work.pairs() == []


def test_a_pull_brings_commits_and_checkpoints_of_others(work: Work, tmp_path: Path) -> None:
    one = work.commit("one", A)
    work.settle()
    other = tmp_path / "clone"
    work.git("clone", "-q", str(work.path), str(other))
    work.git("-C", str(other), "fetch", "-q", "origin", "+refs/heads/entire/*:refs/heads/entire/*")
    there = Work.__new__(Work)
    there.path, there.tick = other, 1000
    alarms.install(other)
    two = work.commit("two", B)
    there.git("pull", "-q", "--ff-only")
    assert there.links() == {(one, A), (two, B)}
    three = there.commit("three", C)
    there.settle()  # a commit that is gone before it was looked at has no link
    four = work.commit("four", D)
    there.git("pull", "-q", "--rebase")
    assert there.links() == {(one, A), (two, B), (three, C), (four, D), (there.head(), C)}
    assert there.pairs() == [(three, there.head(), "rebase")]


def test_am(work: Work, tmp_path: Path) -> None:
    one, two = work.topic(A, B)
    work.git("format-patch", "-q", "-o", str(tmp_path / "patches"), "start..topic")
    work.git("checkout", "-q", "main")
    work.git("am", "-q", *map(str, sorted((tmp_path / "patches").iterdir())))
    assert work.links() == {(one, A), (two, B), (work.head("HEAD~1"), A), (work.head(), B)}
    assert work.pairs() == []


# --- what makes no commit, or tells nobody ----------------------------------------------------------------------------


def test_reset_and_stash_change_nothing(work: Work) -> None:
    one = work.commit("one", A)
    work.log_moves()
    (work.path / "one").write_text("changed")
    work.git("stash")
    work.git("stash", "pop")
    work.git("reset", "-q", "--hard", "HEAD~1")
    two = work.commit("two", B)
    assert work.links() == {(one, A), (two, B)}
    assert work.moves() == 1
    assert work.pairs() == []


def filter_branch(work: Work) -> None:
    work.git(
        *("filter-branch", "--msg-filter", "cat && echo filtered", "--", "main"),
        FILTER_BRANCH_SQUELCH_WARNING="1",
    )


def filter_repo(work: Work) -> None:
    pytest.importorskip("git_filter_repo", reason="needs git-filter-repo")
    callback = "return message + b'filtered\\n'"
    command = [sys.executable, "-m", "git_filter_repo", "--force", "--quiet", "--message-callback", callback]
    subprocess.run(command, cwd=work.path, check=True, capture_output=True)


@pytest.mark.parametrize("rewrite", [filter_branch, filter_repo])
def test_filters_run_no_hook_and_the_next_sync_finds_what_they_made(work: Work, rewrite: Any) -> None:
    one, two = work.commit("one", A), work.commit("two", B)
    work.settle()
    rewrite(work)
    new = [work.head("HEAD~1"), work.head()]
    assert not {one, two} & {*new}
    three = work.commit("three", C)
    assert work.links() >= {(new[0], A), (new[1], B), (three, C)}
    assert work.links() == {(one, A), (two, B), (new[0], A), (new[1], B), (three, C)}
    assert work.pairs() == []
