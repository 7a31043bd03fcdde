"""The native transcripts of sessions, put into a bundle beside them (specification, storage tools: ``native/``)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from git_asr.asr import stream
from git_asr.asr.bundle import Bundle, File, streams
from git_asr.asr.header import SessionKey
from git_asr.asr.parts import header_path
from git_asr.asr.version import SUPPORTED_MAJOR, major
from git_asr.converters.masking import masked
from git_asr.errors import AsrError, Diagnostic, Report
from git_asr.git.base import Objects
from git_asr.values import dataclass

_OID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class _Source:
    """A transcript that a header names. ``sha256``: of it as it was stored; ``oids``: the Git blobs that it is in."""

    key: SessionKey
    sha256: str
    format: str
    oids: tuple[str, ...]

    @property
    def path(self) -> str:
        return f"native/sha256/{self.sha256}"


def without_native(bundle: Bundle) -> Bundle:
    """The bundle less its native transcripts."""
    return replace(bundle, manifest=replace(bundle.manifest, native=()))


def with_native(
    bundle: Bundle, objects: Objects, report: Report, tick: Callable[[int, int], object]
) -> Bundle:
    """The bundle with the native transcript of every stream: ``native/sha256/<SHA-256 that its header names>``.

    Those that the bundle has already stay. Secret answers are taken out; a transcript of which nobody can tell whether
    they are all out is left out and reported (``native-left-out``), as is one that is not here.
    """
    there = {file.path: file for file in bundle.manifest.native}
    made: dict[str, tuple[str, ...]] = {}
    sources = {one.path: one for one in _sources(bundle)}
    for done, (path, source) in enumerate(sorted(sources.items())):
        tick(done, len(sources))
        if path in there:
            continue
        try:
            data = _content(objects, source)
        except AsrError as error:
            report(
                Diagnostic(
                    "native-left-out",
                    f"session {source.key.id}",
                    f"its transcript is left out: {error.message}",
                )
            )
            continue
        digest = hashlib.sha256(data).hexdigest()
        other: dict[str, Any] = {"session": source.key.reference(), "format": source.format}
        if digest != source.sha256:
            other["capture"] = {"state": "masked"}
        there[path] = File(path, len(data), digest, other)
        made[path] = source.oids

    def file(path: str) -> bytes | None:
        return _content(objects, sources[path]) if path in made else bundle.file(path)

    return Bundle(replace(bundle.manifest, native=tuple(there.values())), file)


def _sources(bundle: Bundle) -> Iterator[_Source]:
    """The transcripts that the headers of a bundle name."""
    for key, entry in streams(bundle.manifest):
        if major(entry.format_version) != SUPPORTED_MAJOR:
            continue
        first = next((file.path for file in entry.files), header_path(entry.stream))
        found = stream.header(bundle.file(first) or b"").get("nativeSources")
        for one in found if isinstance(found, list) else ():
            source = _source(key, one) if isinstance(one, Mapping) else None
            if source is not None:
                yield source


def _source(key: SessionKey, named: Mapping[str, Any]) -> _Source | None:
    """A transcript that Git holds; None for one that no checkpoint stores, or where it is not named as one."""
    oid, digest = named.get("oid"), named.get("sha256")
    oids = tuple(oid) if isinstance(oid, list) else (oid,)
    if not all(isinstance(one, str) and _OID.fullmatch(one) for one in oids):
        return None
    if not isinstance(digest, str) or not re.fullmatch(r"[0-9a-f]{64}", digest):
        return None
    return _Source(key, digest, str(named.get("format")), oids)


def _content(objects: Objects, source: _Source) -> bytes:
    """The transcript as it may be given away. Raises AsrError."""
    pieces: list[bytes] = []
    for oid in source.oids:
        data = objects.blob(oid)
        if data is None:
            raise AsrError("it is not in this repository")
        if pieces and not pieces[-1].endswith(b"\n"):
            pieces.append(b"\n")  # at a cut between chunks the line end was taken out
        pieces.append(data)
    whole = b"".join(pieces)
    if hashlib.sha256(whole).hexdigest() != source.sha256:
        raise AsrError("what is in this repository is another one")
    return masked(whole)
