"""A stream as its readers have it: header, records, link records, and what was wrong with it (profile section 9)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any

from git_asr.asr import codec, stream
from git_asr.asr.bundle import StreamEntry
from git_asr.asr.draft import Record
from git_asr.asr.ids import PART_SPAN
from git_asr.asr.links import is_link
from git_asr.asr.stream import Gap
from git_asr.errors import AsrError
from git_asr.values import dataclass

GetFile = Callable[[str], bytes | None]
"""Gives the bytes of a file of the bundle by its path; None where it is not there."""
GetBlob = Callable[[str], bytes | None]
"""Gives the bytes of a blob by its SHA-256; None where it is not there."""


@dataclass(frozen=True, slots=True)
class Stream:
    """A stream as it was read.

    ``records``: the transcript's records in order, every one of the shape that :func:`fault` asks for. ``links``: the
    ``vcs`` and checkpoint records. ``gaps``: lines that are no such record, each with the number of records before it;
    across one nothing is connected. ``faults``: lines whose record is kept although it breaks a rule (a second record
    with its ID, a ``seq`` that does not rise).
    """

    id: str
    header: Record
    records: tuple[Record, ...]
    links: tuple[Record, ...]
    gaps: tuple[tuple[int, Gap], ...]
    faults: tuple[Gap, ...]

    @property
    def through(self) -> int:
        """The last position: as the header says, or of the last record if that is later; 0 for an empty stream."""
        last = position(self.records[-1]) if self.records else 0
        said = self.header["capture"].get("through", 0)
        return max(last, said) if isinstance(said, int) else last


Part = Callable[[Record], Record | None]
"""What is kept of a transcript record: all of it, some of its fields, or None for nothing."""


def load(entry: StreamEntry, file: GetFile, part: Part | None = None) -> Stream:
    """Read one stream of a bundle; ``file`` gives its files, ``part`` what is kept of each record, by default all.

    Raises:
        UnknownMajor: the stream has a format version that is not read.
        AsrError: a file is missing, or the first line is no header of the shape on which readers count.
    """
    return joined(entry.stream, (_file(file, one.path) for one in entry.files), part)


def joined(name: str, files: Iterable[bytes], part: Part | None = None) -> Stream:
    """Read a stream from the bytes of its files in order, no two of which are held at a time. As ``load``."""
    files = iter(files)
    first = next(files, b"")
    head, _, rest = first.partition(b"\n")
    header = stream.header(head + b"\n")
    if not _is_sound(header):
        raise AsrError("a header of another shape")
    records: list[Record] = []
    links: list[Record] = []
    gaps: list[tuple[int, Gap]] = []
    faults: list[Gap] = []
    ids: set[str] = set()
    last = -1
    for line, found in enumerate(stream.read(chain([rest], files)), start=2):
        reason = found.reason if isinstance(found, Gap) else fault(found)
        if isinstance(found, Gap) or reason is not None:
            gaps.append((len(records), Gap(line, str(reason))))
        elif is_of_links(found):
            links.append(found)
        else:
            if found["id"] in ids:
                faults.append(Gap(line, f"a second record with the ID {found['id']}"))
            elif found["seq"] <= last:
                faults.append(Gap(line, f"a record whose seq does not rise: {found['id']}"))
            ids.add(found["id"])
            last = max(last, found["seq"])
            kept = found if part is None else part(found)
            if kept is not None:
                records.append(kept)
    return Stream(
        name or str(header.get("stream", "")),
        header,
        tuple(records),
        tuple(links),
        tuple(gaps),
        tuple(faults),
    )


def is_of_links(record: Record) -> bool:
    """Whether a record belongs to the links of its stream, not to the transcript."""
    return record["type"] in ("vcs", "io.entire/checkpoint")


def _is_sound(header: Record) -> bool:
    session, capture = header.get("session"), header.get("capture")
    return (
        isinstance(session, dict)
        and all(isinstance(session.get(name), str) for name in ("harness", "id"))
        and isinstance(capture, dict)
    )


def _file(file: GetFile, path: str) -> bytes:
    data = file(path)
    if data is None:
        raise AsrError(f"a bundle lacks {path}")
    return data


def position(record: Record) -> int:
    """The position of the unit that gave a transcript record (profile section 3)."""
    return int(record["seq"]) // PART_SPAN


_ENVELOPE: dict[str, type | tuple[type, ...]] = {
    "ts": str,
    "predecessors": list,
    "supersedes": str,
    "copiedFrom": dict,
    "inferenceId": str,
    "capture": dict,
    "_meta": dict,
}
_NEEDED: dict[str, dict[str, type]] = {
    "tool_call": {"callId": str},
    "tool_result": {"callId": str},
    "inference": {"inferenceId": str},
    "input_request": {"requestId": str},
    "input_response": {"requestId": str},
    "tombstone": {"target": str},
}
_KNOWN: dict[str, dict[str, type | tuple[type, ...]]] = {
    "message": {"author": str, "role": str, "messageId": str},
    "tool_call": {"name": str},
    "tool_result": {"status": str},
    "inference": {"model": str, "provider": str, "requestId": str, "usage": dict},
    "usage_summary": {"usage": dict, "covers": dict, "scope": str},
    "input_request": {"callId": str, "questions": list},
    "input_response": {"callId": str, "answers": list},
    "plan": {"callId": str, "items": list},
    "subagent": {"callId": str, "state": str, "status": str, "agentType": str, "stream": str},
    "compaction": {"replaces": dict, "summary": str, "trigger": str},
    "rewind": {"to": (str, type(None))},
    "state": {"state": str, "reason": str},
}
_REFERENCES: dict[str, tuple[tuple[str, str, type], ...]] = {
    "usage_summary": (("covers", "callId", str),),
    "compaction": (("replaces", "through", str), ("replaces", "except", list), ("replaces", "calls", list)),
}
"""Of a type: a field, a member of it that names records or calls, and its kind."""


def fault(record: Record) -> str | None:
    """Why a record cannot be used by the readers of this package; None where it can.

    Asked for is only what they count on: an ID, a ``seq``, and the kinds of the fields that they read.
    """
    seq = record.get("seq")
    if not isinstance(record.get("id"), str) or not isinstance(seq, int) or isinstance(seq, bool):
        return "a record without an ID or a seq"
    kind = record["type"]
    if is_of_links(record):
        return None if is_link(record) else f"a {kind} record of another shape"
    odd = _odd_field(record)
    return None if odd is None else f"a {kind} record {odd}"


def _odd_field(record: Record) -> str | None:
    """Which field is missing or of another kind."""
    kind = record["type"]
    for field, wanted in _NEEDED.get(kind, {}).items():
        if not isinstance(record.get(field), wanted):
            return f"without a {field}"
    for table in (_ENVELOPE, _KNOWN.get(kind, {})):
        for field, allowed in table.items():
            if field in record and not isinstance(record[field], allowed):
                return f"with a {field} of another kind"
    if not all(isinstance(one, str) for one in record.get("predecessors", ())):
        return "with predecessors of another kind"
    for field, member, wanted in _REFERENCES.get(kind, ()):
        if not _refers((record.get(field) or {}).get(member), wanted):
            return f"with a {field}.{member} of another kind"
    content = record.get("content", [])
    if kind in ("message", "reasoning", "tool_result") and not (
        isinstance(content, list) and all(isinstance(one, dict) for one in content)
    ):
        return "with a content of another kind"
    return None


def _refers(found: Any, wanted: type) -> bool:
    """Whether a member is absent, or an ID, or a list of IDs if that is wanted."""
    listed = found if wanted is list and isinstance(found, list) else [found]
    return found is None or (isinstance(found, wanted) and all(isinstance(one, str) for one in listed))


def value(record: Record, field: str, blob: GetBlob) -> Any:
    """A field of a record, wherever it stands: in the record, or in the blob that ``<field>Blob`` names.

    None where the record has neither, or where the blob is not there or cannot be read.
    """
    if field in record:
        return record[field]
    found = record.get(f"{field}Blob")
    data = _blob(found, blob)
    if data is None:
        return None
    if isinstance(found, dict) and found.get("mediaType") == "application/json":
        return _json(data)
    return data.decode("utf-8", "replace")


def text(part: dict[str, Any], blob: GetBlob) -> str | None:
    """The text of a text part, wherever it stands; None for other parts, and where its blob is not there."""
    if part.get("type") != "text":
        return None
    if isinstance(part.get("text"), str):
        return str(part["text"])
    data = _blob(part, blob)
    if data is None:
        return None
    if part.get("mediaType") == "application/json":
        found = _json(data)
        return found if isinstance(found, str) else None
    return data.decode("utf-8", "replace")


def _json(data: bytes) -> Any:
    """A JSON value, None where the bytes are none; NaN and infinities are no JSON, as in a record."""
    try:
        found = codec.decode(data)
    except ValueError:
        return None
    return None if codec.NON_FINITE in found.flags else found.value


def _blob(named: Any, blob: GetBlob) -> bytes | None:
    sha256 = named.get("blob") if isinstance(named, dict) else None
    return blob(sha256) if isinstance(sha256, str) else None
