"""Real hook managers in a repository, set up by their own installers; without a network."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.support.repo_builder import git

PACKAGES = Path(sys.prefix) / "managers" / "node_modules"
"""Where ``make`` puts what tests/hooks/package.json names."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a program ended: its status, and all it wrote."""

    status: int
    said: str


@dataclass(frozen=True, slots=True)
class Managed:
    """A repository with a manager's configuration. ``program``: the manager; ``path``: the repository."""

    program: tuple[str, ...]
    path: Path

    @property
    def hooks(self) -> Path:
        """Where Git looks for hooks now."""
        return Path(git(self.path, "rev-parse", "--path-format=absolute", "--git-path", "hooks"))

    def files(self) -> dict[str, bytes]:
        """The hook files, samples aside."""
        folder = self.hooks
        found = folder.iterdir() if folder.is_dir() else ()
        return {one.name: one.read_bytes() for one in found if one.is_file() and one.suffix != ".sample"}

    def manager(self, *args: str) -> Ended:
        """Run the manager, as a person does."""
        return self.run(*self.program, *args)

    def run(self, *command: str) -> Ended:
        """Run a program in the repository, with the managers on the PATH as their hooks expect them.

        Hooks of git-asr fill the queue and start no worker, as always under ``CI``.
        """
        folders = [str(PACKAGES / ".bin"), str(Path(sys.executable).parent), os.environ["PATH"]]
        ended = subprocess.run(
            command,
            cwd=self.path,
            env={**os.environ, "CI": "true", "PATH": os.pathsep.join(folders)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
            timeout=120,
        )
        return Ended(ended.returncode, ended.stdout.decode("utf-8", "replace"))

    def commit(self, *more: str) -> Ended:
        """Make a commit, or with ``--amend`` another."""
        return self.run("git", "commit", "-q", "--allow-empty", "-m", "work", *more)

    def log(self, name: str) -> list[str]:
        """The lines that hooks wrote to a file of the repository, which is then gone."""
        file = self.path / name
        if not file.exists():
            return []
        lines = file.read_text("utf-8").splitlines()
        file.unlink()
        return lines


def husky(path: Path) -> Managed:
    """husky 9, not installed yet; its hook for ``post-commit`` notes that it ran."""
    managed = Managed((_package("husky"),), _repository(path))
    (path / ".husky").mkdir()
    (path / ".husky" / "post-commit").write_text("echo husky >>managed\n")
    return managed


LEFTHOOK = """\
post-commit:
  commands:
    note:
      run: echo lefthook >>managed
post-rewrite:
  commands:
    note:
      run: echo {1} >>managed; cat >>managed
      use_stdin: true
"""


def lefthook(path: Path) -> Managed:
    """lefthook 2, not installed yet; its hooks note that they ran."""
    managed = Managed((_package("lefthook"),), _repository(path))
    (path / "lefthook.yml").write_text(LEFTHOOK)
    return managed


PRE_COMMIT = """\
default_install_hook_types: [post-commit, post-rewrite]
repos:
  - repo: local
    hooks:
      - id: note
        name: note
        language: system
        entry: sh -c 'echo pre-commit >>managed'
        always_run: true
        pass_filenames: false
        stages: [post-commit, post-rewrite]
"""


def pre_commit(path: Path) -> Managed:
    """pre-commit 4, not installed yet; its hooks note that they ran."""
    if find_spec("pre_commit") is None:
        pytest.skip("pre-commit is not installed: pip install -e '.[dev]'")
    managed = Managed((sys.executable, "-m", "pre_commit"), _repository(path))
    (path / ".pre-commit-config.yaml").write_text(PRE_COMMIT)
    return managed


def foreign(hooks: Path, hook: str, said: str = "foreign") -> bytes:
    """Write a hook of somebody else's, which notes its arguments and its input; its bytes."""
    data = f'#!/bin/sh\necho {said} {hook} "$@" >>foreign\ncat >>foreign\n'.encode()
    hooks.mkdir(parents=True, exist_ok=True)
    (hooks / hook).write_bytes(data)
    (hooks / hook).chmod(0o755)
    return data


def _package(name: str) -> str:
    program = PACKAGES / ".bin" / name
    if not program.exists():
        pytest.skip(f"{name} is not installed: `make test` does that where there are npm and a registry")
    if shutil.which("node") is None:
        pytest.skip(f"{name} needs node")
    return str(program)


def _repository(path: Path) -> Path:
    path.mkdir()
    git(path, "init", "-q", "-b", "main")
    return path
