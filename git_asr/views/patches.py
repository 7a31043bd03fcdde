"""Edits that are told as a patch: the text that a call writes, or the changes of files that a tool reports."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from git_asr.values import dataclass

_BEGIN = "*** Begin Patch\n"
_END = "*** End Patch"
_FILE = re.compile(r"\*\*\* (Add|Update|Delete) File: (.+)")
_MOVED = "*** Move to: "
_RANGE = re.compile(r"@@ -(\d{1,9})(?:,\d+)? \+(\d{1,9})(?:,\d+)? @@")
_KINDS = ("add", "update", "delete")
MAX_STRINGS = 100
"""Texts of the arguments that are looked through for a patch."""


@dataclass(frozen=True, slots=True)
class Hunk:
    """A run of changed lines with those around them.

    ``old``, ``new``: first line of the hunk in the file before and after, from 1; None where that is not known.
    ``lines``: each begins with a space, ``-`` or ``+``, without its line end.
    """

    old: int | None
    new: int | None
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Edit:
    """What a call did to one file. ``whole``: the new lines are the whole file."""

    path: str
    hunks: tuple[Hunk, ...]
    whole: bool = False

    @property
    def added(self) -> int:
        """How many lines were added."""
        return sum(line.startswith("+") for hunk in self.hunks for line in hunk.lines)

    @property
    def removed(self) -> int:
        """How many lines were removed."""
        return sum(line.startswith("-") for hunk in self.hunks for line in hunk.lines)


def patch(arguments: Any) -> tuple[Edit, ...]:
    """The edits of the first patch among the texts of arguments; empty where there is none.

    A patch lies between ``*** Begin Patch`` and ``*** End Patch``; where in the file its hunks stand is not known.
    """
    for said in _strings(arguments):
        begin = said.find(_BEGIN)
        if begin >= 0:
            return tuple(_files(said[begin + len(_BEGIN) :].partition(_END)[0].split("\n")))
    return ()


def changes(output: Any) -> tuple[Edit, ...]:
    """The edits that an output lists by path: each an added, updated or deleted file."""
    listed = output.get("changes") if isinstance(output, dict) else None
    if not isinstance(listed, dict):
        return ()
    found = (_change(path, change) for path, change in listed.items())
    return tuple(edit for edit in found if edit is not None)


def _strings(arguments: Any) -> Iterator[str]:
    """The texts of arguments, those nearest to the surface first."""
    level = [arguments]
    for _ in range(3):
        yield from [one for one in level if isinstance(one, str)][:MAX_STRINGS]
        lists = [
            one.values() if isinstance(one, dict) else one for one in level if isinstance(one, dict | list)
        ]
        level = [item for one in lists for item in one][:MAX_STRINGS]


def _files(lines: Iterable[str]) -> Iterator[Edit]:
    kind = path = ""
    hunks: list[list[str]] = []
    for line in [*lines, "*** End"]:
        if line.startswith(_MOVED) and path:
            path = _moved(path, line[len(_MOVED) :])
        elif line.startswith("*** "):
            if path:
                yield _edit(kind, path, hunks)
            named = _FILE.fullmatch(line.rstrip("\r"))
            kind, path = (named[1], named[2]) if named is not None else (kind, "")
            hunks = []
        elif line.startswith("@@"):
            hunks.append([])
        elif line:
            if not hunks:
                hunks.append([])
            hunks[-1].append(line)


def _edit(kind: str, path: str, hunks: list[list[str]]) -> Edit:
    whole = kind == "Add"
    return Edit(
        path, tuple(Hunk(None, 1 if whole else None, tuple(one)) for one in hunks if one), whole=whole
    )


def _moved(path: str, to: str) -> str:
    return f"{path} → {to}"


def _change(path: str, change: Any) -> Edit | None:
    """The edit of one file: its kind stands under ``type``, or is the only key."""
    kind = change.get("type") if isinstance(change, dict) else None
    if kind is None and isinstance(change, dict) and len(change) == 1:
        kind, change = next(iter(change.items()))
    if kind not in _KINDS or not isinstance(change, dict):
        return None
    content, diff, to = change.get("content"), change.get("unified_diff"), change.get("move_path")
    if isinstance(to, str):
        path = _moved(path, to)
    if isinstance(diff, str):
        return Edit(path, tuple(_hunks(diff)))
    if not isinstance(content, str) or kind == "update":
        return Edit(path, ())
    mark = "+" if kind == "add" else "-"
    lines = tuple(f"{mark}{line}" for line in content.removesuffix("\n").split("\n"))
    hunk = Hunk(None, 1, lines) if kind == "add" else Hunk(1, None, lines)
    return Edit(path, (hunk,), whole=kind == "add")


def _hunks(diff: str) -> Iterator[Hunk]:
    """The hunks of a unified diff."""
    place: tuple[int, int] | None = None
    lines: list[str] = []
    for line in diff.removesuffix("\n").split("\n"):
        found = _RANGE.match(line)
        if found is None:
            if place is not None and line[:1] in ("+", "-", " ") and line:
                lines.append(line)
            continue
        if place is not None:
            yield Hunk(*place, tuple(lines))
        place, lines = (int(found[1]), int(found[2])), []
    if place is not None:
        yield Hunk(*place, tuple(lines))
