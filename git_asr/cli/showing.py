"""In which form ``git asr show`` shows what it found: the timeline or the context view, as lines, JSON or records."""

from __future__ import annotations

from collections.abc import Iterator

from git_asr.cli import render
from git_asr.cli.folding import Folding
from git_asr.cli.looks import Sheet
from git_asr.cli.shown import Shown, as_json, find, print_json, print_records
from git_asr.errors import UsageError
from git_asr.git.base import Objects, Repository
from git_asr.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """The form that the options of the command line ask for, under their names."""

    full: bool
    context: bool
    at: str | None
    records: bool
    record: str | None
    as_json: bool

    def given(self) -> dict[str, bool]:
        """Each option, and whether it is given."""
        return {
            "--json": self.as_json,
            "--records": self.records,
            "--record": self.record is not None,
            "--full": self.full,
            "--context": self.context,
            "--at": self.at is not None,
        }

    def check(self) -> None:
        """See whether the options fit together.

        Raises:
            UsageError: they contradict one another.
        """
        if self.as_json and (self.records or self.record is not None):
            raise UsageError("--json excludes --records and --record")
        if self.context and self.record is not None:
            raise UsageError(
                "--context excludes --record", hint="--at RECORD   shows the context at a record"
            )
        if self.at is not None and not self.context:
            raise UsageError("--at is for --context")

    def show(
        self, repo: Repository, objects: Objects, what: str, sheet: Sheet, *, whole: bool, pager: bool
    ) -> None:
        """Find what a text means, and print it.

        Raises:
            AsrError: nothing is meant, or several things are, or there is no session, or no such record.
        """
        shown = find(repo, objects, what, whole=whole)
        if self.context:
            self._show_context(shown, sheet, pager=pager)
        elif self.records or self.record is not None:
            print_records(shown.records(self.record))
        elif self.as_json:
            print_json(as_json(shown))
        else:
            from git_asr.cli.timeline import lines

            _print(lines(shown, Folding(full=self.full), sheet), pager=pager)

    def _show_context(self, shown: Shown, sheet: Sheet, *, pager: bool) -> None:
        from git_asr.cli import projected

        found = projected.projections(shown, self.at)
        if self.records:
            print_records(record for one in found if one.context for record in one.context.records)
        elif self.as_json:
            print_json(projected.as_json(shown, found))
        else:
            folding = Folding(full=self.full, projection=True)
            _print(projected.lines(shown, found, folding, sheet), pager=pager)


def _print(lines: Iterator[str], *, pager: bool) -> None:
    with render.paged(wanted=pager):
        for line in lines:
            print(line)
