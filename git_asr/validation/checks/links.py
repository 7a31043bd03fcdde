"""Commits and checkpoints: link records (profile section 6)."""

from __future__ import annotations

from collections.abc import Iterator

from git_asr.asr.draft import Record
from git_asr.asr.links import CHECKPOINT, REPORTED, checkpoint_of
from git_asr.validation.base import Check, bundle_check, quoted, record_check
from git_asr.validation.course import Course, Holding

_DIGITS = {"sha1": 40, "sha256": 64}
_TAKEN_BACK = "#removed:"


@record_check(
    "vcs-commit",
    "semantics",
    "A commit has its full ID, as many digits as its object format has.",
    "profile 6",
    types=["vcs"],
)
def vcs_commit(record: Record, _: Course) -> str | None:
    """40 digits for sha1, 64 for sha256."""
    digits = _DIGITS.get(record["objectFormat"])
    if digits is not None and len(record["commit"]) != digits:
        return f"a commit of {record['objectFormat']} has {digits} digits, this one {len(record['commit'])}"
    return None


@record_check(
    "vcs-id",
    "semantics",
    "The ID of a vcs record is <checkpoint>@<commit>, with #<method> for an accepted link.",
    "profile 6",
    types=["vcs"],
)
def vcs_id(record: Record, _: Course) -> str | None:
    """The same link has the same ID in every clone."""
    checkpoint = checkpoint_of(record)
    if not checkpoint or record["id"].removeprefix(f"{checkpoint}@").partition("#")[0] != record["commit"]:
        return f"is not <checkpoint>@{record['commit']}"
    named = record.get("_meta", {}).get(CHECKPOINT, {})
    stored = named.get("id", checkpoint) if isinstance(named, dict) else checkpoint
    return None if stored == checkpoint else f"names the checkpoint {checkpoint}, and _meta {quoted(stored)}"


@record_check(
    "vcs-evidence",
    "semantics",
    "What a trailer reports is reported, and what a person accepted has evidence of its own.",
    "profile 6",
    types=["vcs"],
)
def vcs_evidence(record: Record, _: Course) -> str | None:
    """An association, not an observed action."""
    accepted = "#" in record["id"]
    reported = record["evidence"] == REPORTED
    if accepted and reported:
        return "is an accepted link, and its evidence says that a trailer reported it"
    if not accepted and not reported and record["action"] == "commit":
        return f"evidence is {quoted(record['evidence'])}, and its ID has no method"
    return None


@record_check(
    "vcs-unlink",
    "semantics",
    "Only an accepted link is taken back, and its ID says so.",
    "profile 6; format, links",
    types=["vcs"],
)
def vcs_unlink(record: Record, _: Course) -> str | None:
    """``unlink`` and ``#removed:`` go together."""
    if (record["action"] == "unlink") == (_TAKEN_BACK in record["id"]):
        return None
    return f"action is {quoted(record['action'])}, and the ID says otherwise"


@record_check(
    "vcs-stream",
    "semantics",
    "vcs and checkpoint records stand in streams of sessions, not in those of subagents.",
    "profile 6",
    types=["vcs", CHECKPOINT],
)
def vcs_stream(record: Record, course: Course) -> str | None:
    """A commit is the session's."""
    return f"a {record['type']} record stands in the stream of a subagent" if course.subagent else None


@record_check(
    "vcs-checkpoint",
    "semantics",
    "A vcs record names in _meta the checkpoint that ties the commit to the session.",
    "profile 6; Entire companion: the checkpoint ID in _meta",
    types=["vcs"],
)
def vcs_checkpoint(record: Record, _: Course) -> str | None:
    """The checkpoint's ID goes there."""
    if "_metaBlob" in record:
        return None
    named = record.get("_meta", {}).get(CHECKPOINT)
    return (
        None
        if isinstance(named, dict) and "id" in named
        else f"_meta does not name the checkpoint ({CHECKPOINT})"
    )


@bundle_check(
    "vcs-once",
    "semantics",
    "A vcs or checkpoint record stands in one stream of its session.",
    "profile 6",
)
def vcs_once(holding: Holding) -> Iterator[tuple[str, str]]:
    """In the one made from the checkpoint's copy."""
    for file, identifier in holding.repeated_links:
        yield file, f"{quoted(identifier)} stands in another stream of the session too"


CHECKS: tuple[Check, ...] = (
    *(vcs_commit, vcs_id, vcs_evidence, vcs_unlink, vcs_stream, vcs_checkpoint, vcs_once),
)
