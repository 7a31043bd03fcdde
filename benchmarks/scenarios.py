"""What is measured: each function prepares its repositories, measures in rounds and gives figures."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import sub
from pathlib import Path

from benchmarks.generate import Shape
from benchmarks.hooks import ASLEEP, NO_HOOK, WORKER, commit, hooks_path
from benchmarks.many_refs import ulid as many_refs_ulid
from benchmarks.measure import BARE, PROGRAM, PROJECT, PYTHON, Figure, Usage, answer, run
from benchmarks.prepare import Facts

LIGHTEST, LIGHT, HEAVY = 2.5, 6.0, 10.0
"""Aims for a start in bare Pythons: without any library, without pygit2 and GitPython, and with one of them."""
_TIMES = 5
"""Runs of a short command in one round; the fastest counts, since whatever disturbs only makes slower."""
_MEGABYTE = 1e6

HELPER = (PYTHON, "-P", "-m", "git_asr.remote", "origin", "/nowhere")
_FLOOR = str(PROJECT / "benchmarks" / "floor.py")
_STARTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("git asr --version", ("--version",)),
    ("git asr -h", ("-h",)),
    ("git asr log -h", ("log", "-h")),
    ("git asr sessions -h", ("sessions", "-h")),
    ("git asr sync -h", ("sync", "-h")),
    ("git asr sessions, of 3", ("sessions",)),
    ("git asr sync, 3 sessions, no change", ("sync",)),
)

Job = Callable[[], Usage]


@dataclass(slots=True)
class Bench:
    """Where and how often to measure. ``say`` is told what is being done."""

    folder: Path
    rounds: int
    say: Callable[[str], None]
    _copies: int = field(default=0)

    def generated(self, name: str, shape: Shape) -> Path:
        """Make a repository of this shape."""
        path = self.folder / name
        self.say(f"making a repository: {shape.sessions} sessions, {shape.checkpoints} checkpoints")
        answer([PYTHON, "-m", "benchmarks.generate", str(path), *shape.arguments()], self.folder)
        return path

    def given(self, source: Path) -> Path:
        """Copy a repository with all its refs, without what git-asr made in it."""
        path = self.folder / "given"
        self.say("copying the repository")
        answer(["git", "clone", "--quiet", "--mirror", "--no-hardlinks", str(source), str(path)], self.folder)
        listed = ["git", "for-each-ref", "--format=%(refname)", "refs/asr", "refs/notes/asr"]
        for ref in answer(listed, path).split():
            answer(["git", "update-ref", "-d", ref], path)
        return path

    def copy(self, source: Path) -> Path:
        """Copy one of our repositories; objects, which never change, are linked."""
        self._copies += 1
        target = self.folder / f"copy-{self._copies}"
        shutil.copytree(source, target, copy_function=_link)
        return target

    def synced(self, source: Path) -> Path:
        """Copy a repository and sync it."""
        target = self.copy(source)
        self.say("syncing it once")
        run([*PROGRAM, "sync"], target)
        return target

    def on_copy(self, source: Path, command: Callable[[Path], list[str]]) -> Job:
        """Make a job that runs a command on a fresh copy."""

        def job() -> Usage:
            target = self.copy(source)
            try:
                return run(command(target), target)
            finally:
                shutil.rmtree(target)

        return job

    def measure(self, jobs: Mapping[str, Job], times: int = 1) -> dict[str, list[Usage]]:
        """Run all jobs in every round, in turn, every other turn backwards.

        ``times``: turns in one round; of each job the fastest run of a round counts.
        """
        results: dict[str, list[Usage]] = {name: [] for name in jobs}
        for number in range(self.rounds):
            self.say(f"measuring {len(jobs)} commands, round {number + 1} of {self.rounds}")
            runs: dict[str, list[Usage]] = {name: [] for name in jobs}
            for turn in range(number, number + times):
                for name in list(jobs)[:: -1 if turn % 2 else 1]:
                    runs[name].append(jobs[name]())
            for name, usages in runs.items():
                results[name].append(min(usages, key=lambda one: one.seconds))
        return results


def full(bench: Bench, source: Path) -> tuple[Facts, list[Figure]]:
    """The full sync and one after one more commit, against the floor and each other."""
    synced = bench.synced(source)
    needed, written = bench.folder / "needed", bench.folder / "written"
    paths = map(str, (source, synced, needed, written))
    facts = Facts(**json.loads(answer([PYTHON, "-m", "benchmarks.prepare", *paths], bench.folder)))
    amounts = (str(facts.metadata), str(written), str(facts.objects), facts.object_format)
    grown = bench.copy(synced)
    size = int(answer([PYTHON, "-m", "benchmarks.grow", str(grown)], bench.folder)) / _MEGABYTE
    jobs: dict[str, Job] = {
        "sync": bench.on_copy(source, lambda _: [*PROGRAM, "sync", "--jobs=1"]),
        "two": bench.on_copy(source, lambda _: [*PROGRAM, "sync", "--jobs=2"]),
        "floor": bench.on_copy(source, lambda at: [PYTHON, "-P", _FLOOR, str(at), str(needed), *amounts]),
        "bare": lambda: run(BARE, source),
    }
    if size:
        jobs["one"] = bench.on_copy(grown, lambda _: [*PROGRAM, "sync"])
    found = bench.measure(jobs)
    seconds = in_seconds(found)
    peaks = [one.peak for one in found["sync"]]
    figures = [
        ratio("full sync, one process", "× floor", seconds["sync"], seconds["floor"], 1.2),
        ratio("full sync, two processes", "× floor", seconds["two"], seconds["floor"]),
        ratio("full sync, two processes", "× one", seconds["two"], seconds["sync"]),
        ratio("full sync, one process, CPU", "× floor", _cpu(found["sync"]), _cpu(found["floor"])),
        ratio("full sync, two processes, CPU", "× floor", _cpu(found["two"]), _cpu(found["floor"])),
        Figure("full sync, one process", "s", tuple(seconds["sync"])),
        Figure("floor", "s", tuple(seconds["floor"])),
        Figure("full sync, peak memory", "× largest", tuple(peak / facts.largest for peak in peaks), 10.0),
        Figure("full sync, peak memory", "MB", tuple(peak / _MEGABYTE for peak in peaks)),
    ]
    if size:
        name = f"sync after one commit, a session of {size:.2g} MB"
        figures.append(ratio(name, "× full sync", seconds["one"], seconds["sync"]))
        figures.append(beyond(name, seconds["one"], seconds["bare"], 0.25))
    return facts, figures


def lines(bench: Bench, source: Path | None) -> list[Figure]:
    """What a line costs: of the transcripts of a repository, by agent, or of generated ones of Claude Code."""
    bench.say(f"converting lines, {bench.rounds} rounds")
    given = [] if source is None else [f"--repo={source}"]
    return _converting(bench, given, "lines of {}")


def agents(bench: Bench) -> list[Figure]:
    """What the test cases of each agent cost."""
    bench.say(f"converting the test cases of all agents, {bench.rounds} rounds")
    return _converting(bench, ["--fixtures"], "test cases of {}")


def _converting(bench: Bench, options: Sequence[str], what: str) -> list[Figure]:
    """In plain Python and, where GIT_ASR_COMPILED names the folder of a build, with compiled converters too."""
    command = [PYTHON, "-m", "benchmarks.lines", f"--rounds={bench.rounds}", *options]
    compiled = os.environ.get("GIT_ASR_COMPILED")
    places = {"": bench.folder} | ({", compiled": Path(compiled)} if compiled else {})
    found: dict[str, dict[str, list[float]]] = {}
    for how, folder in places.items():  # what stands in the folder is imported first
        for name, ratios in json.loads(answer(command, folder)).items():
            found.setdefault(name, {})[how] = ratios
    return [
        Figure(
            f"converting {what.format(name)}{how}",
            "× loads and dumps",
            tuple(ratios),
            None if "--fixtures" in options else 2.2 if name == "claude-code" else 3.5,
        )
        for name, ways in found.items()
        for how, ratios in ways.items()
    ]


def redaction(bench: Bench, source: Path | None) -> list[Figure]:
    """What it costs to make the twin of a bundle: of the transcripts of a repository, or of generated ones."""
    bench.say(f"redacting, {bench.rounds} rounds")
    given = [] if source is None else [f"--repo={source}"]
    command = [PYTHON, "-m", "benchmarks.redaction", f"--rounds={bench.rounds}", *given]
    found: dict[str, list[float]] = json.loads(answer(command, bench.folder))
    return [
        Figure(f"redaction by policy {name}", "s CPU for 5 MB", tuple(values), 1)
        for name, values in found.items()
    ]


def bundles(bench: Bench, source: Path | None, shape: Shape) -> list[Figure]:
    """What it costs to write all sessions to each kind of bundle, to redact, check and take one in."""
    repository = bench.generated("bundled", shape) if source is None else bench.given(source)
    synced = bench.synced(repository)
    empty = bench.folder / "empty"
    answer(["git", "init", "--quiet", str(empty)], bench.folder)
    whole = bench.folder / "whole.tar"
    answer([*PROGRAM, "export", "--all", "-o", str(whole)], synced)
    size = whole.stat().st_size / _MEGABYTE

    def writing(suffix: str, *options: str) -> Job:
        target = str(bench.folder / f"bundle{suffix}")
        return lambda: run([*PROGRAM, "export", "--all", "--force", "-o", target, *options], synced)

    jobs: dict[str, Job] = {
        f"export to {kind}": writing(suffix)
        for kind, suffix in (
            ("a folder", ""),
            *((one, f".{one}") for one in ("zip", "tar", "tar.gz", "tar.zst")),
        )
    }
    jobs["export --shareable --policy default"] = writing(".red.tar", "--shareable", "--policy", "default")
    jobs["validate, a tar"] = lambda: run([*PROGRAM, "validate", "--quiet", str(whole)], synced)
    jobs["import of a tar"] = bench.on_copy(empty, lambda _: [*PROGRAM, "import", str(whole)])
    found = bench.measure(jobs)
    return [
        figure
        for name, usages in found.items()
        for figure in (
            Figure(name, "MB/s", tuple(size / one.seconds for one in usages)),
            Figure(f"{name}, peak memory", "MB", tuple(one.peak / _MEGABYTE for one in usages)),
        )
    ]


def unchanged(bench: Bench, sessions: int) -> list[Figure]:
    """A sync that finds nothing new."""
    shape = Shape(sessions=sessions, checkpoints=sessions, commits=sessions, scale=0.02)
    synced = bench.synced(bench.generated("many", shape))
    jobs = {"sync": lambda: run([*PROGRAM, "sync"], synced), "bare": lambda: run(BARE, synced)}
    found = bench.measure(jobs, _TIMES)
    seconds = in_seconds(found)
    name = f"no-change sync, {sessions:,} sessions"
    return [
        beyond(name, seconds["sync"], seconds["bare"], 0.3),
        ratio(name, "× bare Python", seconds["sync"], seconds["bare"]),
    ]


def many_refs(bench: Bench, refs: int, commits: int) -> list[Figure]:
    """A sync that finds nothing new among many per-checkpoint refs, and one that finds a single one."""
    source = bench.folder / "refs"
    maker = [PYTHON, "-m", "benchmarks.many_refs", str(source), str(refs)]
    bench.say(f"making a repository: {refs} refs, {commits} commits")
    answer([*maker, str(commits)], bench.folder)
    synced = bench.synced(source)
    grown = bench.copy(synced)
    answer([PYTHON, "-m", "benchmarks.many_refs", str(grown), str(refs), "0"], bench.folder)
    listing = ["git", "for-each-ref", "refs/entire"]
    jobs: dict[str, Job] = {
        "sync": lambda: run([*PROGRAM, "sync"], synced),
        "listing": lambda: run(listing, synced),
        "bare": lambda: run(BARE, synced),
    }
    found = in_seconds(bench.measure(jobs, _TIMES))
    one = in_seconds(bench.measure({"one": bench.on_copy(grown, lambda _: [*PROGRAM, "sync"])}))["one"]
    few = max(1, refs // 100)
    small = bench.folder / "few-refs"
    answer([PYTHON, "-m", "benchmarks.many_refs", str(small), str(few), str(few)], bench.folder)
    sizes = {"many": synced, "few": bench.synced(small)}
    resolved = _resolved(bench, sizes)
    name = f"no-change sync, {refs:,} per-checkpoint refs, {commits:,} commits"
    allowed = [1.5 * seconds for seconds in found["listing"]]
    return [
        Figure(name, "s beyond 1.5 × the refs listed", tuple(map(sub, found["sync"], allowed)), 0.3),
        beyond(name, found["sync"], found["bare"]),
        Figure("git for-each-ref refs/entire", "s", tuple(found["listing"])),
        Figure(f"sync after one checkpoint, {refs:,} per-checkpoint refs", "s", tuple(one)),
        ratio(f"resolving one ID among {refs:,} refs", f"× among {few:,}", resolved["many"], resolved["few"]),
        Figure(f"resolving one ID among {refs:,} refs", "µs", tuple(1e6 * one for one in resolved["many"])),
    ]


def _resolved(bench: Bench, repositories: Mapping[str, Path]) -> dict[str, list[float]]:
    """The seconds for resolving the ID of the first checkpoint in each repository, by rounds."""
    found: dict[str, list[float]] = {name: [] for name in repositories}
    for _ in range(bench.rounds):
        for name, path in repositories.items():
            asked = [PYTHON, "-m", "benchmarks.resolve", str(path), many_refs_ulid(0)]
            found[name].append(float(answer(asked, bench.folder)))
    return found


def starts(bench: Bench) -> list[Figure]:
    """How long commands take to start, in bare Pythons."""
    synced = bench.synced(bench.generated("few", Shape(sessions=3, checkpoints=3, commits=3, size=10_000)))

    def job(*words: str) -> Job:
        return lambda: run(words, synced)

    heavy = {name: _is_heavy(bench, synced, arguments) for name, arguments in _STARTS}
    queue = str(synced / "asr")
    jobs = {
        "bare": job(*BARE),
        "the worker's first look": job(*WORKER, "worker", queue),
        "the remote helper's handshake": lambda: run(HELPER, synced, stdin=b"capabilities\n\n"),
        **{name: job(*PROGRAM, *arguments) for name, arguments in _STARTS},
    }
    found = in_seconds(bench.measure(jobs, _TIMES))
    bare = found.pop("bare")
    aims = {name: HEAVY if heavy[name] else LIGHT for name in heavy}
    return [
        *(
            ratio(name, "× bare Python", taken, bare, aims.get(name, LIGHTEST))
            for name, taken in found.items()
        ),
        Figure("bare Python", "s", tuple(bare)),
    ]


def memory(bench: Bench, megabytes: int) -> list[Figure]:
    """Peak memory where one session is large."""
    size = int(megabytes * _MEGABYTE)
    source = bench.generated("large", Shape(sessions=1, checkpoints=2, commits=2, size=size))
    jobs = {"sync": bench.on_copy(source, lambda _: [*PROGRAM, "sync"])}
    found = bench.measure(jobs)["sync"]
    name = f"full sync of one session of {megabytes} MB, peak memory"
    return [Figure(name, "× largest", tuple(one.peak / size for one in found), 10.0)]


def hooks(bench: Bench) -> list[Figure]:
    """A commit without a hook and with ours, where its message names no checkpoint and where it names one."""
    shape = Shape(sessions=3, checkpoints=3, commits=3, size=10_000)
    bare, cloned = bench.generated("hooked", shape), bench.folder / "cloned"
    answer(["git", "clone", "--quiet", str(bare), str(cloned)], bench.folder)
    synced = bench.synced(cloned)
    named = answer(["git", "log", "-1", "--grep=^Entire-Checkpoint:", "--format=%B"], synced)
    works, sleeps = hooks_path(bench.folder / "works", WORKER), hooks_path(bench.folder / "sleeps", ASLEEP)
    jobs: dict[str, Job] = {
        "no hook": lambda: commit(synced, NO_HOOK, "plain"),
        "no checkpoint": lambda: commit(synced, works, "plain"),
        "a checkpoint, a worker that sleeps": lambda: commit(synced, sleeps, named),
        "a checkpoint, the worker": lambda: commit(synced, works, named),
    }
    found = in_seconds(bench.measure(jobs, _TIMES))
    plain = found.pop("no hook")
    figures = [Figure("git commit, no hook", "ms", tuple(1000 * one for one in plain))]
    for what, taken in found.items():
        added = tuple(1000 * one for one in map(sub, taken, plain))
        aim = 5.0 if what == "no checkpoint" else 10.0
        figures.append(Figure(f"git commit, our hook, {what}", "ms added", added, aim))
        figures.append(ratio(f"git commit, our hook, {what}", "× no hook", taken, plain))
    return figures


def _is_heavy(bench: Bench, cwd: Path, arguments: tuple[str, ...]) -> bool:
    """Tell whether a command imports pygit2 or GitPython."""
    trace = bench.folder / "imports"
    script = "import sys; from git_asr.cli.main import main; status = main()\n"
    script += f"open({str(trace)!r}, 'w').write(' '.join(sys.modules)); sys.exit(status)"
    run([PYTHON, "-c", script, *arguments], cwd)
    return not {"pygit2", "git"}.isdisjoint(trace.read_text("utf-8").split())


def in_seconds(found: Mapping[str, list[Usage]]) -> dict[str, list[float]]:
    return {name: [one.seconds for one in usages] for name, usages in found.items()}


def _cpu(usages: list[Usage]) -> list[float]:
    return [one.cpu for one in usages]


def ratio(name: str, unit: str, mine: list[float], other: list[float], aim: float | None = None) -> Figure:
    return Figure(name, unit, tuple(one / by for one, by in zip(mine, other, strict=True)), aim)


def beyond(name: str, mine: list[float], bare: list[float], aim: float | None = None) -> Figure:
    values = tuple(one - start for one, start in zip(mine, bare, strict=True))
    return Figure(name, "s beyond bare Python", values, aim)


def _link(source: str, target: str) -> str:
    """Copy one file of a repository, as ``copytree`` asks."""
    if f"{os.sep}objects{os.sep}" in source:
        os.link(source, target)
        return target
    return str(shutil.copy2(source, target))
