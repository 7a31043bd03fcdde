"""What the converter remembers of one session while its steps pass, and one step while its records are made."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from git_asr.asr.draft import Draft
from git_asr.asr.ids import usable
from git_asr.converters.base import Unit
from git_asr.converters.building import CONTENT, Building, text_part
from git_asr.converters.fields import number_or_text, text, time
from git_asr.converters.revisions import Revisions

VENDOR = "google.antigravity"
"""Prefix of vendor types and key of ``_meta``."""

TOOLS = {
    "run_command": "RUN_COMMAND",
    "view_file": "VIEW_FILE",
    "list_dir": "LIST_DIRECTORY",
    "grep_search": "GREP_SEARCH",
    "search_web": "SEARCH_WEB",
    "read_url_content": "READ_URL_CONTENT",
    "generate_image": "GENERATE_IMAGE",
    "invoke_subagent": "INVOKE_SUBAGENT",
    "ask_question": "ASK_QUESTION",
    **dict.fromkeys(("write_to_file", "replace_file_content", "multi_replace_file_content"), "CODE_ACTION"),
}
"""The type of the step that is a tool's result; it may also be ``GENERIC``, for these tools and for others."""


class Step(Building):
    """A step. ``value``: it as stored; ``native``: its index; ``type``: its type; ``cut``: fields that were cut.

    ``taken``: keys that its records hold. ``inference``: the model call that it is.
    """

    __slots__ = ("cut", "inference", "native", "taken", "type", "value")

    def __init__(self, unit: Unit, value: dict[str, Any]) -> None:
        super().__init__(unit, VENDOR, time(value, "created_at"))
        self.value = value
        self.native = number_or_text(value, "step_index")
        self.type = text(value, "type") or ""
        found = value.get("truncated_fields")
        self.cut = [one for one in found if isinstance(one, str)] if isinstance(found, list) else []
        self.taken: set[str] = set()
        self.inference: str | None = None

    def take(self, key: str) -> str | None:
        """The text under a key, which a record now holds."""
        found = text(self.value, key)
        if found is not None:
            self.taken.add(key)
        return found

    @property
    def own(self) -> str | None:
        """Its index if it can be an ID."""
        return self.native if usable(self.native) else None

    def said(self, slot: int, author: str, text: str, **told: Any) -> Draft:
        """Add a message of one text with the user's role; the one that is the step has its ID."""
        found: dict[str, Any] = {"role": "user", "author": author, **told}
        if slot == CONTENT and self.own is not None:
            found["messageId"] = self.own
        content = [text_part(text)] if text else []
        return self.put(slot, "message", {**found, "content": content}, capture=self.capture("content"))

    def capture(self, key: str) -> dict[str, Any] | None:
        """What became of a field that is not here as a whole."""
        return {"state": "truncated"} if key in self.cut else None


@dataclass(frozen=True, slots=True)
class Call:
    """A call that waits for its result."""

    id: str
    name: str
    arguments: dict[str, Any]

    @property
    def tool(self) -> str:
        """The name of the tool, without what some models put before it."""
        return self.name.removeprefix("default_api:")

    @property
    def step(self) -> str:
        """The type of the step that is its result; of a tool that is not known its name."""
        return TOOLS.get(self.tool, self.tool.upper())


@dataclass(slots=True)
class State:
    """All that later steps depend on.

    ``waiting``: the calls of the last step of the model that have no result yet; ``answered``: those that have one.
    By the index of a step, which may come again: ``known``: the IDs of the model call that it is, and of the calls that
    it made; ``results``: the call of which it is the result. ``children``: the conversations of subagents. ``said``:
    modes as last recorded.
    """

    revisions: Revisions = field(default_factory=Revisions)
    waiting: list[Call] = field(default_factory=list)
    answered: set[str] = field(default_factory=set)
    known: dict[str, tuple[str, list[str]]] = field(default_factory=dict)
    results: dict[str, Call] = field(default_factory=dict)
    children: set[str] = field(default_factory=set)
    said: dict[str, str] = field(default_factory=dict)


def questions(call: Call) -> list[Any]:
    """What a call asks."""
    for key in ("Questions", "questions"):
        if isinstance(listed := call.arguments.get(key), list):
            return listed
    said = text(call.arguments, "Question") or text(call.arguments, "question")
    return [] if said is None else [{"question": said}]
