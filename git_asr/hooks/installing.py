"""Installs and uninstalls hooks: looks, plans, carries out."""

from __future__ import annotations

from collections.abc import Sequence

from git_asr.companion.state_file import FILE_NAME as STATE
from git_asr.errors import AsrError, UsageError
from git_asr.git.base import Repository
from git_asr.git.repository import open_repository
from git_asr.hooks import configured, undo
from git_asr.hooks.apply import apply
from git_asr.hooks.display import Display, display, is_displayed
from git_asr.hooks.journal import Journal, global_directory, locked
from git_asr.hooks.launcher import launcher
from git_asr.hooks.places import Place, global_place, places
from git_asr.hooks.plan import Planned, Wanted, plan, plan_global
from git_asr.hooks.script import HOOKS
from git_asr.hooks.steps import RemoveFolder, carry_out, make_folders
from git_asr.sync.look import directory
from git_asr.values import dataclass

IN_CONFIGURATION = "git asr install --config   needs no file there"


@dataclass(frozen=True, slots=True)
class Request:
    """What the user typed: names of hooks (none for all), and options as ``git asr install -h`` explains them.

    ``notes``: None where nothing was said.
    """

    names: Sequence[str] = ()
    worktrees: bool = False
    config: bool = False
    everywhere: bool = False
    manager: bool = False
    notes: bool | None = None


@dataclass(frozen=True, slots=True)
class Installed:
    """What was done, or would be in a dry run.

    ``elsewhere``: how many worktrees look for hooks in other folders. ``unsynced``: nothing was ever synced here.
    ``config``: whether Git has hooks in its configuration. ``notes``: whether plain `git log` shows the sessions;
    ``offer``: whether to say how it would.
    """

    planned: tuple[Planned, ...]
    dry_run: bool
    elsewhere: int = 0
    unsynced: bool = False
    config: bool = False
    notes: Display = "absent"
    offer: bool = False


@dataclass(frozen=True, slots=True)
class Uninstalled:
    """What was taken back, or would be in a dry run. ``damaged``: the journal could not be read."""

    undone: tuple[undo.Undone, ...]
    dry_run: bool
    damaged: bool = False


def install(request: Request, *, dry_run: bool) -> Installed:
    """Install hooks.

    Raises:
        UsageError: there is no such hook, or no repository.
        AsrError: they cannot be installed at all. What is wrong with a single hook stands in the outcome.
    """
    unknown = [name for name in request.names if name not in HOOKS]
    if unknown:
        raise UsageError(f"git-asr has no hook '{unknown[0]}'", hint=f"there are {', '.join(HOOKS)}")
    repo = _repository(required=not request.everywhere)
    scope = None if request.everywhere else repo
    has_config = configured.supported()
    wanted = Wanted(
        tuple(hook for hook in HOOKS if hook in request.names) or HOOKS,
        launcher(),
        manager=request.manager,
        instead=IN_CONFIGURATION if has_config and not request.everywhere else None,
    )
    elsewhere = 0
    if request.config:
        configured.needed()
        _heed_the_switch(scope)
        planned = configured.plan(scope, wanted)
    elif scope is None:
        planned = plan_global(global_place(repo), wanted)
    else:
        found = places(scope)
        chosen = found if request.worktrees else found[:1]
        elsewhere = sum(len(place.tops) for place in found[len(chosen) :])
        planned = plan(scope, chosen, wanted)
    if not dry_run:
        planned = _carry_out(planned, scope)
    unsynced = scope is not None and not (directory(scope) / STATE).exists()
    notes = _display(scope, wanted=request.notes is True, dry_run=dry_run)
    offer = notes == "absent" and request.notes is None
    return Installed(tuple(planned), dry_run, elsewhere, unsynced, has_config, notes, offer)


def again(repo: Repository, chosen: Sequence[Place], names: Sequence[str]) -> tuple[Planned, ...]:
    """Install some hooks once more, in these folders.

    Raises:
        AsrError: they cannot be installed at all.
    """
    return tuple(_carry_out(plan(repo, chosen, Wanted(tuple(names), launcher())), repo))


def uninstall(*, everywhere: bool, dry_run: bool) -> Uninstalled:
    """Take back what was installed in this repository, or for all.

    Raises:
        UsageError: there is no repository.
        AsrError: nothing can be taken back at all. What is left stands in the outcome.
    """
    repo = None if everywhere else _repository(required=True)
    own = directory(repo) if repo is not None else global_directory()
    journal = Journal(own)
    planned = undo.plan(repo, journal) if repo is not None else undo.plan_global(journal)
    local = any((own / name).exists() for name in (*undo.WORKERS, journal.path.name))
    if not (dry_run or planned.undone or local):
        carry_out(RemoveFolder(own), None)
    if dry_run or not (planned.undone or local):
        return Uninstalled(planned.undone, dry_run, journal.damaged)
    with locked(own):
        journal = Journal(own)
        planned = undo.plan(repo, journal) if repo is not None else undo.plan_global(journal)
        undone = tuple(undo.carry_out_all(planned, repo, journal))
    return Uninstalled(undone, dry_run, journal.damaged)


def _carry_out(planned: Sequence[Planned], repo: Repository | None) -> list[Planned]:
    """Do it, if there is anything to do, and let the queue of a repository be there."""
    if all(one.outcome == "refused" for one in planned):
        return list(planned)
    own = directory(repo) if repo is not None else global_directory()
    queue = make_folders(own / "queue") if repo is not None else ()
    if not queue and not any(one.steps for one in planned):
        return list(planned)
    with locked(own):
        done = list(apply(planned, repo, Journal(own)))
        for step in queue:
            carry_out(step, None)
    return done


def _display(repo: Repository | None, *, wanted: bool, dry_run: bool) -> Display:
    """Let plain `git log` show the sessions if that is wanted, and tell whether it does."""
    if not wanted or is_displayed(repo):
        return "current" if is_displayed(repo) else "absent"
    own = directory(repo) if repo is not None else global_directory()
    if dry_run:
        return "added"
    with locked(own):
        return display(repo, Journal(own))


def _repository(*, required: bool) -> Repository | None:
    try:
        return open_repository()
    except UsageError:
        if required:
            raise
        return None


def _heed_the_switch(repo: Repository | None) -> None:
    """Refuse where the user has switched hooks off: those in the configuration would run all the same."""
    if repo is None:
        return
    here = places(repo)[0]
    if here.is_off and here.problem is not None:
        raise AsrError(here.problem.reason, hint=here.problem.hint)
