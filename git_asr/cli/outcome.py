"""What a sync did, said to people and to programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Sequence
from typing import TYPE_CHECKING, Any

import click

from git_asr.cli import render
from git_asr.cli.findings import findings_as_json, unresolved_as_json
from git_asr.errors import Diagnostic
from git_asr.git.base import Repository
from git_asr.sync.outcome import Outcome
from git_asr.views.text import plural

if TYPE_CHECKING:
    from git_asr.views.drift import Group

_SHOWN = 5
"""Unresolved checkpoint IDs that are named one by one."""


def summary(outcome: Outcome) -> str:
    """The outcome in one line."""
    tally = outcome.tally
    done = [f"{number} {word}" for number, word in _counts(outcome) if number]
    changes = f" ({', '.join(done)})" if done else ""
    head = "" if tally.new or tally.changed or tally.removed or not outcome.sessions else "up to date: "
    return f"{head}{plural(outcome.sessions, 'session')}{changes}, {plural(outcome.links, 'link')} to commits"


def _counts(outcome: Outcome) -> list[tuple[int, str]]:
    tally = outcome.tally
    return [
        (tally.new, "new"),
        (tally.changed, "changed"),
        (tally.removed, "removed"),
        (tally.excluded, "excluded"),
        (
            len(outcome.unresolved),
            "unresolved checkpoint IDs" if len(outcome.unresolved) != 1 else "unresolved checkpoint ID",
        ),
    ]


def print_text(repo: Repository, outcome: Outcome, told: Container[Diagnostic]) -> None:
    """Print the outcome of a sync for people; ``told``: what was reported while it ran."""
    report_unresolved(repo, outcome)
    report_earlier(outcome, told)
    report_outdated(outcome)
    click.echo(summary(outcome))
    report_drift(outcome)


def report_unresolved(repo: Repository, outcome: Outcome) -> None:
    """Name on stderr the checkpoints that no store holds, a few of them, where they were looked for and may be."""
    for checkpoint, commits in outcome.unresolved[:_SHOWN]:
        render.warning(f"no checkpoint {checkpoint} in any store; commit {commits[0][:12]} names it")
    if len(outcome.unresolved) > _SHOWN:
        render.warning(render.left_out(len(outcome.unresolved) - _SHOWN, command="git asr sync"))
    if not outcome.searched:
        render.warning(
            "no checkpoint store in this repository: no branch entire/checkpoints/v1, local or fetched,"
            " and no refs/entire/checkpoints"
        )
    elif outcome.unresolved:
        render.hint(f"searched: {', '.join(outcome.searched)}")
    if outcome.unresolved or not outcome.searched:
        from git_asr.cli.fetched import suggestion

        if (fetching := suggestion(repo)) is not None:
            render.hint(fetching)


def report_earlier(outcome: Outcome, told: Container[Diagnostic]) -> None:
    """Say on stderr that something was found wrong before, is still so, and was not told this time."""
    if earlier := sum(one not in told for one in outcome.findings):
        render.hint(f"{plural(earlier, 'earlier finding')} left: git asr sync --strict says what is wrong")


def report_outdated(outcome: Outcome) -> None:
    """Say on stderr that sessions were left as an earlier version converted them."""
    if outcome.outdated:
        many = plural(outcome.outdated, "session")
        render.hint(f"{many} as an earlier version converted: git asr sync --reconvert")


def report_drift(outcome: Outcome) -> None:
    """Say on stderr that what was converted has kinds that are new to git-asr."""
    if found := _drift(outcome):
        from git_asr.cli.drift_lines import in_passing

        render.hint(in_passing(found))


def _drift(outcome: Outcome) -> Sequence[Group]:
    """The drift by agent and version; where there is none, nothing is imported to say so."""
    if not outcome.drift:
        return ()
    from git_asr.views.drift import groups

    return groups(outcome.drift)


def as_json(outcome: Outcome) -> dict[str, Any]:
    """The outcome as ``git asr sync --json`` prints it; version 1."""
    return {
        "version": 1,
        "companion": outcome.commit,
        "sessions": outcome.sessions,
        "links": outcome.links,
        "new": outcome.tally.new,
        "changed": outcome.tally.changed,
        "removed": outcome.tally.removed,
        "excluded": outcome.tally.excluded,
        "outdated": outcome.outdated,
        "searched": list(outcome.searched),
        "unresolved": unresolved_as_json(outcome.unresolved),
        "diagnostics": findings_as_json(outcome.findings),
        "drift": [
            {"agent": one.agent, "agentVersion": one.version, "kinds": len(one.kinds)}
            for one in _drift(outcome)
        ],
    }


def by_outcome(outcomes: Sequence[str | None]) -> str:
    """How many sessions there are, and of how many each thing became that is said of some."""
    done = Counter(filter(None, outcomes))
    said = ", ".join(f"{number} {outcome}" for outcome, number in done.items())
    return plural(len(outcomes), "session") + (f": {said}" if said else "")
