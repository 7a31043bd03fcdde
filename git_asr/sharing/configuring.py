"""The configuration that lets an ordinary ``git fetch`` bring the companion ref of a remote (``git asr setup``).

Only fetching is configured: a ``remote.*.push`` would change what a ``git push`` of the user's pushes. The refspec ends
in ``*``, since every ``git fetch`` fails over a name that is not there (yet) otherwise; it writes to copies of that
remote's refs alone, so that no ``--prune`` takes anything that is only here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from git_asr.companion.names import REMOTES, SESSIONS
from git_asr.errors import UsageError
from git_asr.git.base import Repository
from git_asr.git.process import run_git
from git_asr.git.refs import read_ref
from git_asr.git.remotes import remotes
from git_asr.git.repository import configuration
from git_asr.values import dataclass

BRANCH = "refs/heads/asr/sessions"
"""The companion ref on hosts that take branches and tags alone."""
SEPARATE = "asr"
"""The remote that stands for a repository, or a file, that holds sessions alone."""

Via = Literal["ref", "branch"]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the configuration: a complete key and a value."""

    key: str
    value: str

    def __str__(self) -> str:
        """As a person reads it."""
        return f"{self.key} = {self.value}"


def refspec(remote: str, via: Via = "ref") -> Line:
    """The line that lets a fetch from a remote bring its companion."""
    source = BRANCH if via == "branch" else SESSIONS
    return Line(f"remote.{remote}.fetch", f"+{source}*:{_tracking(remote)}")


def wanted(repo: Repository, remote: str, via: Via, url: str | None = None) -> list[Line]:
    """What a remote needs, as far as it is not there. ``url``: of a remote for sessions alone, which is made.

    Raises:
        UsageError: there is no such remote, or it leads elsewhere.
    """
    lines = [refspec(remote, via)]
    known = remotes(repo).get(remote)
    if url is not None and known is not None and known.url != url:
        raise UsageError(
            f"there is a remote {remote} already, and it leads elsewhere", hint="git remote -v lists them"
        )
    if url is None and known is None:
        raise UsageError(f"there is no remote '{remote}'", hint="list them: git remote -v")
    if url is not None:
        lines = [
            Line(f"remote.{remote}.url", url),
            *lines,
            Line(f"remote.{remote}.tagOpt", "--no-tags"),
            Line(f"remote.{remote}.skipFetchAll", "true"),
        ]
    config = configuration(repo, "remote")
    return [one for one in lines if one.value not in config.get(_lower(one.key), ())]


def outdated(repo: Repository, remote: str, keep: Line | None) -> list[Line]:
    """The lines that bring the companion of a remote in another way than the one that is kept."""
    tracking = _tracking(remote)
    config = configuration(repo, "remote")
    return [
        Line(f"remote.{remote}.fetch", text)
        for text in config.get(f"remote.{remote}.fetch", ())
        if text.rpartition(":")[2] == tracking and (keep is None or text != keep.value)
    ]


def only_sessions(repo: Repository, remote: str) -> Iterator[str]:
    """The keys of a remote that is there for sessions alone; none for any other."""
    config = configuration(repo, "remote")
    tracking = f":{_tracking(remote)}"
    fetched = config.get(f"remote.{remote}.fetch", ())
    alone = bool(fetched) and all(text.endswith(tracking) for text in fetched)
    if alone and f"remote.{remote}.skipfetchall" in config:
        yield from (key for key in config if key.startswith(f"remote.{remote}."))


def add(repo: Repository, lines: list[Line]) -> None:
    """Write lines to the repository's own configuration. Raises AsrError: Git refuses."""
    for one in lines:
        run_git(repo, "config", "--add", one.key, one.value)


def remove(repo: Repository, lines: list[Line]) -> None:
    """Take lines out again. Raises AsrError: Git refuses."""
    for one in lines:
        run_git(repo, "config", "--unset-all", one.key, f"^{re.escape(one.value)}$")


def remove_remote(repo: Repository, remote: str) -> None:
    """Take out all that is configured of a remote, and what was fetched from there. Raises AsrError: Git refuses."""
    run_git(repo, "config", "--remove-section", f"remote.{remote}")
    tracking = f"{REMOTES}/{remote}/sessions"
    if read_ref(repo, tracking) is not None:
        run_git(repo, "update-ref", "-d", tracking)


def _tracking(remote: str) -> str:
    return f"{REMOTES}/{remote}/sessions*"


def _lower(key: str) -> str:
    """A key as it is listed: its variable in small letters."""
    head, _, variable = key.rpartition(".")
    return f"{head}.{variable.lower()}"
