"""Two bundles of one session → one: a maximum of streams and a union of links (profile section 8, *merge*).

Pure: it compares and chooses, files stay where they are. Being a maximum and a union, it is commutative,
associative and idempotent.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace
from typing import Any

from git_asr.asr import codec, large, links, omitted
from git_asr.asr.bundle import File, Manifest, Session, StreamEntry, file_entry
from git_asr.asr.draft import Record
from git_asr.asr.header import UNKNOWN, SessionKey
from git_asr.asr.large import references
from git_asr.asr.parts import header_path, links_path
from git_asr.asr.shape import without as without_fields
from git_asr.asr.times import instant
from git_asr.asr.version import SUPPORTED_MAJOR, major
from git_asr.values import dataclass

NONE, REDACTED_TWIN, OPAQUE, ETF, NATIVE = range(5)
"""Ranks of streams: what stands higher says more of the session."""
IMPORTED = "git-asr/imported"
"""Field of a stream's manifest entry that marks it as brought by a bundle (``companion.imports``)."""
_NOTHING = Manifest(())


@dataclass(frozen=True, slots=True)
class StreamState:
    """A stream as merging sees it.

    ``entry``: its manifest entry; ``header``: its header record (empty for an unknown major); ``links``: its link
    records.
    """

    entry: StreamEntry
    header: Mapping[str, Any]
    links: tuple[Record, ...]

    @property
    def reach(self) -> tuple[int, int, int, int, int]:
        """How much a stream says, its text aside: format major, rank, converter version, units, newest source."""
        entire = (self.header.get("_meta") or {}).get(links.CHECKPOINT) or {}
        return (
            major(self.entry.format_version) or 0,
            rank(self.header),
            converter_version(self.header),
            through(self.header),
            instant(entire.get("createdAt")) or 0,
        )

    @property
    def order(self) -> tuple[tuple[int, int, int, int, int], str, int, bytes, bool]:
        """What makes a stream the greater: format major, rank, converter version, units, newest source, bytes.

        Of equal streams the one counts of which the manifest says more, and last the one that no bundle brought.
        """
        listed = codec.encode(self._listed)
        return (
            self.reach,
            " ".join(file.sha256 for file in self.transcript),
            len(listed),
            listed,
            IMPORTED not in self.entry.other,
        )

    @property
    def _listed(self) -> dict[str, Any]:
        """The manifest entry without what merging makes anew, and without the mark."""
        record = without_fields(self.entry.record(), IMPORTED)
        summary = without_fields(record["summary"], "commits")
        return {
            **record,
            "files": [dict(file.other) for file in self.transcript],
            "records": 0,
            "summary": summary,
        }

    @property
    def transcript(self) -> tuple[File, ...]:
        """The files without the links."""
        return tuple(file for file in self.entry.files if file.path != links_path(self.entry.stream))


@dataclass(frozen=True, slots=True)
class SessionState:
    """One session's bundle as merging sees it. ``blobs``: the manifest's, by SHA-256.

    ``beside``: what its manifest says beside streams and blobs: a manifest without them, and with one session at most.
    """

    key: SessionKey
    streams: Mapping[str, StreamState]
    blobs: Mapping[str, large.Blob]
    forgotten: Mapping[str, Any] | None = None
    beside: Manifest = _NOTHING


def beside(manifest: Manifest) -> Manifest:
    """What a manifest of one session says beside its streams and blobs."""
    sessions = tuple(replace(one, streams=()) for one in manifest.sessions)
    return replace(manifest, sessions=sessions, blobs=(), forgotten=None)


def _both(left: Manifest, right: Manifest) -> Manifest:
    """What two manifests say beside streams and blobs: all fields, of one that both have the greater."""
    if left.dump() == right.dump():
        return left
    mine, others = (one.sessions[0] if one.sessions else None for one in (left, right))
    session = mine or others
    if mine is not None and others is not None:
        key = min(mine.key, others.key, key=lambda one: one.id_source)
        session = Session(
            key, (), _fields(mine.key_other, others.key_other), _fields(mine.other, others.other)
        )
    native: dict[str, File] = {}
    for file in sorted((*left.native, *right.native), key=lambda one: codec.encode(one.record())):
        native[file.path] = file
    return Manifest(
        () if session is None else (session,),
        shareable=left.shareable and right.shareable,
        meta=_fields(left.meta, right.meta),
        native=tuple(native[path] for path in sorted(native)),
        other=_fields(left.other, right.other),
    )


def _fields(left: Mapping[str, Any], right: Mapping[str, Any]) -> Mapping[str, Any]:
    """The fields of two objects; of two lists all elements, of two other values the one with the greater bytes.

    A side that has all of it stays as it is, in its own order; else the result is sorted. So the order of merging does
    not matter here either.
    """
    found: dict[str, Any] = {}
    for name in sorted(left.keys() | right.keys()):
        values = [side[name] for side in (left, right) if name in side]
        found[name] = (
            _all_elements(values)
            if all(isinstance(one, list) for one in values)
            else max(values, key=codec.encode)
        )
    whole = _same(found)
    return max((one for one in (left, right) if _same(one) == whole), key=_bytes, default=found)


def _all_elements(lists: Sequence[list[Any]]) -> list[Any]:
    both = {codec.encode(one): one for each in lists for one in each}
    whole = [one for one in lists if {codec.encode(each) for each in one} == both.keys()]
    return max(whole, key=codec.encode, default=[both[data] for data in sorted(both)])


def _same(fields: Mapping[str, Any]) -> dict[str, bytes]:
    """Fields as they are compared, their order aside."""
    return {name: codec.encode(value) for name, value in fields.items()}


def _bytes(fields: Mapping[str, Any]) -> bytes:
    return codec.encode(dict(fields))


def rank(header: Mapping[str, Any]) -> int:
    """How much a stream says, by its header."""
    producer = header.get("producer") or {}
    if header.get("derivedFrom"):
        return REDACTED_TWIN
    if (header.get("capture") or {}).get("state") == "omitted":
        return NONE
    if producer.get("method") == "import":
        return ETF
    return OPAQUE if str(producer.get("version", "")).startswith("opaque/") else NATIVE


def is_native(state: SessionState) -> bool:
    """Whether a session was made from a native transcript."""
    return any(rank(one.header) == NATIVE for one in state.streams.values())


def follows_from_links(header: Mapping[str, Any]) -> bool:
    """Whether a stream has no transcript, and its header is one that this version makes from its links."""
    producer = header.get("producer") or {}
    return rank(header) == NONE and producer.get("version") == omitted.PRODUCER_VERSION


def converter_version(header: Mapping[str, Any]) -> int:
    """The number in ``producer.version`` (``claude-code/3``); 0 when there is none."""
    number = str((header.get("producer") or {}).get("version", "")).rpartition("/")[2]
    return int(number) if number.isascii() and number.isdecimal() and len(number) < 10 else 0


def through(header: Mapping[str, Any]) -> int:
    """The last position of a stream."""
    value = (header.get("capture") or {}).get("through")
    return value if isinstance(value, int) else 0


def merge(left: SessionState, right: SessionState) -> SessionState:
    """The greater of each stream, all links; a forgotten session stays forgotten."""
    if left.forgotten is not None or right.forgotten is not None:
        gone = [one.forgotten for one in (left, right) if one.forgotten is not None]
        return SessionState(left.key, {}, {}, max(gone, key=lambda one: codec.encode(dict(one))))
    both = {
        name: [(side.streams[name], side) for side in (left, right) if name in side.streams]
        for name in left.streams.keys() | right.streams.keys()
    }
    streams = _once({name: _greater([stream for stream, _ in sides]) for name, sides in both.items()})
    blobs: dict[str, large.Blob] = {}
    for name, kept in streams.items():
        best = max(stream.order for stream, _ in both[name])
        for stream, side in both[name]:
            _take(blobs, side.blobs, stream.entry.blobs if stream.order == best else {})
        for side in (left, right):
            _take(blobs, side.blobs, references(kept.links))
    key = min(left.key, right.key, key=lambda one: one.id_source)
    return SessionState(key, streams, blobs, beside=_both(left.beside, right.beside))


def _once(streams: Mapping[str, StreamState]) -> dict[str, StreamState]:
    """The streams of a session, each checkpoint's records in one of them: that with the greatest name.

    Clones that have other checkpoints of a session may call the line of a copy otherwise; the one that has more of them
    names a fork, and the name of a fork is the greater one. A stream of which nothing is left goes.
    """
    held: dict[str, dict[str, list[Record]]] = {}
    for name, one in streams.items():
        for record in one.links:
            held.setdefault(links.checkpoint_of(record), {}).setdefault(name, []).append(record)
    moved = {checkpoint: found for checkpoint, found in held.items() if len(found) > 1}
    result = dict(streams)
    for name in {name for found in moved.values() for name in found}:
        own = [one for one in streams[name].links if links.checkpoint_of(one) not in moved]
        for found in moved.values():
            if name == max(found):
                own = links.unite(own, *found.values())
        if own or not follows_from_links(streams[name].header):
            result[name] = with_links(streams[name], own)
        else:
            del result[name]
    return result


def yielding(state: SessionState, earlier: SessionState, checkpoints: Set[str]) -> SessionState:
    """A session without the link records of some checkpoints that an earlier version has.

    For those of which something cannot be read now: what was told of them when it could counts.
    """
    known = {record["id"] for one in earlier.streams.values() for record in one.links}
    streams = {
        name: with_links(one, links.unite(left))
        for name, one in state.streams.items()
        if len(
            left := [r for r in one.links if not (links.checkpoint_of(r) in checkpoints and r["id"] in known)]
        )
        < len(one.links)
    }
    return replace(state, streams={**state.streams, **streams}) if streams else state


def narrowed(state: SessionState, streams: Mapping[str, StreamState]) -> SessionState:
    """A session with these streams of its own alone, and no blob that only others name."""
    blobs: dict[str, large.Blob] = {}
    for one in streams.values():
        _take(blobs, state.blobs, one.entry.blobs)
        _take(blobs, state.blobs, references(one.links))
    return replace(state, streams=streams, blobs=blobs)


def _take(
    taken: dict[str, large.Blob], blobs: Mapping[str, large.Blob], named: Mapping[str, str] | None
) -> None:
    """Take over the blobs that a stream names (None: all, since it does not say); of two media types the smaller.

    Which those are the streams say that stay, not the bundle: it may have had its type from one that goes.
    """
    if named is None:
        named = {sha256: blob.media_type for sha256, blob in blobs.items()}
    for sha256, media in named.items():
        if sha256 in blobs:
            mine = replace(blobs[sha256], media_type=media)
            known = taken.get(sha256, mine)
            other = max(known.other, mine.other, key=_bytes)
            taken[sha256] = replace(mine, media_type=min(media, known.media_type), other=other)


def _greater(streams: Sequence[StreamState]) -> StreamState:
    """The greatest of the versions of one stream, with the links of all."""
    winner = max(streams, key=lambda one: one.order)
    if len(streams) == 1 or major(winner.entry.format_version) != SUPPORTED_MAJOR:
        return winner
    return with_links(winner, links.unite(*(one.links for one in streams)))


def with_links(state: StreamState, records: Sequence[Record]) -> StreamState:
    """The stream with these link records, and its manifest entry to match (``made`` gives the bytes).

    A stream without a transcript says nothing but what follows from them, header included.
    """
    stream = state.entry.stream
    header, files = state.header, list(state.transcript)
    summary = {**state.entry.summary, "commits": links.commits(records)}
    if follows_from_links(header):
        header, summary = omitted.header(_key(header), records), omitted.summary(records)
        files = [file_entry(header_path(stream), _lines([header]))]
    if records:
        other = next((one.other for one in state.entry.files if one.path == links_path(stream)), {})
        files.append(replace(file_entry(links_path(stream), _lines(records)), other=other))
    count = state.entry.records - len(state.links) + len(records)
    entry = replace(state.entry, files=tuple(files), records=count, summary=summary)
    return StreamState(entry, header, tuple(records))


def made(state: StreamState) -> dict[str, bytes]:
    """The files of a stream that merging makes, by path: its links, and the header of one without a transcript."""
    files = {links_path(state.entry.stream): _lines(state.links)}
    if follows_from_links(state.header):
        files[header_path(state.entry.stream)] = _lines([state.header])
    return files


def without(state: SessionState, held: Set[tuple[str, str]]) -> SessionState | None:
    """A bundle without a transcript, less what other bundles hold too; None where nothing is left.

    ``held``: the ``sources`` of those. A checkpoint goes with its commits.
    """
    left = sources(state) - held
    kept = {checkpoint for checkpoint, _ in left}
    streams = {
        name: with_links(one, links.unite(r for r in one.links if links.checkpoint_of(r) in kept))
        for name, one in state.streams.items()
    }
    blobs: dict[str, large.Blob] = {}
    for one in streams.values():
        _take(blobs, state.blobs, references(one.links))
        _take(
            blobs, state.blobs, one.entry.blobs
        )  # a subagent may have a transcript where its session has none
    return replace(state, streams=streams, blobs=blobs) if left else None


def _key(header: Mapping[str, Any]) -> SessionKey:
    session = header.get("session") or {}
    stream = str(header.get("stream") or "")
    source = session.get("idSource", "native")
    return SessionKey(str(session.get("harness", UNKNOWN)), str(session.get("id", stream)), source)


def _lines(records: Iterable[Mapping[str, Any]]) -> bytes:
    """The bytes of a file of records. They are as read: large values left them when they were first written."""
    return b"".join(codec.encode(dict(record)) + b"\n" for record in records)


def manifest(state: SessionState) -> Manifest:
    """The manifest of a merged session."""
    entries = tuple(one.entry for one in state.streams.values())
    kept = state.beside.sessions[0] if state.beside.sessions else Session(state.key, ())
    return replace(
        state.beside,
        sessions=(replace(kept, key=state.key, streams=entries),),
        blobs=tuple(state.blobs.values()),
        forgotten=state.forgotten,
    )


def sources(state: SessionState) -> frozenset[tuple[str, str]]:
    """The (checkpoint, session ID as stored) pairs that a bundle's links name.

    A bundle without a readable transcript is not needed where other bundles hold all of its pairs.
    """
    return frozenset(
        (record["id"], str(stored))
        for stream in state.streams.values()
        for record in stream.links
        if record.get("type") == links.CHECKPOINT
        for stored in record.get("sessionIds") or ("",)
    )
