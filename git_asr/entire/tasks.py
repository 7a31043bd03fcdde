"""Task folders of a checkpoint: a call that started a subagent, and what Entire kept of it.

Reference entire-checkpoints, section 3.6. They lie below the checkpoint or below a session
folder, as the layout has it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from git_asr.asr.ids import usable, without_date
from git_asr.entire import metadata as fields
from git_asr.entire.contents import Checkpoint, SessionFolder
from git_asr.entire.files import SmallFiles
from git_asr.errors import Diagnostic
from git_asr.values import dataclass

FOLDER = "tasks"
FACTS = ("checkpoint.json", "task.json")
"""Files with one JSON object that says what the task is."""
MAX_FACTS = 1024 * 1024
"""Bytes of such a file; a larger one is not looked into."""

_TRANSCRIPT = re.compile(r"agent-([^/]+?)\.jsonl(?:\.([0-9]{1,9}))?")
_PLAIN = re.compile(r"[A-Za-z0-9_-]{1,200}")


@dataclass(frozen=True, slots=True)
class Transcript:
    """A subagent's own transcript in one checkpoint.

    ``agent``: its ID, else that of the call that started it. ``path``: below the checkpoint, of its first part.
    ``parts``: blobs by path, in order.
    """

    agent: str
    path: str
    parts: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Task:
    """One task folder. ``path``: below the checkpoint. ``folder``: the session folder it belongs to, None where
    that cannot be told.

    ``call``: the ID of the call that started the subagent, None where the folder's name cannot be one. ``said``: the
    objects in :data:`FACTS`, by file name, without those that are damaged or absent.
    """

    path: str
    folder: SessionFolder | None
    call: str | None
    said: Mapping[str, Mapping[str, Any]]
    transcripts: tuple[Transcript, ...]

    @property
    def told(self) -> set[str]:
        """The files below the checkpoint that ``said`` holds."""
        return {f"{self.path}/{name}" for name in self.said}

    @property
    def parts(self) -> set[str]:
        """The files below the checkpoint that are transcripts or parts of one."""
        return {path for one in self.transcripts for path in one.parts}


def tasks(checkpoint: Checkpoint, small: SmallFiles) -> Iterator[Task]:
    """The tasks of a checkpoint.

    Reported are ``damaged-metadata`` and ``task-without-session``.
    """
    for path, lies_in, files in _folders(checkpoint):
        where = f"checkpoint {checkpoint.id}, {path:.200}"
        said = {}
        for name in FACTS:
            data = small.read(files[name], MAX_FACTS) if name in files else None
            if data is not None and (found := fields.parse(data, f"{where}/{name}", small.report)):
                said[name] = found
        folder = _owner(checkpoint, lies_in, fields.text(said.get(FACTS[0], {}), "session_id"))
        if folder is None:
            said_of = "no session of the checkpoint is said to be its"
            small.report(Diagnostic("task-without-session", where, said_of))
        name = path.rpartition("/")[2]
        transcripts = tuple(_transcripts(path, name, files))
        yield Task(path, folder, name if usable(name) else None, said, transcripts)


def _folders(checkpoint: Checkpoint) -> Iterator[tuple[str, SessionFolder | None, dict[str, str]]]:
    """Every task folder: its path, the session folder in which it lies, its files."""
    places = [(session.folder, session, session.files) for session in checkpoint.sessions]
    for name, lies_in, files in (*places, ("", None, checkpoint.files)):
        found: dict[str, dict[str, str]] = {}
        for path, oid in files.items():
            top, _, below = path.partition("/")
            task, _, inner = below.partition("/")
            if top == FOLDER and inner:
                found.setdefault(task, {})[inner] = oid
        for task, own in sorted(found.items()):
            yield f"{name}/{FOLDER}/{task}".removeprefix("/"), lies_in, own


def _owner(checkpoint: Checkpoint, lies_in: SessionFolder | None, named: str | None) -> SessionFolder | None:
    """The session folder to which a task belongs: that of the session it names, else where it lies, else the only one.

    A task may name its session with or without the date that old data have before it.
    """
    if named is not None:
        wanted = without_date(named)
        same = [one for one in checkpoint.sessions if without_date(one.session_id or "") == wanted]
        if same:
            return lies_in if lies_in in same else same[-1]
    if lies_in is not None:
        return lies_in
    only = {without_date(one.session_id or one.own_id) for one in checkpoint.sessions}
    return checkpoint.sessions[-1] if len(only) == 1 else None


def _transcripts(path: str, call: str, files: Mapping[str, str]) -> Iterator[Transcript]:
    """The transcripts in a task folder, each from its parts: a large one is cut as a session's is."""
    parts: dict[str, dict[int, str]] = {}
    for name in sorted(files):
        found = _TRANSCRIPT.fullmatch(name)
        if found is not None:
            parts.setdefault(found[1], {}).setdefault(int(found[2] or 0), name)
    for agent, numbered in parts.items():
        identifier = next((one for one in (agent, call) if _PLAIN.fullmatch(one) and usable(one)), None)
        if identifier is not None:
            names = [numbered[number] for number in sorted(numbered)]
            own = {f"{path}/{name}": files[name] for name in names}
            yield Transcript(identifier, f"{path}/{names[0]}", own)
