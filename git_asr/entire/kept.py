"""What a checkpoint holds beside transcripts and metadata, for its record: every file as it is, and what tasks say.

Nothing in it depends on anything but the checkpoint's trees, so whoever has them has the same record. Left out is what
follows from a transcript that is there: its hash, and Entire's own form of it. A transcript that became no stream
because Entire's own stands in for it is a file like any other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import Any

from git_asr.asr import codec
from git_asr.asr.large import FIELD_LIMIT, PutBlob
from git_asr.entire import metadata
from git_asr.entire.contents import Checkpoint, SessionFolder
from git_asr.entire.files import SmallFiles
from git_asr.entire.listing import COMPACT
from git_asr.entire.tasks import Task
from git_asr.errors import Diagnostic

MAX_FILE = 4 * 1024 * 1024
MAX_FILES = 16 * 1024 * 1024
"""Bytes of one file, and of all files of one checkpoint, that are kept; the rest is told as ``files-left-out``."""
MAX_LISTED = FIELD_LIMIT * 3 // 4
"""Bytes of their list, which stays in the record, so that it names its blobs itself."""

_ENTRY = 160
"""Bytes of an entry beside its path."""
_DERIVED = frozenset({"content_hash.txt", "raw_transcript_hash.txt", "transcript_hash.txt"})
_MEDIA = {
    "gif": "image/gif",
    "jpg": "image/jpeg",
    "json": "application/json",
    "jsonl": "application/jsonl",
    "md": "text/markdown",
    "png": "image/png",
    "txt": "text/plain",
    "webp": "image/webp",
}


def kept_files(
    checkpoint: Checkpoint,
    folders: Sequence[SessionFolder],
    tasks: Sequence[Task],
    files: SmallFiles,
    put: PutBlob,
    *,
    bare: bool,
    told: Set[str] = frozenset(),
    unread: bool = False,
) -> list[dict[str, Any]]:
    """The files of a checkpoint as parts of a record's content, by path; their bytes go through ``put``.

    ``folders``: those that hold the session; ``tasks``: all of the checkpoint. What belongs to another session is in
    that one's record, what belongs to none is in all. ``bare``: the session has no streams but of such records, so that
    its subagents' transcripts are files like any other. A file that is not in this repository is listed as ``absent``,
    which is less than any other by its bytes. ``told``: the folders of which Entire's own transcript became a stream;
    ``unread``: whether the native ones are there and became none. Reported are ``absent-blob`` and ``files-left-out``.
    """
    found: list[dict[str, Any]] = []
    left_out: list[str] = []
    absent: list[str] = []
    room, listed = MAX_FILES, MAX_LISTED
    transcripts = {one.folder: _untold(one, told, unread=unread) for one in folders}
    for path, oid in sorted(_files(checkpoint, transcripts, tasks, bare=bare)):
        takes = len(codec.encode(path)) + _ENTRY
        size = files.size(oid) or 0
        if takes > listed or size > min(MAX_FILE, room):
            left_out.append(path)
            continue
        if _may_hold_secrets(path, oid, files):
            said = f"{path:.200} may hold secret answers and is not kept"
            files.report(Diagnostic("files-left-out", f"checkpoint {checkpoint.id}", said))
            continue
        listed -= takes
        room -= size
        stored = _stored(path, oid, files, put)
        if stored is None:
            absent.append(path)
        found.append({"type": "file", "path": path, **(stored or {"absent": True})})
    if absent:
        more = f" and {len(absent) - 1} more" if absent[1:] else ""
        files.lack(checkpoint.id, f"{absent[0]:.200}{more}")
    if left_out:
        said = f"{len(left_out)} files are too many or too large to be kept, first {left_out[0]:.200}"
        files.report(Diagnostic("files-left-out", f"checkpoint {checkpoint.id}", said))
    return found


def _may_hold_secrets(path: str, oid: str, files: SmallFiles) -> bool:
    """Whether a file is a transcript of Entire's own in which a question is marked as secret."""
    return path.rpartition("/")[2] == COMPACT and b"isSecret" in (files.read(oid, MAX_FILE) or b"")


def _stored(path: str, oid: str, files: SmallFiles, put: PutBlob) -> dict[str, Any] | None:
    """Where the bytes of a file lie; None where they are absent."""
    media = _MEDIA.get(path.rpartition(".")[2], "application/octet-stream")
    size, known = files.size(oid), files.known.get(oid)
    if size is not None and known is not None:
        return {"blob": known, "mediaType": media, "bytes": size}
    data = files.read(oid, MAX_FILE)
    if data is None:
        return None
    blob = put(data, media)
    return {"blob": blob.sha256, "mediaType": media, "bytes": blob.bytes}


def _files(
    checkpoint: Checkpoint,
    transcripts: Mapping[str, Mapping[str, str]],
    tasks: Sequence[Task],
    *,
    bare: bool,
) -> Iterator[tuple[str, str]]:
    """Path and blob of every file to be kept. ``transcripts``: of each of the session's folders those that are kept."""
    done: set[str] = set()
    mine: list[str] = []
    others: list[str] = []
    for task in tasks:
        if task.folder is not None:
            (mine if task.folder.folder in transcripts else others).append(f"{task.path}/")
            done |= task.told if bare else task.told | task.parts
    for session in checkpoint.sessions:
        base = f"{session.folder}/".removeprefix("/")
        own = {inner: oid for inner, oid in session.files.items() if inner not in _DERIVED}
        if session.prompt is not None:
            own["prompt.txt"] = session.prompt
        own |= transcripts.get(session.folder, {})
        for inner, oid in own.items():
            path = base + inner
            theirs = path.startswith(tuple(others)) or session.folder not in transcripts
            if path not in done and (path.startswith(tuple(mine)) or not theirs):
                yield path, oid
    for path, oid in checkpoint.files.items():
        if path not in done and not path.startswith(tuple(others)):
            yield path, oid


def _untold(folder: SessionFolder, told: Set[str], *, unread: bool) -> dict[str, str]:
    """The transcripts of a folder that became no stream, by name."""
    found = dict(zip(folder.parts, folder.transcript, strict=True)) if unread else {}
    if folder.compact is not None and not folder.transcript and folder.folder not in told:
        found[COMPACT] = folder.compact
    return found


def task_facts(folders: Sequence[SessionFolder], tasks: Iterable[Task]) -> dict[str, Any]:
    """What the tasks of a session say in their JSON files: the objects by path of the task and name of the file."""
    names = {one.folder for one in folders}
    return {
        task.path: {name: metadata.recorded(said) for name, said in task.said.items()}
        for task in tasks
        if task.said and task.folder is not None and task.folder.folder in names
    }
