"""Units of Gemini CLI → drafts: a document's messages, or the lines of a log that is replayed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from git_asr.asr.codec import NON_FINITE
from git_asr.asr.draft import Draft
from git_asr.converters import fields, opaque
from git_asr.converters.base import Embedded, NativeFormat, Unit
from git_asr.converters.gemini import log
from git_asr.converters.gemini.state import Message, State
from git_asr.converters.versions import VERSIONS

_LOSSES = (
    {"feature": "empty_values", "reason": "null, empty text, arrays and objects are not kept as fields"},
    {
        "feature": "repeated_values",
        "reason": "what a message that comes again says as before, and results that a message of their own repeats, "
        "are not recorded again",
    },
    *opaque.not_told("stop_reasons", "agent_version", "approvals", "branch", "workspace"),
)


class Gemini:
    """The converter of one session; ``snapshot``: its source is rewritten as a whole."""

    name = "gemini-cli"
    version = VERSIONS["gemini-cli"]
    format_version: str | None = None
    workspace: dict[str, str] | None = None
    embedded: Sequence[Embedded] = ()

    def __init__(self, *, snapshot: bool) -> None:
        self.lossy = (opaque.DOCUMENT_LOSSES if snapshot else opaque.CONVERTED_LINE_LOSSES) + _LOSSES
        self._snapshot = snapshot

    def convert(self, units: Iterator[Unit], _: NativeFormat | None, __: str = "") -> Iterator[Draft]:
        """Yield the drafts of the units; of lines a malformed last one is held back."""
        state = State("capture" if self._snapshot else None)
        for unit in units if self._snapshot else opaque.settled(units):
            if unit.kind == "malformed":
                draft = (opaque.DOCUMENTS if self._snapshot else opaque.LINES).draft(unit, None)
                yield from state.identify(None, [draft])[0]
            else:
                yield from drafts(unit, state)


def drafts(unit: Unit, state: State) -> list[Draft]:
    """The drafts of one unit, in order."""
    value = unit.value
    if not isinstance(value, dict) or NON_FINITE in unit.flags:
        return _whole(unit, state)
    if log.is_message(value):
        return log.add(unit, value, state)[0]
    if isinstance(value.get("$set"), dict):
        return log.patch(unit, value, state)
    if isinstance(value.get("$rewindTo"), str):
        return log.rewind(unit, value, state)
    if unit.position == 0 or "projectHash" in value:
        return log.header(unit, value, state)
    return _whole(unit, state)


def _whole(unit: Unit, state: State) -> list[Draft]:
    """A record that holds the unit as it is."""
    value = unit.value if isinstance(unit.value, dict) else {}
    message = Message(unit, value, state.scope)
    message.whole(unit, fields.text(value, "type"))
    return state.identify(message.native, message.finish(unit, {}))[0]
