"""While a rebase runs commits are only noted; the companion moves once, when it is done."""

from __future__ import annotations

from pathlib import Path

import pytest

from git_asr.hooks.script import HOOKS
from tests.hooks.files.hooked import TRAILER, Ended, Hooked

EDIT = {"GIT_SEQUENCE_EDITOR": "sed -i.old -e 1s/pick/edit/", "GIT_EDITOR": "true"}


@pytest.fixture
def side(hooked: Hooked) -> list[str]:
    """Two commits on ``side``, which is checked out, beside one on ``main``; nothing is noted of them."""
    (hooked.repo / "base").write_text("base")
    hooked.git("add", ".")
    hooked.commit("base")
    hooked.git("switch", "-q", "-c", "side")
    commits = []
    for name in ("one", "two"):
        (hooked.repo / name).write_text(name)
        hooked.git("add", ".")
        commits.append(hooked.commit(f"{name}\n\n{TRAILER}"))
    hooked.git("switch", "-q", "main")
    (hooked.repo / "main").write_text("main")
    hooked.git("add", ".")
    hooked.commit("main")
    hooked.git("switch", "-q", "side")
    hooked.forget()
    return commits


@pytest.mark.parametrize("backend", ["--merge", "--apply"])
def test_the_pairs_of_a_rebase(hooked: Hooked, side: list[str], backend: str) -> None:
    hooked.git("rebase", "-q", backend, "main")
    new = hooked.git("rev-list", "--reverse", "main..side").split()
    (item,) = (name for name in hooked.queue if name.startswith("rw-"))
    pairs = "".join(f"{before} {after}\n" for before, after in zip(side, new, strict=True))
    assert (hooked.asr / "queue" / item).read_text() == f"rebase\n{pairs}"


def test_what_is_committed_in_the_middle_waits_for_the_end(hooked: Hooked, side: list[str]) -> None:
    hooked.git("rebase", "-q", "-i", "main", env=EDIT)
    hooked.started()
    commit = hooked.commit()
    hooked.git("commit", "-q", "--amend", "-m", f"again\n\n{TRAILER}", "--allow-empty")
    assert commit in hooked.queue
    assert hooked.started() == 0
    hooked.git("rebase", "--continue", env=EDIT)
    assert hooked.started() == 1


def test_other_worktrees_are_not_held_up(hooked: Hooked, side: list[str], tmp_path: Path) -> None:
    other = tmp_path / "other"
    hooked.git("worktree", "add", "-q", str(other), "main")
    hooked.git("rebase", "-q", "-i", "main", env=EDIT)
    hooked.started()
    hooked.commit(cwd=other)
    assert hooked.started() == 1
    hooked.git("rebase", "--abort")
    hooked.git("switch", "-q", "-c", "third")
    hooked.git("rebase", "-q", "-i", "HEAD~1", cwd=other, env=EDIT)
    hooked.started()
    hooked.commit(cwd=other)
    assert hooked.started() == 0
    hooked.commit()
    assert hooked.started() == 1


def test_patches_are_looked_at_though_they_use_the_folder_of_a_rebase(
    hooked: Hooked, side: list[str]
) -> None:
    hooked.git("format-patch", "-q", "-o", "../patches", "main..side")
    hooked.git("switch", "-q", "main")
    hooked.started()
    hooked.git("am", "-q", "../patches/0001-subject.patch")
    assert hooked.queue == ["scan"]
    assert hooked.started() == 1


def test_a_rebase_starts_no_worker_under_ci(hooked: Hooked, side: list[str]) -> None:
    hooked.git("rebase", "-q", "main", env={"CI": "true"})
    assert len(hooked.queue) == 4
    assert hooked.started() == 0


def test_hooks_leave_nothing_where_there_was_no_checkpoint(hooked: Hooked, tmp_path: Path) -> None:
    """As in any repository of a user whose hooks path serves all of them."""
    hooked.git("init", "-q", "--bare", str(tmp_path / "origin"))
    for command in (
        "switch -q -c other",
        "commit -q --allow-empty -m plain",
        "commit -q --allow-empty --amend -m changed",
        "push -q ../origin other",
        "switch -q main",
        "merge -q other",
        f"clone -q -c core.hooksPath={hooked.hooks} . ../clone",
    ):
        assert hooked.run("git", *command.split()) == Ended(0, "", ""), command
    assert not hooked.asr.exists()
    assert not (tmp_path / "clone/.git/asr").exists()
    assert hooked.calls == []


@pytest.mark.parametrize("hook", HOOKS[1:])
def test_a_repository_without_a_commit(hooked: Hooked, tmp_path: Path, hook: str) -> None:
    empty = tmp_path / "empty"
    hooked.git("init", "-q", str(empty))
    (empty / ".git/asr").mkdir()
    assert hooked.run(hooked.hooks / hook, "amend", "b", "1", cwd=empty, stdin=b"a b\n") == Ended(0, "", "")
    (name,) = (path.name for path in (empty / ".git/asr/queue").iterdir())
    assert name == "scan" or hook == "post-rewrite"
    (call,) = hooked.calls
    assert call.args == ("worker", str(empty.resolve() / ".git/asr"))


@pytest.mark.parametrize("arguments", [[], ["a", "b"], ["a", "b", "0"], ["a", "b", "11"]])
def test_a_checkout_that_switches_no_branch(hooked: Hooked, arguments: list[str]) -> None:
    hooked.asr.mkdir()
    assert hooked.run(hooked.hooks / "post-checkout", *arguments) == Ended(0, "", "")
    assert list(hooked.asr.iterdir()) == []
