"""The worker that hooks start in the background: it does what lies in the queue, and leaves.

One at a time works on a repository, the others leave at once. The first look imports next to nothing. Nothing is
printed but to the worker's log, nobody waits for it, and nothing is asked of the network. What it does is a sync, which
catches up on everything that is new: an item of the queue only says that it is time.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from git_asr.companion.lock import Busy, at_once
from git_asr.companion.private import make_folder
from git_asr.errors import AsrError
from git_asr.hooks import failures, queue
from git_asr.hooks.failures import Failure
from git_asr.hooks.first_look import QUEUE
from git_asr.hooks.queue import Item
from git_asr.values import dataclass

if TYPE_CHECKING:
    from git_asr.sync.outcome import Outcome

FOLDER = "asr"
LOCK, LOG = "worker.lock", "worker.log"
AWAIT = (0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0)
"""Seconds between looks for a checkpoint that a commit names and that is not there yet."""
BUSY = (*AWAIT, *[30.0] * 20)
"""Seconds between tries while another git-asr writes: eleven minutes in all."""
REBASE = 10.0
"""Seconds that a rebase is given to end, to be synced once and not half-way; one that was stopped may take days."""
NICE = 10
_SLICE = 0.25
"""Seconds that a new item waits, at most, while the worker waits for a checkpoint."""
_LONGEST = 2000
"""Characters of a line of the log."""
_INHERITED = 256
"""Descriptors below this are closed: whoever reads the other end of one would wait for us."""


def work(directory: Path) -> int:
    """Do what lies in the queue of a repository; for a process of its own, which is changed to suit that.

    ``directory``: ``<common directory>/asr``. It comes from outside: where it is none, or the repository is gone, there
    is nothing to do. Gives the exit status, always 0: nobody looks at it.
    """
    directory = Path(os.path.abspath(directory))  # noqa: PTH100  (without following links)
    if "GIT_QUARANTINE_PATH" in os.environ or not is_ours(directory):
        return 0
    worker = Worker(directory)
    try:
        if queue.due(directory, time.time()):
            _detach(directory)
            worker.run()
    except Exception as fault:
        worker.report(fault)
    return 0


def is_ours(directory: Path) -> bool:
    """Tell whether this is the folder of git-asr in a common directory of Git."""
    common = directory.parent
    try:
        return (
            directory.name == FOLDER
            and directory.is_dir()
            and os.path.lexists(common / "HEAD")
            and (common / "objects").is_dir()
            and (common / "refs").is_dir()
        )
    except (OSError, ValueError):  # a name that no system has
        return False


def _detach(directory: Path) -> None:
    """Let go of all that ties the process to whoever started it, and make way for others."""
    from git_asr.git.process import environment  # noqa: PLC0415  (only where there is something to do)

    os.chdir(directory.parent)  # the worktree may go
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1):
        os.dup2(nothing, standard)
    try:
        os.fstat(2)
    except OSError:
        os.dup2(nothing, 2)  # nothing else may take the place of standard error
    os.closerange(3, _INHERITED)
    with suppress(OSError, AttributeError):  # it may lead a session already
        os.setsid()
    with suppress(OSError, AttributeError):
        os.setpriority(os.PRIO_PROCESS, 0, max(NICE, os.getpriority(os.PRIO_PROCESS, 0)))
    scrubbed = environment()
    os.environ.clear()
    os.environ.update(scrubbed)


@dataclass(slots=True)
class Worker:
    """Works on the queue of one repository. ``delays``, ``busy``: as ``AWAIT`` and ``BUSY``; ``pause`` sleeps."""

    directory: Path
    delays: Sequence[float] = AWAIT
    busy: Sequence[float] = BUSY
    pause: Callable[[float], object] = time.sleep
    _place: tuple[int, int] | None = None
    _looks: dict[str, int] = field(default_factory=dict)
    """How often was looked for the checkpoints of a commit, by the name of its item."""

    def __post_init__(self) -> None:
        self._place = self._where()

    def _where(self) -> tuple[int, int] | None:
        """What tells the common directory from any other, even if it takes its place."""
        try:
            found = self.directory.parent.stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def is_there(self) -> bool:
        """Tell whether the repository is where it was."""
        return self._where() == self._place is not None and self.directory.is_dir()

    def run(self) -> None:
        """Work until nothing is due. Whoever finds the lock taken may leave: its owner looks again before it does.

        Raises:
            OSError: the queue, or the lock, cannot be written.
        """
        make_folder(self.directory)
        goes_on = True
        while goes_on and self.is_there() and queue.due(self.directory, time.time()):
            with at_once(self.directory / LOCK) as mine:
                if not mine:
                    return
                self._rotate_log()
                self._put_aside()
                goes_on = self._work()

    def _work(self) -> bool:
        """Do what is due, and what comes in meanwhile; whether more could be done if there were more."""
        while batch := queue.take(self.directory, time.time()):
            if not self._do(batch):
                return False
            if self._looks and self._quiet(self.delays[min(self._looks.values())]):
                self._looks = {name: looks + 1 for name, looks in self._looks.items()}
        return True

    def _do(self, batch: Sequence[Item]) -> bool:
        """Do what is in hand: keep what was told of rewrites, and all the rest with one sync."""
        batch = [item for item in batch if item.kind != "rewrite" or self._keep(item)]
        try:
            outcome = self._synced()
        except Exception as error:
            return self._put_off(batch, error)
        if not self.is_there():
            return False
        if outcome is None:
            self._say("another git-asr writes and does not end; what is to be done waits for the next start")
            for item in batch:
                queue.put_back(self.directory, item)
            return False
        self._let_go(batch, outcome)
        return True

    def _keep(self, item: Item) -> bool:
        """Keep what Git told of a rewrite, which tells nothing else: whether that was done."""
        from git_asr.companion import rewrites as kept  # noqa: PLC0415
        from git_asr.hooks import rewrites  # noqa: PLC0415

        try:
            pairs = rewrites.parse(queue.told(self.directory, item), item.when)
        except (OSError, ValueError) as error:
            self.report(AsrError(f"{item.name}: {error}"), [item])
            queue.give_up(self.directory, item)
            return False
        try:
            kept.add(self.directory, pairs)
        except OSError as error:
            self._put_off([item], error)
            return False
        return True

    def _synced(self) -> Outcome | None:
        """Sync; None if another git-asr writes all the while, or the repository is gone."""
        left = REBASE
        while left > 0 and _is_rebasing(self.directory.parent):
            self.pause(_SLICE)
            left -= _SLICE
        delays = iter(self.busy)
        while self.is_there():
            try:
                return _sync(self.directory)
            except Busy:
                if (delay := next(delays, None)) is None:
                    break
                self.pause(delay)
        return None

    def _let_go(self, batch: Sequence[Item], outcome: Outcome) -> None:
        """Drop what is done; a commit whose checkpoint no store has yet is kept in hand, for a while."""
        pending = {commit for _, commits in outcome.unresolved for commit in commits}
        for item in batch:
            if item.name in pending and self._looks.setdefault(item.name, 0) < len(self.delays):
                continue
            self._looks.pop(item.name, None)
            queue.done(self.directory, item)
        queue.forgive(self.directory)
        became = f"{outcome.tally.new} new, {outcome.tally.changed} changed"
        self._say(f"{len(batch)} in hand; sessions: {outcome.sessions} ({became}), links: {outcome.links}")

    def _put_off(self, batch: Sequence[Item], error: Exception) -> bool:
        """Count a failure of all that is in hand; whether the repository is still there."""
        if not self.is_there():
            return False
        self.report(error, batch)
        for item in batch:
            self._looks.pop(item.name, None)
            queue.put_off(self.directory, item, time.time())
        return True

    def _quiet(self, seconds: float) -> bool:
        """Wait; not any longer once something new is in the queue, which it tells."""
        before = self._changed()
        if queue.waits(self.directory, time.time()):
            return False
        while seconds > 0:
            self.pause(min(seconds, _SLICE))
            seconds -= _SLICE
            if self._changed() != before:
                return False
        return True

    def _changed(self) -> int | None:
        try:
            return (self.directory / QUEUE).stat().st_mtime_ns
        except OSError:
            return None

    # --- what is said, and where --------------------------------------------------------------------------------

    def _put_aside(self) -> None:
        """Move what is no item out of the way; what cannot be moved is said once."""
        moved, left = queue.put_aside(self.directory)
        for names, what in ((moved, "moved to failed/"), (left, "left where it is")):
            if names:
                found = Failure(_now(), names[0], f"no item of the queue: {what}", len(names))
                known = failures.recent(self.directory, 100)
                if all(replace(one, time=found.time) != found for one in known):
                    self._record(found)

    def report(self, error: Exception, batch: Sequence[Item] = ()) -> None:
        """Write down what went wrong, with the trace if the fault is ours."""
        if not self.is_there():
            return
        hint = trace = None
        if isinstance(error, AsrError):
            message, hint = error.message, error.hint
        elif isinstance(error, OSError):
            message = f"{error.strerror or error}: {error.filename}" if error.filename else str(error)
        else:
            from git_asr.companion import crash  # noqa: PLC0415

            told = crash.reported(error, crash.report(self.directory, error))
            message, hint = told.message, told.hint
            trace = "\n".join(crash.frames(error))
        first = batch[0] if batch else None
        name, commit = (first.name, first.commit) if first else ("", None)
        self._record(Failure(_now(), name, message, len(batch) or 1, commit, hint, trace))

    def _record(self, failure: Failure) -> None:
        failures.record(self.directory, failure)
        self._say(": ".join(filter(None, ("error", failure.item, failure.message))))

    def _say(self, text: str) -> None:
        """Write a line to the log, which stays bounded however much there is to say."""
        from git_asr.views.text import one_line  # noqa: PLC0415

        self._rotate_log()
        if sys.stderr is not None:
            with suppress(OSError, ValueError):  # nobody reads it, or the disk is full
                sys.stderr.write(f"{_now()} {one_line(text[:_LONGEST])}\n")
                sys.stderr.flush()

    def _rotate_log(self) -> None:
        """Begin a new log where the old one is too long, if standard error is that. A hook made it, by its umask."""
        path = self.directory / LOG
        with suppress(OSError):
            if not os.path.samestat(os.fstat(2), path.stat()):
                return
            path.chmod(0o600)
            if failures.rotate(path):
                new = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
                os.dup2(new, 2)
                os.close(new)


def _is_rebasing(common: Path) -> bool:
    """Tell whether a rebase is under way in some worktree, by what Git keeps while one is."""
    try:
        folders = [common, *(common / "worktrees").iterdir()]
    except OSError:
        folders = [common]
    return any(
        (one / "rebase-merge").is_dir() or (one / "rebase-apply" / "rebasing").is_file() for one in folders
    )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _sync(directory: Path) -> Outcome:
    """One sync, as the configuration wants it, that waits for nobody; what it would tell people is in the local state.

    Raises:
        Busy: another git-asr writes.
        AsrError: it cannot be done.
    """
    from git_asr.git.repository import open_repository  # noqa: PLC0415
    from git_asr.sync.flow import Options, sync  # noqa: PLC0415
    from git_asr.sync.settings import settings  # noqa: PLC0415

    repo = open_repository(directory.parent)
    if not repo.common_dir.samefile(directory.parent):
        raise AsrError(f"{directory.parent} is no common directory of Git")
    wanted = settings(repo)
    options = Options(
        exclusions=wanted.exclusions,
        orphans=wanted.orphans,
        backend=wanted.backend,
        jobs=wanted.jobs,
        lock_wait=0,
    )
    return sync(repo, options, lambda _: None)
