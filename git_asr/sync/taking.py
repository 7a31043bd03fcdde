"""Bundles from elsewhere → sessions of the companion ref, merged with what it has (profile section 8, *merge*)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from git_asr.asr import joining, large, stream
from git_asr.asr.bundle import MANIFEST, Bundle, Manifest, Session, StreamEntry
from git_asr.asr.draft import Record
from git_asr.asr.header import SessionKey
from git_asr.asr.parts import header_path, links_path
from git_asr.asr.version import SUPPORTED_MAJOR, major
from git_asr.companion import imports, store
from git_asr.companion.merging import merge_trees
from git_asr.companion.tree import changed_sessions
from git_asr.entire.exclusion import excluded
from git_asr.errors import AsrError, Diagnostic, Report
from git_asr.git.trees import edit_tree
from git_asr.sync.conversion import Conversion
from git_asr.sync.outcome import Became, Taken
from git_asr.values import dataclass


@dataclass(frozen=True, slots=True)
class Offer:
    """A bundle that is to be taken in; every file that it lists is known to be there.

    ``report``: takes what is found wrong (``session-not-taken``): it is no finding of the repository's. ``progress``:
    told how many sessions were read, of how many.
    """

    bundle: Bundle
    report: Report
    progress: Callable[[int, int], object]


def take(conversion: Conversion, offers: Iterable[Offer]) -> tuple[Taken, ...]:
    """Merge the sessions of bundles into the companion; what became of each."""
    return tuple(taken for offer in offers for taken in _take(conversion, offer))


def _take(conversion: Conversion, offer: Offer) -> Iterator[Taken]:
    objects, writer = conversion.objects, conversion.writer
    trees: dict[SessionKey, str | None] = {}
    for key, offered in _offered(conversion, offer):
        if isinstance(offered, AsrError):
            offer.report(Diagnostic("session-not-taken", f"session {key.id}", offered.message))
            yield Taken(key, "refused")
        else:
            trees[key] = offered
    before = edit_tree(objects, writer, conversion.tip.tree, store.place(conversion.results.trees))
    after = edit_tree(objects, writer, None, store.place(trees))
    writer.finish()
    if before is not None and after is not None:
        after = merge_trees(objects, writer, before, after, offer.report)
        writer.finish()
    became = {} if after is None else dict(_adopt(conversion, before, after))
    yield from (Taken(key, became.get(key, "unchanged")) for key in trees)


def _adopt(conversion: Conversion, before: str | None, after: str) -> Iterator[tuple[SessionKey, Became]]:
    """Take the sessions that merging changed into the conversion."""
    for _, old, new in changed_sessions(conversion.objects, before, after):
        present, merged = store.readable(conversion.objects, old), store.readable(conversion.objects, new)
        if merged is not None:
            conversion.put(merged.state.key, merged, present)
            yield merged.state.key, "new" if present is None else "changed"
        elif present is not None:  # a session without a transcript, all of whose checkpoints others hold now
            conversion.drop(present.state.key)
            yield present.state.key, "changed"


@dataclass(frozen=True, slots=True)
class _Part:
    """A session of a bundle as the companion has it. ``files``: Git blobs by path; ``named``: blobs that it names."""

    session: Session
    files: dict[str, str]
    named: dict[str, str]


def _offered(conversion: Conversion, offer: Offer) -> Iterator[tuple[SessionKey, str | AsrError]]:
    """The tree of each session of a bundle, or why it is not taken."""
    whole, writer = offer.bundle.manifest, conversion.writer
    parts: list[_Part] = []
    for done, session in enumerate(whole.sessions):
        offer.progress(done, len(whole.sessions))
        try:
            _check(conversion, whole, session)
            parts.append(_part(offer.bundle, session, writer.blob))
        except AsrError as error:
            yield session.key, error
    claimed = {sha256 for part in parts for sha256 in part.named}
    shared = [blob for blob in whole.blobs if blob.sha256 not in claimed]
    blobs = {blob.sha256: blob for blob in whole.blobs}
    trees: dict[SessionKey, str] = {}
    for part in parts:
        mine = [replace(blobs[sha], media_type=media) for sha, media in part.named.items() if sha in blobs]
        key = part.session.key
        manifest = replace(
            whole,
            sessions=(part.session,),
            blobs=tuple(mine),
            native=tuple(one for one in whole.native if one.other.get("session") in (None, key.reference())),
            shareable=False,
        )
        manifest = imports.with_unclaimed(manifest, shared)
        for path in manifest.files().keys() - part.files.keys():
            part.files[path] = writer.blob(offer.bundle.file(path) or b"")
        part.files[MANIFEST] = writer.blob(manifest.dump())
        trees[key] = store.write_session(writer, conversion.objects, part.files)
    writer.finish()
    for key, tree in trees.items():
        yield key, _refusal(conversion, key, tree) or tree


def _refusal(conversion: Conversion, key: SessionKey, tree: str) -> AsrError | None:
    """Why a session that was written is not taken."""
    try:
        stored = store.load_bundle(conversion.objects, tree)
    except store.DamagedBundle as error:
        return error
    if excluded(conversion.exclusions, key, store.metadata_of(conversion.objects, stored)):
        return AsrError("asr.exclude keeps it out")
    return None


def _check(conversion: Conversion, whole: Manifest, session: Session) -> None:
    """Refuse a session of which the bundle has nothing, or that is not wanted here. Raises AsrError."""
    if whole.forgotten is not None or not session.streams:
        raise AsrError("the bundle has nothing of it")
    if store.is_forgotten(conversion.objects, conversion.tip.tree, session.key):
        raise AsrError("it was forgotten")


def _part(bundle: Bundle, session: Session, put: Callable[[bytes], str]) -> _Part:
    """Write the streams of a session. Raises AsrError if a stream is none."""
    files: dict[str, str] = {}
    named: dict[str, str] = {}
    entries: list[StreamEntry] = []
    for entry in session.streams:
        one, get = entry, bundle.file
        if major(entry.format_version) == SUPPORTED_MAJOR:
            if not joining.is_cut(entry, get):
                one, made = joining.cut(entry, get)
                get = made.get
            _check_header(session.key, one, get(header_path(entry.stream)) or b"")
            links = [file.path for file in one.files if file.path == links_path(entry.stream)]
            rest = [file.path for file in one.files if file.path not in links]
            _name(named, stream.read(get(path) or b"" for path in links))
            if one.blobs is None:
                found = _name({}, stream.read(get(path) or b"" for path in rest))
                one = replace(one, blobs=dict(sorted(found.items())))
            named |= {sha: min(media, named.get(sha, media)) for sha, media in (one.blobs or {}).items()}
        files |= {file.path: put(get(file.path) or b"") for file in one.files}
        entries.append(imports.with_mark(one))
    return _Part(replace(session, streams=tuple(entries)), files, named)


def _check_header(key: SessionKey, entry: StreamEntry, data: bytes) -> None:
    """See that the header of a stream is of the stream and the session under which the manifest lists it."""
    header = stream.header(data)
    said = header.get("session")
    session = (said.get("harness"), said.get("id")) if isinstance(said, Mapping) else None
    if header.get("stream") != entry.stream or session != key.pair:
        raise AsrError(f"the header of stream {entry.stream} is another stream's")


def _name(named: dict[str, str], records: Iterable[Record | stream.Gap]) -> dict[str, str]:
    """Add the blobs that records name, each with the smallest media type."""
    for sha256, media in large.references(one for one in records if not isinstance(one, stream.Gap)).items():
        named[sha256] = min(media, named.get(sha256, media))
    return named
