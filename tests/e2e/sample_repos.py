"""Small repositories with checkpoints, and what Git says of them."""

from __future__ import annotations

import base64
import random
from pathlib import Path
from typing import Any

from tests.support.entire_repo import EntireRepo, Stored, claude
from tests.support.repo_builder import git
from tests.support.run import Result, run_cli

SESSIONS, NOTES = OWN = ("refs/asr/sessions", "refs/notes/asr")
"""The refs that git-asr writes."""


def checkpoint(number: int) -> str:
    """A checkpoint ID."""
    return f"{number:012x}"


def session(number: int) -> str:
    """A session ID."""
    return f"{number:08x}-1111-4111-8111-111111111111"


def add(repo: EntireRepo, number: int, units: int = 3, **stored: Any) -> str:
    """Add a session of its own with one checkpoint and one commit; the commit's mark."""
    lines = claude(session(number), [f"{number}.{unit}" for unit in range(units)], second=number * 60)
    repo.checkpoint(checkpoint(number), Stored(session(number), lines, **{"created": number * 60, **stored}))
    return repo.commit(checkpoint(number))


def repository(
    path: Path, sessions: int = 1, *, units: int = 3, checkout: bool = False, **how: Any
) -> EntireRepo:
    """Build a repository with some sessions, numbered from 1."""
    repo = EntireRepo(path, **how)
    for number in range(1, sessions + 1):
        add(repo, number, units)
    repo.builder.build(checkout=checkout)
    return repo


def refs(path: Path) -> dict[str, str]:
    """All refs and where they stand."""
    listing = git(path, "for-each-ref", "--format=%(refname) %(objectname)")
    return dict(line.split(" ") for line in listing.splitlines())


def own(path: Path) -> dict[str, str]:
    """Those of our own refs that there are, and where they stand."""
    return {name: oid for name, oid in refs(path).items() if name in OWN}


def synced(path: Path) -> Result:
    """A sync that ends well."""
    ended = run_cli(["sync"], path)
    assert ended.status == 0, ended.err
    return ended


def noise(size: int, seed: int = 0) -> str:
    """Text that no compression makes small: about 4/3 of ``size`` characters."""
    return base64.b64encode(random.Random(seed).randbytes(size)).decode()  # noqa: S311  (the same each time)
