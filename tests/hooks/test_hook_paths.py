"""Where Git looks for hooks: what it answers when it is asked, and that it runs what lies there."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.support.repo_builder import git


@dataclass(frozen=True, slots=True)
class Case:
    """A worktree, the folder that it is to have its hooks in, and what the environment adds."""

    worktree: Path
    hooks: Path
    environment: Mapping[str, str] = field(default_factory=dict)


def made(path: Path) -> Path:
    path.mkdir()
    git(path, "init", "-q", "-b", "main")
    git(path, "commit", "-q", "--allow-empty", "-m", "first")
    return path


def linked(path: Path) -> Path:
    git(made(path / "r"), "worktree", "add", "-q", "../linked")
    return path / "linked"


def configured(path: Path, value: str, *how: str) -> Path:
    git(path, "config", *how, "core.hooksPath", value)
    return path


def by_file(file: Path, value: str) -> dict[str, str]:
    """An environment in which the user's configuration has a value."""
    git(file.parent, "config", "--file", str(file), "core.hooksPath", value)
    return {"GIT_CONFIG_GLOBAL": str(file)}


def main_worktree(tmp: Path) -> Case:
    return Case(made(tmp / "r"), tmp / "r" / ".git" / "hooks")


def linked_worktree(tmp: Path) -> Case:
    return Case(linked(tmp), tmp / "r" / ".git" / "hooks")


def submodule(tmp: Path) -> Case:
    part, whole = made(tmp / "part"), made(tmp / "whole")
    git(whole, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(part), "inner")
    return Case(whole / "inner", whole / ".git" / "modules" / "inner" / "hooks")


def relative(tmp: Path) -> Case:
    return Case(configured(made(tmp / "r"), "some/hooks"), tmp / "r" / "some" / "hooks")


def relative_in_a_linked_worktree(tmp: Path) -> Case:
    return Case(configured(linked(tmp), "some/hooks"), tmp / "linked" / "some" / "hooks")


def upwards(tmp: Path) -> Case:
    return Case(configured(linked(tmp), "../shared"), tmp / "shared")


def absolute(tmp: Path) -> Case:
    return Case(configured(linked(tmp), str(tmp / "a b\n'c")), tmp / "a b\n'c")


def of_one_worktree(tmp: Path) -> Case:
    worktree = linked(tmp)
    git(worktree, "config", "extensions.worktreeConfig", "true")
    configured(worktree, str(tmp / "of all"))
    return Case(configured(worktree, str(tmp / "own"), "--worktree"), tmp / "own")


def of_another_worktree(tmp: Path) -> Case:
    case = of_one_worktree(tmp)
    return Case(tmp / "r", case.hooks.with_name("of all"))


def at_home(tmp: Path) -> Case:
    return Case(configured(made(tmp / "r"), "~/hooks"), tmp / "hooks", {"HOME": str(tmp)})


def of_the_user(tmp: Path) -> Case:
    return Case(made(tmp / "r"), tmp / "mine", by_file(tmp / "config", str(tmp / "mine")))


def of_the_user_at_home(tmp: Path) -> Case:
    by_file(tmp / ".gitconfig", "~/mine")
    environment = {"HOME": str(tmp), "GIT_CONFIG_GLOBAL": str(tmp / ".gitconfig")}
    return Case(made(tmp / "r"), tmp / "mine", environment)


def of_the_repository_before_the_users(tmp: Path) -> Case:
    return Case(
        configured(made(tmp / "r"), "own"), tmp / "r" / "own", by_file(tmp / "config", str(tmp / "mine"))
    )


def of_the_command_line(tmp: Path) -> Case:
    """As ``git -c`` leaves it to its children."""
    return Case(
        configured(made(tmp / "r"), "own"),
        tmp / "given",
        {"GIT_CONFIG_PARAMETERS": f"'core.hooksPath'='{tmp / 'given'}'"},
    )


CASES: list[Callable[[Path], Case]] = [
    main_worktree, linked_worktree, submodule, relative, relative_in_a_linked_worktree, upwards, absolute,
    of_one_worktree, of_another_worktree, at_home, of_the_user, of_the_user_at_home,
    of_the_repository_before_the_users, of_the_command_line,
]  # fmt: skip


def asked(folder: Path, environment: Mapping[str, str] = {}) -> Path:
    ended = subprocess.run(
        ["git", "rev-parse", "--path-format=absolute", "--git-path", "hooks"],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        check=True,
    )
    return Path(os.fsdecode(ended.stdout.removesuffix(b"\n")))


def recording(hooks: Path, said: Path) -> None:
    """Write a hook that leaves its own name, as Git called it, and the folder in which it runs."""
    hooks.mkdir(parents=True, exist_ok=True)
    (hooks / "post-commit").write_text(f'#!/bin/sh\npwd >"{said}"\n')
    (hooks / "post-commit").chmod(0o755)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_what_git_answers_is_what_it_runs(case: Callable[[Path], Case], tmp_path: Path) -> None:
    found, said = case(tmp_path), tmp_path / "said"
    below = found.worktree / "below" / "it"
    below.mkdir(parents=True)
    assert asked(found.worktree, found.environment) == found.hooks
    assert asked(below, found.environment) == found.hooks, (
        "the top of the worktree counts, not where one stands"
    )
    recording(found.hooks, said)
    subprocess.run(
        ["git", "commit", "-q", "--allow-empty", "-m", "work"],
        cwd=below,
        env={**os.environ, **found.environment},
        check=True,
    )
    assert said.read_text() == f"{found.worktree}\n"


def test_the_folder_of_a_linked_worktree_is_none_of_them(tmp_path: Path) -> None:
    worktree, said = linked(tmp_path), tmp_path / "said"
    own = Path(git(worktree, "rev-parse", "--absolute-git-dir"))
    recording(own / "hooks", said)
    git(worktree, "commit", "-q", "--allow-empty", "-m", "work")
    assert not said.exists()


def test_a_bare_repository_is_asked_at_its_top(tmp_path: Path) -> None:
    """There a relative path counts from wherever one stands; hooks of a push run at the top."""
    path = tmp_path / "r.git"
    git(tmp_path, "init", "-q", "--bare", str(path))
    assert asked(path) == asked(path / "refs") == path / "hooks"
    configured(path, "own")
    assert asked(path) == path / "own"
    assert asked(path / "refs") == path / "refs" / "own"


def test_a_worktree_is_not_asked_inside_its_git_directory(tmp_path: Path) -> None:
    path = configured(made(tmp_path / "r"), "own")
    assert asked(path / ".git") == path / ".git" / "own"


def test_a_symlink_is_followed_in_the_answer(tmp_path: Path) -> None:
    path = configured(made(tmp_path / "r"), "link")
    (tmp_path / "real").mkdir()
    (path / "link").symlink_to(tmp_path / "real")
    assert asked(path) == tmp_path / "real"


@pytest.mark.parametrize("value", ["/dev/null", "/dev/null/below", ""])
def test_hooks_are_switched_off(value: str, tmp_path: Path) -> None:
    """Git then commits in silence, also where it cannot say which folder that is."""
    path, said = configured(made(tmp_path / "r"), value), tmp_path / "said"
    recording(path / ".git" / "hooks", said)
    if value == "/dev/null":
        assert asked(path) == Path(value)
    else:
        with pytest.raises(subprocess.CalledProcessError):
            asked(path)
    git(path, "commit", "-q", "--allow-empty", "-m", "work")
    assert not said.exists()
