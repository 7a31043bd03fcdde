"""What a checkpoint holds beside transcripts and metadata: kept as it is, in the checkpoint's record."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from git_asr.asr import links
from git_asr.companion.state_file import read_state
from git_asr.entire import kept
from git_asr.entire.contents import read_checkpoints
from git_asr.entire.stores.base import Location
from git_asr.entire.stores.registry import changes, copies, discover
from git_asr.git.backend import open_objects
from git_asr.git.refs import list_refs
from git_asr.git.repository import open_repository
from git_asr.sync.look import directory
from tests.support.companion import StoredBundle, bundles, tip
from tests.support.corpus import needs_corpus, sample, some_samples
from tests.support.entire_repo import STORE, EntireRepo, Stored, claude
from tests.support.repo_builder import git
from tests.sync.syncing import only, run, run_codes

SESSION = "11111111-2222-3333-4444-555555555555"
OTHER = "22222222-2222-3333-4444-555555555555"
CP = "0a1b2c3d4e50"
TEXT = claude(SESSION, ["u1", "u2"])


def repository(where: Path, *stored: Stored, outside: Mapping[str, bytes] = {}, commit: bool = True) -> Path:
    repo = EntireRepo(where)
    repo.checkpoint(CP, *stored)
    if outside:
        base = f"{CP[:2]}/{CP[2:]}"
        repo.builder.commit(STORE, "more\n", {f"{base}/{path}": data for path, data in outside.items()})
    if commit:
        repo.commit(CP)
    return repo.build()


def record(bundle: StoredBundle) -> dict[str, Any]:
    (found,) = [one for one in bundle.links if one["type"] == "io.entire/checkpoint"]
    return found


def files(bundle: StoredBundle) -> dict[str, bytes | None]:
    """The files that a checkpoint's record names, with their bytes; None for an absent one."""
    return {
        part["path"]: None if "absent" in part else bundle.files[f"blobs/sha256/{part['blob']}"]
        for part in record(bundle).get("content", ())
    }


def test_every_other_file_is_kept(tmp_path: Path) -> None:
    inside = {
        "context.md": b"# generated\n",
        "summary.txt": b"done",
        "empty": b"",
        "deep/er/notes.bin": b"\0\xff",
        "assets/manifest.json": b"{}",
        "assets/img-0.png": b"PNG",
        "full.jsonl.x": b"no part",
        "tasks/toolu_1/checkpoints/001-toolu_1.json": b'{"type":"TodoWrite"}',
        "tasks/toolu_1/agent-a1.jsonl": TEXT,
        "transcript.jsonl": b'{"v":1}\n',
        "transcript_hash.txt": b"sha256:0",
    }
    stored = Stored(SESSION, TEXT, prompt="First", files=inside)
    path = repository(tmp_path / "r", stored, outside={"notes.txt": b"outside"})
    _, codes = run_codes(path)
    assert not codes
    bundle = only(path)
    derived = {"transcript.jsonl", "transcript_hash.txt", "tasks/toolu_1/agent-a1.jsonl"}
    assert files(bundle) == {
        **{f"0/{name}": data for name, data in inside.items() if name not in derived},
        "0/prompt.txt": b"First",
        "notes.txt": b"outside",
    }
    media = {part["path"]: part["mediaType"] for part in record(bundle)["content"]}
    assert media["0/context.md"] == "text/markdown"
    assert media["0/deep/er/notes.bin"] == "application/octet-stream"
    assert [*media] == sorted(media)


def test_a_blob_of_it_is_the_object_that_is_there(tmp_path: Path) -> None:
    path = repository(tmp_path / "r", Stored(SESSION, TEXT, files={"context.md": b"as it is"}))
    run(path)
    listed = git(path, "ls-tree", "-r", "refs/asr/sessions").split("\n")
    oid = git(path, "rev-parse", f"{STORE}:{CP[:2]}/{CP[2:]}/0/context.md")
    name = hashlib.sha256(b"as it is").hexdigest()
    assert [one.split()[2] for one in listed if one.endswith(name)] == [oid]


def test_what_tasks_say_and_whose_they_are(tmp_path: Path) -> None:
    one = {"session_id": OTHER, "tool_use_id": "toolu_1", "transcript_path": "/home/dev/x"}
    two = {"tool_use_id": "toolu_2", "transcript_unavailable_reason": "not_found"}
    nobody = {"tasks/toolu_3/task.json": b'{"a":1}', "tasks/toolu_3/agent-a.jsonl": b"{}\n"}
    path = repository(
        tmp_path / "r",
        Stored(
            SESSION,
            TEXT,
            files={
                "tasks/toolu_1/checkpoint.json": json.dumps(one).encode(),
                "tasks/toolu_1/checkpoints/001-toolu_1.json": b"1",
                "tasks/toolu_2/task.json": json.dumps(two).encode(),
            },
        ),
        Stored(OTHER, claude(OTHER, ["v1"])),
        outside=nobody,
    )
    _, codes = run_codes(path)
    assert set(codes) == {"task-without-session"}
    by_session = {bundle.manifest["sessions"][0]["session"]["id"]: bundle for bundle in bundles(path)}
    del one["transcript_path"]
    assert record(by_session[SESSION])["_meta"]["io.entire/tasks"] == {"0/tasks/toolu_2": {"task.json": two}}
    assert record(by_session[OTHER])["_meta"]["io.entire/tasks"] == {
        "0/tasks/toolu_1": {"checkpoint.json": one}
    }
    assert files(by_session[SESSION]) == nobody
    assert files(by_session[OTHER]) == {**nobody, "0/tasks/toolu_1/checkpoints/001-toolu_1.json": b"1"}


@pytest.mark.parametrize(
    ("metadata", "era"), [({}, "checkpoint"), ({"compact_transcript_start": 0}, "session"), (None, "session")]
)
def test_the_era_of_entires_own_transcript(metadata: dict[str, int] | None, era: str, tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    stored = Stored(SESSION, TEXT, metadata=metadata or {}, files={"transcript.jsonl": b'{"v":1}\n'})
    if metadata is None:
        repo.v2(CP, stored)
    else:
        repo.checkpoint(CP, stored)
    repo.commit(CP)
    path = repo.build()
    run(path)
    assert record(only(path))["_meta"]["io.entire/transcript"] == {"0": era}
    assert files(only(path)) == {}


def test_entires_own_transcript_is_kept_where_there_is_no_other(tmp_path: Path) -> None:
    path = repository(tmp_path / "r", Stored(SESSION, None, files={"transcript.jsonl": b'{"v":1}\n'}))
    run(path)
    assert files(only(path)) == {"0/transcript.jsonl": b'{"v":1}\n'}


def test_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    some = {f"f{n:03}": b"x" * 10 for n in range(500)}
    path = repository(tmp_path / "many", Stored(SESSION, TEXT, files=some))
    _, found = run(path)
    assert [one.code for one in found] == ["files-left-out"]
    listed = record(only(path))["content"]
    assert 200 < len(listed) < 400
    assert len(json.dumps(listed)) < 64 * 1024
    monkeypatch.setattr(kept, "MAX_FILE", 4)
    monkeypatch.setattr(kept, "MAX_FILES", 6)
    sizes = {"a": b"12345", "b": b"1234", "c": b"123", "d": b"12"}
    path = repository(tmp_path / "large", Stored(SESSION, TEXT, files=sizes))
    _, found = run(path)
    assert [one.message for one in found] == ["2 files are too many or too large to be kept, first 0/a"]
    assert [*files(only(path))] == ["0/b", "0/d"]
    long = {"x" * 200 + f"/{'y' * 200}/{n}": b"" for n in range(200)}
    path = repository(tmp_path / "long", Stored(SESSION, TEXT, files=long))
    assert run_codes(path)[1] == ["files-left-out"]


def test_an_absent_file_comes_later_and_is_not_lost_again(tmp_path: Path) -> None:
    path = repository(
        tmp_path / "r", Stored(SESSION, TEXT, files={"a.txt": b"a", "b.txt": b"bee", "c.txt": b"bee"})
    )
    oid = git(path, "hash-object", "--stdin", stdin=b"bee").strip()
    stored = path / ".git" / "objects" / oid[:2] / oid[2:]
    data = stored.read_bytes()
    stored.unlink()
    _, found = run(path)
    assert [one.where for one in found] == [f"checkpoint {CP}, 0/b.txt and 1 more"]
    assert files(only(path)) == {"0/a.txt": b"a", "0/b.txt": None, "0/c.txt": None}
    stored.write_bytes(data)
    assert not run_codes(path)[1]
    whole = tip(path)
    assert files(only(path)) == {"0/a.txt": b"a", "0/b.txt": b"bee", "0/c.txt": b"bee"}
    run(path, full=True)
    assert tip(path) == whole
    (path / ".git" / "asr").rename(tmp_path / "state")
    run(path, backend="git")
    assert tip(path) == whole


def test_a_file_that_goes_takes_its_blob_along(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.checkpoint(CP, Stored(SESSION, TEXT, files={"a.txt": b"gone", "b.txt": b"stays"}))
    repo.commit(CP)
    run(repo.build())
    base = f"{CP[:2]}/{CP[2:]}/0"
    repo.builder.commit(STORE, "less\n", {f"{base}/a.txt": None})
    run(repo.build())
    assert files(only(repo.path)) == {"0/b.txt": b"stays"}
    before = tip(repo.path)
    git(repo.path, "update-ref", "-d", "refs/asr/sessions")
    run(repo.path, full=True)
    assert tip(repo.path) == before


def test_the_files_of_a_checkpoint_that_is_gone_stay(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    later = "0a1b2c3d4e51"
    repo.checkpoint(CP, Stored(SESSION, TEXT, files={"a.txt": b"of the first"}))
    repo.checkpoint(later, Stored(SESSION, TEXT, created=9, files={"a.txt": b"of the second"}))
    repo.commit(CP, later)
    run(repo.build())
    base = f"{CP[:2]}/{CP[2:]}"
    gone = [
        f"{base}/{name}" for name in git(repo.path, "ls-tree", "-r", "--name-only", f"{STORE}:{base}").split()
    ]
    repo.builder.commit(STORE, "less\n", dict.fromkeys(gone))
    run(repo.build())
    bundle = only(repo.path)
    kept_here = {one["id"]: one["content"][0]["blob"] for one in bundle.links if "content" in one}
    assert bundle.files[f"blobs/sha256/{kept_here[CP]}"] == b"of the first"
    assert bundle.files[f"blobs/sha256/{kept_here[later]}"] == b"of the second"


def test_who_has_a_file_wins_over_who_lacks_it(tmp_path: Path) -> None:
    """Two clones know one checkpoint; one of them lacks a blob. What both make of it does not depend on the order."""
    made = []
    for lacking in ("a.txt", "b.txt", None):
        where = tmp_path / str(lacking)
        path = repository(where, Stored(SESSION, TEXT, files={"a.txt": b"a", "b.txt": b"bee"}))
        if lacking is not None:
            oid = git(path, "rev-parse", f"{STORE}:{CP[:2]}/{CP[2:]}/0/{lacking}")
            (path / ".git" / "objects" / oid[:2] / oid[2:]).unlink()
        run(path)
        made.append(record(only(path)))
    whole = made[2]
    for lesser in made[:2]:
        assert any("absent" in part for part in lesser["content"])
        assert links.unite([lesser], [whole]) == links.unite([whole], [lesser]) == [whole]


def test_names_that_are_no_text(tmp_path: Path) -> None:
    name = b"\xff \x1b[31m.txt".decode("utf-8", "surrogateescape")
    path = repository(
        tmp_path / "r", Stored(SESSION, TEXT, files={name: b"odd", "tasks/\x1b/agent-\x1b.jsonl": b"{}"})
    )
    run(path)
    assert files(only(path)) == {f"0/{name}": b"odd", "0/tasks/\x1b/agent-\x1b.jsonl": b"{}"}


@needs_corpus
@pytest.mark.parametrize("name", some_samples(2))
def test_every_other_file_of_the_samples_is_kept(name: str, tmp_path: Path) -> None:
    path = sample(name, tmp_path)
    run(path, orphans=True)
    found: dict[str, dict[str, str]] = {}
    for bundle in bundles(path):
        for one in bundle.links:
            if one["type"] == "io.entire/checkpoint":
                listed = {part["path"]: part["blob"] for part in one.get("content", ())}
                found.setdefault(one["id"], {}).update(listed)
    with open_objects(open_repository(path)) as objects:
        for checkpoint in read_checkpoints(objects, chosen(path), lambda _: None):
            others = dict(checkpoint.files)
            for folder in checkpoint.sessions:
                beside = {**folder.files, **({"prompt.txt": folder.prompt} if folder.prompt else {})}
                others |= {f"{folder.folder}/{one}".removeprefix("/"): oid for one, oid in beside.items()}
            kept_here = {
                one: hashlib.sha256(objects.blob(oid) or b"").hexdigest()
                for one, oid in others.items()
                if not ELSEWHERE.fullmatch(one)
            }
            assert found[checkpoint.id] == kept_here


ELSEWHERE = re.compile(r".*_hash\.txt|(.*/)?tasks/[^/]*/(agent-.*\.jsonl|checkpoint\.json|task\.json)")
"""What is derived, becomes a stream, or stands in the record itself."""


def chosen(path: Path) -> list[Location]:
    """The copy of each checkpoint that counts, as the state remembers it."""
    repo = open_repository(path)
    with open_objects(repo) as objects, read_state(directory(repo)) as state:
        assert state is not None
        located: dict[str, list[Location]] = {}
        for store in discover(list_refs(repo)):
            for one in changes(objects, store, None, pytest.fail) or ():
                assert isinstance(one, Location)
                located.setdefault(one.checkpoint, []).append(one)
        some = [copy for each in located.values() for copy in copies(each)]
        return [one for one in some if one.trees == state.reading(one.checkpoint)]
