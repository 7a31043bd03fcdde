"""What the converter remembers of one session while its lines pass, and one line while its records are made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from git_asr.asr import codec
from git_asr.asr.draft import Draft
from git_asr.asr.numbering import identify
from git_asr.converters import fields
from git_asr.converters.base import Unit
from git_asr.converters.building import Building, rest, word
from git_asr.converters.fragments import Growing

VENDOR = "io.entire.events"
"""Prefix of vendor types and key of ``_meta``."""

SESSION = ("session_id", "sessionId", "session")
"""Members that name the session of a line; the first that can be an ID does."""

PRIVATE = frozenset({"session_ref", "transcript_path"})
"""Members that tell of the author's machine; they are never recorded."""

_STANDING = ("model", "previous_session_id")
"""Members that are recorded when they change."""

Taken = set[str]
"""Members of a line that its records hold."""


class Line(Building):
    """A line while its records are made.

    ``unit``, ``value``: what was read. ``native``: an ID for its first record. ``stamps``: the members that are its
    time.
    """

    __slots__ = ("native", "stamps", "unit", "value")

    def __init__(self, unit: Unit, value: dict[str, Any]) -> None:
        times = {key: found for key in ("timestamp", "ts") if (found := fields.time(value, key)) is not None}
        ts = next(iter(times.values()), None)
        super().__init__(unit, VENDOR, ts)
        self.unit = unit
        self.value = value
        self.native: str | None = None
        self.stamps = {key for key, found in times.items() if found == ts}

    def done(self, state: State, left: dict[str, Any], *, joined: bool = False) -> list[Draft]:
        """The records with their IDs; ``left``: what none of them holds; ``joined``: other lines have part in them."""
        made = self.finish(replace(self.unit, text=None) if joined else self.unit, left)
        if made:
            made[0].native_id = self.native
        for draft in made:
            identify(draft, state.used)
        return made


@dataclass(slots=True)
class Entity(Growing):
    """A message as its lines tell of it.

    ``role``, ``author``: who says it. ``told``: its first line, as JSON. ``parts``: its content; the text of a text
    part is a list of chunks. ``calls``: the calls in it that are to be recorded with it; ``asked``: by ID those that
    were recorded, and their blocks as JSON.
    """

    role: str
    author: str
    told: bytes
    parts: list[dict[str, Any]] = field(default_factory=list)
    calls: list[dict[str, Any]] = field(default_factory=list)
    asked: dict[str, tuple[Draft, bytes]] = field(default_factory=dict)


@dataclass(slots=True)
class State:
    """All that later lines depend on.

    ``session``: its ID. ``open``: the message to which the next line may append: its ID, itself, and the line of its
    last fragment. ``entities``: messages by ID. ``results``, ``inferences``: the last record by the ID of the call, and
    what it says as JSON. ``renamed``: by the ID of a model call that was dropped, the one under which it is told again,
    empty before that. ``secrets``: calls that ask for a secret. ``problems``: the positions of lines that are not
    what they should be, and why.
    """

    session: str
    used: set[str] = field(default_factory=set)
    said: dict[str, bytes] = field(default_factory=dict)
    open: tuple[str | None, Entity, Line] | None = None
    entities: dict[str, Entity] = field(default_factory=dict)
    results: dict[str, tuple[Draft, bytes]] = field(default_factory=dict)
    inferences: dict[str, tuple[Draft, bytes]] = field(default_factory=dict)
    renamed: dict[str, str] = field(default_factory=dict)
    secrets: set[str] = field(default_factory=set)
    started_at: str | None = None
    ended_at: str | None = None
    continues: str | None = None
    models: dict[str, None] = field(default_factory=dict)
    problems: list[tuple[int, str]] = field(default_factory=list)

    def wonder(self, line: Line, said: str) -> None:
        """Note that a line is not what it should be; it is kept all the same."""
        self.problems.append((line.position, said))

    def left(self, line: Line, taken: Taken) -> dict[str, Any]:
        """What no record of a line holds; ``taken``: the members that they do."""
        value = line.value
        model = word(value.get("model"))
        if model:
            self.models[model] = None
        known = {key for key in SESSION if value.get(key) == self.session}
        known |= {key for key in _STANDING if key in value and not self._changed(key, value[key])}
        return rest(value, taken | known | line.stamps | {"type"})

    def _changed(self, name: str, value: Any) -> bool:
        said = codec.identity(value)
        if self.said.get(name) == said:
            return False
        self.said[name] = said
        return True


Handler = Callable[[Line, State], Taken | None]
"""Makes the records of a line; the members that they hold, or None where the line must be kept as it is."""
