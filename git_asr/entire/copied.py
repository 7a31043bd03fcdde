"""Marks what an earlier line of a session has too (profile section 5)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from git_asr.asr.draft import Draft, Record
from git_asr.asr.header import SessionKey
from git_asr.asr.ids import SECOND_VALUE
from git_asr.entire.copies import Line


class Origins:
    """The records of the streams of one session, by their IDs: a copy names the one that it is a copy of.

    ``forks``: whether there is more than one line; else nothing is remembered.
    """

    def __init__(self, key: SessionKey, *, forks: bool) -> None:
        self._key = key
        self._forks = forks
        self._ids: dict[str, set[str]] = {}

    def watch(self, records: Iterable[Record], stream: str) -> Iterator[Record]:
        """Pass the records of a stream on, and remember their IDs."""
        return (
            self._remembered(records, self._ids.setdefault(stream, set())) if self._forks else iter(records)
        )

    def _remembered(self, records: Iterable[Record], ids: set[str]) -> Iterator[Record]:
        for record in records:
            ids.add(record["id"])
            yield record

    def marked(self, drafts: Iterator[Draft], line: Line, suffix: str) -> Iterator[Draft]:
        """Mark the drafts of units that an earlier line of the session has too."""
        return (self._marked(draft, line, suffix) for draft in drafts) if line.copied else drafts

    def _marked(self, draft: Draft, line: Line, suffix: str) -> Draft:
        found = (line.copied or {}).get((draft.position, int(draft.part >= SECOND_VALUE)))
        if found is None or draft.copied_from is not None:
            return draft
        stream, identifier = found
        origin: dict[str, Any] = {"session": self._key.reference(), "stream": stream + suffix}
        if not suffix and identifier in self._ids.get(stream, ()):  # a piece of a message has no record there
            origin["id"] = identifier
        return replace(draft, copied_from={**origin, "evidence": "native_structure"})
