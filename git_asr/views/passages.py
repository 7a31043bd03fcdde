"""The text of a record that people look for: what was said, what was called with what, what came of it, names of files.

One record is one text of lines. A value that is no text stands as lines too, ``name: value``, so that what a tool was
given is found as people see it. Every view of a stream shows the same record for the same ID.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from git_asr.asr import codec
from git_asr.asr.draft import Record
from git_asr.asr.reading import GetBlob, text, value
from git_asr.values import dataclass

_FIELDS = {
    "message": ("content",),
    "reasoning": ("content",),
    "tool_call": ("name", "arguments"),
    "tool_result": ("content",),
    "input_request": ("questions",),
    "input_response": ("answers",),
    "plan": ("items",),
    "git-asr/attachment": ("name", "content"),
    "git-asr/command": ("name", "input", "arguments", "text"),
    "git-asr/file-snapshot": ("files",),
    "git-asr/hook": ("command", "text", "stdout", "stderr"),
    "git-asr/notice": ("text", "value"),
    "git-asr/title": ("title",),
    "git-asr/unit": ("value",),
}
"""The fields with text, by the type of a record; other types have none."""
_WHO = {"tool_result": "result", "input_request": "question", "input_response": "answer"}


@dataclass(frozen=True, slots=True)
class Passage:
    """The text of one record. ``who``: who said it or what it is, as recorded, in a word; ``ts``: as recorded."""

    record: str
    seq: int
    type: str
    who: str
    ts: str | None
    text: str


def has_text(record: Record) -> bool:
    """Whether a record is of a type that has text."""
    return record["type"] in _FIELDS


def passage(record: Record, blob: GetBlob) -> Passage | None:
    """The text of a record; None where it has none, also because its blob is not there.

    ``record``: of the shape on which readers count (``reading.fault``).
    """
    kind = record["type"]
    fields = _FIELDS.get(kind)
    if fields is None:
        return None
    pieces = [piece for field in fields for piece in _pieces(record, field, blob)]
    if kind == "tool_result" and not pieces:  # what the model got is not known, what the tool returned may be
        pieces = list(_lines(value(record, "output", blob)))
    if not pieces:
        return None
    return Passage(record["id"], record["seq"], kind, _who(record, kind), record.get("ts"), "\n".join(pieces))


def _who(record: Record, kind: str) -> str:
    found = {"message": record.get("author"), "tool_call": record.get("name")}.get(kind)
    return (
        found if isinstance(found, str) else _WHO.get(kind, kind.removeprefix("git-asr/").replace("_", " "))
    )


def _pieces(record: Record, field: str, blob: GetBlob) -> Iterator[str]:
    found = value(record, field, blob)
    if field != "content" or not isinstance(found, list):
        yield from _lines(found)
        return
    for part in found:
        if not isinstance(part, dict):
            continue
        said = text(part, blob)
        if said is not None:
            yield said
        elif part.get("type") != "text":
            yield from _lines(part.get("value"))


def _lines(found: Any) -> Iterator[str]:
    """A value as lines, without recursion: it may be as deep as JSON gets."""
    todo: list[tuple[str, Any]] = [("", found)]
    while todo:
        name, item = todo.pop()
        if isinstance(item, dict):
            if name:
                yield f"{name}:"
            todo += ((key, inner) for key, inner in reversed(item.items()))
        elif isinstance(item, list):
            todo += ((name, inner) for inner in reversed(item))
        elif item is None or item == "":
            if name:
                yield name
        else:
            said = _scalar(item)
            yield said if not name else f"{name}:\n{said}" if "\n" in said else f"{name}: {said}"


def _scalar(item: Any) -> str:
    if isinstance(item, str):
        return item
    return item.text if isinstance(item, codec.NumberText) else codec.encode(item).decode()
