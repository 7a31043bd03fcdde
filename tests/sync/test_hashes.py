"""The hash that Entire stores beside a transcript: a warning where it is another, and never more."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support.companion import tip
from tests.support.entire_repo import EntireRepo, Stored, claude
from tests.sync.syncing import run, run_codes, units

SESSION = "11111111-2222-3333-4444-555555555555"
CPS = ("0a1b2c3d4e50", "0a1b2c3d4e51")
TEXT = claude(SESSION, ["u1", "u2", "u3"])
RIGHT = f"sha256:{hashlib.sha256(TEXT).hexdigest()}".encode()
WRONG = b"sha256:" + b"0" * 64


def repository(where: Path, folders: Sequence[dict[str, bytes]]) -> Path:
    """Checkpoints of one session whose folders have no other files than these."""
    repo = EntireRepo(where)
    for number, (checkpoint, files) in enumerate(zip(CPS, folders, strict=False)):
        repo.checkpoint(checkpoint, Stored(SESSION, None, created=number, files=files))
        repo.commit(checkpoint)
    return repo.build()


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({"full.jsonl": TEXT, "content_hash.txt": RIGHT}, []),
        ({"full.jsonl": TEXT, "content_hash.txt": RIGHT[7:] + b"\n"}, []),
        ({"full.jsonl": TEXT}, []),
        ({"full.jsonl": TEXT, "content_hash.txt": WRONG}, ["content-hash"]),
        ({"full.jsonl": TEXT, "content_hash.txt": b"<html>"}, ["content-hash"]),
        ({"full.jsonl": TEXT, "content_hash.txt": b" " * 5000}, []),
        ({"full.log": TEXT, "content_hash.txt": WRONG}, ["content-hash"]),
        (
            {"raw_transcript": TEXT, "raw_transcript_hash.txt": WRONG, "content_hash.txt": RIGHT},
            ["content-hash"],
        ),
    ],
)
def test_what_is_told(files: dict[str, bytes], told: list[str], tmp_path: Path) -> None:
    path = repository(tmp_path / "r", [files])
    outcome, codes = run_codes(path)
    assert codes == told
    assert [one.code for one in outcome.findings] == told
    assert units(path) == {SESSION: 3}


def test_chunks_of_lines_are_judged_and_those_of_documents_are_not(tmp_path: Path) -> None:
    first, _, rest = TEXT.partition(b"\n")
    chunks = {"full.jsonl": first, "full.jsonl.001": rest, "content_hash.txt": RIGHT}
    assert run_codes(repository(tmp_path / "lines", [chunks]))[1] == []
    lacking = {"full.jsonl.001": rest, "content_hash.txt": RIGHT}
    assert "content-hash" not in run_codes(repository(tmp_path / "lacking", [lacking]))[1]
    document = b'{"info":{"id":"ses_1"},"messages":[{"info":{"id":"m1","role":"user"},"parts":[]}]}'
    cut = {"full.jsonl": document, "full.jsonl.001": document, "content_hash.txt": WRONG}
    assert "content-hash" not in run_codes(repository(tmp_path / "cut", [cut]))[1]
    whole = {"full.jsonl": document, "content_hash.txt": WRONG}
    assert "content-hash" in run_codes(repository(tmp_path / "whole", [whole]))[1]


def test_it_is_told_once_and_remembered(tmp_path: Path) -> None:
    """Only what gave units is judged: here the newest copy."""
    longer = TEXT + claude(SESSION, ["u4"], parent="u3")
    folders = [
        {"full.jsonl": TEXT, "content_hash.txt": WRONG},
        {"full.jsonl": longer, "content_hash.txt": WRONG},
    ]
    path = repository(tmp_path / "r", folders)
    outcome, found = run(path)
    assert [one.where for one in found] == [f"checkpoint {CPS[1]}, session folder 0"]
    before = tip(path)
    again, found = run(path)
    assert not found
    assert again.findings == outcome.findings
    full, found = run(path, full=True)
    assert (full.findings, len(found), tip(path)) == (outcome.findings, 1, before)
