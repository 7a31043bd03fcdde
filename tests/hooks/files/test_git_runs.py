"""Which hooks Git runs for which command, and what ours make of it (reference git-integration, section 7.1).

Every row has two halves: what Git runs, written down by other hooks in all places, before ours and in the chain of
ours; and what then lies in the queue, and how often a worker was started. Every commit here carries a checkpoint. A row
is skipped where this Git lacks the command.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from git_asr.hooks.script import HOOKS
from tests.hooks.files.hooked import TRAILER, Hooked, recorder, write

RECORDED = (
    *(
        "applypatch-msg",
        "pre-applypatch",
        "post-applypatch",
        "pre-commit",
        "prepare-commit-msg",
        "commit-msg",
    ),
    *(
        "post-commit",
        "pre-merge-commit",
        "post-merge",
        "pre-rebase",
        "post-rewrite",
        "post-checkout",
        "pre-push",
    ),
    *("pre-auto-gc", "sendemail-validate"),
)
TOLD = {"post-merge": 1, "post-rewrite": 1, "post-checkout": 3}
"""Of these hooks the argument with this number stands in a row."""

COMMIT = ("pre-commit", "prepare-commit-msg", "commit-msg", "post-commit")
PICK = ("prepare-commit-msg", "post-commit")
PATCH = ("applypatch-msg", "pre-applypatch", "post-applypatch")
REBASE = ("pre-rebase", "post-checkout 1")
REBASED = ("post-rewrite rebase",)


@dataclass(frozen=True, slots=True)
class Row:
    """``command``: of a shell, as is ``before``, which is not looked at.

    ``hooks``: in order, with the argument that matters. ``queue``: the number of commits, then what else lies there.
    ``workers``: how often one was started. ``needs``: a command of Git.
    """

    name: str
    command: str
    hooks: tuple[str, ...] = ()
    queue: tuple[int | str, ...] = (0,)
    workers: int = 0
    before: str = ""
    needs: str = field(default="", kw_only=True)


TO_SIDE = "git switch -q side"
TODO = "GIT_SEQUENCE_EDITOR='sed -i.old {}' git rebase -q -i main"
ROWS = (
    Row("commit", 'git commit -q --allow-empty -m "$MESSAGE"', COMMIT, (1,), 1),
    Row("commit -n", 'git commit -q --allow-empty -n -m "$MESSAGE"', PICK, (1,), 1),
    Row(
        "commit --amend",
        'git commit -q --amend -m "other: $MESSAGE"',
        (*COMMIT, "post-rewrite amend"),
        (1, "amend"),
        2,
    ),
    Row("cherry-pick", "git cherry-pick side", PICK, (1,), 1),
    Row("cherry-pick of two", "git cherry-pick main..side", PICK * 2, (2,), 2),
    Row("revert", "git revert --no-edit HEAD", PICK, (0,), 0),  # the trailer is not part of the new message
    Row("merge, fast-forward", "git merge -q ahead", ("post-merge 0",), (0, "scan"), 1),
    Row(
        "merge, real",
        "git merge -q --no-edit side",
        ("pre-merge-commit", "prepare-commit-msg", "commit-msg", "post-merge 0"),
        (0, "scan"),
        1,
    ),
    Row("merge --squash", "git merge -q --squash side", ("post-merge 1",), (0, "scan"), 1),
    Row("merge with a conflict", "git merge -q clash || :"),
    Row(
        "commit after a conflict",
        'git commit -q -a -m "$MESSAGE"',
        COMMIT,
        (1,),
        1,
        "git merge -q clash || :",
    ),
    Row("rebase", "git rebase -q main", (*REBASE, *PICK * 2, *REBASED), (2, "rebase", "scan"), 1, TO_SIDE),
    Row(
        "rebase --apply",
        "git rebase -q --apply main",
        (*REBASE, *PATCH * 2, *REBASED),
        (0, "rebase", "scan"),
        2,  # also for the checkout, before which nothing tells that a rebase begins
        TO_SIDE,
    ),
    Row(
        "rebase -i, fixup",
        TODO.format("2s/pick/fixup/"),
        (*REBASE, *PICK * 2, "post-rewrite amend", *REBASED),
        (2, "amend", "rebase", "scan"),
        1,
        TO_SIDE,
    ),
    Row(
        "rebase -i, reword",
        TODO.format("2s/pick/reword/"),
        (*REBASE, *PICK * 2, *COMMIT, "post-rewrite amend", *REBASED),
        (2, "amend", "rebase", "scan"),
        1,
        TO_SIDE,
    ),
    Row("rebase, left at a commit", TODO.format("1s/pick/edit/"), (*REBASE, *PICK), (1, "scan"), 0, TO_SIDE),
    Row(
        "rebase, gone on with",
        "git rebase --continue",
        (*PICK, *REBASED),
        (1, "rebase"),
        1,
        f"{TO_SIDE}; {TODO.format('1s/pick/edit/')}",
    ),
    Row("rebase with a conflict", "git rebase -q main || :", REBASE, (0, "scan"), 0, "git switch -q clash"),
    Row(
        "rebase, given up",
        "git rebase --abort",
        (),
        (0,),
        0,
        "git switch -q clash; git rebase -q main || :",
    ),
    Row(
        "am",
        "git am -q ../patches/*",
        PATCH * 2,
        (0, "scan"),
        2,
        "git format-patch -q -o ../patches main..side",
    ),
    Row("pull --ff-only", "git pull -q --ff-only origin ahead", ("post-merge 0",), (0, "scan"), 1),
    Row(
        "pull --rebase",
        "git pull -q --rebase origin main",
        (*REBASE, *PICK * 2, *REBASED),
        (2, "rebase", "scan"),
        1,
        TO_SIDE,
    ),
    Row("switch", "git switch -q side", ("post-checkout 1",), (0, "scan"), 1),
    Row("checkout of a branch", "git checkout -q side", ("post-checkout 1",), (0, "scan"), 1),
    Row("checkout of a file", "git checkout -q -- file", ("post-checkout 0",)),
    Row("restore", "git restore file", ("post-checkout 0",)),
    Row("worktree add", "git worktree add -q ../tree side", ("post-checkout 1",), (0, "scan"), 1),
    Row("clone", 'git clone -q -c core.hooksPath="$HOOKS" . ../clone', ("post-checkout 1",)),
    Row("push", "git push -q origin HEAD:new", ("pre-push",), (0, "scan"), 1),
    Row("push, up to date", "git push -q origin main", ("pre-push",), (0, "scan"), 1),
    Row("stash", "git stash -q && git stash pop -q", before="echo more >>file"),
    Row("reset", "git reset -q --hard HEAD~1"),
    Row("tag", "git tag -m x t"),
    Row("notes", "git notes add -m x"),
    Row("fetch", "git fetch -q origin"),
    Row("update-ref", "git update-ref refs/heads/main side"),
    Row("commit-tree", 'git commit-tree -m "$MESSAGE" HEAD^{tree}'),
    Row("fast-import", "git fast-export main | git fast-import --quiet --force"),
    Row(
        "filter-branch",
        "FILTER_BRANCH_SQUELCH_WARNING=1 git filter-branch --msg-filter 'cat; echo' HEAD >/dev/null",
    ),
    Row("gc", "git gc -q && git pack-refs --all"),
    Row("replay", "git replay --onto main main..side | git update-ref --stdin", needs="replay"),
    Row("history", "git history reword HEAD", needs="history"),
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a repository, whose branches the rows name, and its ``origin``."""
    hooked = Hooked(folder := tmp_path_factory.mktemp("made"))
    for hook in HOOKS:
        (hooked.hooks / hook).unlink()

    def branch(name: str, start: str, *files: tuple[str, str]) -> None:
        hooked.git("switch", "-q", "-C", name, start)
        for file, text in files:
            (hooked.repo / file).write_text(text)
            hooked.git("add", ".")
            hooked.commit(f"{file} of {name}\n\n{TRAILER}")

    branch("base", "main", ("file", "base\n"))
    branch("side", "base", ("one", "1\n"), ("two", "2\n"))
    branch("clash", "base", ("file", "clash\n"))
    branch("main", "base", ("file", "main\n"), ("three", "3\n"))
    branch("ahead", "main", ("four", "4\n"))
    hooked.git("switch", "-q", "main")
    hooked.git("clone", "-q", "--bare", str(hooked.repo), str(folder / "origin"))
    hooked.git("remote", "add", "origin", "../origin")
    hooked.git("update-ref", "-d", "refs/remotes/origin/HEAD")
    return folder


def on_record(log: Path) -> list[str]:
    """The hooks that ran, each with the argument that matters."""
    if not log.exists():
        return []
    words = [line.removesuffix(">").split(" <") for line in log.read_text().splitlines()]
    names = [[one[0].removesuffix(".pre-asr"), *(one[1:])] for one in words]
    return [
        " ".join([name, given[TOLD[name] - 1].rstrip(">")] if name in TOLD else [name])
        for name, *given in names
    ]


def in_queue(hooked: Hooked) -> tuple[int | str, ...]:
    """The number of commits, then the rest by kind; every pair of a rewrite names the commit that is there now."""
    names = hooked.queue if (hooked.asr / "queue").exists() else []
    rewritten = [
        (hooked.asr / "queue" / name).read_text().splitlines() for name in names if name.startswith("rw-")
    ]
    kinds = [lines[0] for lines in rewritten] + [name for name in names if name == "scan"]
    commits = [name for name in names if len(name) == 40]
    for commit in commits:
        assert TRAILER in hooked.git("cat-file", "commit", commit)
    return len(commits), *sorted(kinds)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_git_runs_these_hooks_and_ours_note_that(row: Row, made: Path, tmp_path: Path) -> None:
    hooked = Hooked(tmp_path)
    if row.needs and row.needs not in hooked.git("--list-cmds=main").split():
        pytest.skip(f"this Git has no {row.needs}")
    for name in ("repo", "origin"):
        shutil.rmtree(tmp_path / name, ignore_errors=True)
        shutil.copytree(made / name, tmp_path / name)
    hooked.git("config", "core.hooksPath", str(hooked.hooks))
    hooked.asr.mkdir()
    env = {"MESSAGE": f"subject\n\n{TRAILER}", "HOOKS": str(hooked.hooks), "GIT_EDITOR": "true"}
    if row.before:
        assert hooked.run("sh", "-c", row.before, env=env).status == 0
        hooked.forget()
    log = tmp_path / "log"
    for name in RECORDED:
        write(hooked.hooks / (f"{name}.pre-asr" if name in HOOKS else name), recorder(log))
    ended = hooked.run("sh", "-c", row.command, env=env)
    assert ended.status == 0, ended
    assert tuple(on_record(log)) == row.hooks
    assert in_queue(hooked) == row.queue
    assert hooked.started() == row.workers


def test_a_library_runs_no_hooks(made: Path, tmp_path: Path) -> None:
    """What it commits is found all the same, by the next look at what is new."""
    pygit2 = pytest.importorskip("pygit2")
    hooked = Hooked(tmp_path)
    repository = pygit2.Repository(str(hooked.repo))
    someone = pygit2.Signature("A", "a@example.com", 1, 0)
    tree = repository.TreeBuilder().write()
    made_by_it = repository.create_commit("HEAD", someone, someone, TRAILER, tree, [repository.head.target])
    assert hooked.head() == str(made_by_it)
    assert not hooked.asr.exists()
