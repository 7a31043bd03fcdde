"""From what a person types to links that are accepted or taken back, and what there is of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from git_asr.asr.draft import Record
from git_asr.asr.links import ACCEPTED, AcceptedLink, checkpoint_of, standing
from git_asr.companion.state import Key, State
from git_asr.errors import AsrError, UsageError
from git_asr.git.base import Repository
from git_asr.git.history import listed, resolve
from git_asr.sync.decisions import records
from git_asr.values import dataclass
from git_asr.views.suggestions import HAND, Evidence

_SHOWN = 5
"""Checkpoints that are named one by one."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """An accepted link as it stands. ``method``: what spoke for it; ``via``: the commit by which it was found."""

    commit: str
    checkpoint: str
    method: str
    via: str | None


def accepted(state: State) -> list[Accepted]:
    """The links that were accepted, by commit."""
    checkpoints = sorted({row.checkpoint for row in state.decisions.all()})
    found = [_accepted(record) for one in checkpoints for record in standing(records(state, one))]
    return sorted(found, key=lambda one: (one.commit, one.checkpoint, one.method))


def _accepted(record: Record) -> Accepted:
    own = record["_meta"].get(ACCEPTED)
    via = own.get("via") if isinstance(own, dict) else None
    method = str(record.get("evidence"))
    return Accepted(record["commit"], checkpoint_of(record), method, via if isinstance(via, str) else None)


def to_accept(repo: Repository, pairs: Iterable[tuple[str, str, Evidence | None]]) -> Iterator[AcceptedLink]:
    """The links to accept: of commits (full IDs) to checkpoints, with the best evidence, None for a person's word."""
    wanted = list(pairs)
    times = {
        one.oid: one.committed_at for one in listed(repo, dict.fromkeys(commit for commit, *_ in wanted))
    }
    for commit, checkpoint, evidence in wanted:
        method, via = (HAND, None) if evidence is None else (evidence.method, evidence.via)
        if method == "rewritten":
            via = None  # what was rewritten into what is local state and stands in no record (profile, section 6)
        yield AcceptedLink(commit, checkpoint, times[commit], method, via)


def checkpoint_beginning(state: State, text: str) -> str:
    """The one checkpoint whose ID begins with a text: of those in stores and those with accepted links.

    Raises:
        UsageError: there is none, or there are several.
    """
    of_links = {row.checkpoint for row in state.decisions.all() if row.checkpoint.startswith(text)}
    found = sorted({*state.beginning(text), *of_links}) if text else []
    if len(found) == 1 or text in found:
        return text if text in found else found[0]
    if not found:
        raise UsageError(f"no checkpoint begins with '{text}'", hint="git asr sync   says where it looks")
    listed_ones = [f"  checkpoint {one}" for one in found[:_SHOWN]]
    more = [f"  and {len(found) - _SHOWN} more"] if len(found) > _SHOWN else []
    raise UsageError(
        f"'{text}' is ambiguous", hint="\n".join(["more characters tell these apart:", *listed_ones, *more])
    )


def linked_commit(repo: Repository, state: State, checkpoint: str, revision: str) -> str:
    """The commit of an accepted link, as a revision or the beginning of an ID: it need not be here any more.

    Raises:
        UsageError: there is none, or there are several.
    """
    try:
        return resolve(repo, revision)
    except UsageError:
        rows = state.decisions.of(checkpoint) if revision else []
        found = {row.commit for row in rows if row.commit.startswith(revision)}
        if len(found) != 1:
            raise
        return found.pop()


def refuse_reported(state: State, commit: str, checkpoint: str) -> None:
    """Refuse to accept what a trailer says already.

    Raises:
        AsrError: it does.
    """
    if any(row.commit == commit for row in state.trailers(checkpoint)):
        raise AsrError(f"commit {commit[:12]} names checkpoint {checkpoint} already")


def sessions_of(state: State, checkpoint: str) -> list[tuple[Key, str | None]]:
    """The sessions of a checkpoint, each with its line for the log if it is in the companion ref.

    One whose agent is not known yet has an empty one, and the ID that the metadata give.
    """
    keys = dict.fromkeys(row.key or ("", row.stored) for row in state.folders(checkpoint))
    return [(key, state.note(key)) for key in keys]
