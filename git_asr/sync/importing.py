"""Imported lines of a session → a stream of the companion ref, beside those that checkpoints give.

A session that checkpoints hold is theirs: what they have of it says more, and a sync would put it back in any case.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count, takewhile
from typing import Any

from git_asr.asr import codec, large
from git_asr.asr.bundle import BundleWriter
from git_asr.asr.draft import Draft, Record
from git_asr.asr.header import Header, Producer, SessionKey
from git_asr.asr.ids import PART_SPAN
from git_asr.asr.numbering import number
from git_asr.asr.parts import header_path
from git_asr.asr.summary import Summary
from git_asr.companion import imports, store
from git_asr.companion.merge import StreamState, converter_version
from git_asr.converters.events.converter import Events
from git_asr.converters.events.reading import Bad, Told
from git_asr.entire.exclusion import excluded
from git_asr.errors import Diagnostic, Report
from git_asr.sync.conversion import Conversion
from git_asr.sync.outcome import Imported
from git_asr.values import dataclass

FORMAT = "entire-events"


@dataclass(frozen=True, slots=True)
class Import:
    """What a file tells. ``where``: the file, for diagnostics; ``harness``: the agent, as the registry names it.

    ``report``: takes what is found wrong (``session-not-taken``, ``odd-line``): it is no finding of the repository's,
    which would be told again.
    """

    where: str
    harness: str
    sessions: tuple[Told, ...]
    report: Report


@dataclass(frozen=True, slots=True)
class _Stream:
    """Where the lines of a session go. ``shared``: up to which position another stream, the plain one, has them too."""

    name: str
    shared: int = 0


def drafts(one: Import, told: Told) -> tuple[Events, list[Draft]]:
    """Convert the lines of a session; the converter knows what stands in the header. Odd lines are reported."""
    converter = Events(told.session)
    made = list(converter.convert(iter(told.units), None))
    bad = Bad(one.where, one.report)
    for position, said in converter.state.problems:
        bad.tell("odd-line", told.lines[position - 1], f"{said}; it is kept as it is")
    bad.close()
    return converter, made


def take(conversion: Conversion, imports: Iterable[Import]) -> tuple[Imported, ...]:
    """Write what files tell to the bundles of their sessions."""
    return tuple(_take(conversion, one, told) for one in imports for told in one.sessions)


def _take(conversion: Conversion, one: Import, told: Told) -> Imported:
    key = SessionKey(one.harness, told.session)
    present = conversion.present(key)
    refused = _why_not(conversion, key, present)
    if refused is not None:
        one.report(Diagnostic("session-not-taken", f"session {key.id}", refused))
        return Imported(key, key.id, len(told.units), "refused")
    converter, made = drafts(one, told)
    found, known = _place(conversion, key, told, made, present)
    if known is not None and not known:
        return Imported(key, found.name, len(told.units), "unchanged")
    fresh = _written(conversion, key, found, told, (converter, made))
    for other in (present, conversion.stored(conversion.tip.base, key)):
        if other is not None:
            fresh = store.merge_sessions(conversion.writer, fresh, other)
    conversion.put(key, fresh, present)
    return Imported(key, found.name, len(told.units), "extended" if known else "new")


def _why_not(conversion: Conversion, key: SessionKey, present: store.StoredSession | None) -> str | None:
    """Why a session is not taken; None where it is."""
    if excluded(conversion.exclusions, key, ()):
        return "asr.exclude keeps it out"
    if store.is_forgotten(conversion.objects, conversion.tip.tree, key):
        return "it was forgotten"
    if present is None:
        return None
    others = [one for one in present.state.streams.values() if not _is_ours(one)]
    if not others:
        return None
    brought = all(imports.is_imported(one.entry) for one in others)
    return "a bundle brought it, and says more" if brought else "checkpoints hold it, and say more"


def _is_ours(stream: StreamState) -> bool:
    producer = stream.header.get("producer") or {}
    return str(producer.get("version", "")).rpartition("/")[0] == Events.name


def _place(
    conversion: Conversion,
    key: SessionKey,
    told: Told,
    made: Sequence[Draft],
    present: store.StoredSession | None,
) -> tuple[_Stream, bool | None]:
    """The stream for the lines, and whether they say more than it has (None: there is no such stream yet).

    Lines that go on from those of a stream extend it, lines that one has already change nothing. Others are a stream of
    their own, named like a copy that leaves the plain line (profile section 5).
    """
    streams = {} if present is None else present.state.streams
    if present is None or not streams:
        return _Stream(key.id), None
    written = _lines(number(map(replace, made)))
    plain = _stored_lines(conversion, present, key.id)
    for name, one in streams.items():
        shared = _shared(plain, written) if name != key.id else 0
        source: Mapping[str, Any] = next(iter(one.header.get("nativeSources") or ()), {})
        size, digest = source.get("bytes"), source.get("sha256")
        if isinstance(size, int) and isinstance(digest, str) and told.extends(size, digest):
            return _Stream(name, shared), told.size > size or converter_version(one.header) < Events.version
        if name == key.id and _is_beginning(written, plain):
            return _Stream(name), False
    shared = _shared(plain, written)
    return _Stream(_free(f"{key.id}@{_name(written, shared)}", streams), shared), None


def _lines(records: Iterable[Record]) -> list[tuple[int, Record, bytes]]:
    """Records with their position and their bytes."""
    return [(record["seq"] // PART_SPAN, record, large.line(record, large.describe)) for record in records]


def _stored_lines(conversion: Conversion, stored: store.StoredSession, stream: str) -> list[bytes]:
    """The records of a stream as they are stored."""
    one = stored.state.streams.get(stream)
    files = [] if one is None else [file.path for file in one.transcript if file.path != header_path(stream)]
    data = b"".join(conversion.objects.blob(stored.files[path]) or b"" for path in files)
    return data.splitlines(keepends=True)


def _is_beginning(written: Sequence[tuple[int, Record, bytes]], stored: Sequence[bytes]) -> bool:
    """Whether a stream has all records already; the message that is open at the end may have grown there."""
    partial = (
        n for n, (_, one, _) in enumerate(written) if (one.get("assembly") or {}).get("state") == "partial"
    )
    closed = next(partial, len(written))
    same = all(one[2] == other for one, other in zip(written[:closed], stored, strict=False))
    if not same or closed > len(stored):
        return False
    return closed == len(written) or _has_grown([one for _, one, _ in written[closed:]], stored[closed:])


def _has_grown(opened: Sequence[Record], stored: Sequence[bytes]) -> bool:
    """Whether stored records begin with an open message, and its calls, or with what became of them."""
    found = [codec.decode(data).value for data in stored[: len(opened)]]
    if len(found) < len(opened):
        return False
    message, grown = opened[0], found[0]
    same = all(message.get(key) == grown.get(key) for key in ("type", "role", "author", "messageId"))
    calls = all(
        one.get("callId") == other.get("callId") for one, other in zip(opened[1:], found[1:], strict=True)
    )
    return same and calls and _text(grown).startswith(_text(message))


def _text(record: Record) -> str:
    """What a message says, as one text; parts that are none stand for themselves."""
    return "".join(part["text"] if "text" in part else repr(part) for part in record.get("content") or ())


def _shared(plain: Sequence[bytes], written: Sequence[tuple[int, Record, bytes]]) -> int:
    """The last position up to which all records are those of the plain stream."""
    same = list(takewhile(lambda pair: pair[0] == pair[1][2], zip(plain, written, strict=False)))
    return written[len(same)][0] - 1 if len(same) < len(written) else written[-1][0]


def _name(written: Sequence[tuple[int, Record, bytes]], shared: int) -> str:
    """The name of the first record behind what is shared: its own ID, else its time, else its place."""
    record = next((one for position, one, _ in written if position > shared), written[-1][1])
    return str(record["id"] if record.get("idSource") != "derived" else record.get("ts") or record["id"])


def _free(name: str, taken: Container[str]) -> str:
    """A name that is not taken: of equal ones the later have a number."""
    return next(one for n in count(1) if (one := name if n == 1 else f"{name}@{n}") not in taken)


def _written(
    conversion: Conversion, key: SessionKey, found: _Stream, told: Told, converted: tuple[Events, list[Draft]]
) -> store.StoredSession:
    """A bundle with the stream alone."""
    converter, made = converted
    state, plain = converter.state, key.id
    origin = {"session": key.reference(), "stream": plain, "evidence": "native_structure"}
    copied = (replace(one, copied_from=origin) if one.position <= found.shared else one for one in made)
    files: dict[str, str] = {}
    bundle = BundleWriter(lambda path, data: files.__setitem__(path, conversion.writer.blob(data)))
    counted = Summary()
    records = bundle.records(found.name, counted.watch(number(copied)))
    lineage = dict(converter.lineage or {})
    if "continues" in lineage:
        session = {"harness": key.harness, **lineage["continues"]["session"]}
        lineage["continues"] = {**lineage["continues"], "session": session}
    if found.shared:
        lineage["forkedFrom"] = origin
    header = Header(
        stream=found.name,
        session=key,
        capture={"state": "partial", "through": len(told.units)},
        producer=Producer(
            converter.name, converter.version, "import", FORMAT, converter.format_version, converter.lossy
        ),
        started_at=state.started_at,
        ended_at=state.ended_at,
        content_level="full",
        lineage=lineage,
        native_sources=[
            {"format": FORMAT, "sha256": told.digest, "bytes": told.size, "positions": [1, len(told.units)]}
        ],
    ).record()
    summary = counted.record(
        agent=key.harness, models=list(state.models), first_prompt=lambda: _first_prompt(made), commits=()
    )
    stream = bundle.stream(key, header, records, (), records=counted.records, summary=summary)
    return store.fresh([stream], bundle.close(), files)


def _first_prompt(made: Iterable[Draft]) -> str | None:
    """The first text under the user's role: who wrote it is not known."""
    said: Iterator[str] = (
        part["text"]
        for one in made
        if one.type == "message" and one.fields["role"] == "user"
        for part in one.fields["content"]
        if part["type"] == "text"
    )
    return next(said, None)
