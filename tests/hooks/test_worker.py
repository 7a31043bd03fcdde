"""The worker, in the process of the tests: what it does with its queue, whatever it finds there or meets."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from git_asr.companion.lock import at_once
from git_asr.companion.rewrites import pairs
from git_asr.errors import AsrError
from git_asr.git.base import RefRaced
from git_asr.hooks import failures, queue, worker
from git_asr.hooks.queue import Item
from git_asr.hooks.worker import Worker
from tests.e2e.sample_repos import add, checkpoint, own, refs, repository, session
from tests.support.companion import bundles
from tests.support.entire_repo import STORE, EntireRepo, Stored, claude
from tests.support.repo_builder import git

pytestmark = pytest.mark.measured

NOW = 1_800_000_000


class Clock:
    """The time of the worker."""

    def __init__(self) -> None:
        self.now: float = NOW

    def time(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock()
    monkeypatch.setattr(worker, "time", found)  # its clock; it pauses as it is told
    return found


@pytest.fixture
def repo(tmp_path: Path) -> EntireRepo:
    """A repository with one session, that is not synced, and an empty queue."""
    found = repository(tmp_path / "r")
    folder(found).joinpath("queue").mkdir(parents=True)
    return found


def folder(repo: EntireRepo) -> Path:
    return repo.path / ".git" / "asr"


def put(repo: EntireRepo, *names: str, content: str = "") -> None:
    for name in names:
        (folder(repo) / "queue" / name).write_text(content)


def head(repo: EntireRepo) -> str:
    return git(repo.path, "rev-parse", "main")


def nothing_to_wait_for(seconds: float) -> None:
    pytest.fail("the worker waits for something")


def run(repo: EntireRepo, pause: Callable[[float], object] = nothing_to_wait_for, **how: object) -> None:
    Worker(folder(repo), pause=pause, **how).run()  # type: ignore[arg-type]


def linked(repo: EntireRepo) -> dict[str, list[str]]:
    """The commits of every session."""
    return {
        bundle.manifest["sessions"][0]["session"]["id"]: [
            one["commit"] for one in bundle.links if one["type"] == "vcs"
        ]
        for bundle in bundles(repo.path)
    }


def said(repo: EntireRepo) -> list[tuple[str, str]]:
    return [(one.item, one.message) for one in failures.recent(folder(repo), 99)]


def names(repo: EntireRepo) -> list[str]:
    return [one.name for one in queue.items(folder(repo))]


@pytest.mark.parametrize("kind", ["commit", "scan", "rewrite"])
def test_whatever_lies_in_the_queue_all_that_is_new_is_synced(
    repo: EntireRepo, kind: str, clock: Clock
) -> None:
    commit = head(repo)
    name = {"commit": commit, "scan": "scan", "rewrite": "rw-1700000000-7"}[kind]
    put(repo, name, content=f"amend\n{'1' * 40} {commit}\n" if kind == "rewrite" else "")
    run(repo)
    assert linked(repo) == {session(1): [commit]}
    assert (names(repo), said(repo)) == ([], [])
    assert [one.old for one in pairs(folder(repo))] == ["1" * 40] * (kind == "rewrite")
    before = refs(repo.path)
    put(repo, name)
    if kind != "rewrite":
        run(repo)
        assert refs(repo.path) == before


def test_without_anything_in_the_queue_nothing_is_looked_at(repo: EntireRepo) -> None:
    run(repo)
    assert own(repo.path) == {}
    assert [one.name for one in folder(repo).iterdir()] == ["queue"]


def test_where_another_worker_is_at_work_it_leaves(repo: EntireRepo) -> None:
    put(repo, "scan")
    with at_once(folder(repo) / "worker.lock"):
        run(repo)
    assert (own(repo.path), names(repo)) == ({}, ["scan"])


def test_what_comes_between_the_last_look_and_the_end_of_the_lock_is_seen(
    repo: EntireRepo, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    take = queue.take

    def taken(directory: Path, now: float) -> list[Item]:
        found = take(directory, now)
        if not found and "2" not in done:
            done.append("2")
            add(repo, 2)
            repo.build()
            put(repo, head(repo))
            return []
        return found

    done: list[str] = []
    monkeypatch.setattr(queue, "take", taken)
    put(repo, head(repo))
    run(repo)
    assert [*linked(repo)] == [session(1), session(2)]
    assert names(repo) == []


def test_news_that_comes_while_it_works_is_not_lost_with_what_it_works_on(
    repo: EntireRepo, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    sync = worker._sync

    def synced(directory: Path) -> object:
        found = sync(directory)
        if len(linked(repo)) == 1:
            add(repo, 2)  # the refs were looked at already
            repo.build()
            put(repo, "scan")
        return found

    monkeypatch.setattr(worker, "_sync", synced)
    put(repo, "scan")
    run(repo)
    assert [*linked(repo)] == [session(1), session(2)]


# --- waiting --------------------------------------------------------------------------------------------------------


def dangling(repo: EntireRepo) -> str:
    """A commit whose checkpoint is not there yet, in the queue."""
    repo.commit(checkpoint(9))
    repo.build()
    put(repo, head(repo))
    return head(repo)


def test_a_checkpoint_that_comes_late_is_waited_for(repo: EntireRepo, clock: Clock) -> None:
    commit = dangling(repo)
    waited: list[float] = []

    def pause(seconds: float) -> None:
        waited.append(seconds)
        assert names(repo) == [commit]
        if len(waited) == 3:
            repo.checkpoint(checkpoint(9), Stored(session(9), claude(session(9), ["9"])))
            repo.build()

    run(repo, pause, delays=(0.1, 0.2, 0.25, 1.0))
    assert waited == [0.1, 0.2, 0.25]
    assert linked(repo)[session(9)] == [commit]
    assert (names(repo), said(repo)) == ([], [])


def test_one_that_does_not_come_is_left_pending_and_found_by_whatever_comes_next(
    repo: EntireRepo, clock: Clock
) -> None:
    commit = dangling(repo)
    waited: list[float] = []
    run(repo, waited.append, delays=(0.1, 0.2, 0.6))
    assert waited == pytest.approx([0.1, 0.2, 0.25, 0.25, 0.1])
    assert (names(repo), said(repo)) == ([], [])
    assert [*linked(repo)] == [session(1)]
    repo.checkpoint(checkpoint(9), Stored(session(9), claude(session(9), ["9"])))
    repo.build()
    put(repo, "scan")
    run(repo, waited.append)
    assert linked(repo)[session(9)] == [commit]
    assert len(waited) == 5


def test_new_work_does_not_wait_for_a_checkpoint(repo: EntireRepo, clock: Clock) -> None:
    first = dangling(repo)
    waited: list[float] = []

    def pause(seconds: float) -> None:
        waited.append(seconds)
        if len(waited) == 2:
            add(repo, 2)
            repo.build()
            put(repo, head(repo))
        elif len(waited) > 2:
            assert session(2) in linked(repo)
            assert names(repo) == [first]

    run(repo, pause, delays=(0.25, 30.0))
    # the first delay, a slice of the second one, and all of the second one
    assert waited == [0.25] * 122


def test_a_commit_that_was_left_in_hand_by_a_killed_worker_is_taken_up(
    repo: EntireRepo, clock: Clock
) -> None:
    (folder(repo) / "taken").mkdir()
    (folder(repo) / "taken" / head(repo)).touch()
    assert names(repo) == [head(repo)]
    run(repo)
    assert [*linked(repo)] == [session(1)]
    assert names(repo) == []


def test_another_writer_is_waited_for_and_is_no_failure(repo: EntireRepo, clock: Clock) -> None:
    put(repo, "scan")
    waited: list[float] = []
    with ExitStack() as held:
        assert held.enter_context(at_once(folder(repo) / "lock"))

        def pause(seconds: float) -> None:
            waited.append(seconds)
            assert own(repo.path) == {}
            if len(waited) == 4:
                held.close()

        run(repo, pause)
    assert waited == list(worker.BUSY[:4])
    assert [*linked(repo)] == [session(1)]
    assert (names(repo), said(repo)) == ([], [])


def test_a_writer_that_does_not_end_leaves_everything_for_the_next_start(
    repo: EntireRepo, clock: Clock
) -> None:
    put(repo, "scan", head(repo))
    waited: list[float] = []
    with at_once(folder(repo) / "lock"):
        run(repo, waited.append)
    assert waited == list(worker.BUSY)
    assert 600 < sum(waited) < 700
    assert [(one.name, one.tries, one.next) for one in queue.items(folder(repo))] == [
        (head(repo), 0, 0),
        ("scan", 0, 0),
    ]
    assert (own(repo.path), said(repo)) == ({}, [])
    run(repo)
    assert ([*linked(repo)], names(repo)) == ([session(1)], [])


def rebasing(common: Path, how: str) -> Path:
    """What Git keeps while it rebases, in the main worktree or in another one."""
    found = common / "rebase-merge"
    if how != "merge":
        found = common / "worktrees" / "w" / "rebase-apply"
    found.mkdir(parents=True)
    if how == "apply":
        (found / "rebasing").touch()
    return found


@pytest.mark.parametrize("how", ["merge", "apply"])
def test_a_rebase_that_is_under_way_is_waited_for(repo: EntireRepo, clock: Clock, how: str) -> None:
    kept = rebasing(repo.path / ".git", how)
    put(repo, "scan")
    waited: list[float] = []

    def pause(seconds: float) -> None:
        waited.append(seconds)
        assert own(repo.path) == {}
        if len(waited) == 3:
            shutil.rmtree(kept)

    run(repo, pause)
    assert waited == [0.25] * 3
    assert ([*linked(repo)], names(repo)) == ([session(1)], [])


def test_one_that_was_stopped_holds_nothing_up_for_long(repo: EntireRepo, clock: Clock) -> None:
    rebasing(repo.path / ".git", "merge")
    put(repo, head(repo))
    waited: list[float] = []
    run(repo, waited.append)
    assert sum(waited) == worker.REBASE
    assert ([*linked(repo)], names(repo)) == ([session(1)], [])


def test_patches_that_are_applied_are_no_rebase(repo: EntireRepo, clock: Clock) -> None:
    rebasing(repo.path / ".git", "am")
    put(repo, "scan")
    run(repo)
    assert [*linked(repo)] == [session(1)]


# --- failures -------------------------------------------------------------------------------------------------------


def test_a_failure_is_told_tried_again_ever_later_and_given_up_in_the_end(
    repo: EntireRepo, clock: Clock
) -> None:
    commit = head(repo)
    git(repo.path, "config", "asr.backend", "abacus")
    put(repo, commit, "scan")
    for tries, later in enumerate((10, 60, 300, 1800), start=1):
        run(repo)
        assert [(one.tries, one.next - clock.now) for one in queue.items(folder(repo))] == [
            (tries, later)
        ] * 2
        run(repo)  # not due
        assert len(said(repo)) == tries
        clock.now += later - 1
        run(repo)
        assert len(said(repo)) == tries
        clock.now += 1
    run(repo)
    assert names(repo) == []
    assert [one.name for one in queue.failed(folder(repo))] == [commit, "scan"]
    *_, last = failures.recent(folder(repo), 99)
    assert (last.item, last.items, last.commit, last.trace) == (commit, 2, commit, None)
    assert last.message == "asr.backend is 'abacus'"
    assert last.hint == "git config asr.backend auto   (or libgit2, git)"
    assert len(said(repo)) == 5
    run(repo)
    assert len(said(repo)) == 5


def test_a_hook_that_has_news_of_a_failed_item_lets_it_be_tried_at_once(
    repo: EntireRepo, clock: Clock
) -> None:
    git(repo.path, "config", "asr.backend", "abacus")
    put(repo, head(repo))
    run(repo)
    git(repo.path, "config", "--unset", "asr.backend")
    run(repo)
    assert own(repo.path) == {}
    put(repo, head(repo))
    run(repo)
    assert [*linked(repo)] == [session(1)]
    assert names(repo) == []


def test_what_was_given_up_is_done_with_the_next_sync_that_succeeds(repo: EntireRepo, clock: Clock) -> None:
    given_up = folder(repo) / "failed"
    given_up.mkdir()
    for name in (head(repo), "scan", "rw-1700000000-1", "no item"):
        (given_up / name).touch()
    put(repo, "scan")
    run(repo)
    assert sorted(one.name for one in given_up.iterdir()) == ["no item", "rw-1700000000-1"]


@pytest.mark.parametrize("error", [ZeroDivisionError("of\nours"), RecursionError(), MemoryError()])
def test_a_fault_is_written_down_with_its_trace_and_nowhere_else(
    repo: EntireRepo,
    clock: Clock,
    error: Exception,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    def failing(directory: Path) -> None:
        raise error

    monkeypatch.setattr(worker, "_sync", failing)
    put(repo, "scan")
    run(repo)
    (found,) = failures.recent(folder(repo), 9)
    assert found.message == f"a fault in git-asr: {type(error).__name__}"
    assert found.hint == (
        f"{folder(repo) / 'crash.txt'} says where, and holds nothing of your sessions: please report that"
    )
    assert found.trace is not None
    assert found.trace.startswith(f"{type(error).__name__}\n  git_asr/hooks/worker.py:")
    assert "ours" not in found.trace
    assert found.trace in (folder(repo) / "crash.txt").read_text("ascii")
    assert [one.tries for one in queue.items(folder(repo))] == [1]
    out, err = capfd.readouterr()
    assert out == ""
    assert (err.count("\n"), "Traceback" in err) == (1, False)


@pytest.mark.parametrize(
    "error",
    [RefRaced("somebody moved it"), AsrError("a message"), OSError(28, "No space left on device", "/x")],
)
def test_what_is_no_fault_has_no_trace(
    repo: EntireRepo, clock: Clock, error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(directory: Path) -> None:
        raise error

    monkeypatch.setattr(worker, "_sync", failing)
    put(repo, "scan")
    run(repo)
    (found,) = failures.recent(folder(repo), 9)
    assert found.trace is None
    assert found.message == ("No space left on device: /x" if isinstance(error, OSError) else error.args[0])


def test_git_refuses_to_move_the_refs(repo: EntireRepo, clock: Clock) -> None:
    hook = repo.path / ".git" / "hooks" / "reference-transaction"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho forbidden >&2\nexit 1\n")
    hook.chmod(0o755)
    put(repo, "scan")
    run(repo)
    assert [item for item, _ in said(repo)] == ["scan"]
    assert [one.tries for one in queue.items(folder(repo))] == [1]
    hook.unlink()
    clock.now += 10
    run(repo)
    assert ([*linked(repo)], names(repo)) == ([session(1)], [])


def test_a_damaged_state_is_made_anew(repo: EntireRepo, clock: Clock) -> None:
    put(repo, "scan")
    run(repo)
    (folder(repo) / "state.sqlite").write_bytes(b"SQLite format 3\0" + b"\xff" * 5000)
    add(repo, 2)
    repo.build()
    put(repo, "scan")
    run(repo)
    assert ([*linked(repo)], names(repo), said(repo)) == ([session(1), session(2)], [], [])


def test_an_object_that_cannot_be_read_stops_nothing_else(repo: EntireRepo, clock: Clock) -> None:
    add(repo, 2)
    repo.build()
    blob = git(repo.path, "rev-parse", f"{STORE}:{checkpoint(2)[:2]}/{checkpoint(2)[2:]}/0/full.jsonl")
    file = repo.path / ".git" / "objects" / blob[:2] / blob[2:]
    file.chmod(0o644)
    file.write_bytes(b"no object")
    put(repo, "scan")
    run(repo)
    assert session(1) in linked(repo)
    assert (names(repo), said(repo)) == ([], [])


# --- what is no item ------------------------------------------------------------------------------------------------


def strange(waiting: Path) -> list[str]:
    """Make what no hook of ours makes; the names."""
    outside = waiting.parent.parent / "description"
    (waiting / ("a" * 40)).mkdir()
    (waiting / ("b" * 40)).symlink_to(outside)
    (waiting / ("c" * 40)).symlink_to("nowhere")
    os.mkfifo(waiting / ("d" * 40))
    (waiting / "scan").mkdir()
    (waiting / "scan" / "inside").touch()
    made = [letter * 40 for letter in "abcd"] + ["scan"]
    for name in (
        *(
            "e" * 39,
            "E" * 40,
            "g" * 40,
            "f" * 41,
            "e" * 64 + "\n",
            "scan ",
            "Scan",
            "rw-",
            "rw-1-",
            "rw-1-2-3",
        ),
        *("\x1b[31mred", "line\nbreak", "\udcff\udcfe", ".hidden", "-rf", "x" * 255, "queue.new"),
    ):
        (waiting / name).write_text("anything")
        made.append(name)
    return made


def test_what_is_no_item_is_put_aside_and_said_once(repo: EntireRepo, clock: Clock) -> None:
    waiting, aside = folder(repo) / "queue", folder(repo) / "failed"
    aside.mkdir()
    (aside / ("g" * 40)).write_text("an older one")
    made = strange(waiting)
    put(repo, head(repo))
    run(repo)
    assert [*linked(repo)] == [session(1)]
    assert list(waiting.iterdir()) == []
    moved = {one.name for one in aside.iterdir()}
    assert moved == {*made, "g" * 40 + ".1"}
    assert (aside / ("g" * 40)).read_text() == "an older one"
    assert (aside / ("b" * 40)).is_symlink()
    assert (aside / "scan" / "inside").exists()
    (found,) = failures.recent(folder(repo), 9)
    assert (found.item, found.items) == (min(made), len(made))
    assert found.message == "no item of the queue: moved to failed/"
    assert queue.failed(folder(repo)) == []


def test_what_cannot_be_put_aside_is_left_and_said_once(repo: EntireRepo, clock: Clock) -> None:
    strange(folder(repo) / "queue")
    (folder(repo) / "failed").touch()  # where nothing can be moved
    for _ in range(3):
        put(repo, head(repo))
        run(repo)
    assert [*linked(repo)] == [session(1)]
    assert [message for _, message in said(repo)] == ["no item of the queue: left where it is"]


def test_a_hundred_thousand_files_that_are_none_of_ours(repo: EntireRepo, clock: Clock) -> None:
    for number in range(100_000):
        os.mknod(folder(repo) / "queue" / f"junk-{number}")
    put(repo, head(repo))
    run(repo)
    assert [*linked(repo)] == [session(1)]
    assert list((folder(repo) / "queue").iterdir()) == []
    (found,) = failures.recent(folder(repo), 9)
    assert found.items == 100_000


def test_ten_thousand_items_are_one_sync(
    repo: EntireRepo, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    sync, syncs = worker._sync, []

    def counted(directory: Path) -> object:
        syncs.append(directory)
        return sync(directory)

    monkeypatch.setattr(worker, "_sync", counted)
    for number in range(10_000):
        os.mknod(folder(repo) / "queue" / f"{number:040x}")
    run(repo)
    assert (len(syncs), names(repo), said(repo)) == (1, [], [])


def test_a_queue_that_is_a_link_is_none(repo: EntireRepo, clock: Clock, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "scan").touch()
    (tmp_path / "elsewhere" / "letter").touch()
    (folder(repo) / "queue").rmdir()
    (folder(repo) / "queue").symlink_to(tmp_path / "elsewhere")
    run(repo)
    assert own(repo.path) == {}
    assert sorted(one.name for one in (tmp_path / "elsewhere").iterdir()) == ["letter", "scan"]


@pytest.mark.parametrize("told", ["", "commit\n", "\0\0", "amend " + "1" * 40, '{"tries": 1, "next": 0}\n'])
def test_a_rewrite_that_says_nothing_is_given_up(repo: EntireRepo, clock: Clock, told: str) -> None:
    put(repo, "rw-1700000000-1", content=told)
    put(repo, head(repo))
    run(repo)
    assert [*linked(repo)] == [session(1)]
    assert [one.name for one in queue.failed(folder(repo))] == ["rw-1700000000-1"]
    assert said(repo) == [("rw-1700000000-1", "rw-1700000000-1: not what Git tells of rewritten commits")]


def test_a_rewrite_that_cannot_be_read_is_given_up(
    repo: EntireRepo, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(directory: Path, item: Item) -> bytes:
        raise PermissionError(13, "Permission denied", item.name)

    monkeypatch.setattr(queue, "told", refused)
    put(repo, "rw-1700000000-1", head(repo))
    run(repo)
    assert [*linked(repo)] == [session(1)]
    assert [one.name for one in queue.failed(folder(repo))] == ["rw-1700000000-1"]


def test_rewrites_that_cannot_be_kept_are_tried_again_and_hinder_nothing(
    repo: EntireRepo, clock: Clock
) -> None:
    (folder(repo) / "rewrites").mkdir()
    told = f"rebase\n{'1' * 40} {'2' * 40}\n"
    put(repo, "rw-1700000000-1", content=told)
    put(repo, head(repo))
    run(repo)
    assert [*linked(repo)] == [session(1)]
    assert [(one.name, one.tries) for one in queue.items(folder(repo))] == [("rw-1700000000-1", 1)]
    (folder(repo) / "rewrites").rmdir()
    clock.now += 10
    run(repo)
    assert [str(one) for one in pairs(folder(repo))] == [f"{'1' * 40} {'2' * 40} rebase 1700000000"]
    assert names(repo) == []


# --- a repository that goes -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["removed", "moved", "replaced"])
def test_a_repository_that_goes_while_it_works(repo: EntireRepo, clock: Clock, how: str) -> None:
    dangling(repo)

    def gone(seconds: float) -> None:
        if repo.path.with_name("other").exists() or not repo.path.exists():
            return
        if how == "removed":
            shutil.rmtree(repo.path)
        else:
            repo.path.rename(repo.path.with_name("other"))
        if how == "replaced":
            repository(repo.path)

    run(repo, gone, delays=(0.25, 0.25))
    if how == "replaced":
        assert not folder(repo).exists()
        assert own(repo.path) == {}
    else:
        assert not repo.path.exists()
    if how != "removed":
        assert said(EntireRepo(repo.path.with_name("other"))) == []


@pytest.mark.parametrize("replaced", [False, True])
def test_one_that_goes_while_another_writer_is_waited_for(
    repo: EntireRepo, clock: Clock, replaced: bool, capfd: pytest.CaptureFixture[str]
) -> None:
    put(repo, "scan")

    def gone(seconds: float) -> None:
        repo.path.rename(repo.path.with_name("other"))
        if replaced:
            repository(repo.path)
            folder(repo).mkdir()

    with at_once(folder(repo) / "lock"):
        run(repo, gone)
    assert capfd.readouterr() == ("", "")
    if replaced:
        assert own(repo.path) == {}
        assert list(folder(repo).iterdir()) == []
    else:
        assert not repo.path.exists()


def test_a_queue_that_is_emptied_while_it_works(
    repo: EntireRepo, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(directory: Path) -> None:
        shutil.rmtree(directory / "queue")
        shutil.rmtree(directory / "taken")
        raise AsrError("a message")

    monkeypatch.setattr(worker, "_sync", failing)
    put(repo, "rw-1700000000-1", content=f"amend\n{'1' * 40} {'2' * 40}\n")
    with pytest.raises(FileNotFoundError):
        run(repo)
