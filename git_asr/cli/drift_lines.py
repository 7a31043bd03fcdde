"""What ``git asr drift`` prints, and what other commands say of drift in passing."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from typing import Any

from git_asr.cli.render import left_out, paint
from git_asr.companion.drifting import Looked
from git_asr.views import text
from git_asr.views.drift import Group
from git_asr.views.session import short_id

_MOST = 30
"""Kinds that are named of one agent's version, and versions that are named."""
_NAME = 100
"""Terminal cells of a name or an ID that an agent chose."""
_NAMED = 2
"""Agents that a hint names."""


def lines(looked: Looked, found: Sequence[Group]) -> Iterator[str]:
    """For each agent and version its kinds."""
    if not found:
        aside = f" ({looked.kept:,} of them not translated)" if looked.kept else ""
        yield f"{text.plural(looked.sessions, 'session')}{aside}: nothing is new to git-asr"
    for number, group in enumerate(found[:_MOST]):
        if number:
            yield ""
        count = f"{text.plural(len(group.kinds), 'kind')} in {text.plural(group.sessions, 'session')}"
        yield f"{paint(text.one_line(group.name, _NAME), 'bold')} · {count}"
        yield from text.columns([("records", "sessions", "kind", "first"), *_rows(group)], right={0, 1})
        if (more := len(group.kinds) - _MOST) > 0:
            yield left_out(more)
        if group.more:
            yield "and more, which are not counted"
    if (more := len(found) - _MOST) > 0:
        yield ""
        yield left_out(more, "version")


def _rows(group: Group) -> Iterator[tuple[str, str, str, str]]:
    for name, kind in list(group.kinds.items())[:_MOST]:
        first = f"{short_id(kind.first.session.id)} {kind.first.record}"
        yield (
            f"{kind.records:,}",
            f"{len(kind.sessions):,}",
            text.one_line(name, _NAME),
            text.one_line(first, _NAME),
        )


def hint(found: Sequence[Group]) -> str:
    """The command that shows a record."""
    first = next(iter(found[0].kinds.values())).first
    session, record = (
        shlex.quote(text.one_line(one, _NAME)) for one in (short_id(first.session.id), first.record)
    )
    return f"git asr show --record={record} {session}   shows the first"


def in_passing(found: Sequence[Group]) -> str:
    """One line: how many kinds are new, in sessions of which agents."""
    kinds = len({(group.agent, kind) for group in found for kind in group.kinds})
    names = [text.one_line(group.name, _NAME) for group in found[:_NAMED]]
    if (more := len(found) - _NAMED) > 0:
        names.append(f"{more:,} more")
    listed = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    are = "is" if kinds == 1 else "are"
    return f"{text.plural(kinds, 'kind')} in sessions of {listed} {are} new to git-asr: git asr drift"


def as_record(looked: Looked, found: Sequence[Group]) -> dict[str, Any]:
    """What ``--json`` prints; version 1."""
    return {
        "version": 1,
        "sessions": looked.sessions,
        "opaque": looked.kept,
        "drift": [
            {
                "agent": group.agent,
                "agentVersion": group.version,
                "sessions": group.sessions,
                "kinds": [
                    {
                        "kind": name,
                        "records": kind.records,
                        "sessions": len(kind.sessions),
                        "first": {
                            "session": kind.first.session.id,
                            "stream": kind.first.stream,
                            "record": kind.first.record,
                        },
                    }
                    for name, kind in group.kinds.items()
                ],
                "more": group.more,
            }
            for group in found
        ],
    }
