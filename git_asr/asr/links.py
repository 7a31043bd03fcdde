"""The links file of a stream: ``vcs`` records and one checkpoint record per checkpoint (profile section 6)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any

from git_asr.asr import codec
from git_asr.asr.draft import Record
from git_asr.values import dataclass

CHECKPOINT = "io.entire/checkpoint"
SESSION = "io.entire/session"
TASKS = "io.entire/tasks"
TRANSCRIPT = "io.entire/transcript"
ACCEPTED = "git-asr/link"
"""Key of ``_meta`` of a link that was accepted: what was known when it was."""
REPORTED = "reported"
_WITHDRAWN = "removed:"
FLOOR = 2**52
"""The least ``seq`` of a link record."""
_SOUND_ID = re.compile(r"[!-~]{1,400}")
_OID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class CommitLink:
    """A commit whose message names a checkpoint.

    ``commit``: full ID. ``committed_at``: RFC 3339 with the committer's own offset. ``place``: where the trailer
    stood in the message (``last-block``, ``column-0``, ``elsewhere``).
    """

    commit: str
    checkpoint: str
    committed_at: str
    place: str


def vcs(link: CommitLink, object_format: str, session_ids: Sequence[str]) -> Record:
    """The ``vcs`` record of a commit link, without its seq.

    ``session_ids``: the session's ID as this checkpoint stores it; several where it stores the session under more.
    """
    return {
        "type": "vcs",
        "id": f"{link.checkpoint}@{link.commit}",
        "idSource": "derived",
        "action": "commit",
        "commit": link.commit,
        "objectFormat": object_format,
        "evidence": REPORTED,
        "committedAt": link.committed_at,
        "_meta": {
            CHECKPOINT: _reference(link.checkpoint, session_ids),
            "git-asr/trailer": {"place": link.place},
        },
    }


@dataclass(frozen=True, slots=True)
class AcceptedLink:
    """A link that no trailer makes, and that a person accepted.

    ``method``: what spoke for it, a word of small letters and hyphens; it is the record's evidence and the end of its
    ID. ``via``: the commit by which it was found, where there is one.
    """

    commit: str
    checkpoint: str
    committed_at: str
    method: str
    via: str | None = None


def accepted(link: AcceptedLink, object_format: str, taken: Container[str] = ()) -> Record:
    """The ``vcs`` record of an accepted link, as no session has it yet (``for_session``).

    ``taken``: IDs that cannot be used again, since records say that they were taken back.
    """
    identifier = _first_free(f"{link.checkpoint}@{link.commit}#{link.method}", taken)
    return {
        "type": "vcs",
        "id": identifier,
        "idSource": "derived",
        "action": "commit",
        "commit": link.commit,
        "objectFormat": object_format,
        "evidence": link.method,
        "committedAt": link.committed_at,
        "_meta": {CHECKPOINT: {"id": link.checkpoint}, ACCEPTED: {"via": link.via} if link.via else {}},
    }


def _first_free(identifier: str, taken: Container[str]) -> str:
    found, number = identifier, 1
    while found in taken:
        number += 1
        found = f"{identifier}.{number}"
    return found


def withdrawal(record: Record) -> Record:
    """The record that takes an accepted link back wherever both are."""
    kept = ("type", "id", "idSource", "action", "commit", "objectFormat", "evidence", "_meta")
    taken_back = {"id": _withdrawal_id(record["id"]), "action": "unlink", "evidence": "hand"}
    return {field: taken_back.get(field, record[field]) for field in kept if field in record}


def _withdrawal_id(identifier: str) -> str:
    return identifier.replace("#", f"#{_WITHDRAWN}", 1)


def is_decision(record: Record) -> bool:
    """Whether a person made this link record: an accepted link, or one that takes such a link back."""
    return record["type"] == "vcs" and "#" in record["id"]


def checkpoint_of(record: Record) -> str:
    """The checkpoint that a link record is about."""
    return str(record["id"]).partition("@")[0]


def for_session(decision: Record, session_ids: Sequence[str]) -> Record:
    """A decision as it stands among the links of a session; ``session_ids`` as in ``vcs``, none for no session."""
    found = decision.get("_meta")
    meta = found if isinstance(found, dict) else {}
    entire = _reference(checkpoint_of(decision), session_ids)
    own = {name: value for name, value in decision.items() if name not in ("seq", "_meta", "_metaBlob")}
    return {**own, "_meta": {**meta, CHECKPOINT: entire}}


def session_ids(records: Iterable[Record], checkpoint: str) -> list[str]:
    """The session's ID as a checkpoint stores it, by the ``vcs`` records that name both."""
    found: dict[str, None] = {}
    for record in records:
        meta = record.get("_meta")
        entire = meta.get(CHECKPOINT) if isinstance(meta, dict) else None
        stored = entire.get("session_id") if isinstance(entire, dict) else None
        if checkpoint_of(record) == checkpoint:
            found |= {
                one: None
                for one in (stored if isinstance(stored, list) else [stored])
                if isinstance(one, str)
            }
    return list(found)


def _reference(identifier: str, session_ids: Sequence[str]) -> dict[str, Any]:
    """How a link names the checkpoint, and the session as that one stores it."""
    entire: dict[str, Any] = {"id": identifier}
    if session_ids:
        entire["session_id"] = session_ids[0] if len(session_ids) == 1 else list(session_ids)
    return entire


def checkpoint(
    identifier: str,
    *,
    session_ids: Sequence[str],
    root: Mapping[str, Any],
    sessions: Sequence[Mapping[str, Any]],
    ts: str | None = None,
    omitted: str | None = None,
    start: int | None = None,
    through: int | None = None,
    agent: str | None = None,
    model: str | None = None,
    content: Sequence[Mapping[str, Any]] = (),
    tasks: Mapping[str, Any] | None = None,
    compact: Mapping[str, str] | None = None,
) -> Record:
    """The record of one checkpoint of a session, without its seq.

    ``session_ids``: as in ``vcs``; they stand beside the metadata, which may become a blob. ``root``: the
    checkpoint's own metadata; ``sessions``: the metadata of its folders that hold the session, newest first.
    ``start``: first position of the checkpoint's slice; ``through``: last position of its copy. ``omitted``: why the
    checkpoint has no readable copy, where it has none. ``agent``, ``model``: the labels of the newest folder.
    ``content``: the checkpoint's other files, as parts. ``tasks``: what its tasks say. ``compact``: what Entire's own
    transcript in each folder tells of, ``session`` or ``checkpoint``.
    """
    known = {
        "ts": ts,
        "capture": None if omitted is None else {"state": "omitted", "reason": omitted},
        "start": start,
        "through": through,
        "agent": agent,
        "model": model,
    }
    return {
        "type": CHECKPOINT,
        "id": identifier,
        **{name: value for name, value in known.items() if value is not None},
        "sessionIds": list(session_ids),
        **({"content": [dict(part) for part in content]} if content else {}),
        "_meta": {
            CHECKPOINT: dict(root),
            SESSION: dict(sessions[0]) if len(sessions) == 1 else [dict(session) for session in sessions],
            **({TASKS: dict(tasks)} if tasks else {}),
            **({TRANSCRIPT: dict(compact)} if compact else {}),
        },
    }


def unite(*groups: Iterable[Record]) -> list[Record]:
    """All link records of the groups, one per ID: of two with other content the greater bytes stay.

    The result is numbered anew and sorted, so the order of the groups does not matter (profile section 8).
    """
    best: dict[str, tuple[bytes, Record]] = {}
    for group in groups:
        for record in group:
            bare = {field: value for field, value in record.items() if field != "seq"}
            data = codec.encode(bare)
            known = best.get(record["id"])
            if known is None or data > known[0]:
                best[record["id"]] = (data, bare)
    return _numbered([record for _, record in best.values()])


def is_link(record: Record) -> bool:
    """Tell whether a record read from a links file is of use: what this module reads of it has its type."""
    identifier, commit = record.get("id"), record.get("commit")
    if not isinstance(identifier, str) or not _SOUND_ID.fullmatch(identifier):
        return False
    if record.get("type") == "vcs":
        sound = isinstance(commit, str) and _OID.fullmatch(commit)
        return bool(sound) and isinstance(record.get("committedAt", ""), str)
    if record.get("type") != CHECKPOINT:
        return True
    stored, capture = record.get("sessionIds"), record.get("capture", {"reason": ""})
    return (
        isinstance(stored, list)
        and all(isinstance(one, str) and one.isprintable() for one in stored)
        and isinstance(capture, dict)
        and isinstance(capture.get("reason"), str)
        and all(isinstance(record.get(name, ""), str) for name in ("ts", "agent", "model"))
    )


def standing(records: Iterable[Record]) -> list[Record]:
    """The ``vcs`` records that link: all but those that were taken back and those that take back."""
    found = [record for record in records if record.get("type") == "vcs"]
    withdrawn = {record["id"] for record in found if f"#{_WITHDRAWN}" in record["id"]}
    if not withdrawn:
        return found
    return [one for one in found if not {one["id"], _withdrawal_id(one["id"])} & withdrawn]


def pairs(records: Iterable[Record]) -> set[tuple[str, str]]:
    """The checkpoint and the commit of every link that stands; a trailer and an accepted link may say the same."""
    return {(checkpoint_of(record), record["commit"]) for record in standing(records)}


def commits(records: Iterable[Record]) -> list[str]:
    """The commits that link records name, sorted, each once."""
    return sorted({record["commit"] for record in standing(records)})


def place(identifier: str) -> int:
    """The ``seq`` of a link record by its ID, unless another one has taken it."""
    digest = hashlib.sha256(identifier.encode("utf-8", "surrogatepass")).digest()
    return FLOOR + (int.from_bytes(digest[:7], "big") >> 4)


def _numbered(records: list[Record]) -> list[Record]:
    """Place each record at 2^52 + the first 52 bits of its ID's SHA-256; of equal ones the greater ID goes on."""
    placed: list[tuple[int, Record]] = []
    last = FLOOR - 1
    for seq, identifier, record in sorted((place(r["id"]), r["id"], r) for r in records):
        last = max(seq, last + 1)
        placed.append((last, {"type": record["type"], "seq": last, "id": identifier, **record}))
    return [{**record, "seq": seq} for seq, record in placed]
