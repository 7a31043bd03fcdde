"""Whether Git reaches our hooks, what waits and what failed in the background, and what never came through.

What is wrong with a hook is what installing it once more would change (reference git-integration, section 7.6).
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from git_asr.companion import crash
from git_asr.companion.state_file import DamagedState, read_state
from git_asr.git.base import Repository
from git_asr.hooks import configured, failures, queue
from git_asr.hooks.classify import BESIDE_ENTIRE, Found, classify
from git_asr.hooks.failures import Failure
from git_asr.hooks.installing import again
from git_asr.hooks.journal import Journal
from git_asr.hooks.launcher import launcher
from git_asr.hooks.managers.base import mentions
from git_asr.hooks.managers.pre_commit import LEGACY
from git_asr.hooks.places import Place, places
from git_asr.hooks.plan import Planned, Wanted, plan
from git_asr.hooks.proof import Missed, missed
from git_asr.hooks.queue import Item
from git_asr.hooks.script import HOOKS, VERSION
from git_asr.sync.look import directory, look
from git_asr.values import dataclass

LAST = 3
"""Failures that are told."""
_LAUNCH = re.compile(rb"^set -- (/.*|'/.*|\"/.*)$", re.MULTILINE)
_MISSING = {
    "none": "is not there",
    "foreign": "is another hook, which does not call git-asr",
    "entire": "is Entire's, which does not call git-asr",
}


@dataclass(frozen=True, slots=True)
class Hook:
    """A hook in one folder. ``how``: how it comes to be called, if that is not plain. ``fault``: why Git does not
    reach our file, or what is wrong with it; None if all is well. ``mendable``: installing again would help.
    """

    name: str
    folder: Path
    path: Path
    how: str = ""
    fault: str | None = None
    mendable: bool = False


@dataclass(frozen=True, slots=True)
class Health:
    """The hooks of a repository.

    ``hooks``: those that were installed, in each folder; empty where none was. ``elsewhere``: folders in which
    worktrees look for hooks and none of ours was installed. ``waiting``, ``given_up``: of the queue. ``failures``: the
    last ones. ``missed``: commits of the last 14 days that no sync has seen. ``crash``: when git-asr itself failed
    last, as far as there is a report of it, and the file that holds it.
    """

    hooks: tuple[Hook, ...] = ()
    elsewhere: tuple[Path, ...] = ()
    waiting: tuple[Item, ...] = ()
    given_up: tuple[Item, ...] = ()
    failures: tuple[Failure, ...] = ()
    missed: tuple[Missed, ...] = ()
    crash: tuple[str, Path] | None = None

    @property
    def faults(self) -> tuple[Hook, ...]:
        """The hooks with which something is wrong."""
        return tuple(one for one in self.hooks if one.fault is not None)


def health(repo: Repository, now: float) -> Health:
    """Look at everything; nothing is written. ``now``: epoch seconds.

    Raises:
        AsrError: Git fails.
    """
    own = directory(repo)
    hooks, elsewhere = _hooks(_looked(repo))
    try:
        with read_state(own) as state:
            lost = missed(repo, state, look(repo), now)
    except DamagedState:
        lost = []  # the next sync looks at everything again
    return Health(
        hooks,
        elsewhere,
        tuple(queue.items(own)),
        tuple(queue.failed(own)),
        tuple(failures.recent(own, LAST)),
        tuple(lost),
        crash.last(own),
    )


def mend(repo: Repository) -> tuple[Planned, ...]:
    """Install again what was installed, where something is wrong with it, and let what was given up be tried once more.

    Raises:
        AsrError: nothing can be installed at all.
        OSError: the queue cannot be written.
    """
    queue.requeue(directory(repo))
    looked = _looked(repo)
    broken = {one.folder for one in _hooks(looked)[0] if one.mendable}
    chosen = [place for place in looked.places if place.folder in broken]
    return again(repo, chosen, looked.names) if chosen else ()


@dataclass(frozen=True, slots=True)
class _Looked:
    """What there is. ``names``: the hooks that were installed, by whatever channel; ``configured``: those in Git's
    configuration; ``noted``: the folders of which the journal tells.
    """

    repo: Repository
    places: tuple[Place, ...]
    names: tuple[str, ...]
    configured: frozenset[str]
    noted: frozenset[Path]

    def is_installed(self, place: Place) -> bool:
        """Tell whether hooks were installed in a folder, and not only in others."""
        return place.folder in self.noted or any(
            _is_ours(path) for name in self.names for path in _names(place.folder, name)
        )


def _looked(repo: Repository) -> _Looked:
    """The hooks that were installed, as the journal says, or as they are found."""
    in_configuration = frozenset(configured.configured(repo)) | frozenset(configured.configured(None))
    noted = [Path(entry.path) for entry in Journal(directory(repo)).entries if hook_of(entry.path)]
    found = tuple(places(repo))
    there = {hook_of(str(path)) for path in noted} | in_configuration
    there |= {name for place in found for name in HOOKS if any(map(_is_ours, _names(place.folder, name)))}
    names = tuple(name for name in HOOKS if name in there)
    return _Looked(repo, found, names, in_configuration, frozenset(path.parent for path in noted))


def hook_of(path: str) -> str | None:
    """The hook that a file is for, also under a name that Entire or a manager gave it; None for any other file."""
    name = Path(path).name.partition(".")[0]
    return name if name in HOOKS else None


def _names(folder: Path, hook: str) -> Iterator[Path]:
    return (folder / f"{hook}{ending}" for ending in ("", BESIDE_ENTIRE, LEGACY))


def _is_whole(found: Found) -> bool:
    return found.identity is not None and found.identity.intact and found.executable


def _is_ours(path: Path) -> bool:
    return classify(path).identity is not None


def _hooks(looked: _Looked) -> tuple[tuple[Hook, ...], tuple[Path, ...]]:
    """The hooks in each folder in which some were installed, and the other folders."""
    found: list[Hook] = []
    elsewhere: list[Path] = []
    wanted = Wanted(looked.names, launcher())
    for place in looked.places if looked.names else ():
        planned = plan(looked.repo, [place], wanted)
        managed = any(one.manager is not None and one.outcome == "current" for one in planned)
        if not (managed or looked.configured or looked.is_installed(place) or place.problem is not None):
            elsewhere.append(place.folder)
            continue
        for one in planned:
            if one.hook is None:
                reason = None if one.refusal is None else one.refusal.reason
                found += [
                    Hook(name, place.folder, place.folder / name, fault=reason) for name in looked.names
                ]
            elif one.hook in looked.configured:
                found.append(Hook(one.hook, place.folder, one.path, "called by Git's configuration"))
            else:
                found.append(_judged(one.hook, one))
    return tuple(found), tuple(elsewhere)


def lost(directory: Path) -> str | None:
    """A hook whose file was written, as the journal says, and is no longer there, or no longer as it was."""
    for entry in Journal(directory).entries:
        folder, name = Path(entry.path).parent, hook_of(entry.path)
        if entry.did != "write" or name is None or not folder.is_dir():
            continue
        if mentions(Path(entry.path), name):  # the configuration of a hook manager
            continue
        if not any(_is_whole(classify(path)) for path in _names(folder, name)):
            return name
    return None


def _judged(name: str, one: Planned) -> Hook:
    """What is wrong with a hook, from what installing it again would do."""
    hook = Hook(name, one.folder, one.path, one.how)
    match one.outcome:
        case "current" if not one.steps:
            return hook
        case "current":
            fault = "is not called by Entire's hook"
        case "written":
            fault = _MISSING.get(one.found, "is not there")
        case "left":
            manager = one.manager.name if one.manager is not None else "a hook manager"
            return Hook(
                name, one.folder, one.folder / name, fault=f"is {manager}'s, which does not call git-asr"
            )
        case "refused":
            reason = one.refusal.reason if one.refusal is not None else "cannot be installed"
            return Hook(name, one.folder, one.path, fault=reason)
        case _:
            told = _outdated(one.path)
            if told is None:
                return hook
            fault = told
    return Hook(name, one.folder, one.path, fault=fault, mendable=True)


def _outdated(path: Path) -> str | None:
    """What is wrong with a file of ours that another would replace; None if it only starts another git-asr."""
    found = classify(path)
    if found.identity is None or found.identity.version < VERSION:
        return "is of an earlier version"
    if not found.executable:
        return "is not executable"
    started = _LAUNCH.search(found.data)
    words = shlex.split(os.fsdecode(started[1])) if started else []
    if words and not os.access(words[0], os.X_OK):
        return f"starts {words[0]}, which is gone"
    return None
