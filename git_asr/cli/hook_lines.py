"""What ``git asr status`` prints of the hooks."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from git_asr.cli.installed import short
from git_asr.cli.render import left_out
from git_asr.hooks.health import Health, Hook
from git_asr.hooks.proof import DAYS
from git_asr.hooks.queue import Item
from git_asr.views import text

_MOST = 5
"""Things of one kind that are named one by one."""


def lines(found: Health) -> Iterator[str]:
    """The hooks, the queue, and what never came through, in words."""
    yield from _hooks(found)
    if found.waiting or found.given_up:
        given_up = f", {len(found.given_up):,} given up" if found.given_up else ""
        yield f"queue: {_items(found.waiting)}{given_up}"
    if found.failures:
        last = found.failures[-1]
        yield text.one_line(f"last failure: {last.time}  {last.message}")
    if found.crash is not None:
        when, file = found.crash
        yield text.one_line(f"last fault in git-asr: {when}  {short(file)}")
    if found.missed:
        yield f"never came through: {text.plural(len(found.missed), 'commit')} of the last {DAYS} days"
        for one in found.missed[:_MOST]:
            when = datetime.fromtimestamp(one.when, UTC).strftime("%Y-%m-%d %H:%M")
            yield f"  {one.commit[:12]}  {when}  checkpoint {one.checkpoints[0]}"
        if len(found.missed) > _MOST:
            yield f"  {left_out(len(found.missed) - _MOST)}"


def _hooks(found: Health) -> Iterator[str]:
    if not found.hooks and not found.elsewhere:
        yield "hooks: none of git-asr's"
    for folder in dict.fromkeys(one.folder for one in found.hooks):
        mine = [one for one in found.hooks if one.folder == folder]
        faults = [one for one in mine if one.fault is not None]
        if len(faults) == len(mine) and len({one.fault for one in mine}) == 1 and len(mine) > 1:
            yield text.one_line(f"hooks: none in {short(folder)}: {mine[0].fault}")
            continue
        well = f"{len(mine) - len(faults)} of {len(mine)}" if faults else f"{len(mine)}"
        yield text.one_line(f"hooks: {well} in {short(folder)}")
        yield from text.columns([(f"  {one.name}", _fault(one)) for one in faults])
    for folder in found.elsewhere:
        yield text.one_line(f"hooks: none in {short(folder)}, where another worktree looks for them")


def _fault(one: Hook) -> str:
    fault = one.fault or ""
    return text.one_line(f"{short(one.path)} {fault}" if fault.startswith(("is ", "starts ")) else fault)


def _items(items: tuple[Item, ...]) -> str:
    return f"{text.plural(len(items), 'item')} waiting" if items else "nothing waiting"


def hints(found: Health) -> Iterator[str]:
    """The commands that would help."""
    if not found.hooks:
        yield "git asr install   lets new sessions be synced by themselves"
    elif any(one.mendable for one in found.hooks) or found.given_up:
        yield "git asr status --fix   mends what it can"
    elif found.faults:
        yield "git asr install   says what can be done about the hooks"
    if found.elsewhere:
        yield "git asr install --worktrees"


def as_record(found: Health) -> dict[str, Any]:
    """The part of ``--json`` about the hooks."""
    return {
        "hooks": [
            {
                "hook": one.name,
                "folder": str(one.folder),
                "path": str(one.path),
                "how": one.how or None,
                "fault": one.fault,
                "mendable": one.mendable,
            }
            for one in found.hooks
        ],
        "withoutHooks": [str(folder) for folder in found.elsewhere],
        "queue": [_item(one) for one in found.waiting],
        "failed": [_item(one) for one in found.given_up],
        "failures": [
            {"time": one.time, "item": one.item, "message": one.message, "hint": one.hint}
            for one in found.failures
        ],
        "crash": None if found.crash is None else {"time": found.crash[0], "file": str(found.crash[1])},
        "missed": [
            {"commit": one.commit, "time": one.when, "checkpoints": list(one.checkpoints)}
            for one in found.missed
        ],
    }


def _item(one: Item) -> dict[str, Any]:
    return {"item": one.name, "kind": one.kind, "tries": one.tries, "next": one.next or None}
