"""Units of Kiro → drafts: exchanges of a document or a line, typed lines, messages of the IDE."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from git_asr.asr.codec import NON_FINITE
from git_asr.asr.draft import Draft
from git_asr.asr.ids import usable_session
from git_asr.asr.numbering import identify
from git_asr.converters import fields, opaque
from git_asr.converters.base import NativeFormat, Unit
from git_asr.converters.building import holds, rest
from git_asr.converters.kiro import lines
from git_asr.converters.kiro.exchange import exchange
from git_asr.converters.kiro.format import is_line, is_message
from git_asr.converters.kiro.slots import TITLE
from git_asr.converters.kiro.state import Saying, State
from git_asr.converters.learned import Learning
from git_asr.converters.versions import VERSIONS

_LOSSES = (
    {"feature": "empty_values", "reason": "null, empty text, arrays and objects are not kept as fields"},
    {
        "feature": "repeated_values",
        "reason": "the conversation, its folder and versions are recorded when they change; what Entire repeats of a "
        "line in a form of its own is not recorded again",
    },
    {"feature": "usage", "reason": "the source does not count tokens"},
)


class Kiro(Learning[State]):
    """The converter of one conversation; ``snapshot``: its source is rewritten as a whole."""

    name = "kiro"
    version = VERSIONS["kiro"]

    def __init__(self, *, snapshot: bool) -> None:
        self.lossy = (opaque.DOCUMENT_LOSSES if snapshot else opaque.CONVERTED_LINE_LOSSES) + _LOSSES
        self._snapshot = snapshot
        super().__init__(State(None))

    def convert(self, units: Iterator[Unit], _: NativeFormat | None, __: str = "") -> Iterator[Draft]:
        """Yield the drafts of the units; of lines a malformed last one is held back."""
        state = self._state = State("capture" if self._snapshot else None)
        for unit in units if self._snapshot else opaque.settled(units):
            if unit.kind == "malformed":
                yield (opaque.DOCUMENTS if self._snapshot else opaque.LINES).draft(unit, None)
            else:
                yield from drafts(unit, state)


def drafts(unit: Unit, state: State) -> list[Draft]:
    """The drafts of one unit, in order."""
    value = unit.value if isinstance(unit.value, dict) and NON_FINITE not in unit.flags else {}
    saying = Saying(unit, state.scope)
    left = _records(saying, state, value, beside=unit.position == 0)
    if left is None:
        saying.drafts.clear()
        saying.whole(unit, fields.text(unit.value, "kind"))
    saying.end()
    made = saying.finish(unit, left or {})
    for draft in made:
        if draft is (saying.own or made[0]):
            draft.native_id = saying.native
        identify(draft, state.used)
    return made


def _records(saying: Saying, state: State, value: dict[str, Any], *, beside: bool) -> dict[str, Any] | None:
    """Make the records of a unit; what they do not hold, None where it must be kept as it is."""
    if beside:
        return _beside(saying, _about(saying, state, value)) if value else None
    if isinstance(value.get("user"), dict) or isinstance(value.get("assistant"), dict):
        return exchange(saying, state, _about(saying, state, value))
    if is_line(value):
        return lines.line(saying, state, value)
    return lines.message(saying, value) if is_message(value) else None


def _beside(saying: Saying, value: dict[str, Any]) -> dict[str, Any]:
    """What stands beside the history of a document."""
    title = fields.text(value, "title")
    if title:
        saying.after(TITLE, "git-asr/title", {"title": title})
    return rest(value, ("title",) if title else ())


def _about(saying: Saying, state: State, value: dict[str, Any]) -> dict[str, Any]:
    """See what a document, or a line, says of the conversation; the rest of it."""
    taken = set()
    for key in ("conversation_id", "sessionId"):
        found = fields.text(value, key)
        if found and usable_session(found):
            taken.add(key)
            if state.changed("session", found):
                saying.context["session"] = found
    if holds(value.get("cli_version")) and not state.changed("cli_version", value["cli_version"]):
        taken.add("cli_version")
    return {key: item for key, item in value.items() if key not in taken}
