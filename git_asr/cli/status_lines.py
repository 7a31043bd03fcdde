"""What ``git asr status`` prints."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from git_asr.cli.findings import findings_as_json, unresolved_as_json
from git_asr.cli.render import left_out
from git_asr.sharing.helper import PREFIX, PROGRAM, Helper
from git_asr.sync.status import Status
from git_asr.views import text

_MOST = 5
"""Things of one kind that are named one by one."""


def lines(found: Status, *, displayed: bool) -> Iterator[str]:
    """What is here, in words. ``displayed``: whether plain `git log` shows the notes."""
    if not found.stores:
        yield "stores: none here"
    else:
        yield "stores"
        known = found.synced is not None
        counts = [
            text.plural(one.checkpoints, "checkpoint") if known else "not read yet" for one in found.stores
        ]
        rows = [
            (f"  {text.one_line(one.store)}", count) for one, count in zip(found.stores, counts, strict=True)
        ]
        yield from text.columns(rows)
    if found.companion is None:
        yield "companion ref: none yet"
    else:
        said = {None: "not looked at yet", True: "up to date", False: "there is more to sync"}[found.synced]
        held = f"{text.plural(found.sessions, 'session')}, {text.plural(found.links, 'link')} to commits"
        yield f"companion ref: {held} ({said})" if found.synced is not None else f"companion ref: {said}"
    if displayed:
        yield "notes: plain git log shows them"
    if found.orphans:
        taken = f", {found.taken} of them taken" if found.taken else ""
        yield f"orphans: {text.plural(found.orphans, 'session')} that no commit leads to{taken}"
    if found.unresolved:
        yield f"unresolved: {text.plural(len(found.unresolved), 'checkpoint ID')} that no store has"
        for checkpoint, commits in found.unresolved[:_MOST]:
            yield f"  {text.one_line(checkpoint)}  commit {commits[0][:12]}"
        if len(found.unresolved) > _MOST:
            yield f"  {left_out(len(found.unresolved) - _MOST)}"
    if found.absent:
        yield f"absent: {text.plural(len(found.absent), 'object')} of checkpoints not in this repository"
    if found.findings:
        yield f"findings: {len(found.findings):,}"


def hints(found: Status) -> Iterator[str]:
    """The commands that would help."""
    if found.synced is not True:
        yield "git asr sync"
    if (found.unresolved or found.absent or not found.stores) and found.source is not None:
        yield f"{found.source.command}   asks {found.source.shown} for what is missing"
    if found.orphans > found.taken:
        yield "git asr sessions --orphans   lists what no commit leads to"
    if found.absent or found.findings:
        yield "git asr sync --strict   says what was found wrong"
    if found.unresolved:
        yield "git asr coverage   says why commits have no session"


def as_record(found: Status) -> dict[str, Any]:
    """What ``--json`` prints; version 1."""
    source = found.source
    return {
        "version": 1,
        "companion": found.companion,
        "synced": found.synced,
        "sessions": found.sessions,
        "links": found.links,
        "orphans": {"sessions": found.orphans, "taken": found.taken},
        "stores": [
            {"store": one.store, "layout": one.layout, "checkpoints": one.checkpoints} for one in found.stores
        ],
        "unresolved": unresolved_as_json(found.unresolved),
        "absent": len(found.absent),
        "findings": findings_as_json(found.findings),
        "remote": None if source is None else {"address": source.shown, "command": source.command},
    }


def helper_lines(found: Helper) -> Iterator[str]:
    """Whether Git finds the remote helper, where remotes need it."""
    if found.remotes:
        needing = ", ".join(found.remotes)
        yield text.one_line(f"{PROGRAM}: {found.path or 'not on PATH'} (remote {needing})")


def helper_hints(found: Helper) -> Iterator[str]:
    """What to do where Git does not."""
    if found.lacking:
        yield f"{PROGRAM} lies beside git-asr: Git cannot read {PREFIX} addresses until its folder is on PATH"


def helper_record(found: Helper) -> dict[str, Any]:
    """The part of ``--json`` about it."""
    return {"helper": {"path": found.path, "remotes": list(found.remotes)}}
