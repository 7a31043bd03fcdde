"""Pushing the companion ref: what may go is merged with what the remote has, and sent with a lease, never by force."""

from __future__ import annotations

import random
import re
import time
from contextlib import suppress

from git_asr.companion.names import REMOTES, SESSIONS
from git_asr.errors import AsrError, Report
from git_asr.git import refs
from git_asr.git.base import RefRaced, RefUpdate, Repository
from git_asr.git.fetching import Hear
from git_asr.git.pushing import Move, push_ref
from git_asr.redaction.policy import Policy
from git_asr.sharing import bundle_file
from git_asr.sharing.audience import Audience, judged
from git_asr.sharing.listing import Listing, listed
from git_asr.sharing.preparing import Offer, Proof, prepare
from git_asr.sharing.selection import LeftOut
from git_asr.sharing.target import Target, Way, way
from git_asr.values import dataclass

TRIES = 10
"""How often a push begins at most: each time somebody else is faster it looks again."""
_PAUSE = 0.05
"""Seconds, doubled with each lost race up to a limit, of which a part is waited by chance."""
_LONGEST_PAUSE = 2.0
_CONTENDED = re.compile("stale info|fetch first|cannot lock ref|failed to update ref|remote ref updated")
"""What Git says of a ref that another push holds or moved just then."""


class Refused(AsrError):
    """The audience rule forbids the push; nothing was sent."""


class LostRace(AsrError):
    """Others moved the ref at the remote each time; nothing was changed."""


@dataclass(frozen=True, slots=True)
class Terms:
    """On what terms a push is made.

    ``policy``: send what this policy makes of the sessions. ``as_is``: send them as they are to a target with a wider
    audience. ``dry_run``: send nothing. ``lease``: where the ref of the remote must be, ``""`` for nowhere, None for
    wherever it is. ``tries``: how often a lost race is run again. ``compact``: replace what the remote has by the
    source as it is here (``git asr compact``), with a lease.
    """

    policy: Policy | None = None
    as_is: bool = False
    dry_run: bool = False
    lease: str | None = None
    tries: int = TRIES
    compact: bool = False


@dataclass(frozen=True, slots=True)
class Pushed:
    """What a push did, or would do.

    ``old``, ``new``: where the ref of the remote was and is (None: nowhere); equal where nothing was to be sent.
    ``left_out``: the sessions that did not go. ``reason``: to whom it went, the sentence of the audience. ``tries``:
    how many attempts it took.
    """

    old: str | None
    new: str | None
    left_out: tuple[LeftOut, ...]
    reason: str
    tries: int = 1


def push(
    repo: Repository, target: Target, source: str, terms: Terms, *, hear: Hear, report: Report
) -> Pushed:
    """Push what may go of a companion commit, merged with what the remote has.

    One commit is sent, whose parents are tips of that remote, with ``--force-with-lease=<ref>:<where it was>``. No
    local ref moves but ``refs/asr/remotes/<place>/sessions``, after success and where the remote is configured.
    ``source``: a companion commit of this repository; sessions of it of which nobody can tell here from which trees of
    checkpoints they were made are left out. ``hear`` takes what Git says for the user, ``report`` what was found wrong.

    Raises:
        Refused: the audience may be wider, and there is neither a policy nor ``as_is``.
        LostRace: others were faster each time, or the ref is not where the lease has it.
        AsrError: the remote cannot be read, or refuses.
    """
    there = way(repo, target)
    address = there.listed
    elsewhere: Listing | None = None
    for number in range(1, terms.tries + 1):
        seen = _seen(repo, target, address, hear)
        if terms.lease is not None and (seen.companion or "") != terms.lease:
            raise LostRace(f"{target.ref} at {target.shown} is not where it was expected")
        audience = _admitted(judged(repo, target, seen, report), terms)
        if audience.checkpoints not in (None, address) and elsewhere is None:
            elsewhere = listed(repo, str(audience.checkpoints), SESSIONS, hear)
        stores = seen.stores if elsewhere is None else elsewhere.stores
        offer = Offer(address, target.ref, seen.companion, source, terms.policy, terms.compact)
        try:
            prepared = prepare(repo, offer, Proof(audience.checkpoints, stores), hear, report)
        except AsrError:
            if _seen(repo, target, address, hear).companion == seen.companion:
                raise
            continue
        new = prepared.commit
        done = Pushed(seen.companion, new, prepared.left_out, audience.reason, number)
        if terms.dry_run or new is None:
            return done
        if new == seen.companion or _sent(repo, target, there, Move(target.ref, seen.companion, new), hear):
            _remember(repo, target, new, redacted=terms.policy is not None)
            return done
        time.sleep(random.uniform(0, min(_LONGEST_PAUSE, _PAUSE * 2**number)))  # noqa: S311  (no secret)
    raise LostRace(
        f"somebody else moved {target.ref} at {target.shown} {terms.tries} times meanwhile",
        hint="try again: git asr push",
    )


def _seen(repo: Repository, target: Target, address: str, hear: Hear) -> Listing:
    """What the remote has; a bundle file that is not there yet has nothing."""
    file = bundle_file.path_of(repo, target, address)
    if file is not None and not file.exists():
        return Listing(None, ())
    return listed(repo, address, target.ref, hear)


def _admitted(audience: Audience, terms: Terms) -> Audience:
    """The audience, if sessions may go there on these terms. Raises Refused."""
    if audience.kind == "same" or terms.as_is or terms.policy is not None:
        return audience
    raise Refused(
        f"more people may read there than read the checkpoints: {audience.reason}",
        hint="git asr push --policy default REMOTE   sends a redacted companion\n"
        "git asr push --as-is REMOTE   sends the sessions as they are",
    )


def _sent(repo: Repository, target: Target, there: Way, move: Move, hear: Hear) -> bool:
    """Let Git push; whether it arrived, or somebody else was faster. Raises AsrError: the remote refuses."""
    file = bundle_file.path_of(repo, target, there.listed)
    if file is not None:
        answer = bundle_file.write(repo, file, move)
    else:
        answer = push_ref(repo, there.sent, move, hear, None if target.remote is None else target.remote.name)
    if answer.moved:
        return True
    now = _seen(repo, target, there.listed, hear).companion
    if now == move.new:  # it arrived, and the answer was lost
        return True
    if now == move.old and not _CONTENDED.search(answer.why):
        raise AsrError(
            f"{target.shown} does not take {target.ref}: {answer.why}",
            hint="what to do where a host takes branches only: git asr setup --via branch (docs/sharing.md)",
        )
    return False


def _remember(repo: Repository, target: Target, new: str, *, redacted: bool) -> None:
    """Note where the ref of a configured remote stands now; whoever fetched meanwhile knows better."""
    if target.remote is None:
        return
    name = f"{REMOTES}/{target.place}/redacted" if redacted else target.tracking
    old = refs.read_ref(repo, name)
    if old != new:
        with suppress(RefRaced):
            refs.update_refs(repo, [RefUpdate(name, new, old)])
