"""What the tests of converters over the sample repositories share."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the samples of a module are cloned to, once each."""
    return tmp_path_factory.mktemp("samples")
