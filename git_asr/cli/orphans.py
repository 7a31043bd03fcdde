"""``git asr sessions --orphans``: the sessions that no commit leads to."""

from __future__ import annotations

import json

import click

from git_asr.cli import render
from git_asr.companion.state_file import known_state
from git_asr.git.base import Repository
from git_asr.sync.look import directory
from git_asr.views import text
from git_asr.views.session import short_id


def show_orphans(repo: Repository, max_count: int | None, *, as_json: bool) -> int:
    """List the sessions of which no commit names a checkpoint, and say how to take them; the exit status.

    Raises:
        AsrError: nothing was synced yet.
    """
    with known_state(directory(repo)) as state:
        found, taken = state.orphans(), state.sessions()
    shown = found[:max_count]
    if as_json:
        listed = [
            {"harness": key[0], "id": key[1], "checkpoints": checkpoints, "taken": key in taken}
            for key, checkpoints in shown
        ]
        click.echo(json.dumps({"version": 1, "orphans": listed}, indent=2))
        return 0
    if not found:
        render.hint("every session that is here has a commit that names one of its checkpoints")
        return 0
    rows = [("agent", "session", "taken", "checkpoints")]
    for key, checkpoints in shown:
        more = f" and {len(checkpoints) - 1} more" if len(checkpoints) > 1 else ""
        rows.append(
            (
                text.one_line(key[0], 20),
                text.one_line(short_id(key[1])),
                "yes" if key in taken else "no",
                text.one_line(checkpoints[0]) + more,
            )
        )
    with render.paged():
        for line in text.columns(rows):
            print(line)
    if any(key not in taken for key, _ in found):
        render.hint("git asr sync --orphans   takes them into the companion ref")
    return 0
