"""Makes streams and bundles for the kit, sound ones; cases change one thing of them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from git_asr.asr import codec
from git_asr.asr.bundle import BundleWriter
from git_asr.asr.header import SessionKey
from git_asr.asr.links import commits, place
from git_asr.asr.parts import blob_path

Record = dict[str, Any]
Files = dict[str, bytes]

KEY = {"harness": "claude-code", "id": "s-1", "idSource": "native"}
OTHER = {"harness": "claude-code", "id": "s-0"}
COMMIT = "0123456789abcdef0123456789abcdef01234567"
CHECKPOINT = "5f0af6f2363f"


def header(**changed: Any) -> Record:
    """A header; a field that is None is left out."""
    found: Record = {
        "type": "header",
        "formatVersion": "0.1",
        "stream": "s-1",
        "session": KEY,
        "contentLevel": "redacted",
        "capture": {"state": "partial", "through": 9},
        "producer": {"name": "git-asr", "version": "claude-code/1", "method": "converter", "lossy": []},
    }
    return {name: one for name, one in (found | changed).items() if one is not None}


def record(kind: str, place_: int, part: int = 0, /, **fields: Any) -> Record:
    """A record with a derived ID, or with the ``id`` that is given; a field that is None is left out."""
    own: Record = {
        "type": kind,
        "seq": place_ * 1_000_000 + part,
        "id": f"~{place_}.{part}",
        "idSource": "derived",
    }
    if "id" in fields:
        del own["idSource"]
    return {name: one for name, one in (own | fields).items() if one is not None}


def said(place_: int, text: str = "Good morning", **fields: Any) -> Record:
    """A message of a person."""
    content = [{"type": "text", "text": text}]
    return record("message", place_, **{"role": "user", "author": "human", "content": content, **fields})


def called(place_: int, call: str = "c1", **fields: Any) -> Record:
    """A tool call."""
    return record(
        "tool_call", place_, **{"callId": call, "name": "Read", "arguments": {"file": "a"}, **fields}
    )


def returned(place_: int, call: str = "c1", **fields: Any) -> Record:
    """A result."""
    return record("tool_result", place_, **{"callId": call, "status": "ok", **fields})


def vcs(**changed: Any) -> Record:
    """A link to a commit; its seq follows from its ID."""
    commit = changed.get("commit", COMMIT)
    found: Record = {
        "type": "vcs",
        "seq": 0,
        "id": f"{CHECKPOINT}@{commit}",
        "idSource": "derived",
        "action": "commit",
        "commit": commit,
        "objectFormat": "sha1",
        "evidence": "reported",
        "committedAt": "2026-01-02T03:04:05Z",
        "_meta": {"io.entire/checkpoint": {"id": CHECKPOINT, "session_id": "s-1"}},
    }
    found |= changed
    return {**{name: one for name, one in found.items() if one is not None}, "seq": place(found["id"])}


def checkpoint(**changed: Any) -> Record:
    """A checkpoint."""
    found: Record = {
        "type": "io.entire/checkpoint",
        "seq": place(CHECKPOINT),
        "id": CHECKPOINT,
        "ts": "2026-01-02T03:04:05Z",
        "start": 1,
        "through": 9,
        "sessionIds": ["s-1"],
        "_meta": {"io.entire/checkpoint": {}, "io.entire/session": {"session_id": "s-1"}},
    }
    return {name: one for name, one in (found | changed).items() if one is not None}


def stream(*records: Record, head: Record | None = None) -> bytes:
    """A stream that stands alone."""
    return b"".join(codec.encode(one) + b"\n" for one in (header() if head is None else head, *records))


@dataclass
class Made:
    """A stream for a bundle."""

    records: Sequence[Record] = ()
    links: Sequence[Record] = ()
    head: Record = field(default_factory=header)


def bundle(
    *streams: Made, blobs: Sequence[bytes] = (), change: Callable[[Any], None] | None = None, **other: Any
) -> Files:
    """A bundle whose manifest may be changed; ``blobs`` are listed, of the type text/plain; ``other``: fields."""
    files: Files = {}
    writer = BundleWriter(files.__setitem__)
    for one in streams or (Made([said(1)]),):
        head = one.head
        key = SessionKey(head["session"]["harness"], head["session"]["id"])
        links = sorted(one.links, key=lambda link: link["seq"])
        summary = {"agent": "Claude Code", "models": [], "commits": commits(links)}
        written = writer.records(head["stream"], one.records)
        writer.stream(key, head, written, links, records=len(one.records), summary=summary)
    writer.close()
    manifest = json.loads(files["bundle.json"])
    for data in blobs:
        digest = hashlib.sha256(data).hexdigest()
        files[blob_path(digest)] = data
        manifest["blobs"].append({"sha256": digest, "bytes": len(data), "mediaType": "text/plain"})
    manifest |= other
    if change is not None:
        change(manifest)
    files["bundle.json"] = codec.encode_indented(manifest)
    return files


def reference(data: bytes, **changed: Any) -> Record:
    """How a record names a blob."""
    return {"blob": hashlib.sha256(data).hexdigest(), "mediaType": "text/plain", "bytes": len(data)} | changed


def with_files(files: Files, changed: Files) -> Files:
    """A bundle of one stream with other files of it, listed as they are now; those that are empty are gone."""
    manifest = json.loads(files["bundle.json"])
    found = {path: data for path, data in (files | changed).items() if data}
    listed = first(manifest)["files"]
    listed[:] = [
        {"path": one["path"], "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        for one in listed
        if (data := found.get(one["path"]))
    ]
    return {**found, "bundle.json": codec.encode_indented(manifest)}


def first(manifest: Any) -> Any:
    """The first stream that a manifest lists."""
    return manifest["sessions"][0]["streams"][0]


def placed(files: Files, place_: str) -> Files:
    """A bundle as a companion ref holds it."""
    return {f"{place_}/{path}": data for path, data in files.items()}
