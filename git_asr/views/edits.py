"""Edits of files that tool calls made, as unified diffs, told by the shape of arguments and output alone.

No agent's name is asked for: whoever says a path with an old and a new text, or with the hunks that a tool applied,
or writes a patch, is understood (reference native-transcripts, sections 2.7, 3.4 and 3.5).
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from itertools import islice
from typing import Any

from git_asr.views import patches
from git_asr.views.patches import Edit, Hunk

_PATHS = ("file_path", "filePath", "path", "notebook_path", "filename", "TargetFile")
_OLD = ("old_string", "oldString", "old_str", "oldText", "TargetContent")
_NEW = ("new_string", "newString", "new_str", "newText", "ReplacementContent")
_WHOLE = ("content", "contents", "new_source", "file_text", "CodeContent")
MOST_COMPARED = 500 * 500
"""Lines of the one side times those of the other between the first and the last difference; more of them are shown as
removed and added: comparing costs the square of their number, and sometimes more."""
_AROUND = 3
"""Lines around a change that are shown."""


def edits(arguments: Any, output: Any) -> tuple[Edit, ...]:
    """The edits that a call asked for, as its output says that they were applied, else as its arguments do.

    Empty where neither has the shape of an edit.
    """
    applied = _applied(output)
    if applied is not None:
        return (applied,)
    listed = patches.changes(output) or patches.patch(arguments)
    if listed:
        return listed
    path = _text(arguments, _PATHS)
    if path is None or not isinstance(arguments, dict):
        return ()
    asked = arguments.get("edits", arguments.get("ReplacementChunks"))
    changes = asked if isinstance(asked, list) else [arguments]
    hunks = tuple(hunk for change in changes for hunk in _replaced(change))
    if hunks:
        return (Edit(path, hunks),)
    whole = _text(arguments, _WHOLE)
    if whole is None:
        return ()
    return (Edit(path, (Hunk(None, 1, tuple(f"+{line}" for line in _lines(whole))),), whole=True),)


def _applied(output: Any) -> Edit | None:
    """The hunks that a tool says it applied."""
    path = _text(output, _PATHS)
    listed = output.get("structuredPatch") if isinstance(output, dict) else None
    if path is None or not isinstance(listed, list):
        return None
    hunks = tuple(hunk for hunk in map(_hunk, listed) if hunk is not None)
    return Edit(path, hunks) if hunks else None


def _hunk(found: Any) -> Hunk | None:
    lines = found.get("lines") if isinstance(found, dict) else None
    if not isinstance(lines, list):
        return None
    kept = tuple(line for line in lines if isinstance(line, str))
    return Hunk(_number(found, "oldStart"), _number(found, "newStart"), kept)


def _replaced(change: Any) -> Iterator[Hunk]:
    """The hunks of an old and a new text; where in the file they stand is not known."""
    old, new = _text(change, _OLD), _text(change, _NEW)
    if old is None or new is None:
        return
    before, after = _lines(old), _lines(new)
    first, last = _same_ends(before, after)
    old_lines, new_lines = before[first : len(before) - last], after[first : len(after) - last]
    around = max(0, first - _AROUND), len(before) - max(0, last - _AROUND)
    if len(old_lines) * len(new_lines) > MOST_COMPARED:
        yield Hunk(
            None,
            None,
            (
                *(f" {line}" for line in before[around[0] : first]),
                *(f"-{line}" for line in old_lines),
                *(f"+{line}" for line in new_lines),
                *(f" {line}" for line in before[len(before) - last : around[1]]),
            ),
        )
        return
    before, after = before[around[0] : around[1]], after[around[0] : len(after) - max(0, last - _AROUND)]
    lines: list[str] = []
    for line in islice(
        difflib.unified_diff(before, after, lineterm=""), 2, None
    ):  # behind the names of files
        if line.startswith("@@"):
            if lines:
                yield Hunk(None, None, tuple(lines))
            lines = []
            continue
        lines.append(line)
    if lines:
        yield Hunk(None, None, tuple(lines))


def _lines(text: str) -> list[str]:
    """The lines of a text as a file has them; other characters that may end a line do not."""
    lines = text.split("\n")
    return lines if lines[-1] else lines[:-1]


def _same_ends(before: list[str], after: list[str]) -> tuple[int, int]:
    """How many lines are the same at the start, and how many others at the end."""
    most = min(len(before), len(after))
    first = next((n for n in range(most) if before[n] != after[n]), most)
    last = next((n for n in range(most - first) if before[-1 - n] != after[-1 - n]), most - first)
    return first, last


def _text(found: Any, names: tuple[str, ...]) -> str | None:
    """The first text under one of the names."""
    for name in names if isinstance(found, dict) else ():
        if isinstance(found.get(name), str):
            return str(found[name])
    return None


def _number(found: Any, name: str) -> int | None:
    number = found.get(name)
    return number if isinstance(number, int) and not isinstance(number, bool) else None
