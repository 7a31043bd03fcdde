"""The streams of the companion ref with kinds that their converters do not know, by manifests and headers alone."""

from __future__ import annotations

from collections.abc import Set
from typing import Any

from git_asr.asr import stream
from git_asr.asr.parts import header_path
from git_asr.companion.listing import sessions
from git_asr.companion.tree import read_tip
from git_asr.errors import AsrError, Diagnostic, Report
from git_asr.git.backend import open_objects
from git_asr.git.base import Objects, Repository
from git_asr.values import dataclass
from git_asr.views.drift import Drifting, drifting, is_told
from git_asr.views.session import overview


@dataclass(frozen=True, slots=True)
class Looked:
    """What was found: how many sessions were looked at, how many of them were only kept, and the streams that drift."""

    sessions: int
    kept: int
    streams: tuple[Drifting, ...]


def drifts(repo: Repository, commits: Set[str] | None, report: Report) -> Looked:
    """Look at the sessions of some commits, at all for None. What is damaged is reported.

    Of a stream whose header cannot be read the version is unknown.
    """
    with open_objects(repo, "git") as objects:
        tree = read_tip(repo, objects).tree
        listed = [
            (path, session)
            for path, session in sessions(objects, tree, report)
            if commits is None or not commits.isdisjoint(overview(session).commits)
        ]
        told = [
            (path, session.key, entry)
            for path, session in listed
            for entry in session.streams
            if is_told(entry)
        ]
        found = [
            drifting(key, entry, _header(objects, str(tree), f"{path}/{header_path(entry.stream)}", report))
            for path, key, entry in told
        ]
    kept = sum("units" in overview(session).counts for _, session in listed)
    return Looked(len(listed), kept, tuple(one for one in found if one is not None))


def _header(objects: Objects, tree: str, path: str, report: Report) -> dict[str, Any]:
    """The header at a path, empty where it cannot be read."""
    entry = objects.lookup(tree, path)
    data = None if entry is None else objects.blob(entry.oid)
    try:
        return stream.header(data or b"")
    except AsrError as error:
        report(Diagnostic("unreadable-stream", path, error.message, "git asr sync --full"))
        return {}
