"""Which backend is taken is decided from the repository's format alone."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from git_asr.errors import AsrError
from git_asr.git.backend import libgit2_obstacle, open_objects
from git_asr.git.base import Backend, Repository
from git_asr.git.libgit2 import LibgitObjects
from git_asr.git.plumbing import PlumbingObjects
from git_asr.git.repository import open_repository
from tests.git.conftest import Sample
from tests.support.repo_builder import RepoBuilder, git

SUPPORTED = {
    "noop": "true",
    "objectformat": "sha1",
    "preciousobjects": "true",
    "refstorage": "files",
    "relativeworktrees": "true",
    "worktreeconfig": "true",
    "partialclone": "origin",
}


@pytest.fixture
def plain() -> Repository:
    return Repository(
        Path("/r/.git"), Path("/r/.git"), Path("/r"), "sha1", "files", {}, shallow=False, promisor=False
    )


def test_formats_that_libgit2_reads(plain: Repository) -> None:
    assert libgit2_obstacle(plain) is None
    assert libgit2_obstacle(replace(plain, extensions=SUPPORTED)) is None


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"object_format": "sha256"}, "its object format is sha256"),
        ({"ref_format": "reftable"}, "its ref format is reftable"),
        ({"extensions": {"compatobjectformat": "sha256"}}, "it uses the extension compatobjectformat"),
        ({"extensions": {**SUPPORTED, "zz": "", "aa": ""}}, "it uses the extension aa"),
    ],
)
def test_formats_that_it_does_not(plain: Repository, change: dict[str, object], reason: str) -> None:
    repo = replace(plain, **change)  # type: ignore[arg-type]
    assert libgit2_obstacle(repo) == reason
    with pytest.raises(AsrError, match=f"libgit2 cannot read this repository: {reason}") as caught:
        open_objects(repo, "libgit2")
    assert caught.value.hint
    with open_objects(repo) as objects:
        assert isinstance(objects, PlumbingObjects)


def test_choice(sha1: Sample, sha256: Sample) -> None:
    choices: list[tuple[Repository, Backend, type]] = [
        (sha1.repo, "auto", LibgitObjects),
        (sha1.repo, "libgit2", LibgitObjects),
        (sha1.repo, "git", PlumbingObjects),
        (sha256.repo, "auto", PlumbingObjects),
        (sha256.repo, "git", PlumbingObjects),
    ]
    for repo, wanted, kind in choices:
        with open_objects(repo, wanted) as objects:
            assert isinstance(objects, kind)


def test_unknown_extension_in_a_real_repository(tmp_path: Path) -> None:
    """Version 0 ignores extensions, so that Git reads it; libgit2 is not asked to guess."""
    builder = RepoBuilder(tmp_path / "r")
    builder.commit("refs/heads/main", "m\n", {"a": "1\n"})
    path = builder.build()
    git(path, "config", "extensions.somethingNew", "true")
    repo = open_repository(path)
    assert repo.extensions == {"somethingnew": "true"}
    with open_objects(repo) as objects:
        assert isinstance(objects, PlumbingObjects)
        assert objects.blob(git(path, "rev-parse", "main:a")) == b"1\n"


def test_pygit2_is_imported_only_when_it_reads(sha1: Sample, sha256: Sample) -> None:
    program = """
import sys
from pathlib import Path
from git_asr.git import history, notes, refs, trees, writing
from git_asr.git.backend import open_objects
from git_asr.git.repository import open_repository
with open_objects(open_repository(Path(sys.argv[1])), sys.argv[2]) as objects:
    objects.commit_tree(sys.argv[3])
print(sorted({"pygit2", "git", "orjson", "click", "filelock"} & set(sys.modules)))
"""
    for sample, wanted, expected in [
        (sha1, "git", "[]"),
        (sha256, "auto", "[]"),
        (sha1, "auto", "['pygit2']"),
    ]:
        ended = subprocess.run(
            [sys.executable, "-c", program, str(sample.path), wanted, sample.second],
            cwd=Path(__file__).parents[2],
            capture_output=True,
            text=True,
            check=True,
        )
        assert ended.stdout.strip() == expected
