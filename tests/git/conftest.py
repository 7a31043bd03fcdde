"""Repositories of every kind that Git makes, built once each."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest

from git_asr.git.backend import open_objects
from git_asr.git.base import Backend, Objects
from git_asr.git.repository import open_repository
from tests.support.repo_builder import RepoBuilder, git

ObjectFormat = Literal["sha1", "sha256"]
BIG = bytes(range(256)) * 3000
NAMES: dict[str, bytes | str | None] = {
    "a": "1\n",
    "a.b": "2\n",
    "a-b/c": "3\n",
    "a0": "4\n",
    "dir/sub/deep.txt": "5\n",
    "dir/ü/名前.json": "{}\n",
    "empty": "",
    "big": BIG,
    'odd "name"\twith\\': "6\n",
}


class Sample:
    """A repository with two commits, an annotated tag of the second, and a tag of that tag."""

    def __init__(self, path: Path, object_format: ObjectFormat) -> None:
        builder = RepoBuilder(path, object_format, bare=True)
        first = builder.commit("refs/heads/main", "first\n", NAMES, when=1_700_000_000)
        second = builder.commit(
            "refs/heads/main", "second\n", {"a": "changed\n", "a0": None}, when=1_700_000_060
        )
        tag = builder.tag("v1", second)
        nested = builder.tag("v1-again", tag)
        builder.build()
        self.path = path
        self.first, self.second = builder.oid(first), builder.oid(second)
        self.tag, self.nested = builder.oid(tag), builder.oid(nested)
        self.tree = git(path, "rev-parse", f"{self.second}^{{tree}}")
        self.repo = open_repository(path)

    def oid(self, revision: str) -> str:
        return git(self.path, "rev-parse", "--verify", revision)


def put(path: Path, kind: str, body: bytes) -> str:
    """Write an object as it is, however wrong, and give its ID."""
    return git(path, "hash-object", "-w", "-t", kind, "--literally", "--stdin", stdin=body)


@pytest.fixture(scope="session")
def loose(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    return Sample(tmp_path_factory.mktemp("loose") / "r", "sha1")


@pytest.fixture(scope="session")
def sha1(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    sample = Sample(tmp_path_factory.mktemp("packed") / "r", "sha1")
    git(sample.path, "repack", "-adq")
    return sample


@pytest.fixture(scope="session")
def sha256(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    return Sample(tmp_path_factory.mktemp("sha256") / "r", "sha256")


@pytest.fixture(params=["loose-git", "sha1-git", "loose-libgit2", "sha1-libgit2", "sha256-git"])
def opened(request: pytest.FixtureRequest) -> Iterator[tuple[Sample, Objects]]:
    """Each repository with each backend that reads it."""
    kind, backend = request.param.split("-")
    sample: Sample = request.getfixturevalue(kind)
    with open_objects(sample.repo, backend) as objects:
        yield sample, objects


@pytest.fixture(params=["git", "libgit2"])
def backend(request: pytest.FixtureRequest) -> Backend:
    name: Backend = request.param
    return name


@pytest.fixture
def fake_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program named git, first on PATH, that a test fills with a shell script."""
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "git"
    program.touch(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return program


def git_children() -> list[str]:
    """The gits that are children of this process, also those that have ended and were not waited for."""
    listing = subprocess.run(
        ["ps", "-A", "-o", "ppid=,comm="], capture_output=True, text=True, check=True
    ).stdout
    found = (line.split(maxsplit=1) for line in listing.splitlines())
    return [name for parent, name in found if int(parent) == os.getpid() and name.startswith("git")]
