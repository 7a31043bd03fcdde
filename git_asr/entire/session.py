"""One session, from its copies and checkpoints to the streams of its bundle (profile sections 2, 5 and 6)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

from git_asr.asr import header as headers
from git_asr.asr import links, omitted, summary
from git_asr.asr.bundle import BundleWriter, WrittenStream
from git_asr.asr.draft import Draft, Record
from git_asr.asr.header import Header, Producer, SessionKey
from git_asr.asr.ids import without_date
from git_asr.asr.kinds import Drift
from git_asr.asr.large import PutBlob
from git_asr.asr.links import CommitLink
from git_asr.asr.numbering import number
from git_asr.converters.base import Converter, Embedded, NativeFormat, TellsLineage
from git_asr.converters.batches import Batches
from git_asr.converters.etf.format import EntireTranscript
from git_asr.converters.known import known
from git_asr.converters.registry import converter_for, method_of
from git_asr.entire import metadata
from git_asr.entire.assets import Assets
from git_asr.entire.contents import Checkpoint, SessionFolder
from git_asr.entire.copied import Origins
from git_asr.entire.copies import OF_NO_AGENT, ContentReader, Copy, Line, chunks_of, folder_order
from git_asr.entire.damage import watched
from git_asr.entire.files import SmallFiles, check_hash
from git_asr.entire.kept import kept_files, task_facts
from git_asr.entire.subagents import Subagent, Told
from git_asr.entire.tasks import Task
from git_asr.values import dataclass

_FIRST_REDACTING = (0, 3, 12)


@dataclass(frozen=True, slots=True)
class SessionSource:
    """All that is known of one session, ready to be written.

    ``lines``: plain one first; empty where no transcript can be read. ``folders``: of each checkpoint that holds the
    session the folders that do, newest first. ``commits``: the commits that name each checkpoint; ``decisions``: link
    records about it that persons made. ``kept``: link records of an earlier sync whose checkpoints cannot be read now,
    with the stream they stood in. ``first_prompt``: tells what stands in for the first prompt where the records name
    none. ``omitted``: why there is no transcript, for each checkpoint that has none. ``tasks``: all of each
    checkpoint; ``subagents``: those of the session that have a transcript of their own. ``files``: reads what stands
    beside the transcripts.
    """

    key: SessionKey
    lines: tuple[Line, ...]
    checkpoints: Mapping[str, Checkpoint]
    folders: Mapping[str, tuple[SessionFolder, ...]]
    commits: Mapping[str, tuple[CommitLink, ...]]
    decisions: Mapping[str, Sequence[Record]]
    object_format: str
    files: SmallFiles
    kept: Sequence[tuple[str, Record]] = ()
    first_prompt: Callable[[], str | None] = lambda: None
    omitted: Mapping[str, str] = field(default_factory=dict)
    tasks: Mapping[str, Sequence[Task]] = field(default_factory=dict)
    subagents: Sequence[Subagent] = ()

    @property
    def newest(self) -> SessionFolder:
        """The newest folder that holds the session."""
        return max((folders[0] for folders in self.folders.values()), key=age)

    def told(self) -> dict[str, set[str]]:
        """The folders, by their checkpoint, of which Entire's own transcript became a stream."""
        found: dict[str, set[str]] = {}
        for copy in (copy for line in self.lines for copy in line.copies):
            if copy.compact:
                found.setdefault(copy.checkpoint, set()).add(copy.folder)
        return found

    def folder(self, copy: Copy) -> SessionFolder:
        """The folder in which a copy lies."""
        return next(one for one in self.folders[copy.checkpoint] if one.folder == copy.folder)


def age(folder: SessionFolder) -> tuple[int, str, int, str]:
    """Sort key of folders: oldest first, and the same order everywhere for equal times."""
    return folder.created or 0, folder.checkpoint, *folder_order(folder.folder)


def write(source: SessionSource, bundle: BundleWriter, reader: ContentReader) -> tuple[WrittenStream, ...]:
    """Convert a session and write its streams to a bundle: its subagents' first, whose messages others may repeat."""
    extents = [line.extents(reader) for line in source.lines]
    placed = _place_links(source, extents, bundle.blob)
    written: list[WrittenStream] = []
    if not source.lines:
        written.append(_write_omitted(source, bundle, placed[source.key.id]))
    told = Told()
    forks = any(len(one) > 1 for one in (source.lines, *(agent.lines for agent in source.subagents)))
    origins = Origins(source.key, forks=forks)
    inside: list[tuple[_Conversion, Embedded]] = []
    for task in _conversions(source, extents, reader):
        converter, batches = converter_for(task.line.native), Batches()
        units = batches.units(watched(task.line.units(reader), task.line, source.files.report))
        drafts = batches.step(converter.convert(units, task.line.native, task.line.stream))
        if task.spawned:
            drafts = told.watch(drafts, task.line.stream)
        own_links = () if task.spawned else placed[task.line.stream]
        made = _Making(converter, drafts, batches)
        written.append(_write_stream(task, made, bundle, reader, origins, own_links=own_links))
        inside += [(_within(task, one), one) for one in converter.embedded]
    for task, one in inside:
        batches = Batches()
        units = batches.units(task.line.units(reader))
        drafts = batches.step(one.converter.convert(units, task.line.native, task.stream))
        made = _Making(one.converter, told.copied(drafts, source.key), batches)
        written.append(_write_stream(task, made, bundle, reader, origins))
    return tuple(written)


@dataclass(frozen=True, slots=True)
class _Conversion:
    """A stream of a session, about to be made from a line.

    ``through``: the line's last position. ``calls``: the calls that started the subagent whose stream it is, None for
    the session's own. ``suffix``: what the stream's ID has behind that of the line in whose units it stands.
    """

    source: SessionSource
    line: Line
    through: int
    calls: tuple[str, ...] | None = None
    suffix: str = ""

    @property
    def stream(self) -> str:
        """The ID of the stream."""
        return self.line.stream + self.suffix

    @property
    def spawned(self) -> bool:
        """Whether it is a subagent's."""
        return self.calls is not None


@dataclass(frozen=True, slots=True)
class _Making:
    """The drafts of a stream as they are made: by which converter, and in which batches."""

    converter: Converter
    drafts: Iterator[Draft]
    batches: Batches


def _conversions(
    source: SessionSource, extents: Sequence[Mapping[Copy, int]], reader: ContentReader
) -> Iterator[_Conversion]:
    for agent in source.subagents:
        for line in agent.lines:
            yield _Conversion(source, line, max(line.extents(reader).values()), agent.calls)
    for line, ends in zip(source.lines, extents, strict=True):
        yield _Conversion(source, line, max(ends.values()))


def _within(task: _Conversion, embedded: Embedded) -> _Conversion:
    """The stream of a subagent whose messages stand in the units of another."""
    return replace(task, calls=embedded.calls, suffix=f".{embedded.suffix}")


def _write_stream(
    task: _Conversion,
    made: _Making,
    bundle: BundleWriter,
    reader: ContentReader,
    origins: Origins,
    *,
    own_links: Sequence[Record] = (),
) -> WrittenStream:
    """Write one stream; what its converter says of it is complete once all drafts are taken."""
    source, line = task.source, task.line
    converter = made.converter
    kinds = known(converter.name)
    counted = summary.Summary(None if kinds is None else Drift(kinds))
    restored = Assets(source.checkpoints, source.files).restored(made.drafts, line)
    records = made.batches.step(number(origins.marked(restored, line, task.suffix)))
    written = bundle.records(task.stream, origins.watch(counted.watch(records), task.stream))
    header = Header(
        stream=task.stream,
        session=source.key,
        started_at=counted.started_at,
        capture={"state": "partial", "through": task.through},
        producer=_producer(converter, line.native),
        lineage=_lineage(task, converter),
        workspace=converter.workspace,
        native_sources=list(_native_sources(task, reader)),
        meta={links.CHECKPOINT: _newest_checkpoint(source, line.copies, [s.copy for s in line.segments])},
    ).record()
    return bundle.stream(
        source.key,
        header,
        written,
        own_links,
        records=counted.records,
        summary=_summary(task, counted, own_links),
    )


def _write_omitted(source: SessionSource, bundle: BundleWriter, own_links: Sequence[Record]) -> WrittenStream:
    header = omitted.header(source.key, own_links)
    return bundle.stream(source.key, header, (), own_links, records=0, summary=omitted.summary(own_links))


def _lineage(task: _Conversion, converter: Converter) -> dict[str, Any]:
    """Where a stream comes from: what its units say, which calls started a subagent, and what a line that is not the
    plain one continues or leaves (of a subagent's stream inside another line that cannot be said).
    """
    facets: dict[str, Any] = dict((converter.lineage if isinstance(converter, TellsLineage) else None) or {})
    key = {"session": task.source.key.reference()}
    if task.calls is not None:
        spawned: list[dict[str, Any]]
        spawned = [{**key, "callId": call, "evidence": "native_structure"} for call in task.calls]
        spawned = spawned or [{**key, "evidence": "native_structure"}]
        facets["spawnedBy"] = spawned[0] if len(spawned) == 1 else spawned
    if task.line.relation is not None and not task.suffix:
        facet, stream = task.line.relation
        target: dict[str, Any] = {**key, **({} if stream is None else {"stream": stream})}
        if facet == "continues":
            target["reason"] = "segment"
        facets[facet] = {**target, "evidence": "native_structure"}
    return facets


def _producer(converter: Converter, native: NativeFormat | None) -> Producer:
    return Producer(
        converter.name,
        converter.version,
        method_of(native),
        native.name if native is not None else headers.UNKNOWN,
        converter.format_version,
        lossy=converter.lossy,
    )


def _native_sources(task: _Conversion, reader: ContentReader) -> Iterator[dict[str, Any]]:
    """One entry for each run of positions that one copy gave; with a record's position it leads to the native one."""
    native = task.line.native
    for segment in task.line.segments:
        oids = segment.copy.content
        digest, size = joined(chunks_of(segment.copy, segment.family, reader))
        if not (task.spawned or segment.copy.compact) and (
            len(oids) == 1 or native is None or native.array is None
        ):
            check_hash(task.source.files, task.source.folder(segment.copy), digest)
        yield {
            "format": native.name if native is not None else headers.UNKNOWN,
            "checkpoint": segment.copy.checkpoint,
            "path": segment.copy.path,
            "oid": oids[0] if len(oids) == 1 else list(oids),
            "sha256": digest,
            "bytes": size,
            "positions": [segment.first[0] or 1, segment.last[0] if segment.last else task.through],
        }


def joined(chunks: Iterator[bytes]) -> tuple[str, int]:
    """SHA-256 and size of a transcript before it was chunked: the newline at a cut was taken out (reference, 3.5)."""
    digest = hashlib.sha256()
    size = 0
    ended = True
    for chunk in chunks:
        for piece in (chunk,) if ended else (b"\n", chunk):
            digest.update(piece)
            size += len(piece)
        ended = chunk.endswith(b"\n")
    return digest.hexdigest(), size


def _newest_checkpoint(
    source: SessionSource, copies: Sequence[Copy], giving: Sequence[Copy]
) -> dict[str, Any]:
    """What a header says of the newest checkpoint of ``copies``: enough to find it, the label, and who redacted.

    ``giving``: the copies that gave units; how they were redacted is how the stream is.
    """
    mine = {copy.checkpoint for copy in copies}
    newest = max((source.folders[one][0] for one in mine), key=age)
    entry: dict[str, Any] = {"id": newest.checkpoint}
    if newest.created_at is not None:
        entry["createdAt"] = newest.created_at
    if newest.agent is not None:
        entry["agent"] = newest.agent
    stored = metadata.text(newest.metadata, "session_id")
    if stored is not None and stored != source.key.id:
        entry["session_id"] = stored
    redacted = all(
        _redacted(metadata.text(folder.metadata, "cli_version"))
        for one in {copy.checkpoint for copy in giving}
        for folder in source.folders[one]
    )
    return {**entry, "redaction": "entire" if redacted else headers.UNKNOWN}


def _redacted(cli_version: str | None) -> bool:
    """Whether a CLI of this version redacted what it stored (the first that did was 0.3.12)."""
    digits = re.match(r"v?([0-9]{1,6})\.([0-9]{1,6})\.([0-9]{1,6})", cli_version or "")
    return digits is not None and tuple(int(part) for part in digits.groups()) >= _FIRST_REDACTING


def _place_links(
    source: SessionSource, extents: Sequence[Mapping[Copy, int]], put: PutBlob
) -> dict[str, list[Record]]:
    """The link records of each stream: a checkpoint's stand in the one stream made from its newest copy.

    ``extents``: for each line the last position of its copies. ``put``: stores the files that they name.
    """
    home: dict[str, tuple[str, Copy, int]] = {}
    for line, ends in zip(source.lines, extents, strict=True):
        for copy, end in ends.items():
            if copy.checkpoint not in home or home[copy.checkpoint][1].age < copy.age:
                home[copy.checkpoint] = (line.stream, copy, end)
    became = source.told()
    plain = source.lines[0].stream if source.lines else source.key.id
    groups: dict[str, list[Record]] = {line.stream: [] for line in source.lines} or {plain: []}
    for identifier, folders in source.folders.items():
        stream, start, through = plain, None, None
        if identifier in home:
            stream, copy, through = home[identifier]
            start = None if copy.start is None else copy.start + 1
        told = dict.fromkeys(metadata.text(one.metadata, "session_id") for one in folders)
        stored = [
            one for one in told if one and one.isprintable()
        ]  # what no reader takes stands in the metadata
        checkpoint, tasks = source.checkpoints[identifier], source.tasks.get(identifier, ())
        groups[stream].append(
            links.checkpoint(
                identifier,
                session_ids=stored,
                root=metadata.recorded(checkpoint.metadata),
                sessions=[{**metadata.recorded(one.metadata), "folder": one.folder} for one in folders],
                ts=folders[0].created_at if folders[0].created is not None else None,
                omitted=None if identifier in home else source.omitted.get(identifier),
                start=start,
                through=through,
                agent=folders[0].agent,
                model=folders[0].model,
                content=kept_files(
                    checkpoint,
                    folders,
                    tasks,
                    source.files,
                    put,
                    bare=source.key.bare,
                    told=frozenset(became.get(identifier, ())),
                    unread=source.omitted.get(identifier) == OF_NO_AGENT,
                ),
                tasks=task_facts(folders, tasks),
                compact={one.folder: one.compact_of for one in folders if one.compact_of is not None},
            )
        )
        groups[stream] += [
            links.vcs(link, source.object_format, stored) for link in source.commits.get(identifier, ())
        ]
        groups[stream] += [links.for_session(one, stored) for one in source.decisions.get(identifier, ())]
    for stream, record in source.kept:
        groups[stream if stream in groups else plain].append(record)
    return {stream: links.unite(records) for stream, records in groups.items()}


def _summary(task: _Conversion, counted: summary.Summary, own_links: Sequence[Record]) -> dict[str, Any]:
    source = task.source
    newest = source.newest
    models = dict.fromkeys(
        folder.model
        for folders in sorted(source.folders.values(), key=lambda group: age(group[0]))
        for folder in folders
        if folder.model
    )
    label = newest.agent or headers.UNKNOWN  # a transcript of no known format, or of no known agent
    return counted.record(
        agent=label
        if source.key.harness in (headers.UNKNOWN, EntireTranscript.harness)
        else source.key.harness,
        models=[] if task.spawned else list(models),
        first_prompt=(lambda: None) if task.spawned else source.first_prompt,
        commits=links.commits(own_links),
    )


def session_key(harness: str, session: str | None, folder: SessionFolder) -> SessionKey:
    """The key of the session that a copy holds: the native ID, else the metadata's, else one from the checkpoint.

    ``session``: the native ID if it can be used.
    """
    if session is not None:
        return SessionKey(harness, session, "native")
    if folder.session_id is not None:
        return SessionKey(harness, without_date(folder.session_id), "metadata")
    return SessionKey(harness, folder.own_id, "derived")
