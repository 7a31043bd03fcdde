"""Lists the sessions of the companion ref from their manifests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from git_asr.companion.summaries import summaries
from git_asr.companion.tree import read_tip
from git_asr.errors import AsrError, Diagnostic, Report
from git_asr.git.backend import open_objects
from git_asr.git.base import Objects, Repository
from git_asr.views.session import Overview, overview

if TYPE_CHECKING:
    from git_asr.asr.bundle import Session


def overviews(repo: Repository, report: Report, *, whole: bool = True) -> list[Overview]:
    """Every session that is not forgotten, the newest first; a damaged manifest is reported and passed over.

    ``whole``: with the whole of the first prompt, of which else the first line will do; then most manifests need not
    be read.
    """
    with open_objects(repo, "git") as objects:
        tree = read_tip(repo, objects).tree
        if whole or tree is None:
            found = [overview(session) for _, session in sessions(objects, tree, report)]
        else:
            found = [one.view for one in summaries(repo, objects, tree, report).logged()]
    return sorted(found, key=lambda one: (one.ended_at or one.started_at or "", one.id), reverse=True)


def sessions(objects: Objects, tree: str | None, report: Report) -> Iterator[tuple[str, Session]]:
    """Every session of a companion tree that is not forgotten, with its path; as ``overviews``."""
    from git_asr.companion.store import manifests  # noqa: PLC0415  (not needed where all is known)

    for path, manifest in manifests(objects, tree) if tree is not None else ():
        if isinstance(manifest, AsrError):
            report(Diagnostic("damaged-bundle", path, manifest.message, "git asr sync --full"))
        elif manifest.forgotten is None:
            yield from ((path, session) for session in manifest.sessions)
