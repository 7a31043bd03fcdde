"""What ``git asr compact`` does and says."""

from __future__ import annotations

from typing import Any

import click

from git_asr.cli import render
from git_asr.cli.opening import open_repository
from git_asr.companion import compaction
from git_asr.companion.names import SESSIONS
from git_asr.errors import AsrError, Diagnostic
from git_asr.git import refs
from git_asr.git.backend import open_objects
from git_asr.git.process import run_git
from git_asr.sync.flow import Options, sync
from git_asr.sync.settings import settings
from git_asr.values import dataclass
from git_asr.views.text import plural


@dataclass(frozen=True, slots=True)
class Compacted:
    """What was left behind, or would be. ``commits``: how many; ``replaced``: the tips in whose place it stands."""

    commit: str
    commits: int
    replaced: tuple[str, ...]
    dry_run: bool

    def say(self) -> None:
        """Say it to people."""
        if not self.commits:
            click.echo("there is no history to leave behind")
            return
        click.echo(f"{plural(self.commits, 'commit')} {'would be ' if self.dry_run else ''}left behind")
        if not self.dry_run:
            render.hint("remotes keep theirs until: git asr push --compact")

    def as_json(self) -> dict[str, Any]:
        """What ``git asr compact --json`` prints; version 1."""
        return {
            "version": 1,
            "dryRun": self.dry_run,
            "companion": self.commit,
            "commits": self.commits,
            "replaced": list(self.replaced),
        }


def compact(*, dry_run: bool) -> Compacted:
    """Leave the history of the companion behind, with whatever a sync finds new.

    Raises:
        AsrError: there is no companion yet, or the sync fails.
    """
    repo = open_repository()
    before = refs.read_ref(repo, SESSIONS)
    if before is None:
        raise AsrError("nothing is synced yet", hint="git asr sync")
    behind = int(run_git(repo, "rev-list", "--count", before)) - 1
    if dry_run or not behind:
        return Compacted(before, behind, (), dry_run)
    configured = settings(repo)
    options = Options(
        exclusions=configured.exclusions,
        orphans=configured.orphans,
        backend=configured.backend,
        compact=True,
    )
    commit = sync(repo, options, _leave_to_sync).commit or before
    with open_objects(repo, "git") as objects:
        replaced = tuple(sorted(compaction.replaced(objects, commit)))
    return Compacted(commit, behind, replaced, dry_run)


def _leave_to_sync(diagnostic: Diagnostic) -> None:
    """``git asr sync`` tells it."""
