"""To whom a push would show the sessions (design, rule 3; profile section 8, *push*)."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from git_asr.entire.source import Source, possible_source
from git_asr.errors import Report
from git_asr.git.base import Repository
from git_asr.git.remotes import parse_url, rewritten
from git_asr.sharing.listing import Listing, listed, quiet
from git_asr.sharing.target import Target, way
from git_asr.values import dataclass


@dataclass(frozen=True, slots=True)
class Audience:
    """Who can read at a target, compared with who can read the checkpoints.

    ``kind``: ``same`` if the target is the repository that the checkpoints go to, or holds checkpoints itself;
    ``wider`` for every other, since nobody can tell. ``reason``: why, in one sentence without a full stop.
    ``checkpoints``: the address at which the checkpoints of a session must be found before it may go: the target's own,
    or that of the repository that the checkpoints go to; None where that is not known.
    """

    kind: Literal["same", "wider"]
    reason: str
    checkpoints: str | None


def of(repo: Repository, target: Target, report: Report) -> Audience:
    """Tell to whom a push to a target would show the sessions; the target is listed for it.

    Raises:
        AsrError: the target cannot be read.
    """
    return judged(repo, target, listed(repo, way(repo, target).listed, target.ref, quiet), report)


def judged(repo: Repository, target: Target, listing: Listing, report: Report) -> Audience:
    """Tell the same of a target that was just listed."""
    address, shown = way(repo, target).listed, target.shown
    source = possible_source(repo, report)
    if source is not None and _is_same(repo, address, source):
        if source.setting is not None:
            return Audience("same", f"{shown} is the checkpoint_remote, {source.setting}", address)
        return Audience("same", f"{shown} is where the checkpoints go", address)
    if listing.stores:
        return Audience("same", f"{shown} holds checkpoints itself", address)
    if source is None:
        return Audience("wider", f"{shown} holds no checkpoints, and nobody can tell where they go", None)
    return Audience("wider", f"{shown} holds no checkpoints: they go to {_named(source)}", source.address)


def _named(source: Source) -> str:
    return source.shown if source.setting is None else f"{source.setting} (checkpoint_remote)"


def _is_same(repo: Repository, address: str, source: Source) -> bool:
    """Whether an address leads to the repository that checkpoints go to, as far as its text tells."""
    others = (source.address, *(() if source.remote is None else (source.remote.url,)))
    return bool(_places(repo, address) & {place for one in others for place in _places(repo, one)})


def _places(repo: Repository, address: str) -> set[tuple[str, str]]:
    """Host and path of an address, as written and as Git rewrites it; the user, the port and the way there aside."""
    return {_place(url) for url in (address, rewritten(repo, address))}


def _place(url: str) -> tuple[str, str]:
    parsed = parse_url(url)
    if parsed is not None:
        return parsed.host.lower(), parsed.path.strip("/").removesuffix(".git").lower()
    path = url.removeprefix("file://")
    if path.startswith("/"):
        return "", str(Path(path).resolve()).removesuffix("/.git").removesuffix(".git")
    return "", url
