"""What is to be done so that Git calls our hooks, by whose file stands in each folder (reference, section 7.6)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from git_asr.git.base import Repository
from git_asr.hooks import beside_entire
from git_asr.hooks.classify import BESIDE_ENTIRE, KEPT, Found, Kind, classify, is_same
from git_asr.hooks.exclude import exclusion
from git_asr.hooks.managers.base import Manager, Site, shell_line
from git_asr.hooks.places import Place, tracked
from git_asr.hooks.refusal import Refusal
from git_asr.hooks.script import VERSION, render
from git_asr.hooks.steps import Keep, Step, Write, make_folders
from git_asr.sync.look import directory
from git_asr.values import dataclass

Outcome = Literal["written", "updated", "current", "refused", "left"]
"""``left``: to a hook manager, whose configuration does not call us yet."""


@dataclass(frozen=True, slots=True)
class Planned:
    """What is to be done for one hook in one folder.

    ``hook``: None if it is about the whole folder. ``found``: whose file stands there. ``path``: where our file is, or
    goes. ``how``: in a few words, how it comes to be called, where that is not plain. ``refusal``: why nothing, or not
    all, is done. ``manager``: the hook manager whose file it is.
    """

    hook: str | None
    folder: Path
    found: Kind
    outcome: Outcome
    path: Path
    how: str = ""
    refusal: Refusal | None = None
    manager: Manager | None = None
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the user wants: which hooks, how they start git-asr, and whether managers' configurations may be changed.

    ``instead``: the command to suggest where no file can be written.
    """

    hooks: tuple[str, ...]
    launch: Sequence[str]
    manager: bool = False
    instead: str | None = None

    def file(self, hook: str) -> bytes:
        """Our file of a hook."""
        return render(hook, self.launch)


def plan(repo: Repository, places: Sequence[Place], wanted: Wanted) -> list[Planned]:
    """Look at every hook in every folder; nothing is written.

    The steps of a hook come one after the other; those of another need not succeed.

    Raises:
        AsrError: Git cannot tell which files it tracks.
    """
    planned: list[Planned] = []
    for place in places:
        planned += _plan_place(place, wanted)
    called = dict.fromkeys(one.hook for one in planned if one.hook is not None and _needs_copy(one))
    before = copies(directory(repo) / "hooks", {hook: wanted.file(hook) for hook in called})
    planned = [replace(one, steps=before.pop(one.hook, ()) + one.steps) for one in planned]
    first = next((number for number, one in enumerate(planned) if one.steps), None)
    if first is not None:
        hidden = exclusion(repo, places, [step for one in planned for step in one.steps])
        planned[first] = replace(planned[first], steps=hidden + planned[first].steps)
    return planned


def plan_global(place: Place, wanted: Wanted) -> list[Planned]:
    """The same for a folder that serves several repositories, where no manager's configuration belongs to it."""
    return _plan_place(place, wanted)


def _plan_place(place: Place, wanted: Wanted) -> list[Planned]:
    if place.problem is not None:
        return [Planned(None, place.folder, "none", "refused", place.folder, refusal=place.problem)]
    in_git = tracked(place)
    planned = [_plan_hook(place, hook, wanted, lambda path: classify(path, in_git)) for hook in wanted.hooks]
    planned = _with_managers(place, wanted, planned)
    missing = make_folders(place.folder)
    first = next((number for number, one in enumerate(planned) if one.steps), None)
    if missing and first is not None:
        planned[first] = replace(planned[first], steps=missing + planned[first].steps)
    return planned


def _plan_hook(place: Place, hook: str, wanted: Wanted, look: Callable[[Path], Found]) -> Planned:
    path = place.folder / hook
    found = look(path)
    one = Planned(hook, place.folder, found.kind, "written", path)
    match found.kind:
        case "none":
            one = replace(one, steps=(Write(path, wanted.file(hook), None),))
        case "ours":
            one = _ours(one, found, wanted)
        case "entire":
            one = _beside_entire(one, found, wanted, look)
        case "foreign":
            one = _foreign(one, found, wanted, look)
        case "manager":
            one = replace(one, outcome="left", manager=found.manager)
        case "tracked" if found.identity is not None and found.identity.intact:
            one = replace(one, outcome="current")
        case _:
            one = _refused(one, _untouchable(found, hook, wanted))
    return one


def _refused(one: Planned, refusal: Refusal) -> Planned:
    return replace(one, outcome="refused", refusal=refusal)


def _ours(one: Planned, found: Found, wanted: Wanted) -> Planned:
    """Ours is replaced by another of ours, unless a later version wrote it, or somebody has changed it."""
    identity, hook = found.identity, one.hook or ""
    if identity is None or not identity.intact:
        return _refused(
            one,
            Refusal(f"{found.path} is a hook of git-asr that was changed", "remove it, then install again"),
        )
    file = wanted.file(hook)
    if identity.version > VERSION or (found.data == file and found.executable):
        return replace(one, outcome="current")
    return replace(one, outcome="updated", steps=(Write(found.path, file, found.stamp),))


def _foreign(one: Planned, found: Found, wanted: Wanted, look: Callable[[Path], Found]) -> Planned:
    """The file gets a second name, under which ours calls it, and then ours takes its place."""
    hook = one.hook or ""
    kept = look(one.folder / f"{hook}{KEPT}")
    how = f"the hook that was there runs first, as {kept.path.name}"
    write = Write(found.path, wanted.file(hook), found.stamp)
    if kept.kind == "none" and found.stamp is not None:
        steps: tuple[Step, ...] = (Keep(found.path, kept.path, found.stamp), write)
        return replace(one, path=found.path, how=how, steps=steps)
    if is_same(kept, found):
        return replace(one, path=found.path, how=how, steps=(write,))
    return _refused(
        one,
        Refusal(
            f"{found.path} is no hook of git-asr, and {kept.path.name} is kept from an earlier one",
            "put the one that counts in its place and remove the other, then install again",
        ),
    )


def _beside_entire(one: Planned, found: Found, wanted: Wanted, look: Callable[[Path], Found]) -> Planned:
    """Ours becomes the hook that Entire calls after its own; what Entire called before is called by ours."""
    hook = one.hook or ""
    beside = look(one.folder / f"{hook}{BESIDE_ENTIRE}")
    one = replace(one, path=beside.path, how="called by Entire's hook")
    match beside.kind:
        case "none":
            one = replace(one, steps=(Write(beside.path, wanted.file(hook), None),))
        case "ours":
            one = _ours(one, beside, wanted)
        case "foreign" | "manager" | "entire":
            one = _foreign(one, beside, wanted, look)
        case _:
            return _refused(one, _untouchable(beside, hook, wanted))
    if one.outcome == "refused" or beside_entire.calls(found, hook):
        return one
    if beside_entire.repairs_itself(one.folder) or not found.is_whole:
        return replace(one, how="Entire's hook calls it from the next session on")
    step = Write(found.path, beside_entire.with_call(found, hook), found.stamp, executable=False)
    return replace(one, how="called by lines added to Entire's hook", steps=(*one.steps, step))


def _with_managers(place: Place, wanted: Wanted, planned: Sequence[Planned]) -> list[Planned]:
    """Settle the hooks that managers own: called already, to be called, or left with a word on how."""
    settled = list(planned)
    for manager in dict.fromkeys(one.manager for one in planned if one.manager is not None):
        mine = [one for one in planned if one.manager is manager]
        files = {one.hook: wanted.file(one.hook) for one in mine if one.hook is not None}
        site = Site(place.folder, place.tops, files)
        changes = manager.changes(site) if wanted.manager else None
        steps = changes.steps if changes is not None else ()
        for number, one in enumerate(settled):
            if one.manager is not manager or one.hook is None:
                continue
            how = f"called by {manager.name}"
            if changes is not None and one.hook in changes.refused:
                settled[number] = _refused(one, changes.refused[one.hook])
            elif manager.calls(site, one.hook) or (changes is not None and not changes.steps):
                settled[number] = replace(one, outcome="current", how=how, steps=steps)
            elif changes is not None:
                settled[number] = replace(one, outcome="written", how=how, steps=steps)
            else:
                continue
            steps = ()
    return settled


def _untouchable(found: Found, hook: str, wanted: Wanted) -> Refusal:
    reasons: Mapping[Kind, str] = {
        "symlink": "is a symbolic link",
        "tracked": "is tracked by Git",
        "unreadable": "cannot be read",
    }
    ways = [f"add to it:  {shell_line(hook)}"] if found.kind in ("symlink", "tracked") else []
    if wanted.instead is not None:
        ways.append(wanted.instead)
    return Refusal(f"{found.path} {reasons.get(found.kind, 'is no file')}", "\n".join(ways) or None)


def _needs_copy(one: Planned) -> bool:
    """Whether something else than Git calls, or may be told to call, the copy of our file in our own folder."""
    refused = one.outcome == "refused" and one.found in ("symlink", "tracked")
    return one.manager is not None or refused


def copies(folder: Path, files: Mapping[str, bytes]) -> dict[str | None, tuple[Step, ...]]:
    """The steps that bring our files to a folder of our own, by hook; none for those that are there."""
    steps: dict[str | None, tuple[Step, ...]] = {}
    made = make_folders(folder)
    for hook, file in files.items():
        found = classify(folder / hook)
        if found.data != file or not found.executable:
            steps[hook] = (*made, Write(found.path, file, found.stamp))
            made = ()
    return steps
