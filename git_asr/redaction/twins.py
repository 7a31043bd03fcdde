"""The streams of a bundle and its manifest, each with its redacted twin (profile sections 2 and 7).

Every record is looked at twice: what is secret by what stands beside it in one place is so in all others, and a name
that is told late stands in what came before.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from git_asr.asr import bundle, links, reading, stream
from git_asr.asr.bundle import REDACTION, Bundle, BundleWriter, Manifest, PutFile, StreamEntry
from git_asr.asr.draft import Record
from git_asr.asr.header import SessionKey
from git_asr.asr.parts import blob_path
from git_asr.asr.stream import Gap
from git_asr.errors import AsrError
from git_asr.redaction.base import Rule
from git_asr.redaction.findings import Finding, LeftOut, Redacted
from git_asr.redaction.headers import twin_header, was_redacted
from git_asr.redaction.inlining import inlined
from git_asr.redaction.learning import learn
from git_asr.redaction.masking import Masker
from git_asr.redaction.placeholders import Placeholders
from git_asr.redaction.policy import Policy
from git_asr.redaction.records import Records
from git_asr.redaction.summaries import Prompt, twin_summary

Progress = Callable[[int, int], object]
"""Told how many steps are done, of how many."""

_Stream = tuple[SessionKey, Record, StreamEntry]


class Twins:
    """One bundle on its way through a policy. ``made`` does it all."""

    def __init__(
        self,
        policy: Policy,
        rules: Mapping[bool, list[Rule]],
        source: Bundle,
        put: PutFile,
        tell: Callable[[Finding], None] | None,
    ) -> None:
        self._policy = policy
        self._source = source
        self._put = put
        self._tell = tell
        self._left_out: list[LeftOut] = []
        self._streams = list(self._readable())
        learned = learn(self._files())
        self._people = learned.people
        placeholders = Placeholders(policy.form, learned.number)
        self._maskers = {
            redacted: Masker(own, placeholders, policy.allowed, self._note) for redacted, own in rules.items()
        }
        self._records = {
            redacted: Records(masker, policy, self._note) for redacted, masker in self._maskers.items()
        }
        self._now = self._records[True]
        self._sources: dict[str, str] = {}
        self._counts: Counter[str] = Counter()
        self._at: tuple[str, str] | None = None

    def made(self, progress: Progress | None = None) -> Redacted:
        """Look at everything, then write everything. ``progress``: told what is done, twice for each stream."""
        steps = 2 * len(self._streams)
        for done, (_, header, entry) in enumerate(self._streams):
            if progress is not None:
                progress(done, steps)
            self._now = self._records[was_redacted(header)]
            self._now.header(header)
            for record in self._lines(entry):
                if not isinstance(record, Gap):
                    self._now.record(inlined(record, self._blob))
        for masker in self._maskers.values():
            masker.learn(self._people)
        writer = BundleWriter(self._put_all_but_manifest)
        findings = {}
        others: dict[str, Mapping[str, Any]] = {}
        for done, (key, header, entry) in enumerate(self._streams, start=len(self._streams)):
            if progress is not None:
                progress(done, steps)
            name = self._stream(writer, key, header, entry)
            findings[name] = dict(sorted(self._counts.items()))
            others[name] = entry.other
        manifest = self._manifest(writer.close(), others)
        self._put(bundle.MANIFEST, manifest.dump())
        return Redacted(manifest, findings, tuple(self._left_out))

    def _readable(self) -> Iterator[_Stream]:
        """The streams that can be read; the others are left out."""
        for key, entry in bundle.streams(self._source.manifest):
            try:
                first = self._file(entry.files[0].path) if entry.files else b""
                yield key, stream.header(first), entry
            except stream.UnknownMajor:
                self._leave(f"stream {entry.stream}", f"format version {entry.format_version}")
            except AsrError as error:
                self._leave(f"stream {entry.stream}", error.message)
        for file in self._source.manifest.native:
            self._leave(file.path, "native transcripts are not shared")

    def _leave(self, what: str, reason: str) -> None:
        self._left_out.append(LeftOut(what, reason))

    def _files(self) -> Iterator[bytes]:
        for _, _, entry in self._streams:
            for file in entry.files:
                yield self._file(file.path)
        for blob in self._source.manifest.blobs:
            yield self._blob(blob.sha256) or b""

    def _file(self, path: str) -> bytes:
        data = self._source.file(path)
        if data is None:
            raise AsrError(f"a bundle lacks {path}")
        return data

    def _blob(self, sha256: str) -> bytes | None:
        return self._source.file(blob_path(sha256))

    def _lines(self, entry: StreamEntry) -> Iterator[Record | Gap]:
        """All that stands behind the header."""
        whole = hashlib.sha256()

        def files() -> Iterator[bytes]:
            for file in entry.files:
                data = self._file(file.path)
                whole.update(data)
                yield data

        read = stream.read(files())
        next(read)
        yield from read
        self._sources[entry.stream] = whole.hexdigest()

    def _stream(self, writer: BundleWriter, key: SessionKey, header: Record, entry: StreamEntry) -> str:
        """Write the twin of a stream; its ID."""
        self._at = None
        self._counts = Counter()
        self._now = self._records[was_redacted(header)]
        masker = self._now.masker
        name = masker.identifier(entry.stream)
        self._at = (name, "")
        own_links: list[Record] = []
        prompt = Prompt()
        counted = Counter[str]()
        files = writer.records(name, self._transcript(entry, own_links, prompt, counted))
        if counted["renamed"]:
            sound = [one for one in own_links if reading.fault(one) is None]
            own_links = [*links.unite(sound), *(one for one in own_links if reading.fault(one) is not None)]
        self._at = (name, "")
        head = twin_header(
            self._now.header(header), header, self._policy, self._sources[entry.stream], self._counts
        )
        self._at = None
        summary = twin_summary(self._now.walker, entry.summary, prompt)
        writer.stream(
            SessionKey(masker.identifier(key.harness), masker.identifier(key.id), key.id_source),
            head,
            files,
            own_links,
            records=counted["records"],
            summary=summary,
        )
        return name

    def _transcript(
        self, entry: StreamEntry, own_links: list[Record], prompt: Prompt, counted: Counter[str]
    ) -> Iterator[Record]:
        """The transcript's records, masked; those of the links are collected."""
        gap = 0
        for found in self._lines(entry):
            if isinstance(found, Gap):
                gap = found.line
                continue
            masked = self._masked(found)
            if reading.is_of_links(found):
                own_links.append(masked)
                counted["renamed"] += masked.get("id") != found.get("id")
                continue
            if gap and "predecessors" not in masked:
                masked = {
                    **masked,
                    "predecessors": [f"gap-{gap}"],
                }  # what was there is not known: no way across it
            gap = 0
            prompt.note(masked)
            counted["records"] += 1
            yield masked

    def _masked(self, record: Record) -> Record:
        name = self._at[0] if self._at else ""
        identifier = record.get("id")
        self._at = None
        own = self._now.masker.identifier(identifier) if isinstance(identifier, str) else ""
        self._at = (name, own)
        return self._now.record(inlined(record, self._blob))

    def _put_all_but_manifest(self, path: str, data: bytes) -> None:
        if path != bundle.MANIFEST:
            self._put(path, data)

    def _manifest(self, written: Manifest, others: Mapping[str, Mapping[str, Any]]) -> Manifest:
        """The manifest: what is unknown in the old one is masked, and left out where it lists files."""
        source = self._source.manifest
        self._at = None
        mask = self._records[False].walker.value
        kept = {}
        for name, value in source.other.items():
            listed = Manifest((), other={name: value}).files()
            for path in listed:
                self._leave(path, "only streams and their blobs are shared")
            if not listed:
                kept[name] = value
        meta = self._records[False].meta(dict(source.meta)) or {}
        sessions = tuple(
            replace(
                session,
                streams=tuple(
                    replace(one, other=mask(dict(others.get(one.stream, {})))) for one in session.streams
                ),
            )
            for session in written.sessions
        )
        return replace(
            written,
            sessions=sessions,
            shareable=True,
            forgotten=None if source.forgotten is None else mask(dict(source.forgotten)),
            meta={**meta, REDACTION: {"policy": self._policy.record()}},
            other=mask(kept),
        )

    def _note(self, rule: str, _start: int = 0, _end: int = 0) -> None:
        """Count what was found, and tell where, while a twin is written."""
        if self._at is None:
            return
        self._counts[rule] += 1
        if self._tell is not None:
            path = "/".join(str(step).replace("/", "~1") for step in self._now.walker.path)
            self._tell(Finding(rule, *self._at, path))
