"""Converts the sessions of the groups that changed, and puts their bundles where they belong."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import field, replace
from functools import partial

from git_asr.asr.bundle import BundleWriter
from git_asr.asr.draft import Record
from git_asr.asr.header import SessionKey
from git_asr.asr.links import (
    CHECKPOINT,
    CommitLink,
    checkpoint_of,
    for_session,
    is_decision,
    pairs,
    session_ids,
    standing,
)
from git_asr.asr.parts import blob_path
from git_asr.companion import imports, store
from git_asr.companion.homes import Homes
from git_asr.companion.merge import SessionState, is_native, yielding
from git_asr.companion.state import SessionRow, State
from git_asr.companion.tree import Tip
from git_asr.entire import session as sessions
from git_asr.entire.contents import SessionFolder
from git_asr.entire.copies import ABSENT, ContentReader, UnreadableBlob
from git_asr.entire.exclusion import Exclusion, excluded
from git_asr.entire.files import SmallFiles
from git_asr.entire.lines import lines
from git_asr.entire.sessions import Held, held, largest
from git_asr.entire.subagents import subagents
from git_asr.entire.tasks import tasks
from git_asr.errors import Diagnostic, Report
from git_asr.git.base import Objects, Repository
from git_asr.git.writing import ObjectWriter
from git_asr.sync.changes import Changes, Loaded
from git_asr.sync.decisions import records
from git_asr.sync.reconversion import later, makers
from git_asr.sync.results import Results
from git_asr.sync.sources import first_prompt, newest_source
from git_asr.values import dataclass
from git_asr.views.drift import drifting
from git_asr.views.session import log_line, overview

GROUPS_AT_ONCE = 64


@dataclass(slots=True)
class Conversion:
    """Conversions under way.

    ``objects`` read the companion, ``upstream`` what Entire stored, where damage is no reason to stop.
    ``orphans``: whether sessions are taken of which no commit names a checkpoint. ``decided``: the checkpoints of which
    a person accepted a link, or took one back, just now.
    ``looked_at``: the groups that are done.
    """

    repo: Repository
    objects: Objects
    upstream: Objects
    writer: ObjectWriter
    state: State
    changes: Changes
    tip: Tip
    exclusions: Sequence[Exclusion]
    orphans: bool
    report: Report
    results: Results = field(default_factory=Results)
    looked_at: set[str] = field(default_factory=set)
    decided: set[str] = field(default_factory=set)
    _homes: Homes | None = None

    def exceeds(self, groups: Iterable[str], limit: int) -> bool:
        """Tell whether more bytes of transcripts than ``limit``, or more than a few groups, would be read."""
        wanted = sorted(groups)
        if len(wanted) > GROUPS_AT_ONCE:
            return True
        loaded = self.changes.load(wanted)
        sizes = [size or 0 for size in loaded.sizes.values()]
        read = [loaded.sizes.get(largest(loaded.folders[group], loaded.sizes) or "") or 0 for group in wanted]
        # the largest copies are read and converted, all others are at least hashed
        return sum(read) + sum(sizes) // 4 > limit

    def convert(self, groups: Iterable[str]) -> Iterator[tuple[int, int]]:
        """Look at the sessions of all groups; how many are done, of how many.

        A session is written if a commit names one of its checkpoints, or as an orphan where those are wanted. Which
        session a folder holds only its transcript tells, so groups that no commit names are looked at too: they may
        hold copies of one that is written.
        """
        wanted = sorted(groups)
        reader = ContentReader(self.upstream.blob, self.repo.object_format)
        for begin in range(0, len(wanted), GROUPS_AT_ONCE):
            some = wanted[begin : begin + GROUPS_AT_ONCE]
            loaded = self.changes.load(some)
            ahead = [(group, largest(loaded.folders[group], loaded.sizes)) for group in some]
            with closing(self.upstream.blobs([oid for _, oid in ahead if oid is not None])) as streamed:
                for number, (group, oid) in enumerate(ahead, start=begin + 1):
                    data = None if oid is None else next(streamed)
                    if oid is not None and data is not None:
                        reader.offer(oid, data)
                    if group not in self.looked_at:
                        self._group(group, loaded, reader)
                    reader.forget()
                    yield number, len(wanted)

    def _group(self, group: str, loaded: Loaded, reader: ContentReader) -> None:
        """Convert the sessions of a group; again without a blob that turns out to be unreadable."""
        while True:
            try:
                self._cluster({group}, loaded, reader)
                return
            except UnreadableBlob as error:
                loaded.sizes[error.oid] = None

    def _cluster(self, cluster: set[str], loaded: Loaded, reader: ContentReader) -> None:
        """Convert the sessions of some groups, together with the groups in which the same sessions turn up."""
        while True:
            found: dict[SessionKey, Held] = {}
            for one in sorted(cluster):
                if one not in loaded.folders:
                    loaded.add(self.changes.load([one]))
                for key, own in held(one, loaded.folders[one], loaded.sizes, reader, self.report).items():
                    found.setdefault(key, Held()).add(own)
            more = {row.stored for key in found for row in self.state.of_session(key.pair)} - cluster
            if not more:
                break
            cluster |= more
        self.looked_at |= cluster
        found = self._at_home(found)
        self._remember(cluster, found)
        for key, own in found.items():
            checkpoints = [folder.checkpoint for folder in own.folders]
            if self._is_wanted(key, checkpoints) or not self.decided.isdisjoint(checkpoints):
                self._session(key, own, loaded, reader)

    def _at_home(self, found: Mapping[SessionKey, Held]) -> dict[SessionKey, Held]:
        """Give folders whose transcript cannot be read now to the session that was made from it when it could."""
        result: dict[SessionKey, Held] = {}
        for key, own in found.items():
            home = key
            if (key.bare or own.stood_in) and ABSENT in own.omitted.values():
                known = (self.stored(self.tip.tree, one) for one in self._known(key.id, own))
                home = next((one.state.key for one in known if one is not None), key)
            result.setdefault(home, Held()).add(own)
        return result

    def _known(self, identifier: str, own: Held) -> Iterator[SessionKey]:
        """Sessions with a transcript that the folders held before, or that the companion has of them or by this ID."""
        for folder in own.folders:
            for row in self.state.folders(folder.checkpoint):
                if row.folder == folder.folder and row.key is not None and not SessionKey(*row.key).bare:
                    yield SessionKey(*row.key)
        for key in store.keys(self.objects, self.tip.tree):
            if key.id == identifier and not key.bare:
                yield key
        self._homes = self._homes or Homes(self.objects, self.tip.tree)
        for folder in own.folders:
            commits = [row.commit for row in self.state.trailers(folder.checkpoint)]
            yield from self._homes.of(folder.checkpoint, folder.folder, commits)

    def _is_wanted(self, key: SessionKey, checkpoints: Sequence[str]) -> bool:
        """Whether a session that these checkpoints hold is written: a commit is tied to one, or it is a welcome orphan.

        An orphan that was taken once stays for as long as a checkpoint holds it.
        """
        if any(map(self.state.is_named, checkpoints)):
            return True
        return bool(checkpoints) and (self.orphans or self._was_taken(key))

    def _was_taken(self, key: SessionKey) -> bool:
        """Whether the companion ref has a session as an orphan: without a link to any commit."""
        present = self.stored(self.tip.tree, key)
        return present is not None and not standing(record for _, record in store.links_of(present))

    def drop_left(self, left: Iterable[tuple[str, str]]) -> None:
        """Let go of sessions that checkpoints held before they were rewritten, if no named one holds them now."""
        for pair in left:
            key = SessionKey(*pair)
            if not self._is_wanted(key, [row.checkpoint for row in self.state.of_session(pair)]):
                self.remove(key)

    def _remember(self, cluster: Iterable[str], found: Mapping[SessionKey, Held]) -> None:
        """Note which session each folder holds; a session that none holds any more leaves the companion ref."""
        before = {row.key for one in cluster for row in self.state.group(one) if row.key is not None}
        for key, own in found.items():
            for folder in own.folders:
                self.state.set_key(folder.checkpoint, folder.folder, key.pair)
                if own.omitted.get(folder.checkpoint) == ABSENT:
                    self.state.set_incomplete(folder.checkpoint)
        for gone in before - {key.pair for key in found}:
            if not self.state.of_session(gone):
                self.remove(SessionKey(*gone))

    def redecided(self, old: Sequence[Record]) -> list[Record]:
        """The decisions, as they are now, about the checkpoints of earlier ones."""
        return [
            for_session(record, session_ids(old, checkpoint))
            for checkpoint in sorted({checkpoint_of(one) for one in old})
            for record in records(self.state, checkpoint)
        ]

    def remove(self, key: SessionKey, why: str = "gone") -> None:
        """Let a session go from the companion ref; what a bundle brought of it stays, unless it is excluded."""
        present = self.stored(self.tip.tree, key) if why == "gone" else None
        left = None if present is None else imports.left_of(present)
        if left is None:
            self.drop(key, why)
        else:
            self.put(key, store.assemble(self.writer, left.state, left.pool), present)

    def drop(self, key: SessionKey, why: str = "gone") -> None:
        """Let a session go from the companion ref with all that there is of it; that it was forgotten stays."""
        self.let_go(key, why)
        if not store.is_forgotten(self.objects, self.tip.tree, key):
            self.results.trees[key] = None

    def let_go(self, key: SessionKey, why: str = "gone") -> None:
        """Take a session out of the state: it is not in the companion ref any more, or was forgotten."""
        if self.state.is_written(key.pair):
            self.results.removed.add(key)
        self.results.became[key] = why
        self.results.noted.update(self.state.commits_of(key.pair))
        self.state.drop_session(key.pair)

    def _session(self, key: SessionKey, own: Held, loaded: Loaded, reader: ContentReader) -> None:
        """Write one session's bundle, merged with what others have of the session."""
        if excluded(self.exclusions, key, (folder.metadata for folder in own.folders)):
            self.remove(key, "excluded")
            return
        if store.is_forgotten(self.objects, self.tip.tree, key):
            self.let_go(key)
            return
        present = self.stored(self.tip.tree, key)
        if (
            present is not None
            and own.stood_in
            and ABSENT in own.omitted.values()
            and is_native(present.state)
        ):
            own = Held([], own.folders, own.omitted)  # it was made from what cannot be read now
        files: dict[str, str] = {}
        kept = present.state.blobs if present is not None else {}
        bundle = BundleWriter(lambda path, data: files.__setitem__(path, self.writer.blob(data)), kept)
        source = self._source(key, own, loaded, reader, present)
        written = sessions.write(source, bundle, reader)
        for checkpoint in source.files.absent:
            self.state.set_incomplete(checkpoint)
        files |= {path: present.files[path] for path in map(blob_path, bundle.adopted) if present is not None}
        fresh = store.fresh(written, bundle.close(), files)
        others = [self.stored(self.tip.base, key)]
        unread = {*source.files.absent, *(one for one, why in own.omitted.items() if why == ABSENT)}
        if not key.bare and unread and present is not None:
            others.append(present)  # it may have been made from what cannot be read now
            fresh = replace(fresh, state=yielding(fresh.state, present.state, unread))
        elif present is not None:
            others += (later(present), imports.to_merge(present))
        for other in others:
            if other is not None:
                fresh = store.merge_sessions(self.writer, fresh, other)
        checkpoints = [folder.checkpoint for folder in own.folders]
        linked = any(pairs(one.links) for one in fresh.state.streams.values())
        if linked or self._is_wanted(key, checkpoints) or self.is_exchanged(key):
            self.put(key, fresh, present)
        else:
            self.remove(key)  # the last link was taken back

    def is_exchanged(self, key: SessionKey) -> bool:
        """Whether others have a session: if it went, they would bring it back, without what was taken back."""
        return self.stored(self.tip.base, key) is not None

    def stored(self, tree: str | None, key: SessionKey) -> store.StoredSession | None:
        """A session's bundle in a companion tree; one that is damaged is reported and counts as none."""
        try:
            return store.load_session(self.objects, tree, key)
        except store.DamagedBundle as error:
            self.report(Diagnostic("damaged-bundle", f"session {key.id}", error.message, error.hint))
            return None

    def present(self, key: SessionKey) -> store.StoredSession | None:
        """What the companion has of a session, after what this very sync wrote."""
        if key not in self.results.trees:
            return self.stored(self.tip.tree, key)
        tree = self.results.trees[key]
        if tree is None:
            return None
        self.writer.finish()
        return store.load_bundle(self.objects, tree)

    def put(self, key: SessionKey, fresh: store.StoredSession, present: store.StoredSession | None) -> None:
        """Write a session's bundle, and take it into the state."""
        tree = store.write_session(self.writer, self.objects, fresh.files)
        self.results.trees[key] = tree
        self.results.became[key] = (
            "new" if present is None else "changed" if present.files != fresh.files else "same"
        )
        found = (drifting(key, one.entry, one.header) for one in fresh.state.streams.values())
        self.results.drifting += (one for one in found if one is not None)
        self.note(fresh.state)

    def note(self, stored: SessionState) -> None:
        """Take a session of the companion ref into the state, for lists and notes."""
        key, view = stored.key.pair, overview(store.session_of(stored))
        own = [record for one in stored.streams.values() for record in one.links]
        times = own or [{"ts": one.entry.summary.get("endedAt")} for one in stored.streams.values()]
        self.results.noted.update(self.state.commits_of(key), view.commits)
        row = SessionRow(newest_source(times), len(pairs(own)), log_line(view), makers(stored.streams))
        self.state.put_session(key, row, view.commits)

    def _source(
        self,
        key: SessionKey,
        own: Held,
        loaded: Loaded,
        reader: ContentReader,
        present: store.StoredSession | None,
    ) -> sessions.SessionSource:
        folders: dict[str, tuple[SessionFolder, ...]] = {}
        for folder in sorted(own.folders, key=sessions.age, reverse=True):
            folders[folder.checkpoint] = (*folders.get(folder.checkpoint, ()), folder)
        commits = {
            checkpoint: tuple(
                CommitLink(row.commit, row.checkpoint, row.committed_at, row.place)
                for row in self.state.trailers(checkpoint)
            )
            for checkpoint in folders
        }
        checkpoints = {checkpoint: loaded.checkpoints[checkpoint] for checkpoint in folders}
        files = SmallFiles(self.upstream, loaded.sizes, self.report, present.blobs if present else None)
        found = {one.id: tuple(tasks(one, files)) for one in checkpoints.values()}
        return sessions.SessionSource(
            key=key,
            lines=lines(key.id, own.families, reader) if own.families else (),
            checkpoints=checkpoints,
            folders=folders,
            commits=commits,
            decisions={checkpoint: records(self.state, checkpoint) for checkpoint in folders},
            object_format=self.repo.object_format,
            files=files,
            kept=tuple(self._kept(present, folders)),
            first_prompt=partial(first_prompt, self.upstream, own.folders),
            omitted=own.omitted,
            tasks=found,
            subagents=() if key.bare else subagents(key.id, own.folders, found, files, reader),
        )

    def _kept(
        self, present: store.StoredSession | None, folders: Container[str]
    ) -> Iterator[tuple[str, Record]]:
        """Link records of an earlier sync that cannot be derived now, and still hold.

        A checkpoint that no store has any more keeps its records; so does a commit that no ref leads to any more.
        """
        for stream, one in present.state.streams.items() if present is not None else ():
            old = [record for record in one.links if is_decision(record)]
            old = [record for record in old if not self._is_held(checkpoint_of(record), folders)]
            yield from ((stream, record) for record in self.redecided(old))
            for record in one.links:
                if not is_decision(record) and not self._is_derived(record, folders):
                    yield stream, record

    def _is_held(self, checkpoint: str, folders: Container[str]) -> bool:
        """Whether a checkpoint holds a session: this one, whose checkpoints are ``folders``, or another."""
        return checkpoint in folders or bool(self.state.folders(checkpoint))

    def _is_derived(self, record: Record, folders: Container[str]) -> bool:
        """Whether a link record follows from what is here, so that it need not be kept."""
        checkpoint = checkpoint_of(record)
        if checkpoint not in folders:
            return bool(self.state.locations(checkpoint))
        commits = {row.commit for row in self.state.trailers(checkpoint)}
        return record["type"] == CHECKPOINT or record.get("commit") in commits
