"""Gathers what stands behind the lines of a file: commits, and the sessions that links tie to them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from git_asr.asr.header import SessionKey
from git_asr.companion.listing import sessions
from git_asr.companion.opening import open_bundle
from git_asr.companion.tree import read_tip
from git_asr.errors import AsrError, Diagnostic, Report
from git_asr.git.backend import open_objects
from git_asr.git.base import Repository
from git_asr.git.blame import Line
from git_asr.sync.survey import survey_of
from git_asr.sync.usage import Bring
from git_asr.values import dataclass
from git_asr.views.blame import Association, association, part
from git_asr.views.coverage import Row


@dataclass(frozen=True, slots=True)
class Blamed:
    """The lines; the sessions behind each of their commits, and what is known of the commit, by its ID."""

    lines: tuple[Line, ...]
    sessions: Mapping[str, tuple[Association, ...]]
    rows: Mapping[str, Row]


def blamed(repo: Repository, lines: Iterable[Line], report: Report, bring: Bring) -> Blamed:
    """Find what stands behind lines; each session is opened once, after ``bring`` brought its files.

    Raises:
        AsrError: nothing was synced yet, or the companion ref is damaged.
    """
    listed = tuple(lines)
    commits = {one.origin.oid: None for one in listed if one.origin.oid != repo.zero}
    found: dict[str, list[Association]] = {}
    with open_objects(repo, "git") as objects:
        tree = read_tip(repo, objects).tree
        linked: dict[SessionKey, list[str]] = {}
        for _, session in sessions(objects, tree, report):
            named = {one for each in session.streams for one in each.summary.get("commits") or ()}
            if own := [one for one in commits if one in named]:
                linked[session.key] = own
        bring(repo, objects, tree, linked)
        for key, own in sorted(linked.items()):
            assert tree is not None  # noqa: S101  (else there is no session)
            try:
                bundle = open_bundle(objects, tree, key, report, part)
            except AsrError as error:
                report(Diagnostic("unreadable-session", f"session {key.id}", error.message, error.hint))
                continue
            for oid in own:
                tie = association(bundle.session, bundle.streams, oid, bundle.blob)
                if tie is not None:
                    found.setdefault(oid, []).append(tie)
    rows = {one.commit.oid: one for one in survey_of(repo, commits, report).rows}
    return Blamed(listed, {oid: tuple(ties) for oid, ties in found.items()}, rows)
