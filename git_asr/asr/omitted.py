"""Streams without a transcript: all that they say follows from their link records.

So whoever has the same records has the same stream, and uniting records is all there is to merging such streams.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from git_asr.asr import links
from git_asr.asr.draft import Record
from git_asr.asr.header import UNKNOWN, Header, Producer, SessionKey
from git_asr.asr.times import instant

PRODUCER_VERSION = "none/1"
"""``producer.version`` of a header that follows from the links by the rules below."""


def header(key: SessionKey, records: Sequence[Record]) -> Record:
    """The header of such a stream."""
    newest = _newest_first(records)[:1]
    entire: dict[str, Any] = {}
    for record in newest:
        entire = {"id": record["id"]}
        stored = [one for one in record["sessionIds"] if one != key.id][:1]
        for name, value in (("createdAt", record.get("ts")), ("agent", record.get("agent"))):
            if value is not None:
                entire[name] = value
        if stored:
            entire["session_id"] = stored[0]
    reason = next(
        (record["capture"]["reason"] for record in newest if "capture" in record), "no transcript is stored"
    )
    return Header(
        stream=key.id,
        session=key,
        capture={"state": "omitted", "reason": reason},
        producer=Producer("none", 1, "import"),
        meta={links.CHECKPOINT: entire} if entire else None,
    ).record()


def summary(records: Sequence[Record]) -> dict[str, Any]:
    """The manifest's summary of such a stream."""
    ordered = _newest_first(records)
    return {
        "agent": next((record["agent"] for record in ordered if "agent" in record), UNKNOWN),
        "models": list(dict.fromkeys(record["model"] for record in reversed(ordered) if "model" in record)),
        "commits": links.commits(records),
    }


def _newest_first(records: Sequence[Record]) -> list[Record]:
    checkpoints = [record for record in records if record["type"] == links.CHECKPOINT]
    return sorted(
        checkpoints, key=lambda record: (instant(record.get("ts")) or 0, record["id"]), reverse=True
    )
