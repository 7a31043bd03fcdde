"""Whether Git finds the remote helper, and which remotes need it (docs/remote-helper.md)."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

from git_asr.git.base import Repository
from git_asr.git.remotes import remotes, rewritten
from git_asr.git.repository import configuration
from git_asr.values import dataclass

PROGRAM = "git-remote-asr"
PREFIX = "asr::"
"""How addresses begin that go through it."""


@dataclass(frozen=True, slots=True)
class Helper:
    """``path``: where the program lies, None where it is not on ``PATH``. ``remotes``: those that need it, by name."""

    path: str | None
    remotes: tuple[str, ...]

    @property
    def lacking(self) -> bool:
        """Whether it is needed and not there."""
        return self.path is None and bool(self.remotes)


def located() -> str | None:
    """Where the program lies; None where it is not on ``PATH``."""
    return shutil.which(PROGRAM)


def helper(repo: Repository) -> Helper:
    """Look for the program, and for remotes that are fetched from or pushed to through it."""
    return Helper(located(), tuple(_needing(repo)))


def _needing(repo: Repository) -> Iterator[str]:
    config = configuration(repo, "remote")
    for name in remotes(repo):
        fetched, pushed = (config.get(f"remote.{name}.{key}", ()) for key in ("url", "pushurl"))
        urls = {rewritten(repo, one) for one in (*fetched, *pushed)}
        urls |= {rewritten(repo, one, "pushinsteadof") for one in fetched}
        if any(one.startswith(PREFIX) for one in urls):
            yield name
