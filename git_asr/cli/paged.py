"""``git asr show --html``: what a commit, a checkpoint or a session is, as one page."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import click

from git_asr.asr.bundle import Bundle
from git_asr.asr.read import Problem
from git_asr.bundles.single import SingleFile, SingleStream
from git_asr.bundles.spool import Spool
from git_asr.cli import redacting, render
from git_asr.cli.exported import ended_by_signals
from git_asr.cli.meaning import meant
from git_asr.cli.progress import progress
from git_asr.cli.redacting import Redaction
from git_asr.cli.shown import commit_line
from git_asr.companion.exporting import bundle_of
from git_asr.companion.lookup import Candidate
from git_asr.companion.opening import open_bundle
from git_asr.companion.tree import read_tip
from git_asr.errors import AsrError, Diagnostic, Report, UsageError
from git_asr.exporters.base import exported
from git_asr.exporters.html import HTML
from git_asr.exporters.pages.page import Page, Told
from git_asr.git.base import Objects, Repository
from git_asr.sync.native import without_native
from git_asr.values import dataclass
from git_asr.views.excerpt import excerpts
from git_asr.views.text import neutral


@dataclass(frozen=True, slots=True)
class PagePlace:
    """Where a page goes, and what becomes of the sessions before. ``path``: None for stdout."""

    path: Path | None
    redaction: Redaction
    force: bool = False

    def write(self, repo: Repository, objects: Objects, what: str, *, whole: bool) -> None:
        """Write the page, and say where.

        Raises:
            AsrError: nothing is meant, or several things are, or there is no session, or it cannot be written.
        """
        warnings = render.Warnings()
        tree = read_tip(repo, objects).tree
        found = meant(repo, objects, tree, what, warnings)
        if tree is None:
            raise AsrError("no session is here", hint="git asr sync")
        place = (
            SingleStream(sys.stdout.buffer) if self.path is None else SingleFile(self.path, force=self.force)
        )
        with ended_by_signals(), closing(Spool(())) as spool, place as target:
            bundle = self._bundle(objects, tree, found, spool, warnings)
            target.put_pieces("page.html", self._page(repo, bundle, found, warnings, whole=whole).pieces())
            target.close()
        if self.path is not None:
            click.echo(f"written to {neutral(str(self.path))}")
            for line in self.redaction.lines():
                click.echo(line)

    def _bundle(self, objects: Objects, tree: str, found: Candidate, spool: Spool, report: Report) -> Bundle:
        bundle = without_native(bundle_of(objects, tree, found.sessions))
        if not any(one.streams for one in bundle.manifest.sessions):
            open_bundle(objects, tree, found.sessions[0], report)  # raises: it says why
        with progress() as tick:
            return self.redaction.apply(bundle, spool, report, lambda done, of: tick("streams", done, of))

    def _page(
        self, repo: Repository, bundle: Bundle, found: Candidate, report: Report, *, whole: bool
    ) -> Page:
        def tell(problem: Problem) -> None:
            where = problem.stream if problem.line is None else f"{problem.stream}, line {problem.line}"
            report(Diagnostic(problem.kind, where, problem.message))

        commit = found.id if found.kind == "commit" else None
        checkpoint = found.id if found.kind == "checkpoint" else None
        told = [
            Told(one, excerpts(one.streams, commit=commit, checkpoint=checkpoint, whole=whole))
            for one in exported(bundle, self.redaction.marking, tell)
        ]
        told.sort(key=lambda one: all(each.is_empty for each in one.excerpts))
        return Page(f"{found.kind.capitalize()} {found.id}", self._subtitle(repo, commit), told)

    def _subtitle(self, repo: Repository, commit: str | None) -> str:
        """Date and subject of a commit; the author too where nothing is redacted."""
        if commit is None:
            return ""
        line = commit_line(repo, commit)
        if self.redaction.policy is None:
            return f"{line.date}  {line.author}  {line.subject}"
        from git_asr.redaction.redactor import Redactor

        return f"{line.date}  {Redactor(self.redaction.policy).text(line.subject)}"


def page_place(
    html: str | None, policy: str | None, others: Mapping[str, bool], *, private: bool, force: bool
) -> PagePlace:
    """Where a page is to go. ``others``: options that it excludes, and which are given.

    Raises:
        UsageError: none is wanted, options contradict one another, or it is not said whether it is to be redacted.
    """
    if html is None:
        given = {"--policy": policy is not None, "--private": private, "--force": force}
        raise UsageError(f"{next(name for name, is_given in given.items() if is_given)} is for --html")
    if against := [name for name, is_given in others.items() if is_given]:
        raise UsageError(f"--html excludes {against[0]}")
    if html == "-" and sys.stdout is None:
        raise UsageError("stdout is closed")
    redaction = redacting.for_files(HTML.name, policy, shareable=False, private=private)
    return PagePlace(None if html == "-" else Path(html), redaction, force)
