"""What every native format offers: recognise a transcript, name the facts of a unit, convert units to records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

from git_asr.asr.draft import Draft


@dataclass(slots=True)
class Unit:
    """One native JSON value of a copy (profile: *unit*). Nobody changes one; it is not frozen because that takes time.

    ``position``: 1-based physical line, or 1-based index in the document's array; 0 for what a document says beside
    its array. ``index``: 0 for the first value on a line, 1 for a second one glued to it. ``text``: the bytes of the
    value as stored, when they are strict JSON on one line; None otherwise (write ``value`` anew).
    ``kind``: ``value`` for JSON; ``malformed`` for a line that no decoder reads (``value`` is its text as str, with
    surrogate escapes for bytes that are not UTF-8); ``text`` for a line of a transcript that is not JSON at all.
    ``flags``: how the value had to be read: ``invalid-utf-8``, ``non-finite`` (NaN or an infinity in it).
    """

    position: int
    index: int
    value: Any
    text: bytes | None
    kind: Literal["value", "malformed", "text"] = "value"
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Facts:
    """Where a unit stands in its session, read from the unit alone; None means that it does not say.

    ``session``: the native session ID. ``id``: the unit's own ID. ``ts``: its time as RFC 3339 text (epochs are
    converted exactly). ``type`` and ``payload``: the native type and the type of what it wraps. ``chained``: the
    unit belongs to the graph of parents; ``parent``: its parent's ID (None while chained: a root). ``opens``: the
    unit is the one with which its format starts a file.
    IDs are as stored: whoever joins on one asks ``git_asr.asr.ids.usable`` first.
    """

    session: str | None = None
    id: str | None = None
    ts: str | None = None
    type: str | None = None
    payload: str | None = None
    chained: bool = False
    parent: str | None = None
    opens: bool = False


@dataclass(frozen=True, slots=True)
class Sample:
    """The start of a transcript for detection (reference native-transcripts, section 14).

    ``values``: up to 20 decoded values of a JSON Lines file, else the one document; ``document``: whether the whole
    text is one JSON value; ``text``: the first characters, for formats that are not JSON.
    """

    values: tuple[Any, ...]
    document: bool
    text: str


class NativeFormat(Protocol):
    """One native format: one module in this package, one entry in ``registry.FORMATS``."""

    harness: str
    """Registry name of the agent: ``claude-code``."""
    name: str
    """Name of the format, as in ``producer.source.format``: ``claude-code-jsonl``."""
    array: str | None
    """For a document: the key of the array whose elements are the units; None for JSON Lines."""
    marks_start: bool
    """Whether the format marks where a session starts (a first line, or a root of the graph of parents)."""
    first_line: bool
    """Whether every session's file begins with a unit of its own kind (``Facts.opens``)."""

    def recognises(self, sample: Sample) -> bool:
        """Tell whether this is the format of the sample, by content, never by a label."""
        ...

    def facts(self, value: Any) -> Facts:
        """Read the facts of one unit; never raises, whatever the value is."""
        ...


class Format:
    """A native format of JSON Lines that does not mark where a session starts: each says how it differs."""

    __slots__ = ()
    harness: str
    name: str
    array: str | None = None
    marks_start: bool = False
    first_line: bool = False


class Converter(Protocol):
    """Turns the units of one stream into drafts, in order, without looking ahead (prefix stability).

    One object converts one stream; what it says of the stream beside the drafts is complete when they are taken.
    """

    lossy: tuple[dict[str, str], ...]
    """``producer.lossy``: every feature that the source has and the records do not, as ``{feature, reason}``."""

    @property
    def name(self) -> str:
        """As in ``producer.version`` before the slash: ``claude-code``, ``opaque``."""
        ...

    @property
    def version(self) -> int:
        """Raised only when the output changes."""
        ...

    @property
    def format_version(self) -> str | None:
        """``producer.source.formatVersion``: the agent's version as first recorded, None if it is not."""
        ...

    @property
    def workspace(self) -> Mapping[str, Any] | None:
        """``workspace`` of the header: directory and version control as first recorded."""
        ...

    @property
    def embedded(self) -> Sequence[Embedded]:
        """Streams whose units stand inside the units of this one; each is converted in a pass of its own."""
        ...

    def convert(
        self, units: Iterator[Unit], native: NativeFormat | None, stream: str = ""
    ) -> Iterator[Draft]:
        """Yield the drafts of the units. ``stream``: the ID of the stream that they make."""
        ...


@runtime_checkable
class TellsLineage(Protocol):
    """A converter whose format says where a session comes from."""

    @property
    def lineage(self) -> Mapping[str, Any] | None:
        """Facets of the header's ``lineage``, complete when the drafts are taken; only what the source says."""
        ...


@runtime_checkable
class TellsAgent(Protocol):
    """A format in which sessions of several agents stand, and whose units say of which."""

    def agent(self, value: Any) -> str | None:
        """The registry name of the agent that a unit tells of; None where it names none that is known."""
        ...


@dataclass(frozen=True, slots=True)
class Embedded:
    """A subagent's stream inside its parent's units.

    ``suffix``: its stream ID is the parent's, a dot and this. ``calls``: the IDs of the calls that started it.
    ``converter``: takes the parent's units and gives the drafts of this stream.
    """

    suffix: str
    calls: tuple[str, ...]
    converter: Converter
