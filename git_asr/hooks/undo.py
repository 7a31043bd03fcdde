"""Takes back what was installed: by what the files say of themselves, where the journal and Git say to look.

A file is removed only if it says that it is ours and is as we wrote it; what was kept gets its name back where ours
stands now, which may be elsewhere than where we put it: Entire and hook managers rename what they find. So a journal
that is lost costs nothing, and one that somebody has changed leads to no other file.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal

from git_asr.errors import AsrError
from git_asr.git.base import Repository
from git_asr.hooks import configured, display, failures
from git_asr.hooks.blocks import blocks, without_blocks
from git_asr.hooks.classify import BESIDE_ENTIRE, KEPT, Found, classify, is_same
from git_asr.hooks.first_look import FAILED, JOURNAL, QUEUE, TAKEN
from git_asr.hooks.journal import LOCK_NAME, Journal
from git_asr.hooks.managers.lefthook import LOCAL
from git_asr.hooks.managers.pre_commit import LEGACY
from git_asr.hooks.places import Place, global_place, lies_in, places
from git_asr.hooks.reading import beginning
from git_asr.hooks.script import HOOKS
from git_asr.hooks.steps import (
    Discard,
    Remove,
    RemoveFolder,
    Restore,
    Step,
    Unconfigure,
    Write,
    carry_out,
    stamp,
    temporary_name,
)
from git_asr.hooks.worker import LOCK, LOG
from git_asr.sync.look import directory
from git_asr.values import dataclass

Outcome = Literal["removed", "restored", "left"]

WORKERS = (
    *(QUEUE, TAKEN, FAILED, "hooks", LOCK),
    *(name for log in (LOG, failures.FILE_NAME) for name in (log, f"{log}.1")),
    *(f".{JOURNAL}.asr-new", LOCK_NAME),
)
"""What hooks and their worker leave in ``<common directory>/asr``, the state and the rewrites aside."""

_RENAMED = (BESIDE_ENTIRE, LEGACY, ".old")
"""What Entire, pre-commit and lefthook call the hook that they find, in the order in which the kept one is put back."""


@dataclass(frozen=True, slots=True)
class Undone:
    """What becomes of one thing: a path, or a section of the configuration.

    ``removed``: it is gone. ``restored``: the hook that was there before has its name again. ``left``: it stays as it
    is, for a ``reason``.
    """

    what: str
    outcome: Outcome
    reason: str = ""
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """All that there is to take back, and the folders that go with it if nothing else came into them."""

    undone: tuple[Undone, ...]
    folders: tuple[Path, ...]


def plan(repo: Repository, journal: Journal) -> Plan:
    """What there is to take back in a repository; nothing is written.

    Raises:
        AsrError: Git cannot name the worktrees.
    """
    found = places(repo)
    tops = list(dict.fromkeys(top for place in found for top in place.tops))
    bases = [repo.common_dir, *tops]
    own = directory(repo)
    written = [Path(one.path) for one in journal.entries if one.did in ("write", "keep")]
    inside = [path for path in written if path.is_absolute() and lies_in(path, bases)]
    folders = _different(
        [
            *(place.folder for place in found if place.problem is None),
            repo.common_dir / "hooks",
            *(path.parent for path in inside if _is_hook(path) and path.parent != own / "hooks"),
        ]
    )
    undone = [one for folder in folders for one in _folder(folder)]
    edited = dict.fromkeys([repo.common_dir / "info" / "exclude", *_scripts(found), *_unhooked(inside)])
    edited |= dict.fromkeys(top / LOCAL for top in tops)
    undone += [one for path in edited for one in _edited(path)]
    undone += _configuration(repo)
    undone += _displayed(repo, journal)
    undone += [
        Undone(str(path), "left", "it lies outside of this repository")
        for path in written
        if path not in inside and path.exists()
    ]
    used = [*folders, *(path.parent for path in edited)]
    made = [path for path in _made(journal, used) if lies_in(path, bases)]
    return Plan(_once(undone), tuple(made))


def plan_global(journal: Journal) -> Plan:
    """The same for what serves all repositories of the user."""
    written = [Path(one.path) for one in journal.entries if one.did in ("write", "keep")]
    folders = [path.parent for path in written if path.is_absolute() and _is_hook(path)]
    with contextlib.suppress(AsrError):  # none is configured any more; the journal may know of one
        folders.insert(0, global_place(None).folder)
    own = journal.path.parent / "hooks"
    undone = [one for folder in _different(folders) if folder != own for one in _folder(folder)]
    undone += [*_configuration(None), *_displayed(None, journal)]
    return Plan(_once(undone), tuple(_made(journal, folders)))


def _once(undone: Iterable[Undone]) -> tuple[Undone, ...]:
    """A file that two folders or lists lead to is taken back once."""
    found: dict[str, Undone] = {}
    for one in undone:
        found.setdefault(one.what, one)
    return tuple(found.values())


def carry_out_all(plan: Plan, repo: Repository | None, journal: Journal) -> Iterator[Undone]:
    """Take back what is planned and yield each with what became of it; then the local files go, if nothing is left."""
    left = False
    for one in plan.undone:
        result = one
        try:
            for step in one.steps:
                carry_out(step, repo)
        except AsrError as error:
            result = Undone(one.what, "left", error.message)
        left = left or result.outcome == "left"
        yield result
    own = journal.path.parent
    for name in WORKERS:
        carry_out(Discard(own / name), None)
    if not left:
        carry_out(Discard(journal.path), None)
    for folder in (*plan.folders, own):
        carry_out(RemoveFolder(folder), None)


def _different(folders: Iterable[Path]) -> list[Path]:
    """The folders, each once: a link may lead to another of them."""
    return list({os.path.realpath(folder): folder for folder in folders}.values())


def _is_hook(path: Path) -> bool:
    return any(path.name == hook or path.name.startswith(f"{hook}.") for hook in HOOKS)


def _folder(folder: Path) -> Iterator[Undone]:
    try:
        names = os.listdir(folder)  # noqa: PTH208  (names alone, of a folder that may hold anything)
    except OSError:
        return  # it went, and ours with it
    for hook in HOOKS:
        mine = [name for name in names if name == hook or name.startswith(f"{hook}.")]
        yield from _hook(folder, hook, mine)
        for name in (hook, *(f"{hook}{suffix}" for suffix in (*_RENAMED, KEPT))):
            if temporary_name(folder / name).name in names:
                yield from _leftover(temporary_name(folder / name))


def _hook(folder: Path, hook: str, names: Sequence[str]) -> Iterator[Undone]:
    """One hook of a folder: ours goes wherever it is, and what was kept comes where ours is."""
    found = {name: classify(folder / name) for name in names}
    ours = [one for name, one in found.items() if one.kind == "ours" and name != f"{hook}{KEPT}"]
    for one in ours:
        if one.identity is not None and not one.identity.intact:
            yield Undone(str(one.path), "left", "it was changed since it was written")
    order = [hook, *(f"{hook}{suffix}" for suffix in _RENAMED)]
    intact = [one for one in ours if one.identity is not None and one.identity.intact]
    intact.sort(key=lambda one: order.index(one.path.name) if one.path.name in order else len(order))
    before = found.get(f"{hook}{KEPT}")
    if before is not None and before.stamp is not None:
        back = _put_back(before, found, hook, intact)
        intact = [one for one in intact if str(one.path) != back.what]
        yield back
    for one in intact:
        if one.stamp is not None:
            yield Undone(str(one.path), "removed", steps=(Remove(one.path, one.stamp),))
    plain = found.get(hook)
    if plain is not None and plain.kind != "ours":
        yield from _edited(plain.path)


def _put_back(before: Found, found: dict[str, Found], hook: str, ours: Sequence[Found]) -> Undone:
    """Where the kept hook goes: in the place of ours, else where nothing stands."""
    folder = before.path.parent
    if ours:
        target = ours[0]
        return Undone(str(target.path), "restored", steps=(Restore(before.path, target.path, target.stamp),))
    others = (one for one in found.values() if one is not before)
    if before.stamp is not None and any(is_same(one, before) for one in others):
        return Undone(str(before.path), "removed", steps=(Remove(before.path, before.stamp),))
    plain = found.get(hook)
    if plain is None:
        return Undone(str(folder / hook), "restored", steps=(Restore(before.path, folder / hook, None),))
    beside = folder / f"{hook}{BESIDE_ENTIRE}"
    if plain.kind == "entire" and beside.name not in found:
        return Undone(str(beside), "restored", steps=(Restore(before.path, beside, None),))
    return Undone(str(before.path), "left", "another hook has taken its place")


def _leftover(path: Path) -> Iterator[Undone]:
    found = stamp(path)
    if found is not None and path.is_file() and not path.is_symlink():
        yield Undone(str(path), "removed", steps=(Remove(path, found),))


def _scripts(found: Sequence[Place]) -> Iterator[Path]:
    """The scripts that husky runs."""
    for place in found:
        if place.folder.name == "_":
            yield from (place.folder.parent / hook for hook in HOOKS)


def _unhooked(paths: Iterable[Path]) -> Iterator[Path]:
    return (path for path in paths if path.name not in HOOKS or path.parent.name == ".husky")


def _edited(path: Path) -> Iterator[Undone]:
    """Take our lines out of a file of somebody else."""
    if (temporary := temporary_name(path)).is_file():
        yield from _leftover(temporary)
    data = beginning(path)
    if data is None:
        return
    ours = blocks(data)
    before, found = without_blocks(data), stamp(path)
    if any(not one.intact for one in ours):
        yield Undone(str(path), "left", "the lines of git-asr in it were changed since they were written")
    elif ours and found is not None and found.size > len(data):
        yield Undone(str(path), "left", "it is too large to be changed")
    elif ours and found is not None:
        step = Remove(path, found) if before is None else Write(path, before, found, executable=False)
        yield Undone(str(path), "removed" if before is None else "restored", steps=(step,))


def _configuration(repo: Repository | None) -> Iterator[Undone]:
    scope = "--local" if repo is not None else "--global"
    for hook, (commands, _) in configured.configured(repo).items():
        section = configured.section(hook)
        if configured.is_ours(hook, commands):
            yield Undone(section, "removed", steps=(Unconfigure(scope, section),))
        else:
            yield Undone(section, "left", "its command was changed since it was written")


def _displayed(repo: Repository | None, journal: Journal) -> Iterator[Undone]:
    step = display.taking_out(repo, journal)
    if step is not None:
        yield Undone(f"{step.name} {step.value}", "removed", steps=(step,))


def _made(journal: Journal, used: Iterable[Path]) -> Iterator[Path]:
    """The folders that were made for our files, the innermost first."""
    above = {parent for folder in used for parent in (folder, *folder.parents)}
    for one in reversed(journal.entries):
        path = Path(one.path)
        if one.did == "folder" and path in above and not path.is_symlink():
            yield path
