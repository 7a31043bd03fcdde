"""What the validator finds in what a test has made."""

from __future__ import annotations

import copy
import random
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


ODD: list[Any] = [
    *(None, True, 0, -1, 1.0, 1.5, 2**60, "", "x", "~1.0", "a" * 64),
    *([], {}, [{}], {"type": "text"}),
]
"""What may stand anywhere, and nearly nowhere should."""


def change(value: Any, choose: random.Random) -> None:
    """Put something odd somewhere into a value."""
    places: list[tuple[Any, Any]] = []
    todo = [value]
    while todo:
        one = todo.pop()
        keys = list(one) if isinstance(one, dict) else list(range(len(one)))
        places += [(one, key) for key in keys]
        todo += [one[key] for key in keys if isinstance(one[key], dict | list)]
    if not places:
        return
    holder, key = choose.choice(places)
    if choose.random() < 0.2:
        del holder[key]
    else:
        holder[key] = copy.deepcopy(choose.choice(ODD))
