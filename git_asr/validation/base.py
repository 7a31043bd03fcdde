"""What a check is, what it finds, and what it is shown (profile section 10).

A check has a short stable name, looks at one kind of thing, and says in one sentence what is wrong with it. It is given
only what has the shape that the schemas ask for; whatever stands in it is hostile and bounded in what is quoted of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Literal, Protocol

from git_asr.asr.draft import Record
from git_asr.values import dataclass

if TYPE_CHECKING:
    from git_asr.validation.course import Course, Holding
    from git_asr.validation.lines import Line

Level = Literal["syntax", "semantics", "unsupported"]
"""What kind of rule is broken: of the text and its shapes, or of what it means; or it is newer than this version."""
LEVELS: tuple[Level, ...] = ("syntax", "semantics", "unsupported")

_QUOTED = 80
"""Characters of untrusted text in a message."""


class Files(Protocol):
    """What is checked: files by their paths with slashes."""

    def paths(self) -> Iterable[str]:
        """Every file, in any order."""
        ...

    def chunks(self, path: str) -> Iterator[bytes]:
        """A file in pieces. Raises AsrError if it is not there or cannot be read."""
        ...


@dataclass(frozen=True, slots=True)
class Finding:
    """A rule that is broken at some place.

    ``file``: a path in the bundle, or the stream's file. ``line``: from 1, in that file; None where it is no line.
    ``record``: the ID of the record; None where it is none. ``message`` may quote untrusted text: whoever prints it
    neutralises control characters.
    """

    check: str
    level: Level
    file: str
    line: int | None
    record: str | None
    message: str


@dataclass(frozen=True, slots=True)
class Check:
    """A rule. ``summary``: what holds, in one sentence. ``source``: where the rule comes from."""

    name: str
    level: Level
    summary: str
    source: str


@dataclass(frozen=True, slots=True)
class LineCheck(Check):
    """Looks at lines that are not simply a record."""

    find: Callable[[Line], str | None]


@dataclass(frozen=True, slots=True)
class HeaderCheck(Check):
    """Looks at the header of a stream."""

    find: Callable[[Record, Course], Iterable[str]]


@dataclass(frozen=True, slots=True)
class RecordCheck(Check):
    """Looks at every record of some ``types`` (None: all) that has some ``field`` (None: in any case)."""

    find: Callable[[Record, Course], str | None]
    types: frozenset[str] | None
    field: str | None


@dataclass(frozen=True, slots=True)
class StreamCheck(Check):
    """Looks at what was learned of a stream when all of it is read."""

    find: Callable[[Course], Iterable[str]]


@dataclass(frozen=True, slots=True)
class BundleCheck(Check):
    """Looks at a bundle when all of it is read; names the file that is at fault."""

    find: Callable[[Holding], Iterable[tuple[str, str]]]


def line_check(
    name: str, level: Level, summary: str, source: str
) -> Callable[[Callable[[Line], str | None]], LineCheck]:
    """Make a check of lines."""
    return lambda find: LineCheck(name, level, summary, source, find)


def header_check(
    name: str, level: Level, summary: str, source: str
) -> Callable[[Callable[[Record, Course], Iterable[str]]], HeaderCheck]:
    """Make a check of headers."""
    return lambda find: HeaderCheck(name, level, summary, source, find)


def record_check(
    name: str,
    level: Level,
    summary: str,
    source: str,
    *,
    types: Iterable[str] | None = None,
    field: str | None = None,
) -> Callable[[Callable[[Record, Course], str | None]], RecordCheck]:
    """Make a check of records."""
    wanted = None if types is None else frozenset(types)
    return lambda find: RecordCheck(name, level, summary, source, find, wanted, field)


def stream_check(
    name: str, level: Level, summary: str, source: str
) -> Callable[[Callable[[Course], Iterable[str]]], StreamCheck]:
    """Make a check of whole streams."""
    return lambda find: StreamCheck(name, level, summary, source, find)


def bundle_check(
    name: str, level: Level, summary: str, source: str
) -> Callable[[Callable[[Holding], Iterable[tuple[str, str]]]], BundleCheck]:
    """Make a check of whole bundles."""
    return lambda find: BundleCheck(name, level, summary, source, find)


def quoted(value: Any) -> str:
    """Untrusted text for a message, cut."""
    text = value if isinstance(value, str) else repr(value)
    return f"'{text}'" if len(text) <= _QUOTED else f"'{text[:_QUOTED]}…'"
