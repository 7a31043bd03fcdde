"""What is said of a commit behind lines of a file: its sessions, and the prompt behind it, by its links."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from git_asr.asr.bundle import Session
from git_asr.asr.draft import Record
from git_asr.asr.entities import Revisions
from git_asr.asr.links import checkpoint_of, standing
from git_asr.asr.reading import GetBlob, Stream, position, text
from git_asr.asr.slices import slices
from git_asr.asr.summary import PENDING, QUEUE
from git_asr.values import dataclass
from git_asr.views.session import overview

PromptFrom = Literal["slice", "before", "session"]

_PREFERRED: tuple[PromptFrom, ...] = ("slice", "before", "session")


@dataclass(frozen=True, slots=True)
class Association:
    """A session that a link ties to a commit; no proof that it wrote a line.

    ``checkpoints``: those that tie them, sorted. ``evidence``: what the links rest on, sorted. ``prompt``: the first
    one that came in with the checkpoints (``prompt_from`` is ``slice``), else the last one before (``before``), else
    what is known of the session (``session``) if its streams hold none; None where none is known.
    """

    harness: str
    session: str
    agent: str
    models: tuple[str, ...]
    checkpoints: tuple[str, ...]
    evidence: tuple[str, ...]
    prompt: str | None
    prompt_from: PromptFrom | None


def part(record: Record) -> Record | None:
    """What ``associations`` needs of a record (``reading.Part``): what people said, and what takes it back."""
    if record["type"] == "message" and record.get("author") == "human":
        return record
    if record["type"] == "tombstone" or "supersedes" in record:
        fields = ("type", "seq", "id", "supersedes", "target")
        return {field: record[field] for field in fields if field in record}
    return None


def association(
    session: Session, streams: Iterable[Stream], commit: str, blob: GetBlob
) -> Association | None:
    """How a session is tied to a commit; None where no link that stands says so."""
    checkpoints: set[str] = set()
    evidence: set[str] = set()
    found: dict[PromptFrom, str] = {}
    silent = True
    for one in streams:
        links = [link for link in standing(one.links) if link["commit"] == commit]
        named = {checkpoint_of(link) for link in links}
        if not named:
            continue
        checkpoints |= named
        evidence |= {link["evidence"] for link in links if isinstance(link.get("evidence"), str)}
        parts = [each for each in slices(one) if each.checkpoint in named]
        first = min((each.first for each in parts), default=0)
        for at, said in _prompts(one, blob):
            silent = False
            if any(each.holds(at) for each in parts):
                found.setdefault("slice", said)
            elif at < first:
                found["before"] = said
    if not checkpoints:
        return None
    view = overview(session)
    if silent and view.first_prompt:
        found["session"] = view.first_prompt
    chosen = next((one for one in _PREFERRED if one in found), None)
    return Association(
        view.harness,
        view.id,
        view.agent,
        view.models,
        tuple(sorted(checkpoints)),
        tuple(sorted(evidence)),
        None if chosen is None else found[chosen],
        chosen,
    )


def _prompts(stream: Stream, blob: GetBlob) -> Iterable[tuple[int, str]]:
    """What people said in a stream, with its position; what still waits in a queue is not said yet."""
    for first, record in Revisions(stream.records).entities():
        if record["type"] != "message" or (record.get("_meta") or {}).get(QUEUE) == PENDING:
            continue
        said = (text(one, blob) for one in record.get("content", ()))
        if (found := next((one for one in said if one and one.strip()), None)) is not None:
            yield position(first), found
