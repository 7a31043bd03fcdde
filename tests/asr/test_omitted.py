from __future__ import annotations

from typing import Any

from git_asr.asr import links, omitted
from git_asr.asr.header import SessionKey

KEY = SessionKey("unknown", "ses-1", "metadata")


def checkpoint(identifier: str, **other: Any) -> dict[str, Any]:
    return links.checkpoint(identifier, root={}, sessions=[{}], **{"session_ids": ["ses-1"], **other})


OLD = checkpoint("b", ts="2026-01-01T10:00:00+02:00", omitted="it was early", agent="Codex", model="m1")
NEW = checkpoint(
    "a", ts="2026-01-01T09:00:00Z", omitted="no reason", session_ids=["2026-01-01-ses-1"], model="m2"
)


def test_the_newest_checkpoint_speaks_for_the_stream() -> None:
    head = omitted.header(KEY, [OLD, NEW])
    assert head["capture"] == {"state": "omitted", "reason": "no reason"}
    assert head["_meta"] == {
        "io.entire/checkpoint": {
            "id": "a",
            "createdAt": "2026-01-01T09:00:00Z",
            "session_id": "2026-01-01-ses-1",
        }
    }
    assert head["producer"] == {"name": "git-asr", "version": "none/1", "method": "import", "lossy": []}
    assert head == omitted.header(KEY, [NEW, OLD])


def test_the_summary_gathers_what_the_records_say() -> None:
    vcs = {"type": "vcs", "id": "x", "commit": "c1"}
    assert omitted.summary([OLD, vcs, NEW]) == {"agent": "Codex", "models": ["m1", "m2"], "commits": ["c1"]}
    assert omitted.summary([]) == {"agent": "unknown", "models": [], "commits": []}


def test_without_records_there_is_still_a_header() -> None:
    head = omitted.header(KEY, [])
    assert head["capture"]["reason"] == "no transcript is stored"
    assert "_meta" not in head


def test_what_is_not_known_is_left_out() -> None:
    head = omitted.header(KEY, [checkpoint("c")])
    assert head["_meta"] == {"io.entire/checkpoint": {"id": "c"}}
