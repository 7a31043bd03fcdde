"""``refs/notes/asr``: for each linked commit a line per session, for ``git log`` to show. Derived, never pushed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from git_asr.companion.store import IDENTITY
from git_asr.errors import AsrError
from git_asr.git.base import FILE, Objects
from git_asr.git.notes import note_path
from git_asr.git.trees import edit_tree
from git_asr.git.writing import ObjectWriter

MESSAGE = "Sessions of commits, derived from refs/asr/sessions\n"


def tree(objects: Objects, commit: str) -> str | None:
    """The notes tree of what the ref names; None where that is no commit of ours: notes are written anew then."""
    try:
        return objects.commit_tree(commit)
    except AsrError:
        return None


def write(
    writer: ObjectWriter, objects: Objects, old: str | None, lines: Mapping[str, Iterable[str]]
) -> str | None:
    """Put the lines of some commits into a notes tree; the new tree, None when it is empty.

    ``lines``: for each commit its note's lines, without LF; none removes the note.
    """
    edits: dict[str, tuple[int, str] | None] = {}
    for commit, own in lines.items():
        text = "".join(f"{line}\n" for line in own)
        edits[note_path(commit)] = (FILE, writer.blob(text.encode("utf-8", "replace"))) if text else None
    return edit_tree(objects, writer, old, edits)


def commit(writer: ObjectWriter, tree: str, when: int) -> str:
    """Write the notes commit, without history: what it says is derived again at any time."""
    return writer.commit(tree, (), MESSAGE, identity=IDENTITY, when=when)
