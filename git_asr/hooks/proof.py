"""The proof that hooks work: of the commits that Git made or moved to here lately, those that never came through.

Whatever keeps a hook from running shows here, a client that runs none too (reference git-integration, section 7.6).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from git_asr.companion.state import State
from git_asr.entire.links import KEY, checkpoint_ids
from git_asr.errors import AsrError
from git_asr.git.base import Repository
from git_asr.git.history import logged
from git_asr.sync.look import Seen
from git_asr.values import dataclass

DAYS = 14
MOST = 20_000
"""Entries of reflogs that are looked at, the newest first."""
_FORMAT = "--format=%H %gd%n%B"


@dataclass(frozen=True, slots=True)
class Missed:
    """A commit that names checkpoints and that no sync has seen. ``when``: HEAD came to it, in epoch seconds."""

    commit: str
    when: int
    checkpoints: tuple[str, ...]


def missed(repo: Repository, state: State | None, seen: Seen, now: float) -> list[Missed]:
    """Commits of the reflogs of all worktrees' HEADs in the last 14 days, the newest first.

    A commit that no ref leads to any more is none: it was replaced, and what replaced it has the trailer. ``state``:
    that of the last sync, None if there was none. ``seen``: the refs of now.

    Raises:
        AsrError: Git fails.
    """
    found: dict[str, Missed] = {}
    for one in _lately(repo, now - DAYS * 86_400):
        if one.commit not in found and not _came_through(state, one):
            found[one.commit] = one
    lost = _unreachable(repo, found, seen.tips)
    left = (one for commit, one in found.items() if commit not in lost)
    return sorted(left, key=lambda one: one.when, reverse=True)


def _lately(repo: Repository, since: float) -> Iterator[Missed]:
    """Where the HEADs stood that name checkpoints."""
    for entry in _reflogs(repo):
        first, _, message = entry.partition(b"\n")
        commit, _, selector = first.decode("utf-8", "replace").partition(" ")
        when = selector.rpartition("@{")[2].removesuffix("}")
        if KEY.encode() not in message or not when.isdecimal() or int(when) < since:
            continue
        if named := tuple(mention.checkpoint for mention in checkpoint_ids(message)):
            yield Missed(commit, int(when), named)


def _reflogs(repo: Repository) -> list[bytes]:
    """The entries of each HEAD's reflog; none where it has none, as in a bare repository or before the first commit."""
    heads = ["main-worktree/HEAD"]
    folder = repo.common_dir / "worktrees"
    if folder.is_dir():
        heads += sorted(f"worktrees/{one.name}/HEAD" for one in folder.iterdir() if "\n" not in one.name)
    found: list[bytes] = []
    for head in heads:  # one that is damaged keeps none of the others from being read
        try:
            options = ("--walk-reflogs", "--date=unix", f"--max-count={MOST}", _FORMAT)
            found += logged(repo, [head], *options)
        except AsrError:
            continue
    return found


def _came_through(state: State | None, one: Missed) -> bool:
    return state is not None and all(state.has_trailer(name, one.commit) for name in one.checkpoints)


def _unreachable(repo: Repository, commits: Iterable[str], tips: Iterable[str]) -> set[str]:
    """Those of some commits to which no tip leads."""
    some = list(commits)
    if not some:
        return set()
    lines = [*some, *(f"^{tip}" for tip in tips)]
    return {entry.decode("ascii") for entry in logged(repo, lines, "--ignore-missing", "--format=%H")}
