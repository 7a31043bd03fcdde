"""A sync inside the process of the tests, and what it left in the companion ref."""

from __future__ import annotations

from pathlib import Path

from git_asr.errors import Diagnostic
from git_asr.git.repository import open_repository
from git_asr.sync.flow import Options, Outcome, sync
from tests.support.companion import StoredBundle, bundles


def run(path: Path, **options: object) -> tuple[Outcome, list[Diagnostic]]:
    found: list[Diagnostic] = []
    return sync(open_repository(path), Options(**options), found.append), found  # type: ignore[arg-type]


def run_codes(path: Path, **options: object) -> tuple[Outcome, list[str]]:
    """The same with the codes of the diagnostics."""
    outcome, found = run(path, **options)
    return outcome, [one.code for one in found]


def units(path: Path) -> dict[str, int]:
    """How many units each stream has."""
    return {name: len(stream.units) for bundle in bundles(path) for name, stream in bundle.streams.items()}


def only(path: Path) -> StoredBundle:
    (bundle,) = bundles(path)
    return bundle
