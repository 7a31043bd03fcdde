"""Disks that are full, and places that are not ours: one clear line, nothing half written."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.namespaces import needs_mounts, run_with_mounts
from tests.e2e.sample_repos import SESSIONS, checkpoint, noise, own, repository, session, synced
from tests.support.companion import bundles, tip
from tests.support.entire_repo import STORE, EntireRepo, Stored, claude
from tests.support.repo_builder import fsck
from tests.support.run import run_cli


def bulky(path: Path) -> Path:
    """A packed repository whose companion ref is about as large as itself: 3 MB."""
    repo = EntireRepo(path)
    units = b"".join(
        claude(session(1), [f"u{n}"], parent=f"u{n - 1}" if n else None, second=n, pad=noise(20_000, n))
        for n in range(150)
    )
    repo.checkpoint(checkpoint(1), Stored(session(1), units))
    repo.commit(checkpoint(1))
    return repo.build()


FULL = """
mount -t tmpfs -o size="$SIZE" none "$1" && cp -r "$2/." "$1" && cd "$1" || exit 99
[ -z "$FILL" ] || dd if=/dev/zero of=fill bs=4096 2>/dev/null
$ASR sync; echo "sync $?"
$ASR log --format=%s 2>/dev/null; echo "log $?"
git for-each-ref --format='%(refname)'
rm -f fill
mount -o remount,size=50m "$1"
git fsck --strict --no-dangling --no-progress; echo "fsck $?"
$ASR sync; echo "sync $?"
git for-each-ref --format='%(objectname) %(refname)' refs/asr/sessions
"""


@needs_mounts
@pytest.mark.parametrize(
    ("size", "fill", "said"),
    [
        ("5m", "", "error: git unpack-objects: unable to write loose object file: No space left on device"),
        ("6m", "1", "error: cannot write "),
    ],
    ids=["objects", "state"],
)
def test_a_full_disk(tmp_path: Path, size: str, fill: str, said: str) -> None:
    path = bulky(tmp_path / "r")
    (tmp_path / "small").mkdir()
    ended = run_with_mounts(FULL, str(tmp_path / "small"), str(path), env={"SIZE": size, "FILL": fill})
    assert ended.err.splitlines()[0].startswith(said)
    synced(path)
    assert ended.out.splitlines() == [
        "sync 1",
        "work",
        "log 0",
        STORE,
        "refs/heads/main",
        "fsck 0",
        "1 session (1 new), 1 link to commits",
        "sync 0",
        f"{tip(path)} {SESSIONS}",
    ]


@needs_mounts
def test_no_room_for_temporary_files(tmp_path: Path) -> None:
    path = bulky(tmp_path / "r")
    (tmp_path / "small").mkdir()
    ended = run_with_mounts(
        'mount -t tmpfs -o size=1m none "$1" && cd "$2" && TMPDIR="$1" $ASR sync',
        str(tmp_path / "small"),
        str(path),
    )
    assert (ended.status, ended.out) == (1, "")
    assert ended.err.startswith("error: cannot write")
    assert "No space left on device" in ended.err
    assert own(path) == {}
    fsck(path)
    assert synced(path).out == "1 session (1 new), 1 link to commits\n"


@needs_mounts
def test_nobody_takes_the_output(tmp_path: Path) -> None:
    """Standard output on a full disk: what was synced is synced, and the status says that the answer is lost."""
    path = repository(tmp_path / "r").path
    for command in ("sync", "sessions", "sync --json"):
        ended = run_with_mounts(f'cd "$1" && $ASR {command} >/dev/full', str(path))
        assert (ended.status, ended.err) == (1, "error: cannot write: No space left on device\n")
    assert len(bundles(path)) == 1


def test_a_repository_in_a_path_of_another_user(tmp_path: Path) -> None:
    path = repository(tmp_path / "r").path
    env = {"GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"}
    for command in ("sync", "log", "sessions"):
        ended = run_cli([command], path, env)
        assert (ended.status, ended.out) == (1, "")
        first, hint = ended.err.splitlines()
        assert first.startswith("error: detected dubious ownership in repository at ")
        assert hint.startswith("hint: git config --global --add safe.directory ")
