"""What a sync costs, in what can be counted: processes, objects read and written, bytes hashed, calls of functions.

Times are for ``make bench``. What is counted here depends on no machine, so that whoever makes cost follow what
exists, and not what changed, is told at once. Limits are what it takes now, with a little room.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from benchmarks import lines
from git_asr.converters.detect import detect
from git_asr.git import backend
from git_asr.git.base import Objects, Repository
from git_asr.sync import flow
from tests.support.entire_repo import EntireRepo, Stored, claude, own_ref
from tests.support.repo_builder import git
from tests.support.run import run_cli
from tests.sync.syncing import run

FEW, MANY = 12, 120
GROWN = 40
"""Units of the session that grows."""


def session(number: int) -> str:
    return f"{number:08x}-2222-4333-8444-555555555555"


def ulid(number: int) -> str:
    return f"01K{number:023d}"


def synced(path: Path, sessions: int, *, refs: bool = False) -> EntireRepo:
    """A repository whose sessions are all synced, and then one more commit, for which the first one grew."""
    repo = EntireRepo(path)
    for number in range(sessions):
        add(repo, number, number, 2, refs=refs)
    run(repo.build())
    git(path, "pack-refs", "--all")
    add(repo, 0, sessions, GROWN, refs=refs)
    repo.build()
    return repo


def add(repo: EntireRepo, number: int, checkpoint: int, units: int, *, refs: bool) -> None:
    name = ulid(checkpoint) if refs else f"{checkpoint * 7 % 256:02x}{checkpoint:04x}6af236"
    data = claude(session(number), [f"{number}.{n}" for n in range(units)])
    stored = Stored(session(number), data, created=checkpoint)
    repo.checkpoint(name, stored, **({"ref": own_ref(name)} if refs else {}))
    repo.commit(name)


class Counted:
    """What was asked of ``Objects``: how many of each method, a list counting as its length."""

    def __init__(self, objects: Objects, counts: Counter[str]) -> None:
        self._objects = objects
        self._counts = counts

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._objects, name)
        if name.startswith("_") or not callable(method):
            return method

        def counted(first: Any = None, *rest: Any) -> Any:
            if isinstance(first, Iterable) and not isinstance(first, str):
                first = list(first)
                self._counts[name] += len(first)
            else:
                self._counts[name] += 1
            return method(*(() if first is None else (first,)), *rest)

        return counted

    def __enter__(self) -> Counted:
        return self

    def __exit__(self, *exc: object) -> None:
        self._objects.close()


@contextmanager
def objects_counted(monkeypatch: pytest.MonkeyPatch) -> Iterator[Counter[str]]:
    counts: Counter[str] = Counter()

    def opened(repo: Repository, wanted: backend.Backend = "auto") -> Counted:
        return Counted(backend.open_objects(repo, wanted), counts)

    with monkeypatch.context() as patch:
        patch.setattr(flow, "open_objects", opened)
        yield counts


def processes(path: Path, *arguments: str) -> list[str]:
    """The Git processes that a command starts, as Git itself tells of them."""
    log = path.with_name(f"{path.name}.trace")
    ended = run_cli(arguments, path, {"GIT_TRACE2_EVENT": str(log)})
    assert ended.status == 0, ended.err
    events = [json.loads(line) for line in log.read_text("utf-8").splitlines()] if log.exists() else []
    log.unlink(missing_ok=True)
    return [" ".join(one["argv"][1:]) for one in events if one["event"] == "start"]


def objects_of(path: Path) -> set[str]:
    return set(
        git(path, "cat-file", "--batch-all-objects", "--batch-check=%(objecttype) %(objectname)").split("\n")
    )


@pytest.mark.parametrize("refs", [False, True])
def test_after_one_commit_as_many_processes_are_started_in_a_large_repository(
    tmp_path: Path, refs: bool
) -> None:
    found = [processes(synced(tmp_path / str(n), n, refs=refs).path, "sync") for n in (FEW, MANY)]
    few, many = ([one.split()[0] for one in some] for some in found)
    assert Counter(few) == Counter(many)
    assert len(few) <= 16


@pytest.mark.parametrize("refs", [False, True])
def test_without_change_a_sync_starts_next_to_nothing(tmp_path: Path, refs: bool) -> None:
    for number in (FEW, MANY):
        path = synced(tmp_path / str(number), number, refs=refs).path
        processes(path, "sync")
        assert len(processes(path, "sync")) <= 3


def test_after_one_commit_as_many_objects_are_read_and_written_in_a_large_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, written = [], []
    for number in (FEW, MANY):
        path = synced(tmp_path / str(number), number).path
        before = objects_of(path)
        with objects_counted(monkeypatch) as counts:
            run(path)
        read.append(counts)
        written.append(len(objects_of(path) - before))
    few, many = read
    assert many["blob"] + many["blobs"] == few["blob"] + few["blobs"]
    assert many["sizes"] <= few["sizes"] + 8  # trees of the companion and of notes have more levels
    assert many["entries"] + many["lookup"] <= few["entries"] + few["lookup"] + 8
    assert written[0] <= written[1] <= written[0] + 4
    assert written[1] <= 24


def test_a_session_that_grows_is_hashed_once_and_its_full_parts_are_not_written_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = EntireRepo(tmp_path / "r")
    text = "x" * 2_000
    units = [f"{n}.{text}" for n in range(900)]
    for step, length in enumerate((600, 900)):
        stored = Stored(session(0), claude(session(0), units[:length]), created=step)
        repo.checkpoint(f"0{step}00006af236", stored)
        repo.commit(f"0{step}00006af236")
        path = repo.build()
        before = objects_of(path)
        size = len(claude(session(0), units[:length]))
        with hashed_counted(monkeypatch) as counts:
            run(path)
    # the transcript: whether the older one is its beginning, and what it is; the records: for the manifest and for Git
    assert counts["bytes"] <= 6 * size
    new = [one.split()[1] for one in objects_of(path) - before if one.startswith("blob")]
    sizes = [int(git(path, "cat-file", "-s", oid)) for oid in new]
    grown = size * 300 // 900
    assert sum(sizes) <= 2 * grown + 2 * (256 << 10)


@contextmanager
def hashed_counted(monkeypatch: pytest.MonkeyPatch) -> Iterator[Counter[str]]:
    """Counts the bytes that are hashed, by whatever function of the standard library."""
    counts: Counter[str] = Counter()

    class Hash:
        def __init__(self, real: Any, data: Any = b"") -> None:
            self._real = real
            counts["bytes"] += len(data)

        def update(self, data: Any) -> None:
            counts["bytes"] += len(data)
            self._real.update(data)

        def copy(self) -> Hash:
            return Hash(self._real.copy())

        def __getattr__(self, name: str) -> Any:
            return getattr(self._real, name)

    new, sha256, sha1 = hashlib.new, hashlib.sha256, hashlib.sha1
    with monkeypatch.context() as patch:
        patch.setattr(hashlib, "new", lambda name, data=b"", **how: Hash(new(name, data, **how), data))
        patch.setattr(hashlib, "sha256", lambda data=b"", **how: Hash(sha256(data, **how), data))
        patch.setattr(hashlib, "sha1", lambda data=b"", **how: Hash(sha1(data, **how), data))
        yield counts


def test_a_line_of_claude_code_costs_a_number_of_calls() -> None:
    """Reference: docs/performance.md. Python's own functions count, those of C do not."""
    transcript = next(lines.made())
    native = detect([transcript])
    assert native is not None
    calls = 0

    def count(frame: FrameType, event: str, arg: object) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count)
    try:
        size = lines.convert(transcript, native)
    finally:
        sys.setprofile(None)
    assert size > len(transcript) / 2
    assert calls / transcript.count(b"\n") < 80
