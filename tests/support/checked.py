"""What the validator finds in what a test has made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from git_asr.asr import codec
from git_asr.asr.draft import Record
from git_asr.validation.base import Finding
from git_asr.validation.bundle import check_bundle, check_stream
from git_asr.validation.registry import CHECKS

HEADER: Record = {
    "type": "header",
    "formatVersion": "0.1",
    "stream": "stream",
    "session": {"harness": "agent", "id": "session", "idSource": "native"},
    "contentLevel": "redacted",
    "capture": {"state": "complete"},
    "producer": {"name": "git-asr", "version": "agent/1", "method": "converter", "lossy": []},
}
"""A header for records that have none yet."""


@dataclass(frozen=True, slots=True)
class Held:
    """The files of a bundle in memory."""

    files: Mapping[str, bytes]

    def paths(self) -> Iterable[str]:
        return self.files.keys()

    def chunks(self, path: str) -> Iterator[bytes]:
        return iter([self.files[path]])


def findings(records: Iterable[Mapping[str, Any]]) -> list[Finding]:
    """What is wrong with a stream, whose header comes first."""
    found: list[Finding] = []
    check_stream("stream", (codec.encode(dict(one)) + b"\n" for one in records), CHECKS, found.append)
    return found


def bundle_findings(files: Mapping[str, bytes], place: str | None = None) -> list[Finding]:
    """What is wrong with a bundle; ``place``: where the companion ref holds it."""
    found: list[Finding] = []
    check_bundle(Held(files), CHECKS, found.append, place)
    return found
