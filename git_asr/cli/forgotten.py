"""What ``git asr forget`` is asked, does and says."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from git_asr.asr.bundle import Manifest
from git_asr.asr.header import SessionKey
from git_asr.asr.times import instant
from git_asr.cli import render
from git_asr.cli.opening import open_repository
from git_asr.companion import lookup, store
from git_asr.companion.forgetting import Forget, newest_checkpoint
from git_asr.companion.names import REMOTES
from git_asr.companion.tree import read_tip, session_path
from git_asr.errors import AsrError, Diagnostic, UsageError
from git_asr.git import refs
from git_asr.git.backend import open_objects
from git_asr.git.base import Objects, Repository
from git_asr.sync.flow import Options, sync
from git_asr.sync.settings import settings
from git_asr.values import dataclass
from git_asr.views.text import neutral, plural

MOST_REASON = 1000
"""Characters of a reason."""
_DAY = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What was asked for: sessions by the beginning of their IDs, or those whose checkpoints are all older."""

    sessions: tuple[str, ...]
    before: str | None
    reason: str | None

    def checked(self) -> tuple[int | None, str]:
        """The time in nanoseconds since 1970, if one was given, and the reason. Raises UsageError."""
        if bool(self.sessions) == (self.before is not None):
            raise UsageError(
                "say which sessions", hint="git asr forget SESSION   (or git asr forget --before DATE)"
            )
        reason = self.reason or ("by request" if self.before is None else f"older than {self.before}")
        if len(reason) > MOST_REASON:
            raise UsageError(f"a reason of more than {MOST_REASON:,} characters")
        if self.before is None:
            return None, reason
        full = f"{self.before}T00:00:00Z" if _DAY.fullmatch(self.before) else self.before
        if (when := instant(full)) is None:
            raise UsageError(
                f"'{self.before}' is no date",
                hint="a day, 2026-01-31, or a time in RFC 3339, 2026-01-31T12:00:00Z",
            )
        return when, reason


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was forgotten, or would be. ``before``: those that were forgotten already. ``held``: the refs of remotes."""

    keys: tuple[SessionKey, ...]
    before: tuple[SessionKey, ...]
    reason: str
    commit: str | None
    held: tuple[str, ...]
    dry_run: bool

    def lines(self) -> Iterator[str]:
        """A line for each session, and one for all."""
        for key in self.keys:
            yield neutral(f"{key.harness} {key.id}")
        for key in self.before:
            yield neutral(f"{key.harness} {key.id}: was forgotten already")
        yield f"{plural(len(self.keys), 'session')} {'would be ' if self.dry_run else ''}forgotten"

    def say_what_stays(self) -> None:
        """Say on stderr who has them still."""
        if not self.keys or self.dry_run:
            return
        render.hint("Entire's checkpoints hold them still, and no sync will convert them")
        for ref in self.held:
            render.hint(f"{ref} holds them still; clones forget them when they merge this one")
        render.hint("earlier commits of the companion hold them until: git asr compact && git gc --prune=now")

    def as_json(self) -> dict[str, Any]:
        """What ``git asr forget --json`` prints; version 1."""
        outcomes = [(key, "forgotten") for key in self.keys] + [(key, "unchanged") for key in self.before]
        return {
            "version": 1,
            "dryRun": self.dry_run,
            "companion": self.commit,
            "reason": self.reason,
            "sessions": [
                {"harness": key.harness, "id": key.id, "outcome": outcome} for key, outcome in outcomes
            ],
            "held": list(self.held),
        }


def forget(wanted: Wanted, *, dry_run: bool) -> Forgotten:
    """Forget sessions, with whatever a sync finds new.

    Raises:
        UsageError: nothing is asked for, an unknown session, one that may be several, or no date.
        AsrError: there is no companion yet, or the sync fails.
    """
    when, reason = wanted.checked()
    repo = open_repository()
    warnings = render.Warnings()
    with open_objects(repo, "git") as objects:
        tip = read_tip(repo, objects)
        found = lookup.manifests(objects, tip.tree, warnings)
        if when is None:
            keys = [key for text in wanted.sessions for key in _named(found, text)]
        else:
            keys = list(_older(objects, str(tip.tree), found, when))
        held = tuple(ref for ref, tree in _remotes(repo, objects) if any(_holds(objects, tree, keys)))
    gone = {session.key for one in found if one.forgotten is not None for session in one.sessions}
    new = tuple(sorted(set(keys) - gone))
    before, commit = tuple(sorted(set(keys) & gone)), tip.commit
    if (
        keys and not dry_run
    ):  # if forgotten already, too: what else told of them may be there still, after a kill
        configured = settings(repo)
        options = Options(
            exclusions=configured.exclusions,
            orphans=configured.orphans,
            backend=configured.backend,
            forget=Forget(new, reason),
        )
        commit = sync(repo, options, _leave_to_sync).commit
    return Forgotten(new, before, reason, commit, held, dry_run)


def _leave_to_sync(diagnostic: Diagnostic) -> None:
    """``git asr sync`` tells it."""


def _named(manifests: Sequence[Manifest], text: str) -> tuple[SessionKey, ...]:
    """The session whose ID begins with a text, under every agent that has it."""
    found = lookup.sessions(manifests, text) if text else []
    whole = [one for one in found if one.id == text]
    match whole or found:
        case [only]:
            return only.sessions
        case []:
            raise UsageError(f"no session '{text}' in the companion ref", hint="git asr sessions")
        case _:
            some = ", ".join(one.id for one in found[:3])
            raise UsageError(
                f"'{text}' may be {len(found)} sessions: {some}{', …' if len(found) > 3 else ''}"
            )


def _older(objects: Objects, tree: str, manifests: Sequence[Manifest], when: int) -> Iterator[SessionKey]:
    """The sessions whose newest checkpoint was made before a time; those that were forgotten are none."""
    keys = [session.key for one in manifests if one.forgotten is None for session in one.sessions]
    for key in keys:
        try:
            stored = store.load_session(objects, tree, key)
        except store.DamagedBundle:
            continue
        newest = None if stored is None else newest_checkpoint(stored)
        if newest is not None and newest < when:
            yield key


def _remotes(repo: Repository, objects: Objects) -> Iterator[tuple[str, str]]:
    """The companion refs of remotes with their trees."""
    for ref in refs.list_refs(repo, REMOTES):
        try:
            yield ref.name, objects.commit_tree(ref.oid)
        except AsrError:
            continue


def _holds(objects: Objects, tree: str, keys: Sequence[SessionKey]) -> Iterator[bool]:
    """Whether a tree has something of each of some sessions."""
    for key in keys:
        entry = objects.lookup(tree, f"{session_path(key)}/sessions")
        yield entry is not None
