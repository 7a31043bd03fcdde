"""A hub and two clones, made once for a module and copied for each test."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sharing.sides import clone, copied, hub


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """A hub of two sessions, and two clones that know one each."""
    path = tmp_path_factory.mktemp("made")
    far = hub(path / "hub", 2).path
    return [far, clone(far, path / "a", 1), clone(far, path / "b", 2)]


@pytest.fixture
def sides(made: list[Path], tmp_path: Path) -> tuple[Path, Path, Path]:
    """The hub and the two clones for one test alone."""
    far, a, b = copied(made, tmp_path)
    return far, a, b
