"""The header of a redacted twin (profile section 2, ``derivedFrom``)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from git_asr.asr.draft import Record
from git_asr.redaction.policy import Policy

ENTIRE = "io.entire/checkpoint"
_BEFORE = (
    *(
        "type",
        "formatVersion",
        "stream",
        "session",
        "startedAt",
        "endedAt",
        "contentLevel",
        "capture",
        "producer",
    ),
    "lineage",
)


def was_redacted(header: Record) -> bool:
    """Tell whether what a stream holds was redacted when it was stored.

    Not what Entire stored before version 0.3.12 or does not say how (``redaction``), and not what hooks told
    (profile section 2, ``contentLevel``).
    """
    meta = header.get("_meta")
    entire = meta.get(ENTIRE) if isinstance(meta, dict) else None
    how = entire.get("redaction", "entire") if isinstance(entire, dict) else "entire"
    return header.get("contentLevel") == "redacted" and (how == "entire" or "derivedFrom" in header)


def twin_header(
    masked: Record, header: Record, policy: Policy, sha256: str, counts: Mapping[str, int]
) -> Record:
    """The header of a twin.

    ``masked``: the header as the policy leaves it; ``sha256``: of the joined files of the stream that it is made from.

    A stream that this policy made already and in which it finds nothing stays what it is.
    """
    before = masked.get("derivedFrom")
    if not (isinstance(before, dict) and before.get("policy") == policy.record() and not counts):
        derived: dict[str, Any] = {"stream": masked.get("stream", header.get("stream")), "sha256": sha256}
        derived |= {"policy": policy.record(), "findings": dict(sorted(counts.items()))}
        if before is not None:
            derived["derivedFrom"] = before
        masked = _placed(masked, derived)
    if policy.sources == "drop":
        masked = {name: value for name, value in masked.items() if name != "nativeSources"}
    return {**masked, "contentLevel": "redacted"}


def _placed(header: Record, derived: dict[str, Any]) -> Record:
    """The header with ``derivedFrom`` where the profile has it."""
    first = {name: value for name, value in header.items() if name in _BEFORE}
    rest = {name: value for name, value in header.items() if name not in _BEFORE and name != "derivedFrom"}
    return {**first, "derivedFrom": derived, **rest}
