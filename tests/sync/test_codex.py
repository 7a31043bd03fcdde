"""Codex threads in a bundle: where they come from stands in the header, copied lines are no figures of theirs."""

from __future__ import annotations

from pathlib import Path

from git_asr.git.repository import open_repository
from git_asr.sync.flow import Options, sync
from tests.converters.goldens import FIXTURES
from tests.support.entire_repo import EntireRepo, Stored
from tests.sync.syncing import only

THREAD = "019e0000-0000-7000-8000-000000000001"
PARENT = {"harness": "codex", "id": "019d0000-0000-7000-8000-0000000000aa"}


def test_a_fork_says_where_it_comes_from(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    text = (FIXTURES / "codex" / "fork-with-its-parents-history" / "input.jsonl").read_bytes()
    repo.checkpoint("0a1b2c3d4e50", Stored(THREAD, text))
    repo.commit("0a1b2c3d4e50")
    path = repo.build()
    sync(open_repository(path), Options(), lambda _: None)
    bundle = only(path)
    (stream,) = bundle.streams.values()
    assert stream.header["session"] == {"harness": "codex", "id": THREAD, "idSource": "native"}
    assert stream.header["lineage"] == {"forkedFrom": {"session": PARENT, "evidence": "native_field"}}
    assert stream.header["producer"]["version"] == "codex/1"
    assert stream.header["producer"]["source"] == {"format": "codex-jsonl", "formatVersion": "0.140.0"}
    assert stream.header["workspace"]["cwd"] == "/home/ann/garden"
    summary = stream.summary
    assert summary["counts"] == {"inferences": 1, "prompts": 1}
    assert summary["usage"]["input"] == {"total": 200, "includesCache": True, "uncached": 100}
