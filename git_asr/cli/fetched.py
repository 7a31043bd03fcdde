"""What a fetch of checkpoints did, said to people and to programs; and when to suggest one."""

from __future__ import annotations

import shlex
import sys
from collections import Counter
from collections.abc import Sequence
from typing import Any

import click

from git_asr.cli import render
from git_asr.entire.fetch import Fetched, Status
from git_asr.entire.source import Source, possible_source
from git_asr.errors import Diagnostic, UsageError
from git_asr.git.base import Repository
from git_asr.git.remotes import Refspec, remotes
from git_asr.values import dataclass
from git_asr.views.text import neutral, plural

_SHOWN = 5
"""Rejected refs that are named one by one."""
_CLEAR = "\x1b[K"
"""Git's own, at the end of what a server says."""
_WORDS: dict[Status, str] = {
    "new": "new",
    "updated": "updated",
    "current": "up to date",
    "rejected": "rejected",
}


@dataclass(frozen=True, slots=True)
class Report:
    """What is said of a fetch.

    ``named``: the checkpoints that the chosen commits name, None where no commits were chosen. ``configured``: the
    refspecs that were added to the remote. ``dry_run``: nothing was done, all this would be.
    """

    source: Source
    fetched: Fetched
    named: Sequence[str] | None
    configured: Sequence[Refspec]
    dry_run: bool

    def summary(self) -> str:
        """The outcome in one line."""
        if self.named is not None and not self.named:
            return "these commits name no checkpoints: nothing to fetch"
        arrivals = self.fetched.arrivals
        counts = Counter(one.status for one in arrivals)
        told = [f"{counts[status]:,} {word}" for status, word in _WORDS.items() if counts[status]]
        if self.fetched.objects:
            told.append(f"{plural(self.fetched.objects, 'object')} that the clone had left out")
        figures = f": {', '.join(told)}" if told else ""
        trial = " (dry run)" if self.dry_run else ""
        return f"{plural(len(arrivals), 'checkpoint ref')} at {neutral(self.source.shown)}{figures}{trial}"

    def print_text(self) -> None:
        """Print it for people, with the next step as a hint."""
        click.echo(self.summary())
        for one in self.configured:
            told = "would be added" if self.dry_run else "added"
            click.echo(neutral(f"{told} to remote.{self.source.place}.fetch: {one}"))
        came = self.fetched.objects or any(one.status in ("new", "updated") for one in self.fetched.arrivals)
        if came and not self.dry_run:
            render.hint("git asr sync")

    def as_json(self) -> dict[str, Any]:
        """What ``git asr fetch --checkpoints --json`` prints; version 1."""
        setting = self.source.setting
        return {
            "version": 1,
            "remote": self.source.remote.name if self.source.remote is not None else None,
            "address": self.source.shown,
            "checkpointRemote": str(setting) if setting is not None else None,
            "dryRun": self.dry_run,
            "named": None if self.named is None else list(self.named),
            "refs": [
                {"ref": one.ref, "status": one.status, "old": one.old, "new": one.new, "reason": one.reason}
                for one in self.fetched.arrivals
            ],
            "objects": self.fetched.objects,
            "configured": [str(one) for one in self.configured],
        }


def hear(piece: str, is_progress: bool) -> None:
    """Pass on to stderr what Git says; its progress only to a terminal."""
    if sys.stderr is None or (is_progress and not render.on_terminal(sys.stderr)):
        return
    line = piece.rstrip("\r\n")
    sys.stderr.write(neutral(line.replace(_CLEAR, "")) + (piece[len(line) :] or "\n"))
    sys.stderr.flush()


def warn(repo: Repository, report: Report) -> None:
    """Name on stderr the refs that were rejected, a few of them, or say that there are none at all."""
    source, arrivals = report.source, report.fetched.arrivals
    rejected = [one for one in arrivals if one.status == "rejected"]
    for one in rejected[:_SHOWN]:
        render.warning(f"{one.ref} stays where it is: {one.reason}")
    if len(rejected) > _SHOWN:
        render.warning(render.left_out(len(rejected) - _SHOWN, command="git asr fetch --checkpoints"))
    if rejected:
        ref = shlex.quote(f"+{rejected[0].ref}:{rejected[0].ref}")
        render.hint(
            f"what is here may be here only; to give it up: git fetch {shlex.quote(source.shown)} {ref}"
        )
    if not arrivals and report.named != []:
        render.warning(f"{source.shown} has no checkpoints" + (" of these commits" if report.named else ""))
        others = [name for name in remotes(repo) if name != source.place]
        if others:
            render.hint(f"another remote may have them: git asr fetch --checkpoints {shlex.quote(others[0])}")


def unnamed(source: Source) -> UsageError:
    """The error for ``--configure`` where there is no remote to configure."""
    return UsageError(
        f"{source.shown} is no remote, and only remotes are configured",
        hint=f"git remote add checkpoints {shlex.quote(source.shown)}\n"
        "git asr fetch --checkpoints --configure checkpoints",
    )


def suggestion(repo: Repository) -> str | None:
    """The command that may bring checkpoints which are not here, and from where; None where there is no remote."""
    source = possible_source(repo, _say_nothing)
    if source is None:
        return None
    if source.setting is not None:
        return f"checkpoints are kept at {source.setting}: {source.command}"
    return f"they may be at {source.shown}: {source.command}"


def _say_nothing(diagnostic: Diagnostic) -> None:
    """Leave it to ``git asr fetch``."""
