"""Pushing the companion ref: what may go is merged with what the remote has, and sent with a lease, never by force."""

from __future__ import annotations

from dataclasses import dataclass

from git_asr.asr.header import SessionKey
from git_asr.errors import AsrError, Report
from git_asr.git.base import Repository
from git_asr.git.fetching import Hear
from git_asr.redaction.policy import Policy
from git_asr.sharing.target import Target

TRIES = 5
"""How often a push begins again when somebody else was faster."""


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
class LeftOut:
    """A session that does not go, and why, as the end of a sentence."""

    session: SessionKey
    why: str


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
    ``source``: a companion commit of this repository; sessions of it of which nobody can tell here from which trees of checkpoints
    they were made are left out. ``hear`` takes what Git says for the user, ``report`` what was found wrong.

    Raises:
        Refused: the audience may be wider, and there is neither a policy nor ``as_is``; or nothing may go at all.
        LostRace: others were faster each time, or the ref is not where the lease has it.
        AsrError: the remote cannot be read, or refuses.
    """
    raise NotImplementedError
