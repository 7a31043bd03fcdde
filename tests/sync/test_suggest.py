"""Which sessions are suggested for commits without a trailer, in repositories that real Git rewrote."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from git_asr.companion import rewrites
from git_asr.companion.state_file import read_state
from git_asr.errors import Diagnostic, UsageError
from git_asr.git.backend import open_objects
from git_asr.git.repository import open_repository
from git_asr.sync import branches
from git_asr.sync.look import directory
from git_asr.sync.suggest import Answer, Question, fitting, suggest
from git_asr.views.suggestions import Suggested
from tests.e2e.sample_repos import session
from tests.support.entire_repo import STORE, EntireRepo, Stored, claude
from tests.support.repo_builder import EPOCH, git
from tests.sync.syncing import run

A, B, C, D = (f"{letter * 4}00000001" for letter in "abcd")
DATE = {"GIT_AUTHOR_DATE": f"{EPOCH + 5000} +0000", "GIT_COMMITTER_DATE": f"{EPOCH + 9000} +0000"}
WHO = {f"GIT_{one}_{what}": "x@example.com" for one in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}


class Work:
    """A repository with a worktree, checkpoints, and commits as a person makes them."""

    def __init__(self, path: Path, object_format: Any = "sha1") -> None:
        self.store = EntireRepo(path, object_format)
        for number, checkpoint in enumerate((A, B, C, D), start=1):
            self.checkpoint(checkpoint, number)
        self.path = self.store.build()
        self.commit("base", "base.txt", "base\n")

    def checkpoint(self, checkpoint: str, number: int, created: int | None = None, **how: Any) -> None:
        lines = claude(session(number), [f"{number}.1", f"{number}.2"])
        when = number * 60 if created is None else created
        self.store.checkpoint(checkpoint, Stored(session(number), lines, when), **how)

    def git(self, *args: str, **env: str) -> str:
        """Git as a person's; hooks and editors stay out of it."""
        ended = subprocess.run(
            ["git", *args],
            cwd=self.path,
            env={**os.environ, **WHO, **DATE, "GIT_EDITOR": "true", **env},
            capture_output=True,
            check=False,
        )
        assert ended.returncode == 0, ended.stderr.decode()
        return ended.stdout.decode().strip()

    def commit(self, subject: str, file: str, text: str, *checkpoints: str, **env: str) -> str:
        """Write a file and commit it, with trailers; the commit."""
        (self.path / file).write_text(text)
        self.git("add", file)
        trailers = "".join(f"Entire-Checkpoint: {one}\n" for one in checkpoints)
        self.git("commit", "-q", "-m", f"{subject}\n\n{trailers}", **env)
        return self.head

    def branch(self, name: str, start: str = "main") -> None:
        self.git("checkout", "-q", "-b", name, start)

    @property
    def head(self) -> str:
        return self.git("rev-parse", "HEAD")

    def lose(self, *range_: str) -> None:
        """Rewrite the commits of a range without their trailers, as an edit of the messages would."""
        script = "sed -i -e /^Entire-Checkpoint/d"
        self.git("rebase", "-q", "-f", *range_, "--exec", self._reword(script))

    def _reword(self, script: str) -> str:
        return "git log -1 --format=%B > .git/m && " + script + " .git/m && git commit -q --amend -F .git/m"


@pytest.fixture(params=["sha1", "sha256"])
def work(tmp_path: Path, request: pytest.FixtureRequest) -> Work:
    return Work(tmp_path / "r", request.param)


@pytest.fixture
def plain(tmp_path: Path) -> Work:
    return Work(tmp_path / "r")


def answer(path: Path, *revisions: str, found: list[Diagnostic] | None = None, **how: Any) -> Answer:
    """What is suggested after a sync."""
    run(path)
    repo = open_repository(path)
    report = [] if found is None else found
    with read_state(directory(repo)) as state, open_objects(repo) as objects:
        assert state is not None
        return suggest(repo, objects, state, Question(revisions or ("HEAD",), **how), report.append)


def said(some: Answer) -> dict[str, list[tuple[str, str, str]]]:
    """By subject: the checkpoints, how sure, by which method."""
    return {
        one.subject: [(each.checkpoint, each.sure, each.evidence[0].method) for each in one.suggestions]
        for one in some.suggested
    }


def only(some: Answer) -> Suggested:
    (one,) = some.suggested
    return one


def test_an_amended_message(work: Work) -> None:
    old = work.commit("one", "a", "1\n", A)
    work.git("commit", "-q", "--amend", "-m", "reworded")
    run(work.path)  # the old commit is in the reflog alone
    found = only(answer(work.path))
    assert (found.commit, found.subject, found.ambiguous) == (work.head, "reworded", False)
    ((suggestion,), (evidence,)) = found.suggestions, found.suggestions[0].evidence
    assert (suggestion.checkpoint, evidence.method, evidence.sure, evidence.via) == (A, "tree", "exact", old)


@pytest.mark.parametrize("kept", ["branch", "reflog"])
def test_a_rebase_with_other_messages(work: Work, kept: str) -> None:
    work.branch("topic")
    work.commit("one", "a", "1\n", A)
    work.commit("two", "b", "1\n", B)
    if kept == "branch":
        work.git("branch", "old")
    work.git("checkout", "-q", "main")
    work.commit("upstream", "c", "1\n")
    work.git("checkout", "-q", "topic")
    work.lose("main")
    assert "Entire" not in work.git("log", "--format=%B", "topic")
    method = "tree"  # that of the rebased commit, before its message was edited
    if kept == "branch":
        work.git("reflog", "expire", "--expire=now", "--all")
        method = "patch-id"
    assert said(answer(work.path)) == {"one": [(A, "exact", method)], "two": [(B, "exact", method)]}


def test_commits_that_keep_their_trailer_need_nothing(plain: Work) -> None:
    plain.branch("topic")
    plain.commit("one", "a", "1\n", A)
    plain.git("checkout", "-q", "main")
    plain.commit("upstream", "c", "1\n")
    plain.git("rebase", "-q", "main", "topic")
    found = answer(plain.path)
    assert (found.commits, found.without, found.suggested) == (3, 2, ())


def test_a_pick_that_lost_its_trailer_and_whose_surroundings_moved(work: Work) -> None:
    work.commit("long", "f", "".join(f"{n}\n" for n in range(40)))
    work.branch("topic")
    picked = work.commit("change", "f", "".join(f"{'x' if n == 30 else n}\n" for n in range(40)), A)
    work.git("checkout", "-q", "main")
    work.commit("above", "f", "new\n" + "".join(f"{n}\n" for n in range(40)))
    work.git("cherry-pick", "--no-commit", picked)
    work.git("commit", "-q", "-m", "picked")
    assert said(answer(work.path)) == {"picked": [(A, "exact", "patch-id")]}


def squash(work: Work, subject: str, branch: str = "topic") -> str:
    work.git("checkout", "-q", "main")
    work.git("merge", "-q", "--squash", branch)
    work.git("commit", "-q", "-m", subject)
    return work.head


def topic(work: Work) -> None:
    work.branch("topic")
    work.commit("one", "a", "1\n", A)
    work.commit("two", "b", "1\n", B)
    work.commit("by hand", "b", "2\n")


def test_a_squash_right_after_its_branch(work: Work) -> None:
    topic(work)
    squash(work, "squashed")
    found = answer(work.path)
    assert said(found) == {"squashed": [(A, "exact", "squash"), (B, "exact", "squash")]}
    assert only(found).suggestions[0].evidence[0].ref == "refs/heads/topic"


def test_a_squash_after_main_went_on(work: Work) -> None:
    topic(work)
    work.git("checkout", "-q", "main")
    work.commit("upstream", "c", "1\n")
    squash(work, "squashed")
    assert said(answer(work.path)) == {"squashed": [(A, "exact", "squash"), (B, "exact", "squash")]}


def test_a_squash_of_a_branch_that_merged_main(work: Work) -> None:
    topic(work)
    work.git("checkout", "-q", "main")
    work.commit("upstream", "c", "1\n")
    work.git("checkout", "-q", "topic")
    work.git("merge", "-q", "--no-edit", "main")
    squash(work, "squashed")
    assert said(answer(work.path)) == {"squashed": [(A, "exact", "squash"), (B, "exact", "squash")]}


def test_a_squash_whose_branch_is_gone(work: Work) -> None:
    topic(work)
    squash(work, "squashed")
    work.git("branch", "-q", "-D", "topic")
    found = answer(work.path)
    assert said(found) == {"squashed": [(A, "exact", "squash"), (B, "exact", "squash")]}
    assert only(found).suggestions[0].evidence[0].ref is None


def test_a_squash_by_title_with_the_ref_of_its_pull_request(work: Work) -> None:
    topic(work)
    work.git("update-ref", "refs/pull/7/head", "topic")
    work.git("checkout", "-q", "main")
    work.commit("squashed in the browser (#7)", "a", "edited while merging\n")
    work.git("branch", "-q", "-D", "topic")
    found = answer(work.path)
    assert said(found) == {
        "squashed in the browser (#7)": [(A, "likely", "pull"), (B, "likely", "pull")],
    }
    assert only(found).suggestions[0].evidence[0].ref == "refs/pull/7/head"
    assert only(found).acceptable == ()


def test_the_number_of_a_pull_request_that_was_merged_says_nothing(plain: Work) -> None:
    topic(plain)
    plain.git("update-ref", "refs/pull/7/head", "topic")
    plain.git("checkout", "-q", "main")
    plain.git("merge", "-q", "--no-ff", "-m", "merge (#7)", "topic")
    plain.commit("later (#7)", "z", "1\n")
    found = answer(plain.path)
    assert (found.suggested, found.merges) == ((), 1)


def test_the_tree_of_a_branch_whose_changes_are_others(plain: Work) -> None:
    topic(plain)
    plain.git("checkout", "-q", "main")
    plain.commit("in between", "a", "0\n")
    plain.git("read-tree", "topic")
    plain.git("commit", "-q", "-m", "as on topic")
    assert said(answer(plain.path)) == {
        "as on topic": [(A, "likely", "branch-tree"), (B, "likely", "branch-tree")]
    }


def test_what_was_reverted_and_applied_again_is_only_likely(plain: Work) -> None:
    first = plain.commit("one", "a", "1\n", A)
    plain.git("revert", "--no-edit", first)
    plain.git("revert", "--no-edit", "HEAD")
    found = answer(plain.path)
    assert [(one.commit, one.suggestions[0].sure) for one in found.suggested] == [(plain.head, "likely")]


def test_what_a_branch_reverted_and_applied_again_is_only_likely(plain: Work) -> None:
    commit = plain.commit("one", "a", "1\n")
    plain.branch("topic")
    plain.git("revert", "--no-edit", commit)
    plain.commit("again", "a", "1\n", A)
    plain.git("checkout", "-q", "main")
    assert said(answer(plain.path)) == {"one": [(A, "likely", "tree")]}


def test_a_branch_that_changes_nothing_says_nothing_of_what_it_grows_from(plain: Work) -> None:
    plain.commit("one", "a", "1\n")
    plain.branch("topic")
    plain.git("commit", "-q", "--allow-empty", "-m", f"empty\n\nEntire-Checkpoint: {A}")
    plain.git("checkout", "-q", "main")
    assert answer(plain.path).suggested == ()


def test_an_empty_commit_is_like_no_other(plain: Work) -> None:
    plain.commit("one", "a", "1\n", A)
    plain.git("commit", "-q", "--allow-empty", "-m", "empty")
    assert answer(plain.path).suggested == ()


def test_two_checkpoints_for_one_change_are_both_shown_and_neither_is_exact(work: Work) -> None:
    for name, checkpoint in (("x", A), ("y", B)):
        work.branch(name)
        work.commit(name, "a", "1\n", checkpoint)
    work.git("checkout", "-q", "main")
    work.git("checkout", "-q", "x", "--", "a")
    work.commit("which", "a", "1\n")
    work.git("checkout", "-q", "y")
    work.git("reset", "-q", "--hard", "main~1")
    work.commit("y", "a", "1\n", B)
    work.git("checkout", "-q", "main")
    found = only(answer(work.path))
    assert [(one.checkpoint, one.sure) for one in found.suggestions] == [(A, "likely"), (B, "likely")]
    assert (found.ambiguous, found.acceptable) == (True, ())


def test_several_commits_that_name_the_same_are_not_ambiguous(plain: Work) -> None:
    plain.branch("x")
    plain.commit("x", "a", "1\n", A, B)
    plain.branch("y", "main")
    plain.commit("y", "a", "1\n", A, B)
    plain.git("checkout", "-q", "main")
    plain.commit("again", "a", "1\n")
    found = only(answer(plain.path))
    assert [one.checkpoint for one in found.acceptable] == [A, B]


LINKED: Mapping[str, Any] = {
    "linked": lambda commit: {"linked_commits": [{"sha": commit, "repo": "somebody/else"}]},
    "as text": lambda commit: {"linked_commits": commit.upper()},
    "listed as text": lambda commit: {"linked_commits": [7, None, {"sha": 7}, {}, "xyz", commit]},
    "recorded": lambda commit: {"commit_sha": commit, "commit_sha_method": "recorded"},
    "not said": lambda commit: {"commit_sha": f" {commit}\n"},
    "heuristic": lambda commit: {"commit_sha": commit, "commit_sha_method": "heuristic"},
    "fallback": lambda commit: {"commit_sha": commit, "commit_sha_method": "fallback"},
    "strange": lambda commit: {"commit_sha": commit, "commit_sha_method": "\x1b[31m"},
    "short": lambda commit: {"linked_commits": [{"sha": commit[:9]}]},
    "short, elsewhere": lambda commit: {"linked_commits": [{"sha": commit[:9], "repo": "somebody/else"}]},
    "too short": lambda commit: {"linked_commits": [{"sha": commit[:6]}]},
    "too long": lambda commit: {"linked_commits": [{"sha": commit + "0" * 40}]},
    "another": lambda commit: {"linked_commits": [{"sha": "0" * 40}], "migration_source_commit": commit},
    "no fields": lambda commit: {"linked_commits": {"sha": [commit]}, "commit_sha": [commit]},
}
SURE = {
    "linked": ("exact", "linked-commit"),
    "as text": ("exact", "linked-commit"),
    "listed as text": ("exact", "linked-commit"),
    "recorded": ("exact", "commit-sha"),
    "not said": ("likely", "commit-sha"),
    "heuristic": ("weak", "commit-sha"),
    "fallback": ("weak", "commit-sha"),
    "strange": ("weak", "commit-sha"),
    "short": ("likely", "linked-commit"),
}


@pytest.mark.parametrize("place", ["root", "session"])
@pytest.mark.parametrize("case", LINKED)
def test_what_the_metadata_say(plain: Work, case: str, place: str) -> None:
    commit = plain.commit("lost", "a", "1\n")
    fields = LINKED[case](commit)
    lines = claude(session(1), ["1.1", "1.2"])
    stored = Stored(session(1), lines, 60, metadata=fields if place == "session" else {})
    plain.store.checkpoint(A, stored, root=fields if place == "root" else {})
    plain.store.build()
    for weak in (False, True):
        expected = SURE.get(case)
        found = said(answer(plain.path, weak=weak))
        if expected is None or (expected[0] == "weak" and not weak):
            assert found == {}
        else:
            assert found == {"lost": [(A, *expected)]}


def test_the_beginning_of_two_ids_means_neither(plain: Work) -> None:
    plain.commit("one", "a", "1\n")
    ids = sorted(plain.git("log", "--format=%H").split())
    assert fitting(ids, ids[0][:12]) == ids[0]
    assert fitting([*ids, ids[-1][:20] + "0" * 20], ids[-1][:12]) is None
    assert fitting(ids, "0" * 12) is None


def test_files_and_time_are_weak_and_only_told_when_asked(plain: Work) -> None:
    at = {"GIT_AUTHOR_DATE": f"{EPOCH + 7200} +0000"}
    plain.commit("lost", "a", "1\n", **at)
    near, far, other = "eeee00000001", "eeee00000002", "eeee00000003"
    plain.checkpoint(near, 11, 7200 + 300, root={"files_touched": ["a", "zzz"]})
    plain.checkpoint(far, 12, 7200 + 4000, root={"files_touched": ["a"]})
    plain.checkpoint(other, 13, 7200, root={"files_touched": ["b", 7], "commit_sha": 7})
    plain.checkpoint(A, 1, 7200, root={"files_touched": ["a"]})
    plain.branch("x", "main~1")
    plain.commit("named", "q", "1\n", A)
    plain.git("checkout", "-q", "main")
    plain.store.build()
    assert answer(plain.path).suggested == ()
    found = only(answer(plain.path, weak=True))
    (suggestion,) = found.suggestions
    assert (suggestion.checkpoint, suggestion.sure) == (near, "weak")
    assert (suggestion.evidence[0].files, suggestion.evidence[0].seconds) == ((1, 1), 300)


def test_a_commit_with_thousands_of_suggestions_keeps_some_and_says_so(plain: Work) -> None:
    commit = plain.commit("lost \x1b[31m", "a", "1\n")
    for number in range(1200):
        root = {"linked_commits": [{"sha": commit}]}
        plain.store.checkpoint(f"{number:012x}", Stored(session(1), b"", 60), root=root)
    plain.store.build()
    found = only(answer(plain.path))
    assert (len(found.suggestions), found.more, found.acceptable) == (1000, 200, ())


def test_only_one_checkpoint_can_be_asked_for(plain: Work) -> None:
    topic(plain)
    squash(plain, "squashed")
    assert said(answer(plain.path, "HEAD^!", checkpoint=B)) == {"squashed": [(B, "exact", "squash")]}
    assert answer(plain.path, "HEAD^!", checkpoint=C).suggested == ()


def test_ranges_and_wrong_ones(plain: Work) -> None:
    topic(plain)
    squash(plain, "squashed")
    plain.commit("next", "z", "1\n")
    assert answer(plain.path, "HEAD~1..HEAD").commits == 1
    assert said(answer(plain.path, "HEAD~1^!")) == said(answer(plain.path, "main"))
    assert answer(plain.path, "topic").suggested == ()
    for wrong in ("nope", "--all", ""):
        with pytest.raises(UsageError):
            answer(plain.path, wrong)


def test_a_bare_and_a_shallow_clone(plain: Work, tmp_path: Path) -> None:
    topic(plain)
    squash(plain, "squashed")
    plain.commit("next", "z", "1\n")
    url = plain.path.as_uri()
    git(tmp_path, "clone", "-q", "--mirror", url, "bare")
    assert said(answer(tmp_path / "bare", "main")) == said(answer(plain.path))
    git(tmp_path, "clone", "-q", "--depth=1", "--no-single-branch", url, "shallow")
    found: list[Diagnostic] = []
    assert answer(tmp_path / "shallow", found=found).suggested == ()
    assert found == []


def test_a_partial_clone_compares_what_it_has(plain: Work, tmp_path: Path) -> None:
    topic(plain)
    plain.git("checkout", "-q", "main")
    plain.commit("other", "a", "2\n")
    plain.commit("alike", "b", "1\n")
    git(plain.path, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "-q", "--mirror", "--filter=blob:none", plain.path.as_uri(), "part")
    git(tmp_path / "part", "config", "remote.origin.url", str(tmp_path / "gone"))
    found: list[Diagnostic] = []
    assert said(answer(tmp_path / "part", "main", found=found)) == {"alike": [(B, "exact", "patch-id")]}
    assert {one.code for one in found} == {"not-compared"}


@pytest.mark.parametrize(("gone", "left"), [("topic~1:b", {"alike"}), ("topic~1^{tree}", set())])
def test_a_damaged_repository_gives_what_can_be_compared(plain: Work, gone: str, left: set[str]) -> None:
    topic(plain)
    plain.git("checkout", "-q", "main")
    plain.commit("alike", "b", "1\n")
    plain.commit("other", "b", "3\n")
    run(plain.path)
    remove(plain.path, plain.git("rev-parse", gone))
    found: list[Diagnostic] = []
    assert said(answer(plain.path, found=found)).keys() == left
    assert {one.code for one in found} == {"not-compared"}


def remove(path: Path, oid: str) -> None:
    """Take one object out of the packs of a repository."""
    packs = path / ".git" / "objects" / "pack"
    for pack in packs.glob("*.pack"):
        data = pack.read_bytes()
        for file in packs.glob(f"{pack.stem}.*"):
            file.unlink()
        git(path, "unpack-objects", "-q", stdin=data)
    (path / ".git" / "objects" / oid[:2] / oid[2:]).unlink()


def test_a_line_too_long_for_a_branch_is_left_out(plain: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    topic(plain)
    squash(plain, "squashed")
    monkeypatch.setattr(branches, "LONGEST", 2)
    assert answer(plain.path).suggested == ()


@pytest.mark.parametrize(
    ("subject", "number"),
    [
        ("Title (#12)", 12),
        ("Title (!3) ", 3),
        ("Title (pull request #4)", 4),
        ("Fix #12", None),
        ("(#12) first", None),
        ("Title (#12345678901)", None),
    ],
)
def test_the_number_in_a_subject(subject: str, number: int | None) -> None:
    assert branches.pull_number(subject) == number


# --- what Git told of rewrites --------------------------------------------------------------------------------------


def told(work: Work, *pairs: tuple[str, str]) -> None:
    """Keep pairs, as the worker does for the hooks."""
    rewrites.add(work.path / ".git" / "asr", [rewrites.Pair(*one, "rebase", 1) for one in pairs])


def test_several_commits_that_became_one_with_other_contents(work: Work) -> None:
    one, two = work.commit("one", "a", "1\n", A), work.commit("two", "b", "2\n", B)
    run(work.path)
    work.git("reset", "-q", "--hard", "main~2")
    three = work.commit("mine", "a", "other\n")
    told(work, (one, "1" * len(one)), ("1" * len(one), three), (two, three), (three, one))
    found = only(answer(work.path))
    assert [(each.checkpoint, each.sure) for each in found.suggestions] == [(A, "exact"), (B, "exact")]
    assert [[piece.method for piece in each.evidence] for each in found.suggestions] == [["rewritten"]] * 2
    assert [each.evidence[0].via for each in found.suggestions] == [one, two]
    assert found.acceptable == found.suggestions
    assert not found.ambiguous
    assert said(answer(work.path, checkpoint=B)) == {"mine": [(B, "exact", "rewritten")]}


def test_what_the_change_itself_says_comes_first(plain: Work) -> None:
    old = plain.commit("one", "a", "1\n", A)
    run(plain.path)
    plain.git("commit", "-q", "--amend", "-m", "reworded")
    told(plain, (old, plain.head))
    (each,) = only(answer(plain.path)).suggestions
    assert [piece.method for piece in each.evidence] == ["tree", "rewritten"]


def test_the_companion_knows_a_commit_that_nothing_else_does(plain: Work) -> None:
    """Its checkpoint must be in a store still, and the companion sound; else nothing is said, or that."""
    old = plain.commit("one", "a", "1\n", A)
    run(plain.path)
    (plain.path / "b").write_text("2\n")
    plain.git("add", "b")
    plain.git("commit", "-q", "--amend", "-m", "reworded")
    told(plain, (old, plain.head))
    plain.git("reflog", "expire", "--expire=now", "--all")
    run(plain.path, full=True)
    assert said(answer(plain.path)) == {"reworded": [(A, "exact", "rewritten")]}
    repo, report = open_repository(plain.path), []
    plain.git("update-ref", "refs/asr/sessions", plain.git("hash-object", "-w", "a"))
    with read_state(directory(repo)) as state, open_objects(repo) as objects:
        assert state is not None
        assert suggest(repo, objects, state, Question(), report.append).suggested == ()
    assert [one.code for one in report] == ["not-compared"]
    plain.git("update-ref", "-d", "refs/asr/sessions")
    plain.git("update-ref", "-d", STORE)
    assert said(answer(plain.path)) == {}
