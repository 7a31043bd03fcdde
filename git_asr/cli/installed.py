"""What installing and uninstalling hooks did, said to people and to programs."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from git_asr.cli import render
from git_asr.hooks.display import KEY, VALUE
from git_asr.hooks.installing import Installed, Uninstalled
from git_asr.hooks.plan import Planned
from git_asr.views.text import neutral, plural


def print_lines(outcome: Installed) -> None:
    """Print one line for each hook, and what was refused as warnings."""
    for one in outcome.planned:
        if one.refusal is not None:
            render.warning(f"{one.hook}: {one.refusal.reason}" if one.hook else one.refusal.reason)
        else:
            click.echo(neutral(f"{one.hook}: {_told(one, outcome.dry_run)}"))
    if outcome.notes == "added":
        would = "would be " if outcome.dry_run else ""
        click.echo(f"notes: {would}added: {KEY} {VALUE}")


def _told(one: Planned, dry_run: bool) -> str:
    path = short(one.path)
    would = "would be " if dry_run else ""
    how = f" ({one.how})" if one.how else ""
    match one.outcome:
        case "left":
            name = one.manager.name if one.manager is not None else ""
            return f"left to {name}, which does not call git-asr yet"
        case "current":
            return f"{path} is current{how}"
        case done:
            return f"{would}{done}: {path}{how}"


def short(path: Path) -> str:
    """A path as seen from here, if it is below."""
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)


def print_hints(outcome: Installed) -> None:
    """Print what to do next, each hint once."""
    for text in dict.fromkeys(_hints(outcome)):
        render.hint(text)


def _hints(outcome: Installed) -> Iterable[str]:
    for one in outcome.planned:
        if one.refusal is not None and one.refusal.hint:
            yield from one.refusal.hint.splitlines()
    left: dict[str, list[Planned]] = {}
    for one in outcome.planned:
        if one.outcome == "left" and one.manager is not None:
            left.setdefault(one.manager.name, []).append(one)
    for name, mine in left.items():
        if outcome.config:
            yield "git asr install --config   needs nothing from a hook manager"
        yield f"git asr install --manager   adds this to your configuration of {name}, if it can:"
        manager = mine[0].manager
        yield manager.entry([one.hook for one in mine if one.hook]) if manager is not None else ""
    if outcome.elsewhere:
        yield (
            f"{plural(outcome.elsewhere, 'worktree looks', 'worktrees look')} for hooks elsewhere: "
            "git asr install --worktrees"
        )
    done = any(one.outcome in ("written", "updated", "current") for one in outcome.planned)
    if outcome.unsynced and done and not outcome.dry_run:
        yield "git asr sync   reads the checkpoints that are here already"
    if done and outcome.offer:
        yield "git asr install --notes   lets plain git log show the sessions too"


def as_json(outcome: Installed) -> dict[str, Any]:
    """What ``git asr install --json`` prints; version 1."""
    return {
        "version": 1,
        "dryRun": outcome.dry_run,
        "notes": outcome.notes,
        "hooks": [
            {
                "hook": one.hook,
                "folder": str(one.folder),
                "found": one.found,
                "manager": one.manager.name if one.manager is not None else None,
                "outcome": one.outcome,
                "path": str(one.path),
                "how": one.how or None,
                "reason": one.refusal.reason if one.refusal is not None else None,
                "hint": one.refusal.hint if one.refusal is not None else None,
            }
            for one in outcome.planned
        ],
    }


def print_undone(outcome: Uninstalled) -> None:
    """Print one line for each thing that was taken back, what was left as warnings, and what stays."""
    if outcome.damaged:
        render.warning("the journal of the hooks cannot be read; they are looked for where Git looks")
    would = "would be " if outcome.dry_run else ""
    for one in outcome.undone:
        what = short(Path(one.what)) if Path(one.what).is_absolute() else one.what
        if one.outcome == "left":
            render.warning(f"{what} is left: {one.reason}")
        else:
            click.echo(neutral(f"{would}{one.outcome}: {what}"))
    if not outcome.undone:
        click.echo("no hooks of git-asr are here")
    elif not outcome.dry_run:
        render.hint("what was synced stays: refs/asr/sessions, and the local state of git asr sync")


def undone_as_json(outcome: Uninstalled) -> dict[str, Any]:
    """What ``git asr uninstall --json`` prints; version 1."""
    return {
        "version": 1,
        "dryRun": outcome.dry_run,
        "damaged": outcome.damaged,
        "undone": [
            {"what": one.what, "outcome": one.outcome, "reason": one.reason or None} for one in outcome.undone
        ],
    }
