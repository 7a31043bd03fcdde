"""Gathers what the coverage of a range is judged by: its commits, their sessions, and what is around."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress

from git_asr.asr import codec
from git_asr.companion.listing import overviews
from git_asr.companion.state import State
from git_asr.companion.state_file import known_state
from git_asr.entire.links import checkpoint_ids, is_bookkeeping
from git_asr.entire.source import possible_source
from git_asr.entire.stores import registry
from git_asr.entire.stores.base import Store
from git_asr.entire.stores.per_checkpoint import PerCheckpoint
from git_asr.errors import AsrError, Report
from git_asr.git import ranged
from git_asr.git.base import Repository
from git_asr.git.changes import removals
from git_asr.git.graph import reached
from git_asr.git.process import try_git
from git_asr.git.remotes import remotes
from git_asr.sync.look import directory, look
from git_asr.views.coverage import Behind, Commit, Coverage, Surroundings, coverage

_POLICY = "refs/entire/policies/checkpoint"
_MOST_REMOVED = 10_000
"""Checkpoints that are looked for in the history of the stores."""


def survey(repo: Repository, revisions: Sequence[str], report: Report) -> Coverage:
    """Which commits of a range (as for ``git log``; HEAD where there is none) have a session, and why others have none.

    Raises:
        UsageError: an unknown revision.
        AsrError: nothing was synced yet.
    """
    return _survey(repo, ranged.commits(repo, revisions or ("HEAD",)), report)


def survey_of(repo: Repository, oids: Iterable[str], report: Report) -> Coverage:
    """The same of just these commits; those that are not here are left out. Raises AsrError as ``survey``."""
    return _survey(repo, ranged.listed(repo, oids), report)


def _survey(repo: Repository, asked: Iterable[ranged.Ranged], report: Report) -> Coverage:
    commits = _commits(repo, asked)
    behind: dict[str, list[Behind]] = {}
    for view in overviews(repo, report):
        for commit in view.commits:
            behind.setdefault(commit, []).append(Behind(view.agent, view.content))
    with known_state(directory(repo)) as state:
        unresolved = frozenset(checkpoint for checkpoint, _ in state.unresolved())
        dangling = sorted({one for commit in commits for one in commit.checkpoints if one in unresolved})
        incomplete = frozenset(state.incomplete())
        doubtful = dangling or any(not incomplete.isdisjoint(commit.checkpoints) for commit in commits)
        around = _surroundings(repo, state, dangling, incomplete, report) if doubtful else Surroundings()
    return coverage(commits, behind, unresolved, around)


def _commits(repo: Repository, asked: Iterable[ranged.Ranged]) -> list[Commit]:
    """The commits that are asked for, without those of a store that was merged into the project (reference, row 28)."""
    found: list[Commit] = []
    doubtful: set[str] = set()
    for one in asked:
        found.append(_commit(one))
        if is_bookkeeping(one.message) and not found[-1].checkpoints:
            doubtful.add(one.oid)
    tips = [one.tip for one in look(repo).stores if one.layout.descends] if doubtful else []
    with suppress(AsrError):  # a damaged store: its commits count like any
        foreign = reached(repo, tips, doubtful) if tips else frozenset()
        return [one for one in found if one.oid not in foreign]
    return found


def _commit(one: ranged.Ranged) -> Commit:
    mentions = checkpoint_ids(one.message)
    return Commit(
        one.oid,
        one.author,
        one.committed,
        one.committed_at,
        one.subject,
        len(one.parents) > 1,
        tuple(mention.checkpoint for mention in mentions),
        frozenset(mention.checkpoint for mention in mentions if mention.place == "elsewhere"),
    )


def _surroundings(
    repo: Repository, state: State, dangling: Sequence[str], incomplete: frozenset[str], report: Report
) -> Surroundings:
    stores = look(repo).stores
    source = possible_source(repo, report)
    setting = None if source is None else source.setting
    first = [source.remote.name] if source is not None and source.remote is not None else []
    return Surroundings(
        remotes=tuple(dict.fromkeys([*first, *remotes(repo)])),
        checkpoint_remote=None if setting is None else str(setting),
        stores=registry.searched(stores),
        empty=not state.store_sizes(),
        unreadable=tuple(one.where for one in state.findings.all() if one.code == registry.UNREADABLE),
        incomplete=incomplete,
        promisor=repo.promisor,
        single_refs=any(one.layout.kind == PerCheckpoint.kind for one in stores),
        removed=_removed(repo, [one for one in stores if one.layout.descends], dangling),
        least_version=_least_version(repo),
    )


def _removed(repo: Repository, stores: Iterable[Store], dangling: Sequence[str]) -> Mapping[str, str]:
    """The checkpoints that are in the history of a store and not in its tree, with the commit that removed each."""
    found: dict[str, str] = {}
    folders = {f"{one[:2]}/{one[2:]}": one for one in dangling[:_MOST_REMOVED]}
    for store in stores if folders else ():
        with suppress(AsrError):  # not all of the history is here
            for commit, folder in removals(repo, store.tip, sorted(folders)):
                found.setdefault(folders[folder], commit)
                if len(found) == len(folders):
                    return found
    return found


def _least_version(repo: Repository) -> str | None:
    """The version of Entire that the policy of the repository asks for (reference entire-checkpoints, section 2.1)."""
    finished = try_git(repo, "cat-file", "-p", f"{_POLICY}:policy.json")
    if finished.status or len(finished.out) > 1 << 16:
        return None
    try:
        policy = codec.decode(finished.out).value
    except ValueError:
        return None
    found = policy.get("checkpoint_min_version") if isinstance(policy, dict) else None
    return found if isinstance(found, str) and len(found) <= 40 else None
