"""Streams of short records, for what reads them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from git_asr.asr.reading import Stream
from git_asr.asr.stream import Gap


def stream(
    *records: dict[str, Any],
    identifier: str = "s",
    links: Sequence[dict[str, Any]] = (),
    calls: Sequence[str] = (),
    through: int = 0,
    gaps: Sequence[tuple[int, Gap]] = (),
    session: str = "s",
) -> Stream:
    """A stream; records without a ``seq`` stand on lines of their own. ``calls``: those that started it."""
    header: dict[str, Any] = {
        "type": "header",
        "formatVersion": "0.1",
        "stream": identifier,
        "session": {"harness": "h", "id": session},
        "capture": {"state": "partial", "through": through},
    }
    if calls:
        header["lineage"] = {"spawnedBy": [{"session": header["session"], "callId": call} for call in calls]}
    placed = [{"seq": number * 1_000_000, **one} for number, one in enumerate(records, start=1)]
    return Stream(identifier, header, tuple(placed), tuple(links), tuple(gaps), ())


def checkpoint(identifier: str, start: int | None = None, ts: str | None = None) -> dict[str, Any]:
    known = {"start": start, "ts": ts}
    return {
        "type": "io.entire/checkpoint",
        "id": identifier,
        "sessionIds": [],
        **{name: value for name, value in known.items() if value is not None},
    }


def vcs(identifier: str, commit: str) -> dict[str, Any]:
    return {"type": "vcs", "id": f"{identifier}@{commit}", "commit": commit}
