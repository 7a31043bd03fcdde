"""What does not grow with the repository, and what is kept of sessions that grow or are large."""

from __future__ import annotations

import subprocess
from pathlib import Path

from benchmarks.generate import Shape
from benchmarks.measure import BARE, PROGRAM, PYTHON, Figure, answer, environment, run
from benchmarks.prepare import SESSIONS, headers, sources
from benchmarks.scenarios import Bench, Job, beyond, in_seconds, ratio

_BRANCH = "refs/heads/entire/checkpoints/v1"
_SMALL = Shape(sessions=100, checkpoints=100, commits=100, size=4_000)
_MEGABYTE = 1e6
_CHUNK = 50 << 20
"""Bytes after which Entire begins another file of a transcript."""


def scale(bench: Bench, sessions: int, checkpoints: int, commits: int) -> list[Figure]:
    """A sync after one commit, and one without change, in a large repository against a small one."""
    shape = Shape(sessions=sessions, checkpoints=checkpoints, commits=commits, size=4_000)
    source = bench.generated("wide", shape)
    first = bench.measure({"sync": bench.on_copy(source, lambda _: [*PROGRAM, "sync"])})["sync"]
    wide, narrow = bench.synced(source), bench.synced(bench.generated("narrow", _SMALL))
    jobs: dict[str, Job] = {
        "unchanged": lambda: run([*PROGRAM, "sync"], wide),
        "bare": lambda: run(BARE, wide),
    }
    idle = in_seconds(bench.measure(jobs, times=5))
    found = in_seconds(
        bench.measure(
            {
                name: bench.on_copy(_grown(bench, one), lambda _: [*PROGRAM, "sync"])
                for name, one in (("wide", wide), ("narrow", narrow))
            }
        )
    )
    held = f"{commits:,} commits, {checkpoints:,} checkpoints, {sessions:,} sessions"
    return [
        ratio(f"sync after one commit, {held}", "× with 100 of each", found["wide"], found["narrow"], 1.3),
        Figure(f"sync after one commit, {held}", "s", tuple(found["wide"])),
        beyond(f"no-change sync, {sessions:,} sessions", idle["unchanged"], idle["bare"], 0.3),
        Figure(f"full sync, {held}", "s", tuple(one.seconds for one in first)),
        Figure(f"full sync, {held}, peak memory", "MB", tuple(one.peak / _MEGABYTE for one in first), 250),
    ]


def _grown(bench: Bench, synced: Path) -> Path:
    """A copy of a synced repository with one more commit, whose session grew."""
    copy = bench.copy(synced)
    answer([PYTHON, "-m", "benchmarks.grow", str(copy)], bench.folder)
    return copy


def growing(bench: Bench, megabytes: int, commits: int) -> list[Figure]:
    """What a session adds to the objects that grows from commit to commit, each of which is synced."""
    shape = Shape(sessions=1, checkpoints=commits, commits=commits, size=int(megabytes * _MEGABYTE))
    path = bench.generated("growing", shape)
    tips = {ref: answer(["git", "rev-list", "--reverse", ref], path).split() for ref in ("main", _BRANCH)}
    for number, oids in enumerate(tips.values()):
        answer(["git", "update-ref", f"refs/kept/{number}", oids[-1]], path)
    before = _object_bytes(path)
    bench.say(f"syncing {commits} times")
    for main, checkpoint in zip(*tips.values(), strict=True):
        answer(["git", "update-ref", "refs/heads/main", main], path)
        answer(["git", "update-ref", _BRANCH, checkpoint], path)
        run([*PROGRAM, "sync"], path)
    added = _object_bytes(path) - before
    final = bench.folder / "final"
    answer(["git", "init", "--quiet", "--bare", str(final)], bench.folder)
    _packed(path, SESSIONS, "--revs", into=final)
    name = f"session growing to {megabytes} MB over {commits} commits, bytes added"
    return [
        Figure(name, "× the final one's", (added / _object_bytes(final),), 1.2),
        Figure(name, "MB", (added / _MEGABYTE,)),
    ]


def packed(bench: Bench, source: Path | None, shape: Shape) -> list[Figure]:
    """How well the companion packs, against the transcripts that it was made from; the same command packs both."""
    synced = bench.synced(bench.generated("packed", shape) if source is None else bench.given(source))
    bench.say("packing")
    transcripts = dict.fromkeys(oid for header in headers(synced, SESSIONS) for oid in sources(header))
    mine, theirs = _packed(synced, SESSIONS, "--revs"), _packed(synced, "\n".join(transcripts))
    name = "the companion, packed"
    return [
        Figure(name, "× the transcripts, packed", (mine / theirs,), 1.2),
        Figure(name, "MB", (mine / _MEGABYTE,)),
    ]


def chunked(bench: Bench, megabytes: int) -> list[Figure]:
    """Peak memory for one session whose transcript lies in many files."""
    size = int(megabytes * _MEGABYTE)
    shape = Shape(sessions=1, checkpoints=1, commits=1, size=size, chunk=_CHUNK)
    source = bench.generated("chunked", shape)
    used = bench.measure({"sync": bench.on_copy(source, lambda _: [*PROGRAM, "sync"])})["sync"]
    name = f"full sync of one session of {megabytes} MB in chunks"
    return [
        Figure(f"{name}, peak memory", "MB", tuple(one.peak / _MEGABYTE for one in used), 400),
        Figure(name, "MB/s", tuple(megabytes / one.seconds for one in used)),
    ]


def _packed(repository: Path, asked: str, *options: str, into: Path | None = None) -> int:
    """The bytes of a pack of what is asked for; unpacked into another repository where one is given."""
    pack = subprocess.run(
        ["git", "pack-objects", "--stdout", "-q", *options],
        cwd=repository,
        env=environment(),
        input=f"{asked}\n".encode(),
        stdout=subprocess.PIPE,
        check=True,
    ).stdout
    if into is not None:
        subprocess.run(["git", "unpack-objects", "-q"], cwd=into, env=environment(), input=pack, check=True)
    return len(pack)


def _object_bytes(repository: Path) -> int:
    """The bytes of all objects, without the indexes of packs."""
    found = (repository / "objects").rglob("*")
    return sum(one.stat().st_size for one in found if one.is_file() and one.suffix in ("", ".pack"))
