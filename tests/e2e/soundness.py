"""What every test that writes ends with: Git finds no fault in any repository that the test left behind."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

from tests.support.repo_builder import fsck


def git_dirs(folder: Path) -> Iterator[Path]:
    """Every repository's own directory below a folder."""
    for head in sorted(folder.glob("**/HEAD")):
        if (head.parent / "objects").is_dir() and (head.parent / "refs").is_dir():
            yield head.parent


def check(folder: Path, unsound: Collection[Path] = ()) -> None:
    """Let Git check every repository below a folder, except those that a test damaged on purpose."""
    for git_dir in git_dirs(folder):
        if not {git_dir, git_dir.parent} & set(unsound):
            fsck(git_dir)
