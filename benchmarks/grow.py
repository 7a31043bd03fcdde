"""Adds what a working day adds: one more commit, whose checkpoint holds a session that went on for a few lines.

Started as ``python -m benchmarks.grow``, so that the memory it takes is not that of what is measured.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks.prepare import SESSIONS, entries, git, headers, stores

_WANTED = 1_000_000
"""Bytes of the transcript that grows, or as near as there is one."""
_LINES = 20
_OWN_ID = re.compile(rb'"uuid":"([0-9a-f-]{36})"')


def grow(repository: Path) -> int:
    """Add a commit and a checkpoint to a repository that is synced; the bytes of the transcript that grew.

    0 if nothing was added, because no session has its transcript in one file of JSON Lines.
    """
    found = sorted(_candidates(repository), key=lambda one: abs(one["bytes"] - _WANTED))
    source = next((one for one in found if _is_lines(_blob(repository, one["oid"]))), None)
    if source is None:
        return 0
    old = source["checkpoint"]
    new = hashlib.sha256(old.encode()).hexdigest()[:12]
    store = next(one for one in stores(repository) if _holds(repository, one, old))
    now = int(git(repository, "log", "-1", "--format=%ct", store)) + 3600
    stream = bytearray(_commit(store, now, f"Checkpoint: {new}\n"))
    for entry in entries(repository, f"{store}:{_folder(old)}"):
        data = _blob(repository, entry.oid)
        if entry.path == source["path"]:
            data += _more(data)
        elif entry.path.endswith("metadata.json"):
            data = _later(data, old, new)
        stream += b"M 100644 inline %s/%s\n" % (_folder(new).encode(), entry.path.encode())
        stream += b"data %d\n%s\n" % (len(data), data)
    stream += _commit(_branch(repository), now, f"One more change\n\nEntire-Checkpoint: {new}\n")
    subprocess.run(["git", "fast-import", "--quiet"], cwd=repository, input=bytes(stream), check=True)
    return int(source["bytes"])


def _candidates(repository: Path) -> Iterator[dict[str, Any]]:
    for header in headers(repository, SESSIONS):
        sources = header.get("nativeSources", ())
        if len(sources) == 1 and isinstance(sources[0]["oid"], str):
            yield sources[0]


def _is_lines(transcript: bytes) -> bool:
    """Whether the last line is an object of its own."""
    try:
        return isinstance(json.loads(transcript.rstrip().rpartition(b"\n")[2]), dict)
    except ValueError:
        return False


def _more(transcript: bytes) -> bytes:
    """The last lines once more, with IDs of their own."""
    tail = b"".join(transcript.splitlines(keepends=True)[-_LINES:])
    for own in set(_OWN_ID.findall(tail)):
        fresh = hashlib.sha256(own).hexdigest().encode()
        tail = tail.replace(
            own, b"%s-%s-4%s-a%s-%s" % (fresh[:8], fresh[8:12], fresh[13:16], fresh[17:20], fresh[20:32])
        )
    return tail if transcript.endswith(b"\n") else b"\n" + tail


def _later(metadata: bytes, old: str, new: str) -> bytes:
    text = metadata.decode().replace(old, new).replace(_folder(old), _folder(new))
    value = json.loads(text)
    if isinstance(value.get("created_at"), str):
        moment = datetime.fromisoformat(value["created_at"]) + timedelta(hours=1)
        value["created_at"] = moment.isoformat()
    return json.dumps(value, indent=2).encode()


def _commit(ref: str, when: int, message: str) -> bytes:
    head = f"commit {ref}\ncommitter Dev <dev@example.com> {when} +0000\ndata {len(message)}\n"
    return f"{head}{message}\nfrom {ref}^0\n".encode()


def _folder(checkpoint: str) -> str:
    return f"{checkpoint[:2]}/{checkpoint[2:]}"


def _holds(repository: Path, store: str, checkpoint: str) -> bool:
    return bool(git(repository, "ls-tree", "--name-only", store, _folder(checkpoint)))


def _branch(repository: Path) -> str:
    """The first branch that is none of Entire's."""
    names = git(repository, "for-each-ref", "--format=%(refname)", "refs/heads").split()
    return next(name for name in names if not name.startswith("refs/heads/entire/"))


def _blob(repository: Path, oid: str) -> bytes:
    return subprocess.run(
        ["git", "cat-file", "blob", oid], cwd=repository, check=True, stdout=subprocess.PIPE
    ).stdout


if __name__ == "__main__":
    print(grow(Path(sys.argv[1])))
