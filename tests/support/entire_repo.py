"""Repositories with Entire's checkpoints, as its CLI leaves them: commits with trailers, and stores of every layout."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from tests.support.repo_builder import EPOCH, RepoBuilder

STORE = "refs/heads/entire/checkpoints/v1"
FLAT = "refs/heads/entire/sessions"
REFS = "refs/entire/checkpoints"
V2 = f"{REFS}/v2"
MAIN = "refs/heads/main"


@dataclass(frozen=True, slots=True)
class Stored:
    """One session as a checkpoint stores it; ``transcript`` None leaves a folder of metadata alone.

    ``created``: seconds after the builder's first moment. ``files``: more files of the folder. ``metadata``: fields to
    add or to replace; a bytes value stands for the whole file.
    """

    session_id: str
    transcript: bytes | None = b""
    created: int = 0
    agent: str = "Claude Code"
    start: int = 0
    prompt: str | None = None
    metadata: Mapping[str, Any] | bytes = field(default_factory=dict)
    files: Mapping[str, bytes] = field(default_factory=dict)


class EntireRepo:
    """Builds such a repository; what was added since the last ``build`` is added to it by the next."""

    def __init__(
        self, path: Path, object_format: Literal["sha1", "sha256"] = "sha1", bare: bool = False
    ) -> None:
        self.builder = RepoBuilder(path, object_format, bare)
        self.path = path
        self._lines = 0

    def checkpoint(
        self, identifier: str, *stored: Stored, ref: str = STORE, root: Mapping[str, Any] | None = None
    ) -> str:
        """Write (or rewrite) a checkpoint in a store; the mark of its commit. ``root``: more fields of its metadata.

        It is the whole tree of a ref that has its ID for a name, and a folder on any other.
        """
        base = "" if ref == own_ref(identifier) else f"{identifier[:2]}/{identifier[2:]}/"
        files: dict[str, bytes] = {}
        for number, session in enumerate(stored):
            files |= {f"{base}{number}/{name}": data for name, data in _folder(identifier, session).items()}
        files[f"{base}metadata.json"] = _root(identifier, base, len(stored), "full.jsonl", root or {})
        return self.builder.commit(ref, f"Checkpoint: {identifier}\n", files)

    def flat(self, identifier: str, *stored: Stored, ref: str = FLAT) -> str:
        """Write a checkpoint without numbered folders for its newest session, which comes last."""
        base = f"{identifier[:2]}/{identifier[2:]}/"
        *archived, newest = stored
        files = {f"{base}{name}": data for name, data in _folder(identifier, newest).items()}
        for number, session in enumerate(archived, start=1):
            files |= {f"{base}{number}/{name}": data for name, data in _folder(identifier, session).items()}
        return self.builder.commit(ref, f"Checkpoint: {identifier}\n", files)

    def v2(self, identifier: str, *stored: Stored, generation: str | None = "current") -> None:
        """Write a checkpoint's metadata to ``v2/main``, and its transcripts to a generation unless that is None."""
        base = f"{identifier[:2]}/{identifier[2:]}/"
        main, full = {f"{base}metadata.json": _root(identifier, base, len(stored), "transcript.jsonl")}, {}
        for number, session in enumerate(stored):
            for name, data in _folder(identifier, session).items():
                if name in _RAW:
                    full[f"{base}{number}/{_RAW[name]}"] = data
                else:
                    main[f"{base}{number}/{name}"] = data
        self.builder.commit(f"{V2}/main", f"Checkpoint: {identifier}\n", main)
        if generation is not None:
            self.builder.commit(f"{V2}/full/{generation}", f"Checkpoint: {identifier}\n", full)

    def commit(self, *checkpoints: str, ref: str = MAIN, message: str = "work", **options: Any) -> str:
        """Commit on a branch, with a trailer for each checkpoint; the mark of the commit."""
        trailers = "".join(f"Entire-Checkpoint: {one}\n" for one in checkpoints)
        self._lines += 1
        files = {"work.txt": f"line {self._lines}\n"}
        return self.builder.commit(ref, f"{message}\n\n{trailers}", files, **options)

    def build(self) -> Path:
        """Write it all."""
        return self.builder.build()

    def oid(self, mark: str) -> str:
        """The ID of a commit, once it is built."""
        return self.builder.oid(mark)


_RAW = {"full.jsonl": "raw_transcript", "content_hash.txt": "raw_transcript_hash.txt"}
"""The names of files that lie in generations, there."""


def own_ref(identifier: str) -> str:
    """The ref of one checkpoint."""
    return f"{REFS}/{identifier[-2:]}/{identifier}"


def _root(identifier: str, base: str, sessions: int, transcript: str, more: Mapping[str, Any] = {}) -> bytes:
    pointers = [
        {"metadata": f"/{base}{n}/metadata.json", "transcript": f"/{base}{n}/{transcript}"}
        for n in range(sessions)
    ]
    known = {"checkpoint_id": identifier, "strategy": "manual-commit", "sessions": pointers}
    return _json({**known, **more})


def _folder(identifier: str, session: Stored) -> dict[str, bytes]:
    files = dict(session.files)
    if isinstance(session.metadata, bytes):
        files["metadata.json"] = session.metadata
    else:
        created = datetime.fromtimestamp(EPOCH + session.created, UTC)
        known = {
            "cli_version": "0.9.0",
            "checkpoint_id": identifier,
            "session_id": session.session_id,
            "strategy": "manual-commit",
            "created_at": created.isoformat().replace("+00:00", "Z"),
            "agent": session.agent,
            "model": "claude-opus-4-8",
            "checkpoint_transcript_start": session.start,
        }
        files["metadata.json"] = _json({**known, **session.metadata})
    if session.transcript is not None:
        files["full.jsonl"] = session.transcript
        files["content_hash.txt"] = f"sha256:{hashlib.sha256(session.transcript).hexdigest()}".encode()
    if session.prompt is not None:
        files["prompt.txt"] = session.prompt.encode()
    return files


def _json(value: Mapping[str, Any]) -> bytes:
    return (json.dumps(value, indent=2) + "\n").encode()


def claude(
    session: str, identifiers: Sequence[str], *, parent: str | None = None, second: int = 0, **other: Any
) -> bytes:
    """Chained lines of Claude Code, each the child of the one before.

    No person wrote them (``isMeta``), so that a session's first prompt is what the metadata say.
    """
    lines = []
    for number, (identifier, before) in enumerate(zip(identifiers, [parent, *identifiers[:-1]], strict=True)):
        stamp = datetime.fromtimestamp(EPOCH + second + number, UTC).isoformat(timespec="milliseconds")
        line = {
            "parentUuid": before,
            "sessionId": session,
            "type": "user" if number % 2 == 0 else "assistant",
            "message": {"role": "user", "content": f"text of {identifier}"},
            "isMeta": True,
            "uuid": identifier,
            "timestamp": stamp.replace("+00:00", "Z"),
            **other,
        }
        lines.append(json.dumps(line, separators=(",", ":"), ensure_ascii=False))
    return ("\n".join(lines) + "\n").encode("utf-8", "surrogatepass") if lines else b""
