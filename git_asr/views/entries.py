"""One record as one entry of a timeline, for the types that stand for themselves."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypedDict

from git_asr.asr import codec
from git_asr.asr.draft import Record
from git_asr.asr.reading import GetBlob, text, value
from git_asr.asr.summary import MALFORMED, PENDING, QUEUE
from git_asr.views.items import Compaction, Event, Item, Message, Part, Plan, Reasoning, Turn

_TELLING_HOOKS = frozenset({"failed", "blocked", "cancelled", "message"})
"""Outcomes of hooks that a reader wants to know; of the others there are hundreds in a session."""
_TELLING_STATES = frozenset({"interrupted", "ended"})
_COMMANDS = {"slash": "command", "output": "command output", "shell-output": "shell output"}
_ELEMENT = re.compile(r"\s*<([a-z-]{1,40})>(.*)</\1>\s*", re.DOTALL)
_TEXT_LIMIT = 1_000
"""Characters of JSON that stands in for a text."""


class Place(TypedDict):
    """Where an item stands: the fields that all items have."""

    record: str
    position: int
    ts: str | None
    aside: bool


def entry(record: Record, place: Place, blob: GetBlob) -> Item | None:
    """The item of a record; None for one that is not shown. Calls, results and exchanges are not made here."""
    make = _MAKERS.get(record["type"])
    return None if make is None else make(record, place, blob)


def parts(record: Record, blob: GetBlob) -> tuple[Part, ...]:
    """The content of a record, its texts wherever they stand."""
    content = value(record, "content", blob)
    if content is None and isinstance(record.get("contentBlob"), dict):
        return (_part({**record["contentBlob"], "type": "text"}, blob),)  # not there: no text
    return (
        tuple(_part(one, blob) for one in content if isinstance(one, dict))
        if isinstance(content, list)
        else ()
    )


def capture(record: Record) -> str | None:
    """What became of content that is not as it was: the state, and the reason where there is one."""
    found = record.get("capture")
    if not isinstance(found, dict) or not isinstance(found.get("state"), str):
        return None
    reason = found.get("reason")
    return f"{found['state']}: {reason}" if isinstance(reason, str) and reason else str(found["state"])


def steps(record: Record, blob: GetBlob) -> tuple[dict[str, Any], ...]:
    """The items of a plan that have a text."""
    items = value(record, "items", blob)
    listed = items if isinstance(items, list) else []
    return tuple(one for one in listed if isinstance(one, dict) and isinstance(one.get("text"), str))


def _part(part: dict[str, Any], blob: GetBlob) -> Part:
    media, size = part.get("mediaType"), part.get("bytes")
    return Part(
        type=part["type"] if isinstance(part.get("type"), str) else "unknown",
        text=text(part, blob),
        media_type=media if isinstance(media, str) else None,
        bytes=size if isinstance(size, int) else None,
        value=part.get("value"),
    )


def _message(record: Record, place: Place, blob: GetBlob) -> Item:
    sender = record.get("from")
    return Message(
        **place,
        role=record.get("role", "unknown"),
        author=record.get("author", "unknown"),
        sender=None if sender is None else _said(sender),
        pending=(record.get("_meta") or {}).get(QUEUE) == PENDING,
        copied="copiedFrom" in record,
        parts=parts(record, blob),
        capture=capture(record),
    )


def _reasoning(record: Record, place: Place, blob: GetBlob) -> Item:
    return Reasoning(**place, parts=parts(record, blob), capture=capture(record))


def _plan(record: Record, place: Place, blob: GetBlob) -> Item:
    return Plan(**place, steps=steps(record, blob))


def _compaction(record: Record, place: Place, blob: GetBlob) -> Item:
    replaces = value(record, "replaces", blob)
    told = replaces if isinstance(replaces, dict) else {"unknown": True}
    calls, kept = told.get("calls"), told.get("except")
    return Compaction(
        **place,
        trigger=record.get("trigger"),
        summary=record.get("summary"),
        unknown=bool(told.get("unknown")) or not told.keys() & {"through", "calls"},
        calls=len(calls) if isinstance(calls, list) else 0,
        kept=len(kept) if isinstance(kept, list) else 0,
    )


def _rewind(record: Record, place: Place, _: GetBlob) -> Item:
    return Turn(**place, what="rewind", to=record.get("to"))


def _state(record: Record, place: Place, blob: GetBlob) -> Item | None:
    if record.get("state") not in _TELLING_STATES:
        return None
    return Event(**place, label=record["state"], text=_field(record, "reason", blob))


def _hook(record: Record, place: Place, blob: GetBlob) -> Item | None:
    outcome = _field(record, "outcome", blob)
    if outcome not in _TELLING_HOOKS:
        return None
    name = _field(record, "name", blob) or _field(record, "event", blob)
    said = [one for one in (_field(record, field, blob) for field in ("text", "stderr", "stdout")) if one]
    return Event(
        **place,
        label=f"hook {name}".strip(),
        text=": ".join([*([] if outcome == "message" and said else [outcome]), *said[:1]]),
        level="error" if outcome in ("failed", "blocked") else None,
    )


def _mode(record: Record, place: Place, blob: GetBlob) -> Item:
    kind = _field(record, "kind", blob)
    return Event(
        **place, label="mode" if kind in ("", "mode") else f"{kind} mode", text=_field(record, "mode", blob)
    )


def _title(record: Record, place: Place, blob: GetBlob) -> Item:
    return Event(**place, label="title", text=_field(record, "title", blob))


def _context(record: Record, place: Place, blob: GetBlob) -> Item | None:
    said = {"cwd": "folder", "branch": "branch", "agentVersion": "version", "session": "session"}
    told = [f"{word} {_field(record, field, blob)}" for field, word in said.items() if field in record]
    return Event(**place, label="now", text=", ".join(told)) if told else None


def _command(record: Record, place: Place, blob: GetBlob) -> Item:
    kind = _field(record, "kind", blob)
    typed = [_field(record, field, blob) for field in ("name", "input", "arguments")]
    said = " ".join(one for one in typed if one) or _inner(_field(record, "text", blob))
    return Event(**place, label=_COMMANDS.get(kind, kind or "command"), text=said)


def _inner(said: str) -> str:
    """What stands in a text that is one element."""
    found = _ELEMENT.fullmatch(said)
    return said if found is None else found[2]


def _notice(record: Record, place: Place, blob: GetBlob) -> Item:
    level = _field(record, "level", blob)
    said = _field(record, "text", blob) or _field(record, "value", blob)
    kind = _field(record, "kind", blob) or "notice"
    if MALFORMED in (record.get("_meta") or {}):
        kind = f"unit {place['position']} cannot be read"
    return Event(**place, label=kind, text=said, level=level or None)


def _attachment(record: Record, place: Place, blob: GetBlob) -> Item | None:
    """What somebody attached has a name; what has none the harness put in, and there is much of it."""
    kind, name = _field(record, "kind", blob), _field(record, "name", blob)
    return Event(**place, label=f"attached {kind}".strip(), text=name) if name else None


def _unit(record: Record, place: Place, blob: GetBlob) -> Item:
    """A native unit that was not translated."""
    return Event(
        **place, label=_field(record, "unitType", blob) or "unit", text=_field(record, "value", blob)
    )


def _field(record: Record, name: str, blob: GetBlob) -> str:
    found = value(record, name, blob)
    return "" if found is None else _said(found)


def _said(found: Any) -> str:
    """A text as it is, anything else as JSON."""
    if isinstance(found, str):
        return found
    try:
        data = codec.encode(found)
    except codec.JsonError:  # NaN, which some agents write
        return codec.lenient(found)[:_TEXT_LIMIT]
    return data.decode()[:_TEXT_LIMIT]


_MAKERS: dict[str, Callable[[Record, Place, GetBlob], Item | None]] = {
    "message": _message,
    "reasoning": _reasoning,
    "plan": _plan,
    "compaction": _compaction,
    "rewind": _rewind,
    "state": _state,
    "git-asr/hook": _hook,
    "git-asr/mode": _mode,
    "git-asr/title": _title,
    "git-asr/context": _context,
    "git-asr/command": _command,
    "git-asr/notice": _notice,
    "git-asr/attachment": _attachment,
    "git-asr/unit": _unit,
}
