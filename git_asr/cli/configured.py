"""What ``git asr setup`` writes, and how it says so."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from git_asr.cli import exchanged, render
from git_asr.cli.opening import open_repository
from git_asr.errors import DONE, UsageError
from git_asr.git.base import Repository
from git_asr.git.credentials import without_credentials
from git_asr.sharing import configuring, helper, target
from git_asr.sharing.configuring import Line
from git_asr.values import dataclass
from git_asr.views.text import neutral


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked. ``url``: of a repository or a file that holds sessions alone; ``via``: as the option."""

    remote: str | None
    url: str | None
    via: str
    remove: bool
    dry_run: bool


def configure(wanted: Wanted, *, machine: bool) -> int:
    """Write, or take out, and say what. Gives the exit status.

    Raises:
        UsageError: there is no such remote, or what is at the address cannot be meant.
        AsrError: Git refuses.
    """
    repo = open_repository()
    name = _name(repo, wanted)
    if wanted.remove:
        added: list[Line] = []
        removed = configuring.outdated(repo, name, None)
        alone = [*configuring.only_sessions(repo, name)]
        if not wanted.dry_run and alone:
            configuring.remove_remote(repo, name)
        elif not wanted.dry_run:
            configuring.remove(repo, removed)
    else:
        via: configuring.Via = "branch" if wanted.via == "branch" else "ref"
        added = configuring.wanted(repo, name, via, _url(wanted))
        removed = configuring.outdated(repo, name, configuring.refspec(name, via))
        if not wanted.dry_run:
            configuring.remove(repo, removed)
            configuring.add(repo, added)
    if machine:
        told = {"added": _as_json(added), "removed": _as_json(removed)}
        exchanged.print_json({"remote": name, **told, "helper": helper.located(), "dryRun": wanted.dry_run})
        return DONE
    _print(name, added, removed, wanted)
    return DONE


def _as_json(lines: Sequence[Line]) -> list[dict[str, str]]:
    return [{"key": one.key, "value": without_credentials(one.value)} for one in lines]


def _print(name: str, added: Sequence[Line], removed: Sequence[Line], wanted: Wanted) -> None:
    would = "would be " if wanted.dry_run else ""
    for lines, what in ((removed, f"{would}removed"), (added, f"{would}added")):
        for one in lines:
            click.echo(neutral(f"{what}: {without_credentials(str(one))}"))
    if not added and not removed:
        click.echo(f"remote {neutral(name)} is set up already" if not wanted.remove else "nothing to remove")
    if wanted.remove:
        return
    if helper.located() is None:
        render.hint(f"{helper.PROGRAM} is not on PATH: addresses that begin with asr:: will not work")
    if added and not wanted.dry_run:
        render.hint(f"git asr sync --remote={name}")


def _name(repo: Repository, wanted: Wanted) -> str:
    """The remote that is meant. Raises UsageError: it is none, but a URL or a path."""
    if wanted.via in ("repository", "bundle"):
        return wanted.remote or configuring.SEPARATE
    if wanted.remote is None:
        found = target.default(repo, render.Warnings())
        if found.remote is None:
            raise UsageError(
                f"the checkpoints go to {found.shown}, which is no remote yet",
                hint=f"git remote add checkpoints {found.shown}\ngit asr setup checkpoints",
            )
        return found.remote.name
    return wanted.remote


def _url(wanted: Wanted) -> str | None:
    """The address of a repository or a file, a path made absolute. Raises UsageError."""
    if wanted.url is None:
        return None
    if not wanted.url or wanted.url.startswith("-"):
        raise UsageError(f"'{wanted.url}' is no address")
    path = Path(wanted.url)
    if wanted.via == "bundle" or path.exists():
        return str(path.resolve())
    return wanted.url
