"""Every test here uses real processes and real Git; what it leaves behind must be sound."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.soundness import check


@pytest.fixture
def unsound() -> set[Path]:
    """Repositories that a test damages on purpose, beyond what Git accepts."""
    return set()


@pytest.fixture(autouse=True)
def _sound(tmp_path: Path, unsound: set[Path]) -> Iterator[None]:
    yield
    check(tmp_path, unsound)


@pytest.fixture(autouse=True)
def _unmeasured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Coverage is not taken in these processes: it makes each take twice as long, and tests/cli has run their lines."""
    monkeypatch.delenv("COVERAGE_PROCESS_CONFIG", raising=False)
