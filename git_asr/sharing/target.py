"""Where a companion ref is fetched from and pushed to."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass

from git_asr.companion.names import REMOTES, SESSIONS
from git_asr.entire.settings import read_settings
from git_asr.entire.source import Source, default_source, named_source
from git_asr.errors import Report, UsageError
from git_asr.git.base import Repository
from git_asr.git.refs import list_refs
from git_asr.git.remotes import Remote, remotes, rewritten, without_credentials
from git_asr.git.repository import configuration
from git_asr.sharing.helper import PREFIX

_CARRIED = re.compile(
    r"refs/(?:remotes/(.+)/entire/(?:checkpoints/v1|sessions)|entire/remotes/(.+)/checkpoints/).*"
)


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

    @property
    def tracking(self) -> str:
        """The ref here that stands for the companion ref there."""
        return f"{REMOTES}/{self.place}/sessions"


def named(repo: Repository, text: str) -> Target:
    """The target that a user named: a remote, a URL, or a path.

    Raises:
        UsageError: it is neither.
    """
    return of_source(repo, named_source(repo, text))


def default(repo: Repository, report: Report) -> Target:
    """Where the checkpoints go: what Entire's settings name, else the remote that is known to carry them, else as
    checkpoints are fetched.

    Raises:
        AsrError: there is none.
    """
    settings = read_settings(repo, report)
    if settings.checkpoint_remote is None and settings.push_remote is None:
        carrying = _carrying(repo)
        if len(carrying) == 1:
            return named(repo, carrying[0])
    return of_source(repo, default_source(repo, report))


def of_source(repo: Repository, source: Source) -> Target:
    """The target that stands for a source of checkpoints."""
    remote, address = source.remote, source.address
    url = address if remote is None else remote.url
    if url.startswith(PREFIX) and not url.startswith(f"{PREFIX}convert+"):
        address = url.removeprefix(PREFIX)  # what `git-remote-asr` would do is done here
    ref = SESSIONS if remote is None else _ref(repo, remote.name, f"{REMOTES}/{source.place}/sessions")
    return Target(address, source.place, ref, remote)


def pushed_to(repo: Repository, target: Target) -> str:
    """The address to push to: that of the remote, unless Git would push to another one than it fetches from.

    Raises:
        UsageError: it has several, so that a push would go to more than one repository.
    """
    if target.remote is None:
        return rewritten(repo, target.address, "pushinsteadof")
    name = target.remote.name
    config = configuration(repo, "remote")
    own = config.get(f"remote.{name}.pushurl", ())
    urls = own or tuple(rewritten(repo, one, "pushinsteadof") for one in config[f"remote.{name}.url"])
    if len(set(urls)) > 1:
        raise UsageError(
            f"remote {name} has several URLs to push to",
            hint=f"name the one that is meant: git asr push {shlex.quote(without_credentials(urls[0]))}",
        )
    return target.address if urls[0] == target.remote.url else urls[0].removeprefix(PREFIX)


def _ref(repo: Repository, name: str, tracking: str) -> str:
    """The ref of a remote that its configuration fetches as its companion (``git asr setup --via branch``)."""
    for text in configuration(repo, "remote").get(f"remote.{name}.fetch", ()):
        source, _, destination = text.removeprefix("+").partition(":")
        if destination.removesuffix("*") == tracking and source.startswith("refs/"):
            return source.removesuffix("*")
    return SESSIONS


def _carrying(repo: Repository) -> list[str]:
    """The remotes of which checkpoints were fetched or pushed."""
    names = {
        found[1] or found[2]
        for ref in list_refs(repo, "refs/remotes", "refs/entire/remotes")
        if (found := _CARRIED.fullmatch(ref.name)) is not None
    }
    return [name for name in remotes(repo) if name in names]
