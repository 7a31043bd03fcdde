"""Subagents with a transcript of their own: many copies of it → its streams (profile sections 2 and 5)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

from git_asr.asr.draft import Draft
from git_asr.asr.header import SessionKey
from git_asr.asr.ids import SECOND_VALUE
from git_asr.entire.contents import SessionFolder
from git_asr.entire.copies import UNKNOWN_TRANSCRIPT, ContentReader, Copy, Line, families
from git_asr.entire.files import SmallFiles
from git_asr.entire.lines import lines
from git_asr.entire.tasks import Task, Transcript
from git_asr.errors import Diagnostic, Report
from git_asr.values import dataclass


@dataclass(frozen=True, slots=True)
class Subagent:
    """A subagent of a session.

    ``calls``: the IDs of the calls that started it, the oldest task first. ``lines``: as those of a session, and nearly
    always one; their streams are named by the session's ID, a dot, and the agent's.
    """

    calls: tuple[str, ...]
    lines: tuple[Line, ...]


def subagents(
    session: str,
    folders: Iterable[SessionFolder],
    tasks: Mapping[str, Sequence[Task]],
    files: SmallFiles,
    reader: ContentReader,
) -> tuple[Subagent, ...]:
    """The subagents that tasks of a session have transcripts of, by their IDs.

    ``session``: the session's ID. ``folders``: those that hold it. ``tasks``: by checkpoint. A transcript of which a
    part is absent is passed over. Reported are ``absent-blob`` and ``unknown-transcript``.
    """
    copies: dict[str, dict[Copy, str | None]] = {}
    for folder in folders:
        for task in tasks[folder.checkpoint]:
            mine = task.folder is not None and task.folder.folder == folder.folder
            for one in task.transcripts if mine else ():
                copy = _copy(folder, one, files)
                if copy is not None:
                    copies.setdefault(one.agent, {})[copy] = task.call
    return tuple(
        _subagent(f"{session}.{agent}", own, reader, files.report) for agent, own in sorted(copies.items())
    )


def _copy(folder: SessionFolder, transcript: Transcript, files: SmallFiles) -> Copy | None:
    parts = tuple(transcript.parts.values())
    sizes = tuple(size for oid in parts if (size := files.size(oid)) is not None)
    if len(sizes) < len(parts):
        files.lack(folder.checkpoint, f"{transcript.path:.200}")
    if len(sizes) < len(parts) or not sum(sizes):
        return None
    return Copy(folder.checkpoint, folder.folder, folder.created or 0, parts, sizes, transcript.path)


def _subagent(
    stream: str, copies: Mapping[Copy, str | None], reader: ContentReader, report: Report
) -> Subagent:
    kin = list(families(copies, reader))
    for one in kin:
        if one.native is None:
            where, said = f"checkpoint {one.root.checkpoint}", "is of no known agent; it is kept as it is"
            report(Diagnostic(UNKNOWN_TRANSCRIPT, where, f"{one.root.path:.200} {said}"))
    ordered = sorted(copies, key=lambda copy: (copy.age, copy.path))
    calls = dict.fromkeys(call for copy in ordered if (call := copies[copy]) is not None)
    return Subagent(tuple(calls), lines(stream, kin, reader))


@dataclass(slots=True)
class Told:
    """What the transcripts of their own tell of a session's subagents.

    Messages of a subagent may stand in its parent's transcript too, and the usage of its last response in the result of
    the call; what both have is copied there, so that it counts once.

    ``places``: the stream and the position of each native ID. ``calls``: the last position of each stream with a model
    call.
    """

    places: dict[str, tuple[str, int]] = field(default_factory=dict)
    calls: dict[str, int] = field(default_factory=dict)

    def watch(self, drafts: Iterable[Draft], stream: str) -> Iterator[Draft]:
        """Pass on the drafts of a subagent's transcript and note what they tell."""
        for draft in drafts:
            if draft.native_id is not None:
                self.places.setdefault(draft.native_id, (stream, draft.position))
            if draft.type == "inference":
                self.calls[stream] = draft.position
            yield draft

    def copied(self, drafts: Iterable[Draft], key: SessionKey) -> Iterator[Draft]:
        """Mark the drafts of an embedded stream whose units a transcript of its own has too.

        A model call that stands for no message is the one behind the messages so far: a copy if there is one behind
        the last of them that both have.
        """
        unit: tuple[int, bool] | None = None
        last: tuple[str, int] | None = None
        origin: dict[str, Any] | None = None
        for draft in drafts:
            if unit != (unit := (draft.position, draft.part >= SECOND_VALUE)):
                native, origin = draft.native_id, None
                if native is not None and native in self.places:
                    last = self.places[native]
                    origin = {"session": key.reference(), "stream": last[0], "id": native}
                elif draft.type == "inference" and last is not None and self.calls.get(last[0], 0) > last[1]:
                    origin = {"session": key.reference(), "stream": last[0]}
            if origin is None or draft.copied_from is not None:
                yield draft
            else:
                yield replace(draft, copied_from={**origin, "evidence": "native_structure"})
