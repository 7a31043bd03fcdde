"""Whatever stops a command at whatever write: nothing is lost or half done, and running it again is all it takes."""

from __future__ import annotations

import random
import shutil
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.e2e.faulted import CASES, Case, copy
from tests.e2e.soundness import git_dirs
from tests.support.effort import THOROUGH
from tests.support.faults import Step, Struck, needs_strace, steps, strike, strike_at
from tests.support.remote_helper import dialogue
from tests.support.repo_builder import fsck, git
from tests.support.run import run_cli

KILL = "signal=SIGKILL"
FAIL = ("error=ENOSPC", "error=EROFS")
STOP = ("signal=SIGINT", "signal=SIGTERM")
MAKING = ("write", "pwrite64", "ftruncate", "link", "linkat", "mkdir", "mkdirat")
"""Calls that need room on the disk."""
MOMENTS = 20 if THOROUGH else 1
"""At which all processes of a command are killed; thoroughly, 300 for all commands together."""

ORDINARY = ("next sync", "merge", "push to a bundle file", "push through Git", "worker", "forget")
"""The commands of an ordinary run; thoroughly, all."""

KEPT = {"objects", "logs", "errors.jsonl", ".sessions.bundle.new"}
TAKEN = ("-journal", ".bundle.lock")
"""SQLite's journals and the lock of a bundle file: who opens the file next takes them over."""

Standing = dict[str, dict[str, str]]
"""Of every repository below a folder, by its path there, the refs and where they stand."""


def repositories(folder: Path) -> list[Path]:
    """Those that are somebody's; what a push to a bundle file works in is its own."""
    return [one for one in git_dirs(folder) if not KEPT & set(one.relative_to(folder).parts)]


def standing(folder: Path, told: str = "objectname") -> Standing:
    """All refs; ``told``: what is told of each."""
    return {
        str(one.relative_to(folder)): dict(
            line.split(" ")
            for line in git(one, "for-each-ref", f"--format=%(refname) %({told})").splitlines()
        )
        for one in repositories(folder)
    }


def litter(folder: Path) -> set[str]:
    """The files beside objects, without those that have one name and are taken over by the next run."""
    found = (one.relative_to(folder) for one in folder.rglob("*") if one.is_file())
    return {str(one) for one in found if not KEPT & set(one.parts) and not one.name.endswith(TAKEN)}


@dataclass(frozen=True, slots=True)
class World:
    """A case before it is run, what an undisturbed run makes of it, and the writes of that."""

    case: Case
    folder: Path
    old: Standing
    new: Standing
    trees: Standing
    files: set[str]
    steps: Sequence[Step]
    seconds: float
    place: Path

    def run(self, folder: Path) -> tuple[int, str]:
        """Run the command, undisturbed; its status and what it complains of."""
        command = self.case.command(folder)
        if command.words[1] == "git_asr":
            ended = run_cli(command.words[2:], command.cwd, command.env, command.stdin)
        else:
            ended = dialogue(command.words[-1], command.stdin, command.cwd, command.env)
        return ended.status, ended.err

    def has_ended(self, folder: Path) -> bool:
        """Whether all refs hold what an undisturbed run leaves in them."""
        now = standing(folder, "tree")
        return all(
            now.get(path) == refs for path, refs in self.trees.items() if path.startswith(self.case.end)
        )

    def is_sound(self, folder: Path) -> None:
        """Each ref is what it was or what it becomes, and Git finds no fault."""
        for path, refs in standing(folder).items():
            old, new = self.old.get(path, {}), self.new.get(path, {})
            for name in {*refs, *old, *new}:
                assert refs.get(name) in (old.get(name), new.get(name)), (path, name)
        for one in repositories(folder):
            fsck(one)

    def is_mended(self, folder: Path, *, locks: bool) -> None:
        """Another run ends as one that nobody disturbed, and leaves no other files.

        ``locks``: a Git that was killed may have left its own.
        """
        was_done = standing(folder) == self.new
        status, err = self.run(folder)
        if locks and (status or not self.has_ended(folder)):
            assert err.count("error: ") == (0 if self.case.quiet else 1), err
            assert remove_locks(folder) or self.case.quiet, err
            status, err = self.run(folder)
        waits = self.case.quiet and any(folder.glob("**/asr/queue/*"))
        if waits:  # the worker tries again in some minutes, and keeps its queue till then
            assert run_cli(["sync"], folder / self.case.cwd).status == 0
        assert status in (self.case.again if was_done else (0,)), err
        assert "Traceback" not in err
        assert self.has_ended(folder), (standing(folder, "tree"), self.trees)
        if locks:
            remove_locks(folder)
        assert waits or litter(folder) <= self.files
        for one in repositories(folder):
            fsck(one)


def remove_locks(folder: Path) -> list[Path]:
    """Do what the message of a Git says that finds the lock of one that was killed."""
    places = {one: one.relative_to(folder).parts for one in folder.rglob("*.lock")}
    found = [one for one, parts in places.items() if "refs" in parts or "asr" not in parts]
    for one in found:
        one.unlink()
    return found


def world(name: str, base: Path) -> World:
    case = CASES[name]
    folder = base / name.replace(" ", "-")
    folder.mkdir()
    case.make(folder)
    watched = copy(folder, base / "watched")
    found = steps(case.command(watched), base / "scratch")
    undisturbed = World(
        case,
        folder,
        standing(folder),
        standing(watched),
        standing(watched, "tree"),
        litter(watched),
        found,
        0,
        base,
    )
    shutil.rmtree(watched)
    begin = time.monotonic()
    assert undisturbed.run(copy(folder, base / "timed"))[0] == 0
    seconds = time.monotonic() - begin
    shutil.rmtree(base / "timed")
    return World(
        case,
        folder,
        undisturbed.old,
        undisturbed.new,
        undisturbed.trees,
        undisturbed.files,
        found,
        seconds,
        base,
    )


def chosen(found: Sequence[Step], seed: str) -> Sequence[Step]:
    """One step, the same in each run of the tests; all of them under GIT_ASR_THOROUGH=1."""
    if THOROUGH or len(found) < 2:
        return found
    return [random.Random(seed).choice(found)]  # noqa: S311  (no secret)


def faults(made: World, name: str) -> Iterator[tuple[Step, str]]:
    """What is to happen, and where."""
    own = [step for step in made.steps if not step.start]
    children = [step for step in made.steps if step.start]
    for where in (own, children):
        yield from ((step, KILL) for step in chosen(where, name))
    need_room = [step for step in made.steps if step.call in MAKING]
    yield from ((step, FAIL[step.nth % 2]) for step in chosen(need_room, name))
    if THOROUGH:
        yield from ((step, STOP[number % 2]) for number, step in enumerate(own))


def is_documented(step: Step, fault: str, ended: Struck) -> None:
    """What a command says and ends with when it is not killed itself."""
    assert "Traceback" not in ended.err, ended.err
    assert "a fault in git-asr" not in ended.err, ended.err
    errors = [line for line in ended.err.splitlines() if line.startswith(("error: ", "fatal: "))]
    assert len(errors) <= 1, ended.err
    if fault in STOP:
        assert ended.status in (0, 130, -signal.SIGTERM, 128 + signal.SIGTERM), ended
    elif fault == KILL and not step.start:
        assert ended.status == -signal.SIGKILL, ended
    else:
        assert ended.status in (0, 1), ended


@dataclass(slots=True)
class Trial:
    """Strikes copies of one world, and notes how often, and what was wrong after it."""

    made: World
    counts: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def at_step(self, step: Step, fault: str) -> None:
        """Let a fault happen at a write."""
        folder = copy(self.made.folder, self.made.place / "struck")
        ended = strike(self.made.case.command(folder), self.made.place / "scratch", step, fault)
        self.counts[f"{fault} in {'git' if step.start else 'git-asr'}"] += ended.hit
        with self.noting(f"{fault} {step}"):
            if ended.hit:
                is_documented(step, fault, ended)
            self.made.is_sound(folder)
            self.made.is_mended(folder, locks=fault == KILL and step.start > 0)
        shutil.rmtree(folder)

    def at_random(self, seconds: float) -> None:
        """Kill all at a moment."""
        folder = copy(self.made.folder, self.made.place / "struck")
        status = strike_at(self.made.case.command(folder), seconds)
        self.counts["at random"] += status == -signal.SIGKILL
        with self.noting(f"after {seconds} seconds"):
            self.made.is_sound(folder)
            self.made.is_mended(folder, locks=True)
        shutil.rmtree(folder)

    @contextmanager
    def noting(self, what: str) -> Iterator[None]:
        """Go on after a failure, so that one run tells of all."""
        try:
            yield
        except (AssertionError, pytest.fail.Exception) as error:
            self.wrong.append(f"{what}: {str(error)[:1500]}")


@needs_strace
@pytest.mark.parametrize("name", CASES if THOROUGH else ORDINARY)
def test_struck_at_each_write_and_at_random(
    name: str, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """How often each fault struck is in the report that ``--junit-xml`` writes."""
    made = world(name, tmp_path)
    trial = Trial(made)
    for step, fault in faults(made, name):
        trial.at_step(step, fault)
    chance = random.Random(name)  # noqa: S311  (no secret)
    for _ in range(MOMENTS):
        trial.at_random(chance.uniform(0.1, made.seconds))
    assert not trial.wrong, "\n".join(trial.wrong)
    for what, number in {"writes": len(made.steps), **trial.counts}.items():
        record_property(what, number)
    assert sum(trial.counts.values())
