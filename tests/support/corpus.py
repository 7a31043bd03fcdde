"""The sample repositories, where they are at hand: the folder in GIT_ASR_CORPUS, else beside the project."""

from __future__ import annotations

import functools
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

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


def sample(name: str, tmp_path: Path) -> Path:
    """Clone one sample with all its refs into a bare repository of the test's own."""
    folder = corpus_dir()
    assert folder is not None
    target = tmp_path / f"{name}.git"
    subprocess.run(
        ["git", "clone", "-q", "--mirror", str(folder / f"{name}.bundle"), str(target)],
        check=True,
        capture_output=True,
    )
    return target
