"""The hook files are tried with each shell that is here."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.hooks.files.hooked import SHELLS, Hooked


@pytest.fixture(params=SHELLS)
def hooked(tmp_path: Path, request: pytest.FixtureRequest) -> Hooked:
    return Hooked(tmp_path, request.param)
