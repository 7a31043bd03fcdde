"""The converter that knows no format: every unit becomes one record that holds its value (profile section 3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from git_asr.asr import codec
from git_asr.asr.codec import NON_FINITE
from git_asr.asr.draft import Draft
from git_asr.asr.ids import PART_SPAN, SECOND_VALUE, usable
from git_asr.asr.summary import MALFORMED
from git_asr.converters.base import Embedded, Facts, NativeFormat, Unit
from git_asr.converters.secret_answers import SECRET_ANSWERS
from git_asr.converters.versions import VERSIONS

_LAST_PART = PART_SPAN - 1
_MASKED = "masked"

Losses = tuple[dict[str, str], ...]

LINE_LOSSES: Losses = (
    {
        "feature": "whitespace",
        "reason": "blank lines, line ends and what is blank around a value are not kept",
    },
    {"feature": "cut_last_line", "reason": "a last line that no decoder reads may still be being written"},
    {
        "feature": "duplicate_keys",
        "reason": "of equal keys in a line that is not strict JSON the last is kept",
    },
)
NUMBER_PRECISION = {
    "feature": "number_precision",
    "reason": "integers beyond 64 bits and decimals beyond doubles are rounded",
}
"""Of values that are written anew."""
CONVERTED_LINE_LOSSES: Losses = (*LINE_LOSSES, NUMBER_PRECISION)
DOCUMENT_LOSSES: Losses = (
    {"feature": "whitespace", "reason": "the document is written anew, without its layout"},
    NUMBER_PRECISION,
    {"feature": "duplicate_keys", "reason": "of equal keys in one object the last is kept"},
    {
        "feature": "slice_heads",
        "reason": "a document stored in slices keeps what the first says beside its array",
    },
)

_NOT_TOLD = {
    "agent_version": "the source does not say which version of the agent wrote it",
    "approvals": "the source does not say which calls a person allowed",
    "branch": "the source does not say which branch was checked out",
    "compactions": "the source does not say when the context was compacted",
    "compaction_usage": "the source has no model call for the summary of a compaction",
    "rewinds": "the source does not say when a conversation was taken back",
    "stop_reasons": "the source does not say why a response ended",
    "workspace": "the source does not say in which folder the agent worked",
}


def not_told(*features: str) -> Losses:
    """The losses that an agent's source does not tell of at all (reference native-transcripts, section 13.3)."""
    return tuple({"feature": one, "reason": _NOT_TOLD[one]} for one in features)


class Opaque:
    """One ``git-asr/unit`` for each unit, without looking into it; the format only tells where it stands."""

    name = "opaque"
    version = VERSIONS[name]
    format_version: str | None = None
    workspace: dict[str, Any] | None = None
    embedded: Sequence[Embedded] = ()

    def __init__(self, lossy: Losses, *, snapshot: bool) -> None:
        """``snapshot``: whether the source is rewritten as a whole, so that a position holds for one capture."""
        self.lossy = lossy
        self._snapshot = snapshot

    def convert(self, units: Iterator[Unit], native: NativeFormat | None, _: str = "") -> Iterator[Draft]:
        """Yield one draft a unit, in order.

        A malformed unit is a ``git-asr/notice`` with its text, but not if it is the last one of a source that
        grows: it may still be being written, so it is held back, and converting fewer lines gives a prefix.
        """
        watch = None if native is None else SECRET_ANSWERS.get(native.name)
        found = units if self._snapshot else settled(units)
        for unit in found if watch is None else _without_secrets(found, watch()):
            yield self.draft(unit, native)

    def draft(self, unit: Unit, native: NativeFormat | None) -> Draft:
        """The draft of one unit."""
        facts = Facts() if native is None or unit.kind != "value" else native.facts(unit.value)
        kind, fields, stored = _content(unit, facts)
        meta: dict[str, Any] = {MALFORMED: True} if unit.kind == "malformed" else {}
        if unit.flags:
            meta["git-asr/encoding"] = [flag for flag in unit.flags if flag != _MASKED]
        return Draft(
            kind,
            unit.position,
            min(unit.index * SECOND_VALUE, _LAST_PART),
            fields,
            native_id=facts.id if usable(facts.id) else None,
            ts=facts.ts,
            id_scope="capture" if self._snapshot else None,  # numbering gives it to derived IDs only
            capture={"state": "masked"} if _MASKED in unit.flags else None,
            native=stored,
            meta={name: value for name, value in meta.items() if value} or None,
        )


def _without_secrets(units: Iterator[Unit], watch: Callable[[Any], Any | None]) -> Iterator[Unit]:
    """The units, without the answers that their session calls secret."""
    for unit in units:
        masked = watch(unit.value) if unit.kind == "value" else None
        yield unit if masked is None else replace(unit, value=masked, text=None, flags=(*unit.flags, _MASKED))


def _content(unit: Unit, facts: Facts) -> tuple[str, dict[str, Any], dict[str, Any] | None]:
    """Type and fields of the record, and what ``native`` holds where the value is no JSON."""
    if unit.kind == "malformed":
        return "git-asr/notice", {"level": "warning", "text": unit.value}, None
    fields: dict[str, Any] = {} if facts.type is None else {"unitType": facts.type}
    if NON_FINITE in unit.flags:
        return "git-asr/unit", fields, {"value": codec.lenient(unit.value)}
    fields["value"] = unit.value if unit.text is None else codec.Raw(unit.text)
    return "git-asr/unit", fields, None


def settled(units: Iterator[Unit]) -> Iterator[Unit]:
    """The units of lines but for a malformed last one, which may still be being written."""
    held: Unit | None = None
    for unit in units:
        if held is not None:
            yield held
            held = None
        if unit.kind == "malformed":
            held = unit
        else:
            yield unit


def notice(unit: Unit) -> Draft:
    """The record of a malformed unit."""
    return LINES.draft(unit, None)


LINES = Opaque(LINE_LOSSES, snapshot=False)
"""For JSON Lines and text: strict values are embedded byte for byte."""

DOCUMENTS = Opaque(DOCUMENT_LOSSES, snapshot=True)
"""For documents, whose elements are written anew."""
