"""Where a companion ref is fetched from and pushed to."""

from __future__ import annotations

from dataclasses import dataclass

from git_asr.companion.names import SESSIONS
from git_asr.git.remotes import Remote, without_credentials


@dataclass(frozen=True, slots=True)
class Target:
    """A repository elsewhere, and the ref there that holds the sessions.

    ``address``: what Git is given: the name of a remote, a URL or an absolute path. ``place``: the name below
    ``refs/asr/remotes/`` for what was fetched from there. ``ref``: the companion ref there (a branch on hosts that take
    no other refs). ``remote``: the configured remote, None for a bare address.
    """

    address: str
    place: str
    ref: str = SESSIONS
    remote: Remote | None = None

    @property
    def shown(self) -> str:
        """The address for people."""
        return without_credentials(self.address)
