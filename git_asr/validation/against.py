"""A redacted twin beside what it was made from (profile section 2, ``derivedFrom``), for whoever has both.

- ``twin-source``: every stream names the one it was made from, and its digest is that of the one that is there.
- ``twin-records``: it has the same records, by ``seq``.
- ``twin-leak``: what was taken out of one text stands nowhere in the twin's files, nor in their names.

What was taken out is known by comparing texts: it is what stands in the original where the twin has a marker.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

from git_asr.asr import reading, stream
from git_asr.asr.bundle import MANIFEST, Bundle, StreamEntry, streams
from git_asr.asr.draft import Record
from git_asr.asr.parts import blob_path
from git_asr.asr.stream import Gap
from git_asr.errors import AsrError
from git_asr.validation.base import Finding

_MARKER = re.compile(r"\[REDACTED(?:_[A-Z0-9_]+)?\]|\bREDACTED\b")
_ID_MARKER = re.compile(r"redacted-[0-9]+")
_LEAST = 8
"""Characters of what was taken out that is looked for: shorter things stand anywhere."""
_BLOB = "Blob"


def compare(twin: Bundle, original: Bundle) -> Iterator[Finding]:
    """What is wrong with a twin, seen from its original.

    Raises:
        AsrError: a listed file is missing in one of the two.
    """
    known = {_digest(entry, original): entry for _, entry in streams(original.manifest)}
    gone: dict[str, str] = {}
    for _, entry in streams(twin.manifest):
        file = entry.files[0].path if entry.files else MANIFEST
        source = next((known[one] for one in _sources(_header(entry, twin)) if one in known), None)
        if source is None:
            yield _finding("twin-source", file, None, "is not derived from a stream that the original has")
            continue
        pairs = list(zip_longest(_records(entry, twin), _records(source, original)))
        for new, old in pairs:
            if new is None or old is None or new.get("seq") != old.get("seq"):
                which = (new or old or {}).get("id")
                yield _finding("twin-records", file, str(which), "is not a record of both")
                break
        for new, old in pairs:
            if new is not None and old is not None and new != old:
                gone |= dict.fromkeys(_taken_out(_whole(new, twin), _whole(old, original)), entry.stream)
    yield from _leaks(twin, gone)


def _finding(check: str, file: str, record: str | None, message: str) -> Finding:
    return Finding(check, "semantics", file, None, record, message)


def _digest(entry: StreamEntry, bundle: Bundle) -> str:
    whole = hashlib.sha256()
    for file in entry.files:
        whole.update(_file(bundle, file.path))
    return whole.hexdigest()


def _file(bundle: Bundle, path: str) -> bytes:
    data = bundle.file(path)
    if data is None:
        raise AsrError(f"a bundle lacks {path}")
    return data


def _header(entry: StreamEntry, bundle: Bundle) -> Record:
    return stream.header(_file(bundle, entry.files[0].path) if entry.files else b"")


def _sources(header: Record) -> Iterator[str]:
    """The digests of what a stream is derived from, and what that is derived from."""
    derived = header.get("derivedFrom")
    while isinstance(derived, dict):
        if isinstance(derived.get("sha256"), str):
            yield derived["sha256"]
        derived = derived.get("derivedFrom")


def _records(entry: StreamEntry, bundle: Bundle) -> Iterator[Record]:
    """The transcript's records; those of the links may have other numbers."""
    read = stream.read(_file(bundle, file.path) for file in entry.files)
    next(read, None)
    return (one for one in read if not isinstance(one, Gap) and not reading.is_of_links(one))


def _whole(record: Record, bundle: Bundle) -> Record:
    """A record with what lies in blobs."""

    def blob(sha256: str) -> bytes | None:
        return bundle.file(blob_path(sha256))

    out = {}
    for field, value in record.items():
        name = field.removesuffix(_BLOB)
        found = reading.value(record, name, blob) if name != field else value
        if name == "content" and isinstance(found, list):
            found = [reading.text(one, blob) or one if isinstance(one, dict) else one for one in found]
        out[name] = found
    return out


def _taken_out(new: Any, old: Any) -> Iterator[str]:
    """The texts of a value that another one has markers for."""
    if isinstance(new, str) and isinstance(old, str):
        yield from _between(new, old)
    elif isinstance(new, dict) and isinstance(old, dict):
        own = {key: value for key, value in new.items() if key != "capture"}
        before = {key: value for key, value in old.items() if key != "capture"}
        for (name, value), (key, known) in zip(own.items(), before.items(), strict=False):
            yield from _between(name, key)
            yield from _taken_out(value, known)
    elif isinstance(new, list) and isinstance(old, list):
        for value, known in zip(new, old, strict=False):
            yield from _taken_out(value, known)


def _between(new: str, old: str) -> Iterator[str]:
    if new == old:
        return
    if _ID_MARKER.fullmatch(new):
        yield old
        return
    kept = _MARKER.split(new)
    found = []
    at = len(kept[0])
    if not old.startswith(kept[0]) or len(kept) == 1:
        return
    for piece in kept[1:]:
        place = old.find(piece, at) if piece else len(old)
        if place < 0:
            return
        found.append(old[at:place])
        at = place + len(piece)
    yield from found


def _is_telling(text: str) -> bool:
    return len(text) >= _LEAST and len(set(text)) > 4 and not text.isalpha() and not _MARKER.search(text)


def _leaks(twin: Bundle, gone: dict[str, str]) -> Iterator[Finding]:
    spelled = {
        text: {text.encode("utf-8", "surrogatepass"), json.dumps(text)[1:-1].encode()}
        for text in gone
        if _is_telling(text)
    }
    files = {MANIFEST: twin.manifest.dump()}
    for path in [MANIFEST, *twin.manifest.files()]:
        data = files.get(path) or _file(twin, path)
        for text, spellings in spelled.items():
            if any(one in data or one in path.encode() for one in spellings):
                message = f"holds what was taken out of the stream {gone[text]}: {len(text)} characters"
                yield _finding("twin-leak", path, None, message)
