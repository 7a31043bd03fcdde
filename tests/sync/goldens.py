"""Golden companion refs: ``case.json`` and transcripts of a case in ``fixtures/companion/`` → its ``companion/``.

They freeze IDs, parts, files, manifest, links and commit, byte for byte. ``python -m tests.sync.goldens`` writes them
anew; read the difference before you commit it: what changes here changes for everybody.

``@20MB@`` in a transcript stands for so many letters, and of a file that is as large the golden has size and digest.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from git_asr.git.repository import open_repository
from git_asr.sync.flow import Options, sync
from tests.support.companion import tip, tree_files
from tests.support.entire_repo import EntireRepo, Stored
from tests.support.run import PROJECT

FOLDER = PROJECT / "fixtures" / "companion"

LONG = 20_000_000


def cases() -> list[Path]:
    """The folder of each case."""
    return sorted(path.parent for path in FOLDER.glob("*/case.json"))


def build(case: Path, where: Path) -> Path:
    """Make the case's repository."""
    said = json.loads((case / "case.json").read_text("utf-8"))
    repo = EntireRepo(where, said.get("objectFormat", "sha1"))
    for checkpoint in said["checkpoints"]:
        repo.checkpoint(checkpoint["id"], *(_stored(case, one) for one in checkpoint["sessions"]))
    for commit in said["commits"]:
        repo.commit(
            *commit["checkpoints"],
            ref=commit.get("ref", "refs/heads/main"),
            offset=commit.get("offset", "+0000"),
        )
    return repo.build()


def _stored(case: Path, said: dict[str, Any]) -> Stored:
    transcript = None
    if said.get("transcript") is not None:
        transcript = (case / said["transcript"]).read_bytes().replace(b"@20MB@", b"y" * LONG)
    return Stored(
        said["session_id"],
        transcript,
        created=said.get("created", 0),
        agent=said.get("agent", "Claude Code"),
        start=said.get("start", 0),
        prompt=said.get("prompt"),
        metadata=said.get("metadata", {}),
        files={path: (case / name).read_bytes() for path, name in said.get("files", {}).items()},
    )


def result(case: Path, where: Path) -> tuple[dict[str, bytes], dict[str, str | None]]:
    """Sync the case's repository: the files of the companion ref, and where the refs stand."""
    repo = build(case, where)
    sync(open_repository(repo), Options(), lambda _: None)
    files = {path: _shown(data) for path, data in tree_files(repo).items()}
    return files, {ref: tip(repo, ref) for ref in ("refs/asr/sessions", "refs/notes/asr")}


def _shown(data: bytes) -> bytes:
    if len(data) < LONG:
        return data
    return f"{len(data)} bytes, SHA-256 {hashlib.sha256(data).hexdigest()}\n".encode()


def main() -> None:
    """Write all goldens anew."""
    os.environ.update(GIT_CONFIG_GLOBAL=os.devnull, GIT_CONFIG_NOSYSTEM="1")
    for case in cases():
        with tempfile.TemporaryDirectory() as folder:
            files, refs = result(case, Path(folder) / "r")
        shutil.rmtree(case / "companion", ignore_errors=True)
        for path, data in files.items():
            target = case / "companion" / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        (case / "refs.json").write_text(json.dumps(refs, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
