"""What the tests of all converters ask of records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson

from git_asr.asr.draft import Record
from git_asr.asr.summary import Summary


def lines(*values: Any) -> bytes:
    """JSON Lines."""
    return b"".join(orjson.dumps(value) + b"\n" for value in values)


def kinds(records: Sequence[Record], kind: str) -> list[Record]:
    """The records of a type."""
    return [one for one in records if one["type"] == kind]


def figures(records: Sequence[Record]) -> dict[str, Any]:
    """Counts and usage as the manifest's summary has them."""
    summary = Summary()
    for _ in summary.watch(records):
        pass
    return summary.record(agent="agent", models=[], first_prompt=lambda: None, commits=[])
