"""``asr.exclude``: sessions that are never converted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from git_asr.asr.header import SessionKey
from git_asr.entire import metadata
from git_asr.errors import UsageError
from git_asr.values import dataclass

KINDS = ("session", "agent", "path")


@dataclass(frozen=True, slots=True)
class Exclusion:
    """One pattern. ``kind``: what it is matched with; ``glob``: as in a shell, ``*`` runs across slashes.

    ``session``: the session's ID, native or as Entire stores it. ``agent``: the harness or Entire's label, whatever
    the case. ``path``: a file that the session touched, as Entire lists them.
    """

    kind: str
    glob: str


def parse(values: Iterable[str]) -> tuple[Exclusion, ...]:
    """Read the values of ``asr.exclude``.

    Raises:
        UsageError: a value does not begin with ``session:``, ``agent:`` or ``path:``.
    """
    found: list[Exclusion] = []
    for value in values:
        kind, colon, glob = value.partition(":")
        if kind not in KINDS or not colon or not glob:
            raise UsageError(
                f"asr.exclude has a value {value!r} of no known kind",
                hint="git config --add asr.exclude 'path:secrets/*'   (or session:GLOB, agent:GLOB)",
            )
        found.append(Exclusion(kind, glob))
    return tuple(found)


def excluded(exclusions: Sequence[Exclusion], key: SessionKey, folders: Iterable[Mapping[str, Any]]) -> bool:
    """Tell whether a session is excluded; one match in any of its folders is enough.

    ``folders``: the metadata of the folders that hold it, as Entire stores them.
    """
    known = list(folders)
    return any(_matches(one, key, known) for one in exclusions)


def _matches(one: Exclusion, key: SessionKey, folders: Sequence[Mapping[str, Any]]) -> bool:
    if one.kind == "path":
        return any(
            fnmatchcase(path, one.glob) for each in folders for path in metadata.texts(each, "files_touched")
        )
    if one.kind == "agent":
        labels = (key.harness, *(metadata.agent(each) or "" for each in folders))
        return any(fnmatchcase(label.lower(), one.glob.lower()) for label in labels)
    stored = (key.id, *(metadata.text(each, "session_id") or "" for each in folders))
    return any(fnmatchcase(identifier, one.glob) for identifier in stored)
