"""Every layout of the sample repositories counts as a place of checkpoints."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sharing.sides import pushed, synced
from tests.support.companion import tip
from tests.support.corpus import needs_corpus, sample
from tests.support.repo_builder import git


@needs_corpus
@pytest.mark.parametrize(
    "name",
    ["made-flat-legacy", "made-sha256", "made-v2-archives", "own-refs-beside-v1", "remote-tracking-only"],
)
def test_nothing_is_left_out_of_a_mirror(name: str, tmp_path: Path) -> None:
    far, path = sample(name, tmp_path), tmp_path / "a"
    git(tmp_path, "clone", "-q", "--mirror", str(far), str(path))
    git(path, "config", "--unset-all", "remote.origin.fetch")
    synced(path)
    assert pushed(path).left_out == ()
    assert tip(far) == tip(path) is not None
