"""What every format makes of some transcripts: ``python -m tests.exporters.goldens``.

Writes ``fixtures/exports/<format>/<case>/``. Look at the difference before you keep it. Of tables in Parquet the
rows are written, as JSON Lines: the bytes depend on the version of the library. Pages are written without the style and
the script.
"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

from git_asr.asr import bundle
from git_asr.asr.bundle import MANIFEST, Bundle, BundleWriter
from git_asr.asr.header import Header, Producer, SessionKey
from git_asr.asr.links import CommitLink, vcs
from git_asr.asr.numbering import number
from git_asr.asr.summary import Summary
from git_asr.converters.registry import converter_for
from git_asr.exporters import registry
from tests.converters import goldens
from tests.exporters import exporting

FOLDER = Path(__file__).parents[2] / "fixtures" / "exports"
CASES = (
    "claude-code/embedded-subagent",
    "claude-code/images",
    "claude-code/rewind",
    "codex/plans",
    "opencode/questions-and-plans",
)
_OURS = re.compile(rb"(?s)(?<=<style>).*?(?=</style>)|(?<=<script>).*?(?=</script>)|(?<=sha256-)[\w+/=]+")
"""What all pages have in common, and its hashes."""
CHECKPOINT, COMMIT = "5f0af6f2363f", "c" * 40


def made(case: str) -> Bundle:
    """The bundle of a transcript that one checkpoint holds whole, and one commit names."""
    native, units = goldens.units(goldens.chunks(case))
    assert native is not None
    converter = converter_for(native)
    files: dict[str, bytes] = {}
    writer = BundleWriter(files.__setitem__)
    key = SessionKey(native.harness, "session")

    def stream(name: str, one: object, lineage: dict[str, object] | None) -> None:
        watch = Summary()
        records = writer.records(name, watch.watch(number(one.convert(iter(units), native, name))))  # type: ignore[attr-defined]
        header = Header(
            stream=name,
            session=key,
            capture={"state": "partial", "through": units[-1].position},
            producer=Producer(native.harness, 1, "converter"),
            lineage=lineage,
        ).record()
        links = [] if lineage else _links(units[-1].position)
        summary = watch.record(
            agent=native.harness, models=(), first_prompt=lambda: None, commits=[] if lineage else [COMMIT]
        )
        writer.stream(key, header, records, links, records=watch.records, summary=summary)

    stream("session", converter, None)
    for one in converter.embedded:
        spawned = [{"session": key.reference(), "callId": call} for call in one.calls]
        stream(f"session.{one.suffix}", one.converter, {"spawnedBy": spawned})
    writer.close()
    return Bundle(bundle.load(files[MANIFEST]), files.get)


def _links(through: int) -> list[dict[str, object]]:
    checkpoint = {
        "type": "io.entire/checkpoint",
        "seq": 2**52,
        "id": CHECKPOINT,
        "ts": "2026-03-01T12:00:00Z",
        "sessionIds": ["session"],
        "start": 1,
        "through": through,
    }
    link = vcs(CommitLink(COMMIT, CHECKPOINT, "2026-03-01T13:00:00+01:00", "last-block"), "sha1", ["session"])
    return [checkpoint, {**link, "seq": 2**52 + 1}]


def outputs(case: str) -> dict[str, bytes]:
    """The files of all formats, by format and path."""
    found: dict[str, bytes] = {}
    for exporter in registry.EXPORTERS:
        files, losses = exporting.of_bundle(exporter, made(case))
        if exporter.name == "html":
            files = {path: _OURS.sub(b"", data) for path, data in files.items()}
        if exporter.name == "parquet":
            files = {path: rows(data) for path, data in files.items()}
        found |= {f"{exporter.name}/{case}/{path}": data for path, data in files.items()}
        told = json.dumps(losses.as_json(), indent=2).encode() + b"\n"
        found[f"{exporter.name}/{case}/losses.json"] = told
    return found


def rows(data: bytes) -> bytes:
    """The rows of a Parquet file as JSON Lines, unknown ones left out; times as text."""
    import pyarrow
    from pyarrow import parquet

    table = parquet.read_table(pyarrow.BufferReader(data))
    lines = ({key: one for key, one in row.items() if one is not None} for row in table.to_pylist())
    return b"".join(json.dumps(one, default=str, ensure_ascii=False).encode() + b"\n" for one in lines)


if __name__ == "__main__":
    shutil.rmtree(FOLDER, ignore_errors=True)
    for each in CASES:
        for path, data in outputs(each).items():
            (FOLDER / path).parent.mkdir(parents=True, exist_ok=True)
            (FOLDER / path).write_bytes(data)
