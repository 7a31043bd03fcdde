"""Keeps hook files that stand in a worktree out of sight: ``git add -A`` must not take them along.

Some repositories have their hooks in a folder of the worktree, tracked. A hook of ours there is an untracked file, with
paths of this machine in it. ``info/exclude`` is Git's own list of what to ignore in one clone.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from git_asr.git.base import Repository
from git_asr.git.process import try_git
from git_asr.hooks.blocks import blocks, with_block
from git_asr.hooks.managers.base import editable
from git_asr.hooks.managers.lefthook import LOCAL
from git_asr.hooks.places import Place
from git_asr.hooks.refusal import Refusal
from git_asr.hooks.steps import Keep, Step, Write, make_folders, stamp

BLOCK = "hooks"

_SPECIAL = re.compile(r"[\\*?\[ ]")


def exclusion(repo: Repository, places: Sequence[Place], steps: Iterable[Step]) -> tuple[Step, ...]:
    """The steps that let Git ignore the hook files which these steps make, as far as it does not already.

    A name with a line feed cannot be excluded, and a file that nobody can edit stays as it is.
    """
    steps = list(steps)
    made = [path for step in steps if (path := _made(step)) is not None]
    patterns: dict[str, None] = {}
    for top, paths in [*_in_worktrees(places, made), *_of_managers(steps)]:
        names = [path.relative_to(top).as_posix() for path in paths if path.is_relative_to(top)]
        patterns |= dict.fromkeys(_pattern(name) for name in _unignored(top, names) if "\n" not in name)
    file = repo.common_dir / "info" / "exclude"
    data = editable(file)
    if not patterns or isinstance(data, Refusal):
        return ()
    before = b"".join(one.body for one in blocks(data or b"") if one.name == BLOCK and one.intact)
    new = with_block(data, BLOCK, before + b"".join(os.fsencode(pattern) + b"\n" for pattern in patterns))
    return (*make_folders(file.parent), Write(file, new, stamp(file), executable=False))


def _in_worktrees(places: Sequence[Place], made: Sequence[Path]) -> Iterator[tuple[Path, list[Path]]]:
    """The hook files that lie in a worktree, with its top folder."""
    for place in places:
        mine = [path for path in made if path.parent == place.folder]
        if place.within is not None and mine and os.path.realpath(place.folder) == str(place.folder):
            yield place.within, mine


def _of_managers(steps: Sequence[Step]) -> Iterator[tuple[Path, list[Path]]]:
    """The configuration of a manager that is the user's alone, where it is made anew."""
    for step in steps:
        match step:
            case Write(path, _, None, False) if path.name == LOCAL:
                yield path.parent, [path]
            case _:
                pass


def _made(step: Step) -> Path | None:
    """The path of a hook file that is ours, or that is kept."""
    match step:
        case Write(path, _, _, True):
            return path
        case Keep(_, aside, _):
            return aside
        case _:
            return None


def _unignored(top: Path, names: Sequence[str]) -> list[str]:
    """Those of the names, from the top of a worktree, that Git does not ignore there."""
    asked = b"\0".join(os.fsencode(name) for name in names)
    ended = try_git(None, "check-ignore", "-z", "--stdin", stdin=asked, cwd=top)
    ignored = {os.fsdecode(name) for name in ended.out.split(b"\0")}
    return [name for name in names if name not in ignored]


def _pattern(name: str) -> str:
    """A line of ``info/exclude`` that means just this file."""
    return "/" + _SPECIAL.sub(lambda found: "\\" + found[0], name)
