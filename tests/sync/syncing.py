"""A sync inside the process of the tests, and what it left in the companion ref."""

from __future__ import annotations

import shutil
from pathlib import Path

from git_asr.errors import Diagnostic
from git_asr.git.repository import open_repository
from git_asr.sync.flow import Options, Outcome, sync
from tests.support.companion import StoredBundle, bundles, tip
from tests.support.repo_builder import git

ONE, TWO = "11111111-2222-3333-4444-555555555555", "66666666-7777-8888-9999-000000000000"
"""Sessions."""
UNITS = [f"u{n}" for n in range(30)]
"""Units of one."""


def run(path: Path, **options: object) -> tuple[Outcome, list[Diagnostic]]:
    found: list[Diagnostic] = []
    return sync(open_repository(path), Options(**options), found.append), found  # type: ignore[arg-type]


def run_codes(path: Path, **options: object) -> tuple[Outcome, list[str]]:
    """The same with the codes of the diagnostics."""
    outcome, found = run(path, **options)
    return outcome, [one.code for one in found]


def scratch(path: Path) -> str | None:
    """Where a sync without any state and companion ends; everything stands as before afterwards."""
    copy = path.with_name("scratch")
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(path, copy)
    shutil.rmtree(copy / ".git" / "asr")
    for ref in ("refs/asr/sessions", "refs/notes/asr"):
        git(copy, "update-ref", "-d", ref)
    run(copy)
    return tip(copy)


def units(path: Path) -> dict[str, int]:
    """How many units each stream has."""
    return {name: len(stream.units) for bundle in bundles(path) for name, stream in bundle.streams.items()}


def only(path: Path) -> StoredBundle:
    (bundle,) = bundles(path)
    return bundle
