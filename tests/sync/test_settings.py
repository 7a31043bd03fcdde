"""The ``asr.*`` keys: every value that counts, and that any other is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from git_asr.errors import UsageError
from git_asr.git.repository import open_repository
from git_asr.sync.settings import Settings, cores, settings
from tests.support.repo_builder import git


def configured(tmp_path: Path, *pairs: tuple[str, str | None]) -> Settings:
    git(tmp_path, "init", "-q", "r")
    with (tmp_path / "r" / ".git" / "config").open("a") as config:
        for key, value in pairs:
            config.write(f"[asr]\n\t{key}" + ("\n" if value is None else f' = "{value}"\n'))
    return settings(open_repository(tmp_path / "r"))


def test_without_any_key(tmp_path: Path) -> None:
    assert configured(tmp_path) == Settings((), True, False, True, "auto", cores())


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (None, True),
        ("true", True),
        ("True", True),
        ("YES", True),
        ("on", True),
        ("1", True),
        ("-2", True),
        ("false", False),
        ("No", False),
        ("off", False),
        ("0", False),
        ("-0", False),
        ("00", False),
        ("", False),
    ],
)
def test_autosync(tmp_path: Path, value: str | None, wanted: bool) -> None:
    assert configured(tmp_path, ("autosync", value)).autosync is wanted


@pytest.mark.parametrize("value", ["auto", "git", "libgit2", "GIT"])
def test_backend(tmp_path: Path, value: str) -> None:
    assert configured(tmp_path, ("backend", "git"), ("Backend", value)).backend == value.lower()


def test_exclusions_are_kept_in_order(tmp_path: Path) -> None:
    pairs = [("exclude", "session:a"), ("exclude", "path:é *"), ("exclude", "session:a")]
    assert configured(tmp_path, *pairs).exclusions == ("session:a", "path:é *", "session:a")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("autosync", "maybe"),
        ("autosync", "tru"),
        ("autosync", "+"),
        ("autosync", "1.5"),
        ("backend", ""),
        ("backend", "pygit2"),
        ("backend", "git "),
    ],
)
def test_other_values_are_refused(tmp_path: Path, key: str, value: str) -> None:
    with pytest.raises(UsageError, match=f"asr.{key} is ") as refused:
        configured(tmp_path, (key, "git" if key == "backend" else "true"), (key, value))
    assert refused.value.hint is not None
    assert refused.value.hint.startswith(f"git config asr.{key} ")


def test_the_last_value_counts(tmp_path: Path) -> None:
    keys: list[tuple[str, Any]] = [
        ("autosync", "maybe"),
        ("autosync", "no"),
        ("backend", "x"),
        ("backend", "git"),
    ]
    assert configured(tmp_path, *keys) == Settings((), False, False, True, "git", cores())


@pytest.mark.parametrize(
    ("value", "wanted"), [("1", 1), ("3", 3), ("64", 64), ("0", None), ("00", None), ("007", 7)]
)
def test_jobs(tmp_path: Path, value: str, wanted: int | None) -> None:
    assert configured(tmp_path, ("jobs", value)).jobs == (wanted or cores())
    assert 1 <= cores() <= 8


@pytest.mark.parametrize("value", [None, "", "-1", "two", "1.5", "1k", "1000", "١"])
def test_jobs_that_are_no_number(tmp_path: Path, value: str | None) -> None:
    with pytest.raises(UsageError, match=r"asr\.jobs is"):
        configured(tmp_path, ("jobs", value))
