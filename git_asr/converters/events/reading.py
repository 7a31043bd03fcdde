"""A file of JSON Lines → the sessions of which its lines tell, each with its own lines in order.

The lines of several sessions may stand among one another. A line that names no session, or that cannot be read, belongs
to that of the line before it. A position counts the lines of its session, so that it does not matter in which file they
come.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from typing import Any

from git_asr.asr import codec
from git_asr.asr.ids import usable_session
from git_asr.converters.base import Unit
from git_asr.converters.events.converter import kind_of
from git_asr.converters.events.state import SESSION
from git_asr.converters.opaque import settled
from git_asr.converters.units import read_lines
from git_asr.errors import Diagnostic, Report

MOST_TOLD = 20
"""Lines of a file that are told to be bad, one by one."""


@dataclass(slots=True)
class Told:
    """What a file tells of one session.

    ``units``: its lines, with positions of their own; ``lines``: where each stands in the file. ``stored``: the bytes
    of each, by which a longer file is known again.
    """

    session: str
    units: list[Unit] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    stored: list[bytes] = field(default_factory=list)

    def add(self, unit: Unit) -> None:
        """Take in one more line."""
        self.lines.append(unit.position)
        self.stored.append(_bytes(unit) + b"\\n")
        self.units.append(replace(unit, position=len(self.units) + 1, index=0))

    @property
    def size(self) -> int:
        """The bytes of all lines."""
        return sum(map(len, self.stored))

    @property
    def digest(self) -> str:
        """Their SHA-256."""
        return hashlib.sha256(b"".join(self.stored)).hexdigest()

    def extends(self, size: int, digest: str) -> bool:
        """Tell whether the first ``size`` bytes of the lines have a digest."""
        return hashlib.sha256(b"".join(self.stored)[:size]).hexdigest() == digest and size <= self.size


def _bytes(unit: Unit) -> bytes:
    if unit.text is not None:
        return unit.text
    said = unit.value if unit.kind == "malformed" else codec.lenient(unit.value)
    return str(said).encode("utf-8", "surrogatepass")


def read(data: bytes, session: str | None, where: str, report: Report) -> list[Told]:
    """Sort the lines of a file by session, in the order in which the sessions turn up.

    ``session``: that of lines before which no line names one. ``where``: the file, for diagnostics, which are
    ``damaged-line``, ``unknown-event``, ``unusable-session-id`` and ``no-session``, and say which line. A last line
    that cannot be read may still be being written, and is left out.
    """
    bad = Bad(where, report)
    found: dict[str, Told] = {}
    current = session
    for unit in settled(read_lines([data])):
        named = _session(unit.value, unit, bad)
        current = named or current
        if current is None:
            bad.tell("no-session", unit.position, "it names no session, and no line before it does: left out")
            continue
        if unit.kind == "malformed":
            bad.tell("damaged-line", unit.position, "no JSON: kept as text")
        elif kind_of(unit.value) is None:
            bad.tell("unknown-event", unit.position, f"{_kind(unit.value)}: kept as it is")
        found.setdefault(current, Told(current)).add(unit)
    bad.close()
    return list(found.values())


class Bad:
    """Tells of bad lines, of the first few one by one."""

    def __init__(self, where: str, report: Report) -> None:
        self._where = where
        self._report = report
        self._told = 0

    def tell(self, code: str, line: int, said: str) -> None:
        """Tell of one line of the file."""
        self._told += 1
        if self._told <= MOST_TOLD:
            self._report(Diagnostic(code, f"{self._where}, line {line}", said))

    def close(self) -> None:
        """Say how many more there were."""
        if self._told > MOST_TOLD:
            self._report(Diagnostic("bad-lines", self._where, f"and {self._told - MOST_TOLD} more bad lines"))


def _session(value: Any, unit: Unit, bad: Bad) -> str | None:
    """The session that a line names."""
    if not isinstance(value, dict) or unit.kind != "value":
        return None
    said = [found for key in SESSION if isinstance(found := value.get(key), str) and found]
    found = next(filter(usable_session, said), None)
    if found is None and said:
        bad.tell("unusable-session-id", unit.position, f"{said[0][:80]!a} is no session ID")
    return found


def _kind(value: Any) -> str:
    """What a line is that is neither an event nor a record."""
    if not isinstance(value, dict):
        return "no object"
    kind = value.get("type")
    if kind is None:
        return "it has no type"
    if not isinstance(kind, str | int):
        return "its type is neither an event's nor a record's"
    return f"type {str(kind)[:40]!a} is neither an event's nor a record's"
