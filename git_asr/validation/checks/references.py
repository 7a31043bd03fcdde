"""References to records, and revisions (profile sections 3 and 4; conformance, readers: references)."""

from __future__ import annotations

from collections.abc import Iterable

from git_asr.asr import ids
from git_asr.asr.draft import Record
from git_asr.validation.base import Check, quoted, record_check
from git_asr.validation.course import SUPERSEDED, Course, Types


@record_check(
    "predecessors-earlier",
    "semantics",
    "A predecessor stands before the record, or is a native ID that the stream does not hold (a gap).",
    "profile 3, predecessors",
    field="predecessors",
)
def predecessors_earlier(record: Record, course: Course) -> str | None:
    """Never itself; a derived ID that does not stand before is no native one."""
    for one in record["predecessors"]:
        if one == record["id"]:
            return "names itself as its predecessor"
        if one not in course.ids and not ids.usable(one):
            return f"the predecessor {quoted(one)} does not stand before it"
    return None


@record_check(
    "supersedes-earlier",
    "semantics",
    "supersedes names a record that stands before, so chains have no cycles.",
    "profile 3, supersedes",
    field="supersedes",
)
def supersedes_earlier(record: Record, course: Course) -> str | None:
    """The latest revision is the one that nothing supersedes."""
    return _earlier(course, "supersedes", (record["supersedes"],))


@record_check(
    "supersedes-once",
    "semantics",
    "No two records supersede the same one: an entity has one latest revision.",
    "profile 3, id and supersedes",
    field="supersedes",
)
def supersedes_once(record: Record, course: Course) -> str | None:
    """A chain, not a tree."""
    before = course.ids.mark(record["supersedes"], SUPERSEDED)
    if before is None or not before & SUPERSEDED:
        return None
    return f"{quoted(record['supersedes'])} is superseded already"


@record_check(
    "supersedes-whole",
    "semantics",
    "A record that supersedes another has its type: it replaces it in full. A message may become something else.",
    "profile 3, supersedes; conformance, readers: a full replacement",
    field="supersedes",
)
def supersedes_whole(record: Record, course: Course) -> str | None:
    """What stands where the first revision stood is of its kind; a queued text may turn out to be a command."""
    number = course.ids.get(record["supersedes"])
    earlier = None if number is None else number & ~SUPERSEDED
    alike = {course.types.number(one) for one in (record["type"], "message")}
    if earlier is None or earlier == Types.OTHER or earlier in alike:
        return None
    return f"supersedes {quoted(record['supersedes'])}, which is of another type"


@record_check(
    "tombstone-target",
    "semantics",
    "A tombstone names a record that stands before.",
    "profile 4, tombstone",
    types=["tombstone"],
)
def tombstone_target(record: Record, course: Course) -> str | None:
    """What is withdrawn was there."""
    return _earlier(course, "target", (record["target"],))


@record_check(
    "compaction-records",
    "semantics",
    "The records that a compaction names stand before it: its summary, the last one replaced, those excepted.",
    "profile 4, compaction",
    types=["compaction"],
)
def compaction_records(record: Record, course: Course) -> str | None:
    """Only what was in the context can be replaced or kept."""
    replaces = record.get("replaces", {})
    named = [record.get("summary"), replaces.get("through"), *replaces.get("except", ())]
    return _earlier(course, "compaction", (one for one in named if one is not None))


@record_check(
    "rewind-target",
    "semantics",
    "A rewind goes to a record that stands before, or to null.",
    "profile 4, rewind",
    types=["rewind"],
)
def rewind_target(record: Record, course: Course) -> str | None:
    """One cannot go back to what is yet to come."""
    return None if record["to"] is None else _earlier(course, "to", (record["to"],))


def _earlier(course: Course, what: str, named: Iterable[str]) -> str | None:
    for one in named:
        if one not in course.ids:
            return f"{what} names {quoted(one)}, which does not stand before it"
    return None


CHECKS: tuple[Check, ...] = (
    *(predecessors_earlier, supersedes_earlier, supersedes_once, supersedes_whole),
    *(tombstone_target, compaction_records, rewind_target),
)
