"""The remotes of a repository as its configuration names them, their refspecs, and how a URL reads."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from git_asr.git.base import Repository
from git_asr.git.process import run_git
from git_asr.git.repository import configuration
from git_asr.values import dataclass

_URL = re.compile(r"(?:(https?)|(?:git\+)?ssh(?:\+git)?)://(?:([^@/]*)@)?([^@:/]+)(?::([0-9]+))?/(.*)", re.S)
_SCP = re.compile(r"(?:([^@/:]+)@)?([^@:/]+):(?!//)(.*)", re.S)


@dataclass(frozen=True, slots=True)
class Address:
    """A URL in its parts. ``transport``: ``ssh``, ``scp`` (ssh in the form ``host:path``), ``https`` or ``http``."""

    transport: str
    user: str
    host: str
    port: str
    path: str


@dataclass(frozen=True, slots=True)
class Refspec:
    """A fetch refspec for all refs whose names begin alike: both sides without the ``*`` at their ends."""

    source: str
    destination: str
    force: bool

    def __str__(self) -> str:
        """As Git takes it."""
        return f"{'+' if self.force else ''}{self.source}*:{self.destination}*"

    def mapped(self, name: str) -> str | None:
        """Where a ref of the remote goes; None if it is none of these."""
        return self.destination + name[len(self.source) :] if name.startswith(self.source) else None


@dataclass(frozen=True, slots=True)
class Remote:
    """A remote that is configured: its name, its first URL as written, those of its fetch refspecs that can be read."""

    name: str
    url: str
    refspecs: tuple[Refspec, ...]


def remotes(repo: Repository) -> dict[str, Remote]:
    """The remotes that have a URL, by name, in the order of the configuration."""
    config = configuration(repo, "remote")
    names = [
        key[len("remote.") : -len(".url")]
        for key, values in config.items()
        if key.endswith(".url") and key.count(".") > 1 and values[0]
    ]
    return {name: Remote(name, config[f"remote.{name}.url"][0], _refspecs(config, name)) for name in names}


def _refspecs(config: Mapping[str, tuple[str, ...]], name: str) -> tuple[Refspec, ...]:
    read = map(parse_refspec, config.get(f"remote.{name}.fetch", ()))
    return tuple(one for one in read if one is not None)


def add_refspecs(repo: Repository, remote: str, refspecs: Iterable[Refspec]) -> None:
    """Add fetch refspecs to a remote in the repository's own configuration. Raises AsrError: Git refuses."""
    for refspec in refspecs:
        run_git(repo, "config", "--add", f"remote.{remote}.fetch", str(refspec))


def parse_refspec(text: str) -> Refspec | None:
    """Read a configured refspec; None unless both of its sides end in their only ``*``."""
    source, _, destination = text.removeprefix("+").partition(":")
    if source.find("*") != len(source) - 1 or destination.find("*") != len(destination) - 1:
        return None
    return Refspec(source[:-1], destination[:-1], text.startswith("+")) if source and destination else None


def rewritten(repo: Repository, url: str, variable: str = "insteadof") -> str:
    """Give the URL that Git would use for one, by ``url.<base>.insteadOf``: the longest match counts.

    ``variable``: or by ``pushinsteadof``, which counts for pushes to a remote without a ``pushurl``.
    """
    best = ("", "")
    for key, values in configuration(repo, "url").items():
        if key.endswith(f".{variable}"):
            base = key[len("url.") : -len(variable) - 1]
            longest = max((one for one in values if url.startswith(one)), key=len, default="")
            if len(longest) > len(best[0]):  # of two alike Git takes the one that was configured first
                best = longest, base
    return best[1] + url[len(best[0]) :]


def parse_url(url: str) -> Address | None:
    """Read a URL for ssh or https, or ``user@host:path``; None for everything else, such as a path."""
    if found := _URL.fullmatch(url):
        return Address(found[1] or "ssh", found[2] or "", found[3], found[4] or "", found[5])
    if "://" not in url and (found := _SCP.fullmatch(url)):
        return Address("scp", found[1] or "", found[2], "", found[3])
    return None
