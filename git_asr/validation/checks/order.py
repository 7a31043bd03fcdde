"""Order, numbers and IDs of records (profile section 3)."""

from __future__ import annotations

from git_asr.asr import ids, links
from git_asr.asr.draft import Record
from git_asr.asr.ids import PART_SPAN
from git_asr.asr.reading import is_of_links
from git_asr.asr.times import instant
from git_asr.validation.base import Check, quoted, record_check
from git_asr.validation.course import Course

_NATIVE = ("inferenceId", "requestId", "messageId")


@record_check(
    "seq-rises", "semantics", "Every record has a greater seq than the one before.", "profile 3, seq"
)
def seq_rises(record: Record, course: Course) -> str | None:
    """Order is by seq alone."""
    return None if record["seq"] > course.last else f"seq {record['seq']} follows {course.last}"


@record_check(
    "seq-links",
    "semantics",
    "The seq of vcs and checkpoint records follows from their IDs, from 2^52 on; that of all others is less.",
    "profile 3, seq, and 6",
)
def seq_links(record: Record, course: Course) -> str | None:
    """The numbers of link records are made; those of others are positions."""
    seq = record["seq"]
    if not is_of_links(record):
        return None if seq < links.FLOOR else f"seq {seq} is one of link records"
    wanted = max(links.place(record["id"]), course.linked + 1)
    return None if seq == wanted else f"seq is {seq}, and by the ID {wanted}"


@record_check("id-unique", "semantics", "No two records of a stream have the same ID.", "profile 3, id")
def id_unique(record: Record, course: Course) -> str | None:
    """A reference to an ID means exactly one record."""
    return "an earlier record has the same ID" if record["id"] in course.ids else None


@record_check(
    "id-derived",
    "semantics",
    "A derived ID is ~<position>.<part> as seq has them, and is marked as derived; no other ID of a transcript is.",
    "profile 3, id; conformance, converters: derive deterministic IDs and mark them",
)
def id_derived(record: Record, _: Course) -> str | None:
    """IDs are from positions, and say so."""
    marked = record.get("idSource") == "derived"
    identifier = record["id"]
    if not ids.is_derived(identifier):
        return "is marked as derived, and is not of that form" if marked and not is_of_links(record) else None
    if not marked:
        return "has the form of a derived ID, and is not marked as one"
    wanted = ids.derived(*divmod(record["seq"], PART_SPAN))
    return None if identifier == wanted else f"is derived, and by its seq would be {wanted}"


@record_check(
    "id-scope",
    "semantics",
    "Only an ID that is derived is limited to one capture.",
    "profile 3, idScope; conformance, converters: mark positional IDs",
    field="idScope",
)
def id_scope(record: Record, _: Course) -> str | None:
    """A native ID holds in every capture."""
    return None if record.get("idSource") == "derived" else "idScope stands beside an ID that is not derived"


@record_check(
    "id-usable",
    "semantics",
    "No ID holds a redaction marker or a control character, or is longer than 400 characters.",
    "profile 3, id",
)
def id_usable(record: Record, _: Course) -> str | None:
    """What was destroyed or can be no ID joins nothing."""
    for field in ("id", *_NATIVE):
        found = record.get(field, "x")
        if not ids.usable(found) and not ids.is_derived(found):
            return f"{field} {quoted(found)} can be no ID"
    return None


@record_check(
    "call-usable",
    "semantics",
    "A callId is a native ID that can be used, or the derived one of the call.",
    "profile 3, id, and 4, tool_result",
    field="callId",
)
def call_usable(record: Record, course: Course) -> str | None:
    """Both ends of a call whose ID was destroyed take the derived ID of the call."""
    call = record["callId"]
    if ids.usable(call):
        return None
    if not ids.is_derived(call):
        return f"callId {quoted(call)} can be no ID"
    own = call.startswith(f"~{record['seq'] // PART_SPAN}.")
    placed = own or call in course.calls or record["type"] in ("plan", "subagent")
    return None if placed else f"callId {call} is derived from no call before"


@record_check(
    "time-exists",
    "semantics",
    "A time is one that exists, in RFC 3339.",
    "profile 3, ts",
    field="ts",
)
def time_exists(record: Record, _: Course) -> str | None:
    """The schema sees the form alone."""
    return None if instant(record["ts"]) is not None else f"ts {quoted(record['ts'])} is no time"


CHECKS: tuple[Check, ...] = (
    *(seq_rises, seq_links, id_unique, id_derived, id_scope, id_usable, call_usable, time_exists),
)
