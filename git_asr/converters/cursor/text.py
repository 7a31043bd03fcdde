"""Cursor's transcripts before JSON Lines: a text of sections, which begin with a word of their own on a line.

A section is known when another begins; so its records stand at its last line. The last section of a text is written
there as it is so far: a longer copy may have more of it (profile section 3, *Prefix stability*).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from git_asr.asr.draft import Draft
from git_asr.converters.base import Embedded, NativeFormat, Unit
from git_asr.converters.building import CONTENT, Building, vendor_type, word
from git_asr.converters.cursor import said
from git_asr.converters.cursor.said import VENDOR
from git_asr.converters.opaque import Losses
from git_asr.converters.versions import VERSIONS

_ROLE = re.compile(r"(user|assistant):[ \t]*")
_HEAD = re.compile(r"\[(Thinking|Tool call|Tool result)\][ \t]?(.*)", re.DOTALL)
_ARGUMENT = re.compile(r"  ([A-Za-z_][A-Za-z0-9_]{0,99}):(?: (.*))?", re.DOTALL)


@dataclass(slots=True)
class _Section:
    """Lines that belong together: ``kind`` is a role or what stands in brackets, ``name`` what stands behind that."""

    kind: str
    name: str = ""
    last: Unit | None = None
    lines: list[str] = field(default_factory=list)
    flags: dict[str, None] = field(default_factory=dict)

    def add(self, unit: Unit, line: str | None) -> None:
        """Add a line, with the blank ones before it that are no units; None for the one that only begins a section."""
        self.flags.update(dict.fromkeys(unit.flags))
        if line is not None:
            blank = unit.position - self.last.position - 1 if self.last is not None and self.lines else 0
            self.lines += [""] * blank
            self.lines.append(line)
        self.last = unit

    @property
    def text(self) -> str:
        """The lines as they stood."""
        return "\n".join(self.lines)


class CursorSections:
    """The converter of a text."""

    name = "cursor"
    version = VERSIONS["cursor"]
    lossy: Losses = (
        {"feature": "whitespace", "reason": "line ends, and blank lines around a section, are not kept"},
        *said.LOSSES,
        {"feature": "argument_types", "reason": "the source writes all arguments of calls as text"},
    )
    format_version: str | None = None
    workspace: dict[str, Any] | None = None
    embedded: Sequence[Embedded] = ()

    def convert(self, units: Iterator[Unit], _: NativeFormat | None, __: str = "") -> Iterator[Draft]:
        """Yield the drafts of the sections."""
        role = "text"
        section = _Section(role)
        for unit in units:
            head, line = _head(unit, role)
            if head is not None:
                yield from _drafts(section)
                section = head
                role = role if head.kind not in ("user", "assistant") else head.kind
            section.add(unit, line)
        yield from _drafts(section)


def _head(unit: Unit, role: str) -> tuple[_Section | None, str | None]:
    """The section that a line begins, if it begins one, and what of the line is its content."""
    line = str(unit.value)
    found = _ROLE.fullmatch(line)
    if found is not None:
        return _Section(found[1]), None
    found = _HEAD.fullmatch(line) if role == "assistant" else None
    if found is None:
        return None, line
    if found[1] == "Thinking":
        return _Section(found[1]), found[2] or None
    return _Section(found[1], found[2]), None


def _drafts(section: _Section) -> list[Draft]:
    """The drafts of a section; none of one that only begins."""
    unit = section.last
    if unit is None:
        return []
    found = section.text
    building = Building(unit, VENDOR, None)
    if section.kind == "user" and found:
        said.typed(building, None, found)
    elif section.kind == "assistant" and found:
        said.answered(building, None, found)
    elif section.kind == "Thinking":
        said.thought(building, None, found)
    elif section.kind == "Tool call":
        name = word(section.name) or "unknown"
        long = "" if name == section.name else section.name
        said.called(building, None, name, _arguments(section.lines), line=long)
    elif section.kind == "Tool result":
        said.returned(building, section.name, found)
    elif section.kind == "text":
        building.put(CONTENT, vendor_type(VENDOR, "text"), {"value": found})
    return building.finish(Unit(unit.position, 0, found, None, "text", tuple(section.flags)), {})


def _arguments(lines: Sequence[str]) -> Any:
    """The arguments of a call by their names; the text where they cannot be told apart."""
    if not lines:
        return None
    found: dict[str, list[str]] = {}
    name = None
    for line in lines:
        argument = _ARGUMENT.fullmatch(line)
        if argument is not None and argument[1] not in found:
            name = argument[1]
            found[name] = [argument[2] or ""]
        elif name is None or argument is not None:
            return "\n".join(lines)
        else:
            found[name].append(line)
    return {name: "\n".join(said) for name, said in found.items()}
