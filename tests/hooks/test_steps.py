"""Single steps: all or nothing, and only where nothing has changed."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from git_asr.errors import AsrError
from git_asr.git.repository import open_repository
from git_asr.hooks.steps import (
    Changed,
    Configure,
    Discard,
    Keep,
    MakeFolder,
    Remove,
    RemoveFolder,
    Restore,
    Unconfigure,
    Write,
    carry_out,
    stamp,
)
from tests.support.repo_builder import git


def do(*steps: object) -> None:
    for step in steps:
        carry_out(step, None)  # type: ignore[arg-type]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "hook"
    path.write_text("one")
    path.chmod(0o640)
    return path


def test_a_file_is_replaced_whole(path: Path) -> None:
    do(Write(path, b"two", stamp(path), executable=False))
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("two", 0o640)
    do(Write(path, b"three", stamp(path)))
    assert path.stat().st_mode & 0o100
    assert [one.name for one in path.parent.iterdir()] == ["hook"]


@pytest.mark.parametrize("what", ["write", "keep", "remove", "restore"])
def test_a_file_that_changed_is_left(path: Path, what: str) -> None:
    before = stamp(path)
    assert before is not None
    path.with_name("kept").write_text("kept")
    path.write_text("three")
    step = {
        "write": Write(path, b"two", before),
        "keep": Keep(path, path.with_name("aside"), before),
        "remove": Remove(path, before),
        "restore": Restore(path.with_name("kept"), path, before),
    }[what]
    with pytest.raises(Changed):
        do(step)
    assert path.read_text() == "three"
    assert path.with_name("kept").exists()


def test_a_file_that_came_is_left(path: Path) -> None:
    with pytest.raises(Changed):
        do(Write(path, b"two", None))
    with pytest.raises(Changed):
        do(Restore(path, path, None))


def test_kept_under_a_second_name(path: Path) -> None:
    before = stamp(path)
    assert before is not None
    aside = path.with_name("aside")
    do(Keep(path, aside, before))
    assert aside.samefile(path)
    with pytest.raises(AsrError, match="File exists"):
        do(Keep(path, aside, before))


def test_kept_where_there_are_no_links(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A copy, with the same permissions and times."""

    def no_links(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, "no links here")

    os.utime(path, ns=(1, 1_700_000_000_000_000_001))
    before = stamp(path)
    assert before is not None
    monkeypatch.setattr(os, "link", no_links)
    aside = path.with_name("aside")
    do(Keep(path, aside, before))
    assert aside.read_text() == "one"
    assert not aside.samefile(path)
    assert (aside.stat().st_mode, aside.stat().st_mtime_ns) == (path.stat().st_mode, path.stat().st_mtime_ns)


def test_what_fails_leaves_no_litter(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "chmod", full)
    with pytest.raises(AsrError, match=r"cannot write .*hook: No space left on device"):
        do(Write(path, b"two", stamp(path), executable=False))
    assert [one.name for one in path.parent.iterdir()] == ["hook"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_file_of_somebody_else_stays_theirs(path: Path) -> None:
    os.chown(path, 65534, 65534)
    do(Write(path, b"two", stamp(path), executable=False))
    assert (path.stat().st_uid, path.stat().st_gid) == (65534, 65534)


def test_folders(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    do(MakeFolder(folder), MakeFolder(folder))
    (folder / "file").write_text("")
    do(RemoveFolder(folder))
    assert folder.exists()
    do(Discard(folder), Discard(folder), RemoveFolder(folder))
    assert not folder.exists()
    with pytest.raises(AsrError):
        do(MakeFolder(folder / "below"))


def test_the_configuration_refuses(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "r")
    repo = open_repository(tmp_path / "r")
    with pytest.raises(AsrError, match="no such section"):
        carry_out(Unconfigure("--local", "hook.git-asr-x"), repo)
    (tmp_path / "r" / ".git" / "config.lock").write_text("")
    with pytest.raises(AsrError, match="could not lock config file"):
        carry_out(Configure("--local", "hook.git-asr-x.command", "true"), repo)
