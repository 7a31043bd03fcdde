"""Repositories that a helper talks about; what it leaves behind must be sound."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.e2e.sample_repos import SESSIONS, add, refs, repository, synced
from tests.e2e.soundness import check
from tests.support.entire_repo import EntireRepo
from tests.support.remote_helper import git_said, put_on_path
from tests.support.repo_builder import git
from tests.support.run import Result


@dataclass(frozen=True, slots=True)
class Place:
    """A folder with repositories: ``hub`` is bare and has checkpoints of three sessions, of which its companion has
    two; ``work`` is a clone that is synced. ``only`` is a mirror of the hub without its companion.
    """

    folder: Path

    @property
    def hub(self) -> Path:
        return self.folder / "hub.git"

    @property
    def only(self) -> Path:
        return self.folder / "only.git"

    @property
    def work(self) -> Path:
        return self.folder / "work"

    def git(self, *args: str, cwd: Path | None = None, **env: str) -> Result:
        """Git, by default in the clone."""
        return git_said(cwd or self.work, *args, env=env)


Make = Callable[[Path, str], Place]


def made(folder: Path, object_format: str) -> Place:
    place = Place(folder)
    hub: EntireRepo = repository(place.hub, 2, bare=True, object_format=object_format)
    git(place.hub, "config", "uploadpack.allowFilter", "true")
    synced(place.hub)
    git(place.hub, "update-ref", "-d", "refs/notes/asr")
    shutil.rmtree(place.hub / "asr")
    add(hub, 3)
    hub.build()
    git(folder, "clone", "-q", str(place.hub), str(place.work))
    synced(place.work)
    git(folder, "clone", "-q", "--mirror", str(place.hub), str(place.only))
    git(place.only, "update-ref", "-d", SESSIONS)
    git(place.only, "config", "uploadpack.allowFilter", "true")
    return place


@pytest.fixture(scope="session")
def patterns(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return {form: made(tmp_path_factory.mktemp(form), form).folder for form in ("sha1", "sha256")}


@pytest.fixture(autouse=True)
def _findable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Git finds the helper, and nothing goes to a cache that others see."""
    for name, value in put_on_path(tmp_path / "bin").items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture(params=["sha1"])
def place(request: pytest.FixtureRequest, patterns: dict[str, Path], tmp_path: Path) -> Place:
    """The repositories, for this test alone."""
    folder = tmp_path / "place"
    shutil.copytree(patterns[request.param], folder)
    git(folder / "work", "remote", "set-url", "origin", str(folder / "hub.git"))
    git(folder / "only.git", "remote", "set-url", "origin", str(folder / "hub.git"))
    return Place(folder)


both_formats = pytest.mark.parametrize("place", ["sha1", "sha256"], indirect=True)


@pytest.fixture
def unsound() -> set[Path]:
    """Repositories that a test damages on purpose."""
    return set()


@pytest.fixture(autouse=True)
def _sound(tmp_path: Path, unsound: set[Path]) -> Iterator[None]:
    yield
    for folder in (tmp_path / "place", tmp_path / "cache"):
        check(folder, unsound)


def newer_git() -> str | None:
    """A folder with another Git than the one on the PATH, where one is named for the tests."""
    folder = os.environ.get("GIT_ASR_NEWER_GIT")
    return folder if folder and (Path(folder) / "git").exists() else None


@pytest.fixture(params=["on the PATH", "newer"])
def each_git(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Let a test run with the Git on the PATH, and with the newer one."""
    if request.param == "newer":
        folder = newer_git()
        if folder is None:
            pytest.skip("no newer Git: name the folder that has one in GIT_ASR_NEWER_GIT")
        monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return str(request.param)


__all__ = ["SESSIONS", "refs"]
