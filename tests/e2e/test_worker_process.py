"""``git-asr worker`` as a process: what it takes from whoever starts it, and what they notice of it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from git_asr.hooks import failures, queue
from git_asr.hooks.failures import MAX_BYTES
from tests.e2e.namespaces import needs_mounts, run_with_mounts
from tests.e2e.sample_repos import OWN, checkpoint, own, repository, session
from tests.e2e.test_disks import bulky
from tests.support.alarms import until
from tests.support.companion import bundles
from tests.support.entire_repo import EntireRepo
from tests.support.repo_builder import git
from tests.support.run import PROJECT, Result, run_cli


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A repository with one session that is not synced, and its commit in the queue."""
    found = repository(tmp_path / "r").path
    put(found, git(found, "rev-parse", "main"))
    return found


def put(path: Path, name: str) -> None:
    waiting = path / ".git" / "asr" / "queue"
    waiting.mkdir(parents=True, exist_ok=True)
    (waiting / name).touch()


def work(directory: Path | str, env: Mapping[str, str] = {}, cwd: Path = PROJECT) -> Result:
    return run_cli(["worker", str(directory)], cwd, env)


def waiting_worker(path: Path, **how: object) -> subprocess.Popen[bytes]:
    """Start a worker that waits for a checkpoint; it is at it when this returns."""
    repo = EntireRepo(path)
    repo.builder.commit("refs/heads/side", f"w\n\nEntire-Checkpoint: {checkpoint(9)}\n", {"x": "1"})
    repo.build()
    put(path, git(path, "rev-parse", "side"))
    child = subprocess.Popen(
        [sys.executable, "-m", "git_asr", "worker", str(path / ".git" / "asr")],
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
        **how,  # type: ignore[call-overload]
    )
    asr = path / ".git" / "asr"
    until(lambda: [one.name for one in queue.items(asr)] == [git(path, "rev-parse", "side")])
    assert child.poll() is None
    return child


def end(child: subprocess.Popen[bytes]) -> None:
    child.kill()
    child.communicate()


def test_it_says_nothing_but_to_its_log(path: Path) -> None:
    ended = work(path / ".git" / "asr")
    assert (ended.status, ended.out) == (0, "")
    assert ended.err.count("\n") == 1
    assert ended.err.endswith(" 1 in hand; sessions: 1 (1 new, 0 changed), links: 1\n")
    assert len(bundles(path)) == 1
    assert work(path / ".git" / "asr") == Result(0, "", "")


def test_it_is_in_no_list_of_commands(tmp_path: Path) -> None:
    assert "worker" not in run_cli(["--help"], tmp_path).out
    for arguments in (["worker"], ["worker", "a", "b"]):
        ended = run_cli(arguments, tmp_path)
        assert (ended.status, ended.out) == (2, "")
        assert ended.err.startswith("error: ")


@pytest.mark.parametrize(
    "what",
    [
        "missing",
        "file",
        "other name",
        "no repository",
        "worktree's",
        "long",
        "empty",
        "odd",
        "removed",
        "HEAD alone",
    ],
)
def test_a_folder_that_is_none_of_ours(path: Path, tmp_path: Path, what: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    asr = elsewhere / "asr"
    (asr / "queue").mkdir(parents=True)
    (asr / "queue" / "scan").touch()
    other = path / ".git" / "other"
    given: Path | str = {
        "missing": tmp_path / "missing" / "asr",
        "file": tmp_path / "file" / "asr",
        "other name": other,
        "no repository": asr,
        "worktree's": path / ".git" / "worktrees" / "w" / "asr",
        "long": "/" + "x" * 5000 + "/asr",
        "empty": "",
        "odd": "-\x1b[31m\n\udcff",
        "removed": path / ".git" / "asr",
        "HEAD alone": asr,
    }[what]
    (tmp_path / "file").mkdir()
    (tmp_path / "file" / "asr").touch()
    (other / "queue").mkdir(parents=True)
    (other / "queue" / "scan").touch()
    if what == "worktree's":
        git(path, "worktree", "add", "-q", "--detach", str(tmp_path / "w"))
        (path / ".git" / "worktrees" / "w" / "asr" / "queue").mkdir(parents=True)
        (path / ".git" / "worktrees" / "w" / "asr" / "queue" / "scan").touch()
    if what == "removed":
        path.rename(tmp_path / "moved")
    if what == "HEAD alone":
        (elsewhere / "HEAD").touch()
    before = sorted(tmp_path.rglob("*"))
    assert work(given, cwd=elsewhere) == Result(0, "", "")
    assert sorted(tmp_path.rglob("*")) == before


def test_what_looks_like_a_repository_and_is_none(tmp_path: Path, unsound: set[Path]) -> None:
    unsound.add(tmp_path)
    asr = tmp_path / "asr"
    for folder in (asr / "queue", tmp_path / "objects", tmp_path / "refs"):
        folder.mkdir(parents=True)
    for file in (asr / "queue" / "scan", tmp_path / "HEAD"):
        file.touch()
    ended = work(asr)
    assert (ended.status, ended.out) == (0, "")
    (found,) = failures.recent(asr, 9)
    assert found.trace is None
    assert found.message.startswith("not a Git repository")
    assert [one.tries for one in queue.items(asr)] == [1]


def test_a_push_that_is_being_received_is_left_alone(path: Path) -> None:
    assert work(path / ".git" / "asr", {"GIT_QUARANTINE_PATH": "/nowhere"}) == Result(0, "", "")
    assert own(path) == {}


def test_what_git_and_a_caller_set_for_theirs_does_not_reach_it(path: Path, tmp_path: Path) -> None:
    """The environment of a hook in a linked worktree, and all that could lead a Git astray."""
    other = repository(tmp_path / "other", 2).path
    wanted = repository(tmp_path / "wanted").path
    assert run_cli(["sync"], wanted).status == 0
    hook_env = {
        "GIT_DIR": str(other / ".git"),
        "GIT_WORK_TREE": str(other),
        "GIT_COMMON_DIR": str(other / ".git"),
        "GIT_INDEX_FILE": ".git/index",
        "GIT_OBJECT_DIRECTORY": str(other / ".git" / "objects"),
        "GIT_PREFIX": "sub/",
        "GIT_EDITOR": ":",
        "GIT_EXEC_PATH": git(path, "--exec-path"),
        "GIT_AUTHOR_DATE": "@1 +0000",
        "GIT_COMMITTER_DATE": "@1 +0000",
        "GIT_AUTHOR_NAME": "Somebody",
        "GIT_COMMITTER_EMAIL": "else@example.com",
        "GIT_CONFIG_PARAMETERS": "'core.bare'='true'",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "asr.backend",
        "GIT_CONFIG_VALUE_0": "abacus",
        "GIT_NAMESPACE": "ns",
        "GIT_TRACE": str(tmp_path / "trace"),
        "GIT_TRACE2_EVENT": str(tmp_path / "trace2"),
    }
    ended = work(path / ".git" / "asr", hook_env, cwd=other)
    assert (ended.status, ended.out, ended.err.count("\n")) == (0, "", 1)
    assert own(path) == own(wanted)
    assert own(other) == {}
    assert not (tmp_path / "trace").exists()
    assert not (tmp_path / "trace2").exists()


def test_a_bare_repository_and_one_whose_folder_lies_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "config").write_text("[safe]\n\tbareRepository = explicit\n")
    env = {"GIT_CONFIG_GLOBAL": str(tmp_path / "config")}
    bare = repository(tmp_path / "bare.git", bare=True).path
    plain = repository(tmp_path / "r").path
    git(plain, "init", "-q", f"--separate-git-dir={tmp_path / 'elsewhere'}")
    for common in (bare, tmp_path / "elsewhere"):
        (common / "asr" / "queue").mkdir(parents=True)
        (common / "asr" / "queue" / "scan").touch()
        assert work(common / "asr", env).status == 0
        assert failures.recent(common / "asr", 9) == []
        assert [*own(common)] == [*OWN]


def test_a_path_with_all_that_is_odd(tmp_path: Path) -> None:
    path = repository(tmp_path / "a 'b' \"c\" $d ü \udcff -e").path
    put(path, "scan")
    assert work(path / ".git" / "asr").status == 0
    assert [*own(path)] == [*OWN]


def test_nobody_who_reads_from_the_caller_waits_for_it(path: Path) -> None:
    """A pipe that it inherits, and its standard output: both are at their end while it works."""
    reading, writing = os.pipe()
    os.set_inheritable(writing, True)
    child = waiting_worker(
        path, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.PIPE, pass_fds=[writing]
    )
    os.close(writing)
    try:
        assert child.stdout is not None
        assert child.stdout.read() == b""
        assert os.read(reading, 1) == b""
        assert child.poll() is None
    finally:
        end(child)
        os.close(reading)


def test_it_makes_way_and_belongs_to_nobody(path: Path, tmp_path: Path) -> None:
    child = waiting_worker(path, stderr=subprocess.DEVNULL, cwd=tmp_path)
    try:
        assert os.getpriority(os.PRIO_PROCESS, child.pid) == 10
        assert os.getsid(child.pid) == child.pid
        assert Path(f"/proc/{child.pid}/cwd").readlink() == path / ".git"
        assert Path(f"/proc/{child.pid}/fd/1").readlink() == Path(os.devnull)
    finally:
        end(child)


def test_without_any_descriptor(path: Path) -> None:
    command = 'exec "$0" -m git_asr worker "$1" <&- >&- 2>&-'
    ended = subprocess.run(
        ["sh", "-c", command, sys.executable, str(path / ".git" / "asr")],
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
        check=False,
    )
    assert ended.returncode == 0
    assert [*own(path)] == [*OWN]
    assert queue.items(path / ".git" / "asr") == []


def test_a_log_that_is_too_long_begins_anew(path: Path) -> None:
    log = path / ".git" / "asr" / "worker.log"
    log.write_bytes(b"x" * (MAX_BYTES + 1))
    for name in ("scan", "scan"):
        put(path, name)
        with log.open("ab") as err:
            ended = subprocess.run(
                [sys.executable, "-m", "git_asr", "worker", str(log.parent)],
                env={**os.environ, "PYTHONPATH": str(PROJECT)},
                stderr=err,
                check=False,
            )
        assert ended.returncode == 0
    assert log.with_name("worker.log.1").stat().st_size == MAX_BYTES + 1
    assert [line.split(" ", 1)[1] for line in log.read_text().splitlines()] == [
        "2 in hand; sessions: 1 (1 new, 0 changed), links: 1",
        "1 in hand; sessions: 1 (0 new, 0 changed), links: 1",
    ]


LOADED = """
import sys
from pathlib import Path
from git_asr.errors import AsrError
from git_asr.hooks import queue, worker
directory, left = Path(sys.argv[1]), 2000
before = worker._sync
def again(where):
    global left
    left -= 1
    if left > 0:
        (directory / "queue" / "scan").touch()
        if left % 500 == 0:
            queue.put_off = lambda *_: queue.done(directory, _[1])
            raise AsrError("m" * 9999)
        return known
    return before(where)
known = before(directory)
worker._sync = again
worker.work(directory)
"""


def test_a_log_stays_bounded_in_one_long_run(path: Path) -> None:
    """Thousands of items that come in while the worker works, some of which fail with much to say."""
    log = path / ".git" / "asr" / "worker.log"
    log.write_bytes(b"x" * (MAX_BYTES - 50_000) + b"\n")
    with log.open("ab") as err:
        ended = subprocess.run(
            [sys.executable, "-c", LOADED, str(log.parent)],
            env={**os.environ, "PYTHONPATH": str(PROJECT)},
            stderr=err,
            check=False,
        )
    assert ended.returncode == 0
    kept = log.with_name("worker.log.1")
    assert MAX_BYTES < kept.stat().st_size <= MAX_BYTES + 3000
    assert 10_000 < log.stat().st_size < MAX_BYTES
    lines = (kept.read_text() + log.read_text()).splitlines()[1:]
    assert len(lines) == 2000
    assert max(map(len, lines)) < 2100
    assert {one.stat().st_mode & 0o777 for one in (log, kept)} == {0o600}
    assert queue.items(log.parent) == []


def test_terminated_while_it_waits_nothing_is_lost(path: Path) -> None:
    child = waiting_worker(path, stderr=subprocess.PIPE)
    child.terminate()
    assert b"Traceback" not in child.communicate()[1]
    assert child.returncode == -signal.SIGTERM
    asr = path / ".git" / "asr"
    assert [one.name for one in queue.items(asr)] == [git(path, "rev-parse", "side")]
    assert {bundle.manifest["sessions"][0]["session"]["id"] for bundle in bundles(path)} == {session(1)}


FULL = """
mount -t tmpfs -o size=5m none "$1" && cp -r "$2/." "$1" && cd "$1" || exit 99
mkdir -p .git/asr/queue && : >.git/asr/queue/scan
[ -z "$FILL" ] || dd if=/dev/zero of=fill bs=4096 2>/dev/null
$ASR worker "$1/.git/asr" 2>>.git/asr/worker.log; echo "worker $?"
$ASR worker "$1/.git/asr" 2>>.git/asr/worker.log; echo "worker $?"
git for-each-ref --format='%(refname)' refs/asr
find .git/asr -name scan
rm -f fill
mount -o remount,size=50m "$1"
: >.git/asr/queue/scan
$ASR worker "$1/.git/asr"; echo "worker $?"
git for-each-ref --format='%(refname)' refs/asr
find .git/asr -name scan
git fsck --strict --no-dangling --no-progress; echo "fsck $?"
grep -c trace .git/asr/errors.jsonl .git/asr/worker.log
"""


@needs_mounts
@pytest.mark.parametrize("fill", ["", "1"], ids=["objects", "everything"])
def test_a_full_disk(tmp_path: Path, fill: str) -> None:
    path = bulky(tmp_path / "r")
    (tmp_path / "small").mkdir()
    ended = run_with_mounts(FULL, str(tmp_path / "small"), str(path), env={"FILL": fill})
    lines = ended.out.splitlines()
    assert lines[:2] == ["worker 0", "worker 0"]
    assert lines[2] in (".git/asr/queue/scan", ".git/asr/taken/scan")
    assert lines[3:6] == ["worker 0", "refs/asr/sessions", "fsck 0"]
    assert {line.rpartition(":")[2] for line in lines[6:]} == {"0"}
