"""What ``git fetch`` brings after ``git asr fetch --checkpoints --configure`` is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.corpus import corpus_dir, needs_corpus
from tests.support.repo_builder import git
from tests.support.run import run_cli


@needs_corpus
@pytest.mark.parametrize("name", ["own-refs-beside-v1", "v2-many-agents", "made-v2-archives"])
def test_copies_are_read(tmp_path: Path, name: str) -> None:
    bundle = str(corpus_dir() / f"{name}.bundle")
    outs = []
    for n, how in enumerate([[], ["--configure"]]):
        path = tmp_path / str(n)
        git(tmp_path, "clone", "-q", bundle, str(path))
        assert run_cli(["fetch", "--checkpoints", *how], path).status == 0
        outs.append(run_cli(["sync"], path).out)
        refs = git(path, "for-each-ref", "refs/entire/checkpoints")
        assert bool(refs) == (not how)
    assert outs[0] == outs[1]
    assert "new" in outs[0]
