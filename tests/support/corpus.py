"""The sample repositories, where they are at hand: the folder in GIT_ASR_CORPUS, else beside the project."""

from __future__ import annotations

import functools
import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from tests.support.effort import THOROUGH
from tests.support.run import run_cli

SHARED = "GIT_ASR_TEST_SAMPLES"
"""The variable with a folder that all processes of a test run have (``tests/conftest.py``)."""
_BESIDE = Path(__file__).parents[3] / "shared" / "corpus"


def corpus_dir() -> Path | None:
    """Give the folder of the bundles, or None."""
    folder = Path(os.environ["GIT_ASR_CORPUS"]) if "GIT_ASR_CORPUS" in os.environ else _BESIDE
    return folder if (folder / "expected.json").is_file() else None


needs_corpus = pytest.mark.skipif(
    corpus_dir() is None, reason="no sample repositories: set GIT_ASR_CORPUS to the folder with their bundles"
)


@functools.cache
def expected() -> dict[str, Any]:
    """Give the figures of all samples (``expected.json``)."""
    folder = corpus_dir()
    assert folder is not None
    figures: dict[str, Any] = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    return figures


def samples() -> list[str]:
    """Give the names of the samples; none without a corpus, so that a parametrised test is empty and skipped."""
    return sorted(expected()["samples"]) if corpus_dir() else []


def some_samples(turn: int) -> list[str]:
    """A third of them, by the ``turn`` that a test has, for what takes long; all of them in ``make torture``."""
    return samples() if THOROUGH else samples()[turn % 3 :: 3]


def sample(name: str, tmp_path: Path) -> Path:
    """Clone one sample with all its refs into a bare repository of the test's own."""
    target = tmp_path / f"{name}.git"
    shutil.copytree(_made(name, "clone", _clone), target)
    return target


def synced_sample(name: str, tmp_path: Path) -> Path:
    """The same, after ``git asr sync --orphans``: its companion ref holds all sessions."""
    target = tmp_path / f"{name}.git"
    shutil.copytree(_made(name, "synced", _sync), target)
    return target


def _made(name: str, kind: str, make: Callable[[str, Path], object]) -> Path:
    """What was made of a sample, once for all processes of a test run."""
    path = Path(os.environ[SHARED]) / kind / f"{name}.git"
    path.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{path}.lock"):
        if not path.exists():
            make(name, path)
    return path


def _clone(name: str, target: Path) -> None:
    folder = corpus_dir()
    assert folder is not None
    subprocess.run(
        ["git", "clone", "-q", "--mirror", str(folder / f"{name}.bundle"), str(target)],
        check=True,
        capture_output=True,
    )


def _sync(name: str, target: Path) -> None:
    made = target.with_suffix(".part")
    shutil.copytree(_made(name, "clone", _clone), made)
    ended = run_cli(["sync", "--orphans"], made)
    assert ended.status in (0, 1), ended.err
    made.rename(target)
