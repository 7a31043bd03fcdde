"""The writers' lock: taken at once where it is free, and the same lock for all who take it another way."""

from __future__ import annotations

import errno
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from filelock import FileLock, Timeout

from git_asr.companion import lock
from git_asr.companion.lock import Busy, at_once, locked
from git_asr.errors import AsrError
from tests.support.run import PROJECT

WITH_FILELOCK = "import filelock\nwith filelock.FileLock(sys.argv[1]):"
DIRECTLY = "from git_asr.companion.lock import at_once\nwith at_once(Path(sys.argv[1])):"


@contextmanager
def held(path: Path, how: str) -> Iterator[subprocess.Popen[bytes]]:
    """Another process that holds a lock until it is told to end."""
    code = f"import sys\nfrom pathlib import Path\n{how}\n print('held', flush=True)\n sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", code, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={"PYTHONPATH": str(PROJECT)},
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        yield other
        other.communicate()


@pytest.mark.parametrize("how", [WITH_FILELOCK, DIRECTLY])
def test_who_holds_it_by_whichever_way_shuts_out_all_others(tmp_path: Path, how: str) -> None:
    path = tmp_path / "lock"
    with held(path, how):
        with at_once(path) as mine:
            assert not mine
        for wait in (0, 0.01):
            with pytest.raises(Busy, match="another git-asr is writing"), locked(tmp_path, wait=wait):
                pytest.fail("got a lock that another process holds")
        with pytest.raises(Timeout), FileLock(path, timeout=0):
            pytest.fail("got a lock that another process holds")
    with at_once(path) as mine:
        assert mine


def test_it_goes_with_a_process_that_is_killed(tmp_path: Path) -> None:
    with held(tmp_path / "lock", DIRECTLY) as other:
        other.kill()
        other.wait()
        with at_once(tmp_path / "lock") as mine:
            assert mine


def test_one_that_is_waited_for_is_got(tmp_path: Path) -> None:
    with held(tmp_path / "lock", DIRECTLY) as other:
        assert other.stdin is not None
        other.stdin.close()
        with locked(tmp_path, wait=60), at_once(tmp_path / "lock") as mine:
            assert not mine
        other.stdin = None


def test_a_free_one_needs_no_library(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom pathlib import Path\nfrom git_asr.companion.lock import locked\n"
        "with locked(Path(sys.argv[1]), wait=60): print('filelock' in sys.modules)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "asr")],
        env={"PYTHONPATH": str(PROJECT)},
        capture_output=True,
        check=True,
    )
    assert ended.stdout == b"False\n"


def test_the_lock_of_a_file_that_was_deleted_is_worth_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, take = tmp_path / "lock", lock._take

    def deleted_just_before(descriptor: int) -> None:
        path.unlink()
        take(descriptor)

    monkeypatch.setattr(lock, "_take", deleted_just_before)
    with at_once(path) as mine:
        assert not mine
    path.touch()
    monkeypatch.setattr(lock, "_take", take)
    with at_once(path) as mine:
        assert mine


def test_a_file_system_without_locks_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(descriptor: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(lock, "_take", refused)
    with (
        pytest.raises(AsrError, match=r"cannot lock .*/lock: No locks available"),
        locked(tmp_path, wait=0),
    ):
        pytest.fail("there can be no lock")


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(AsrError, match="cannot lock"), locked(tmp_path, wait=0):
        pytest.fail("locked something else")
    assert not (tmp_path / "elsewhere").exists()


def test_a_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    path, new = tmp_path / "file", tmp_path / "file.new"
    new.write_bytes(b"what somebody who was killed left, and longer")
    assert lock.replace_file(path, b"first")
    assert lock.replace_file(path, b"second")
    assert path.read_bytes() == b"second"
    assert [one.name for one in tmp_path.iterdir()] == ["file"]


def test_a_file_that_somebody_else_replaces_is_left_to_them(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with at_once(tmp_path / "file.new") as mine:
        assert mine
        assert not lock.replace_file(path, b"second")
    assert path.read_bytes() == b"old"


def test_a_file_that_cannot_be_replaced_stays(tmp_path: Path) -> None:
    (tmp_path / "file" / "full").mkdir(parents=True)
    with pytest.raises(OSError, match="file"):
        lock.replace_file(tmp_path / "file", b"new")
    assert [one.name for one in tmp_path.iterdir()] == ["file"]
