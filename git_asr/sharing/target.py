"""Where a companion ref is fetched from and pushed to."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace

from git_asr.companion.names import REMOTES, SESSIONS
from git_asr.entire.settings import read_settings
from git_asr.entire.source import Source, default_source, named_source
from git_asr.errors import Report, UsageError
from git_asr.git.base import Repository
from git_asr.git.credentials import without_credentials
from git_asr.git.refs import list_refs
from git_asr.git.remotes import Remote, remotes, rewritten
from git_asr.git.repository import configuration
from git_asr.sharing.helper import PREFIX
from git_asr.values import dataclass

_URL = re.compile(r"[^/]*:")
"""With a colon before the first slash Git takes it for a URL, a host or a helper, else for a path."""
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
    found = of_source(repo, named_source(repo, text))
    remote = found.remote
    if remote is not None and text not in remotes(repo) and _urls(repo, remote.name) != [remote.url]:
        return replace(
            found, address=remote.url.removeprefix(PREFIX), remote=None
        )  # the place that was named
    return found


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


@dataclass(frozen=True, slots=True)
class Way:
    """How a push gets to its place: ``sent``, what Git is given to push to, and ``listed``, to look at the same place.

    Git reads an address in another way for a push (``pushurl``, ``pushInsteadOf``), so the two may differ.
    """

    listed: str
    sent: str


def way(repo: Repository, target: Target) -> Way:
    """Find out where a push to a target goes: what is judged must be what gets the sessions.

    Raises:
        UsageError: to several repositories, or to one that cannot be looked at.
    """
    if target.remote is None:
        return _bare(repo, target.address)
    name, url = target.remote.name, target.remote.url
    own = configuration(repo, "remote").get(f"remote.{name}.pushurl", ())
    urls = _urls(repo, name)
    if len(urls) > 1:
        raise UsageError(
            f"remote {name} has several URLs to push to",
            hint=f"name the one that is meant: git asr push {shlex.quote(without_credentials(urls[0]))}",
        )
    if urls[0].startswith(PREFIX):
        return _bare(repo, urls[0].removeprefix(PREFIX))
    if urls[0] == url:
        return Way(name, name)
    return Way(_local(repo, urls[0]) if own else _final(repo, urls[0]), name)


def _urls(repo: Repository, name: str) -> list[str]:
    """The URLs that a push to a remote goes to, each once."""
    config = configuration(repo, "remote")
    urls = config.get(f"remote.{name}.pushurl") or [
        rewritten(repo, one, "pushinsteadof") for one in config[f"remote.{name}.url"]
    ]
    return list(dict.fromkeys(urls))


def _bare(repo: Repository, address: str) -> Way:
    """For an address that is no remote's name."""
    address = _local(repo, address)
    pushed = rewritten(repo, address, "pushinsteadof")
    return Way(address if pushed == address else _final(repo, pushed), address)


def _local(repo: Repository, address: str) -> str:
    """A path made absolute: what a remote is called may be a path, too."""
    is_path = not _URL.match(address) and rewritten(repo, address) == address
    return str(repo.top / address) if is_path else address


def _final(repo: Repository, address: str) -> str:
    """An address that Git pushes to as it stands. Raises UsageError: to look there Git would read it otherwise."""
    address = _local(repo, address)
    if rewritten(repo, address) != address:
        raise UsageError(
            f"Git pushes to {without_credentials(address)} and would look elsewhere (url.*.pushInsteadOf)",
            hint="give the remote a pushurl: git config remote.REMOTE.pushurl URL",
        )
    return address


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
