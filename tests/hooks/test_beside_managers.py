"""``git asr install`` and the real husky, lefthook and pre-commit, whichever comes first and whichever goes first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from git_asr.hooks.script import identify
from tests.support import hook_managers
from tests.support.hook_managers import Managed, foreign
from tests.support.hooked import install, noted, uninstall
from tests.support.repo_builder import git

TRAILER = "Entire-Checkpoint: 5f0af6f2363f"
Files = dict[str, tuple[bool, bytes]]


@dataclass(frozen=True, slots=True)
class Kind:
    """A manager: what makes a repository of it, and how it is installed and uninstalled there.

    ``undo``: None where it has no such command.
    """

    make: Callable[[Path], Managed]
    do: tuple[str, ...]
    undo: tuple[str, ...] | None


KINDS = {
    "husky": Kind(hook_managers.husky, (), None),
    "lefthook": Kind(hook_managers.lefthook, ("install",), ("uninstall",)),
    "pre-commit": Kind(hook_managers.pre_commit, ("install",), ("uninstall",)),
}


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> Kind:
    return KINDS[request.param]


@pytest.fixture
def managed(kind: Kind, tmp_path: Path) -> Managed:
    """A repository with the manager's configuration; the manager is not installed yet."""
    return kind.make(tmp_path / "r")


def set_up(managed: Managed, args: tuple[str, ...]) -> None:
    ended = managed.manager(*args)
    assert ended.status == 0, ended.said


def files(managed: Managed) -> Files:
    """Every file of the repository that is somebody's work: worktree, hooks, configuration, exclusions."""
    found = (path for path in managed.path.rglob("*") if path.is_file())
    names = {path.relative_to(managed.path).as_posix(): path for path in found}
    apart = (".git/objects/", ".git/logs/", ".git/refs/", ".git/asr/", ".git/index", ".git/COMMIT_EDITMSG")
    return {
        name: (bool(path.stat().st_mode & 0o111), path.read_bytes())
        for name, path in names.items()
        if not name.startswith(apart) and name not in (".git/info/lefthook.checksum", ".git/HEAD")
    }


def ours(managed: Managed) -> list[str]:
    """The files of the repository that are hooks of git-asr."""
    return [name for name, (_, data) in files(managed).items() if identify(data) is not None]


def reached(managed: Managed, *more: str) -> tuple[bool, list[str]]:
    """Whether a commit with a checkpoint comes into the queue, and what the manager's own entries noted."""
    noted(managed.path)
    ended = managed.run("git", "commit", "-q", "--allow-empty", "-m", f"work\n\n{TRAILER}", *more)
    assert ended.status == 0, ended.said
    return git(managed.path, "rev-parse", "HEAD") in noted(managed.path), managed.log("managed")


def name_of(kind: Kind) -> str:
    return next(name for name, one in KINDS.items() if one is kind)


def test_what_a_rewrite_tells_us(kind: Kind, managed: Managed) -> None:
    """pre-commit passes its input on to no hook but pre-push: we learn that something was rewritten, and look."""
    set_up(managed, kind.do)
    assert install(managed.path, "--manager").status == 0
    assert reached(managed)[0]
    old = git(managed.path, "rev-parse", "HEAD")
    managed.run(
        "git", "commit", "-q", "--amend", "--allow-empty", "--date=2026-02-02T00:00:00Z", "-C", "HEAD"
    )
    (item,) = (managed.path / ".git" / "asr" / "queue").glob("rw-*")
    pair = "" if name_of(kind) == "pre-commit" else f"{old} {git(managed.path, 'rev-parse', 'HEAD')}\n"
    assert item.read_text() == f"amend\n{pair}"


def test_the_manager_comes_after_us(kind: Kind, managed: Managed, tmp_path: Path) -> None:
    """husky and lefthook leave ours dead, which a second install says and mends; pre-commit calls it."""
    alone = kind.make(tmp_path / "alone")
    set_up(alone, kind.do)
    assert install(managed.path).status == 0
    set_up(managed, kind.do)
    called = name_of(kind) == "pre-commit"
    assert reached(managed) == (called, [name_of(kind)])
    again = install(managed.path)
    assert again.status == (0 if called else 1)
    assert ("does not call git-asr yet" in again.out) is not called
    assert install(managed.path, "--manager").status == 0
    assert reached(managed) == (True, [name_of(kind)])
    assert uninstall(managed.path).status == 0
    assert ours(managed) == []
    assert files(managed).keys() == files(alone).keys()
    assert reached(managed) == (False, [name_of(kind)])


def test_a_hook_of_the_users_comes_through_all_of_it(kind: Kind, managed: Managed) -> None:
    data = foreign(managed.hooks, "post-commit")
    before, hooks = files(managed), managed.hooks
    assert install(managed.path).status == 0
    set_up(managed, kind.do)
    install(managed.path, "--manager")
    reached(managed)
    assert managed.log("foreign") == (["foreign post-commit"] if name_of(kind) == "pre-commit" else [])
    assert uninstall(managed.path).status == 0
    assert ours(managed) == []
    if kind.undo is not None:
        set_up(managed, kind.undo)
        assert files(managed) == before
    assert (hooks / "post-commit").read_bytes() == data
    assert (hooks / "post-commit").stat().st_mode & 0o111


@pytest.mark.parametrize("kind", [KINDS["lefthook"], KINDS["pre-commit"]], ids=["lefthook", "pre-commit"])
def test_the_manager_goes_first(kind: Kind, managed: Managed) -> None:
    before = files(managed)
    set_up(managed, kind.do)
    assert install(managed.path, "--manager").status == 0
    assert kind.undo is not None
    set_up(managed, kind.undo)
    reached(managed)
    assert uninstall(managed.path).status == 0
    assert ours(managed) == []
    assert files(managed) == before


@pytest.mark.parametrize("kind", [KINDS["lefthook"]], ids=["lefthook"])
def test_lefthook_takes_another_hook_over(kind: Kind, managed: Managed) -> None:
    """Its configuration names one in whose place ours stands: ours gets another name, and is found there."""
    set_up(managed, kind.do)
    assert install(managed.path, "--manager").status == 0
    with (managed.path / "lefthook.yml").open("a") as file:
        file.write("post-merge:\n  commands:\n    note:\n      run: 'true'\n")
    set_up(managed, kind.do)
    assert "post-merge: left to lefthook" in install(managed.path).out
    assert install(managed.path, "--manager").status == 0
    assert uninstall(managed.path).status == 0
    assert ours(managed) == []
    assert not list(managed.hooks.glob("*.old"))


@pytest.mark.parametrize("kind", [KINDS["husky"]], ids=["husky"])
def test_a_worktree_in_which_husky_was_not_installed(kind: Kind, managed: Managed) -> None:
    """``core.hooksPath`` names a folder that is not there: ours are made in it, and husky takes their places."""
    set_up(managed, kind.do)
    git(managed.path, "add", ".")
    managed.commit()
    git(managed.path, "worktree", "add", "-q", "../other")
    other = Managed(managed.program, managed.path.parent / "other")
    assert install(other.path).status == 0
    assert git(other.path, "status", "--short") == "", "nothing that `git add` would take along"
    assert reached(other)[0]
    set_up(other, kind.do)
    assert reached(other) == (False, ["husky"])
    assert install(other.path, "--manager").status == 0
    assert reached(other) == (True, ["husky"])
    assert uninstall(other.path).status == 0
    assert ours(other) == ours(managed) == []
    assert git(other.path, "status", "--short") == ""
