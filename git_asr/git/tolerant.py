"""Reads objects that somebody else answers for: one that is damaged is reported once and counts as absent."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import Self

from git_asr.errors import AsrError, Diagnostic, Report
from git_asr.git.base import Objects, TreeEntry


class TolerantObjects:
    """Implements ``Objects`` on top of another. Trees and commits stay strict: their readers say what is lost."""

    def __init__(self, objects: Objects, report: Report) -> None:
        self._objects = objects
        self._report = report

    def entries(self, tree: str) -> tuple[TreeEntry, ...]:
        """See ``Objects.entries``."""
        return self._objects.entries(tree)

    def lookup(self, tree: str, path: str) -> TreeEntry | None:
        """See ``Objects.lookup``."""
        return self._objects.lookup(tree, path)

    def blob(self, oid: str) -> bytes | None:
        """See ``Objects.blob``; None for damage too."""
        try:
            return self._objects.blob(oid)
        except AsrError as error:
            self._damaged(oid, error)
            return None

    def blobs(self, oids: Iterable[str]) -> Generator[bytes | None, None, None]:
        """See ``Objects.blobs``; None for damage too."""
        wanted = list(oids)
        done = 0
        while done < len(wanted):
            try:
                for data in self._objects.blobs(wanted[done:]):
                    done += 1
                    yield data
            except AsrError as error:
                self._damaged(wanted[done], error)
                done += 1
                yield None

    def sizes(self, oids: Iterable[str]) -> dict[str, int | None]:
        """See ``Objects.sizes``; None for damage too."""
        wanted = list(dict.fromkeys(oids))
        try:
            return self._objects.sizes(wanted)
        except AsrError:
            return {oid: self._size(oid) for oid in wanted}

    def _size(self, oid: str) -> int | None:
        try:
            return self._objects.sizes([oid])[oid]
        except AsrError as error:
            self._damaged(oid, error)
            return None

    def commit_tree(self, commit: str) -> str:
        """See ``Objects.commit_tree``."""
        return self._objects.commit_tree(commit)

    def commit(self, commit: str) -> tuple[str, tuple[str, ...], int]:
        """See ``Objects.commit``."""
        return self._objects.commit(commit)

    def titled(self, commit: str) -> tuple[str, tuple[str, ...], str]:
        """See ``Objects.titled``."""
        return self._objects.titled(commit)

    def rest(self) -> None:
        """See ``Objects.rest``."""
        self._objects.rest()

    def close(self) -> None:
        """Leave that to whoever opened the other."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _damaged(self, oid: str, error: AsrError) -> None:
        self._report(Diagnostic("damaged-object", f"object {oid}", error.message, error.hint))
