"""The folders in which Git looks for hooks: one for each worktree, and whether git-asr may write there.

Git is asked in every worktree (reference git-integration, section 7.4): a relative ``core.hooksPath`` counts from the
top of the worktree, and ``config.worktree`` may set another for each.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from git_asr.errors import AsrError
from git_asr.git.base import Repository
from git_asr.git.process import try_git
from git_asr.git.repository import worktrees
from git_asr.hooks.refusal import Refusal
from git_asr.values import dataclass

_ORIGIN = "git config --show-origin --get-all core.hooksPath   says who set it"


@dataclass(frozen=True, slots=True)
class Place:
    """A folder in which Git looks for hooks.

    ``folder``: absolute, whether it exists or not. ``tops``: the top folders of the worktrees that it serves, the
    current one first; none for a bare repository or a folder of all repositories. ``within``: the worktree that it lies
    in, so that its files may be tracked. ``problem``: why nothing can be installed there.
    """

    folder: Path
    tops: tuple[Path, ...] = ()
    within: Path | None = None
    problem: Refusal | None = None

    @property
    def is_off(self) -> bool:
        """Whether hooks are switched off, the documented way (reference, section 7.4): below ``/dev/null``."""
        null = Path(os.devnull)
        return self.folder == null or null in self.folder.parents


def places(repo: Repository) -> list[Place]:
    """The hook folders of all worktrees that are there, each once, that of the current one first."""
    others = [tree.path for tree in worktrees(repo) if tree.path != repo.work_tree and tree.path.is_dir()]
    tops = [top for top in (repo.work_tree, *others) if top is not None]
    found: dict[Path | str, Place] = {}
    for place in (_current(repo), *(_elsewhere(repo, top) for top in others)):
        if place is None:
            continue
        key = place.folder if place.problem is None else place.problem.reason
        known = found.get(key)
        found[key] = place if known is None else replace(known, tops=known.tops + place.tops)
    return [_judged(place, repo, tops) for place in found.values()]


def global_place(repo: Repository | None) -> Place:
    """The hook folder that serves several repositories: this one's, if it is such, else the one configured for all.

    Raises:
        AsrError: no such folder is configured.
    """
    here = _current(repo) if repo is not None else None
    if repo is not None and here is not None and here.problem is None:
        tops = [repo.work_tree] if repo.work_tree is not None else []
        if not lies_in(here.folder, [repo.common_dir, *tops]):
            return _checked(Place(here.folder))
    for scope in ("--global", "--system"):
        asked = try_git(None, "config", scope, "--type=path", "--get", "core.hooksPath", cwd=Path(os.sep))
        if asked.status == 0:
            folder = _path(asked.out)
            if folder.is_absolute():
                return _checked(Place(folder))
            raise AsrError(
                f"core.hooksPath is '{folder}' in each repository, not one folder for all",
                hint="git asr install   in each of them",
            )
    raise AsrError(
        "there is no folder with hooks for all repositories: core.hooksPath is not set for all",
        hint="git asr install --config --global   needs none (Git 2.54)",
    )


def _current(repo: Repository) -> Place:
    """The folder of the worktree, or bare repository, that the command works on."""
    return _asked(repo, repo.work_tree or repo.git_dir, () if repo.work_tree is None else (repo.work_tree,))


def _elsewhere(repo: Repository, top: Path) -> Place | None:
    """The folder of another worktree; None if what stands there now is none of this repository."""
    common = try_git(None, "rev-parse", "--path-format=absolute", "--git-common-dir", cwd=top)
    if common.status or _path(common.out) != repo.common_dir:
        return None
    return _asked(None, top, (top,))


def _asked(repo: Repository | None, at: Path, tops: tuple[Path, ...]) -> Place:
    """What Git says of a worktree; where it says nothing, the folder is what is configured."""
    asked = try_git(repo, "rev-parse", "--path-format=absolute", "--git-path", "hooks", cwd=at)
    if asked.status == 0:
        return Place(_path(asked.out), tops)
    configured = try_git(repo, "config", "--get", "core.hooksPath", cwd=at)
    reason = asked.failure().message.removeprefix("git rev-parse: ")
    problem = Refusal(f"Git names no hooks in {at}: {reason}", _ORIGIN)
    place = Place(at / _path(configured.out), tops)
    return place if place.is_off else replace(place, problem=problem)


def _path(output: bytes) -> Path:
    """A path that Git printed, which may hold line feeds."""
    return Path(os.fsdecode(output.removesuffix(b"\n")))


def _judged(place: Place, repo: Repository, tops: Iterable[Path]) -> Place:
    """Say where it lies, and whether it may be written."""
    if place.problem is not None:
        return place
    bases = lies_in(place.folder, [repo.common_dir, *tops])
    checked = _checked(place)
    if bases or checked.problem is not None:
        inner = max(bases, key=lambda base: len(base.parts), default=None)
        return replace(checked, within=None if inner == repo.common_dir else inner)
    return replace(
        place,
        problem=Refusal(
            f"{place.folder} lies outside of this repository, and may serve others",
            "git asr install --global   installs there, for all of them",
        ),
    )


def lies_in(path: Path, bases: Iterable[Path]) -> list[Path]:
    """Those of the folders that a path lies in, links followed."""
    real = Path(os.path.realpath(path))
    return [base for base in bases if real.is_relative_to(os.path.realpath(base))]


def _checked(place: Place) -> Place:
    """Refuse what is no folder, what cannot be written, and what holds everything."""
    folder = place.folder
    problem: Refusal | None
    if place.is_off:
        problem = Refusal(f"hooks are switched off: core.hooksPath is {folder}", _ORIGIN)
    elif Path(os.path.realpath(home())).is_relative_to(os.path.realpath(folder)):
        problem = Refusal(f"core.hooksPath is {folder}, which is no folder for hooks alone", _ORIGIN)
    else:
        problem = _obstacle(folder)
    return replace(place, problem=problem)


def _obstacle(folder: Path) -> Refusal | None:
    """What keeps files from being written there; a folder that is missing can be made."""
    for above in (folder, *folder.parents):
        try:
            if not stat.S_ISDIR(above.stat().st_mode):
                return Refusal(f"hooks are switched off: {above} is no folder", _ORIGIN)
        except FileNotFoundError:
            if above.is_symlink():
                return Refusal(f"{above} is a symbolic link to nothing", _ORIGIN)
            continue
        except NotADirectoryError:
            continue
        except OSError as error:
            return Refusal(f"{above} cannot be looked at: {error.strerror}", _ORIGIN)
        if not os.access(above, os.W_OK | os.X_OK):
            return Refusal(f"no permission to write in {above}")
        return None
    return None


def home() -> Path:
    """The folder of the user; the topmost one where there is none."""
    try:
        return Path.home()
    except RuntimeError:
        return Path(os.sep)


def tracked(place: Place) -> frozenset[Path]:
    """The files of a place that Git tracks, in whatever repository."""
    if not place.folder.is_dir():
        return frozenset()
    listing = try_git(None, "ls-files", "-z", cwd=place.folder)  # fails where there is no worktree
    names = (os.fsdecode(name) for name in listing.out.split(b"\0")[:-1])
    return frozenset(place.folder / name for name in names if "/" not in name)
