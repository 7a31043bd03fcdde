"""A push through ``asr::``: what may go is merged on the way with what is there (`git_asr.sharing.pushing`)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from git_asr.companion import store
from git_asr.companion.names import SESSIONS
from git_asr.errors import AsrError, UsageError
from git_asr.git.backend import open_objects
from git_asr.git.base import Repository
from git_asr.git.history import resolve
from git_asr.remote.address import Address
from git_asr.remote.options import Options
from git_asr.remote.protocol import Push, plain
from git_asr.remote.speaking import Speaker
from git_asr.sharing.policies import policy as policy_of
from git_asr.sharing.pushing import LostRace, Pushed, Refused, Terms, push
from git_asr.sharing.target import Target

_OURS = "asr."
POLICY, AS_IS = f"{_OURS}policy", f"{_OURS}as-is"
"""What ``git push -o`` understands: ``asr.policy=NAME`` and ``asr.as-is``, as the options of ``git asr push``."""

_WIDER = f"""git push -o {POLICY}=default …   sends a redacted companion
git push -o {AS_IS} …   sends the sessions as they are"""
_STALE = "stale info"
"""What Git itself says of a lease that does not hold."""

_CURRENT = "up to date"
"""Not an error to Git, for all that."""


def answers(repo: Repository, address: Address, pushes: Sequence[Push], speaker: Speaker) -> list[str]:
    """Do one batch and give the lines that tell Git what became of each ref.

    With ``--atomic`` nothing is pushed if one of them is refused. Where a merge went instead of what Git knows, it is
    told which commit that is, and puts that into the remote-tracking ref.
    """
    refusals = {one.target: _refusal(one, address, speaker.options) for one in pushes}
    spoilt = speaker.options.atomic and any(refusals.values())
    lines: list[str] = []
    for one in pushes:
        reason = refusals[one.target]
        if reason is None and spoilt:
            reason = "atomic push failed"
        if reason is None:
            lines += _pushed(repo, address, one, speaker)
        else:
            lines.append(f"error {one.target} {plain(reason)}")
    return lines


def _refusal(one: Push, address: Address, options: Options) -> str | None:
    """Why a ref is not even tried."""
    if address.convert:
        return "asr::convert+ can only be fetched from"
    if one.target != SESSIONS:
        return f"only {SESSIONS} can be pushed through asr::"
    if not one.source:
        return "nothing is deleted through asr::"
    if one.force or options.force:
        return "nothing is forced through asr::, and need not be: a push merges with what is there"
    return None


def _pushed(repo: Repository, address: Address, one: Push, speaker: Speaker) -> list[str]:
    lease = speaker.options.leases.get(one.target)
    try:
        source, terms = _companion(repo, one.source), _terms(speaker, lease)
        target = Target(address.url, "asr")
        done = push(repo, target, source, terms, hear=speaker.hear, report=speaker.report)
    except AsrError as error:
        speaker.hint(_WIDER if isinstance(error, Refused) else error.hint or "")
        stale = isinstance(error, LostRace) and lease is not None
        return [f"error {one.target} {_STALE if stale else plain(error.message)}"]
    for left in done.left_out:
        speaker.warn(f"session {left.session.id} is left out: {left.why}")
    if done.new is None:
        return [f"error {one.target} none of the sessions may go there"]
    speaker.note(done.reason)
    return _told(one.target, source, done)


def _companion(repo: Repository, revision: str) -> str:
    """The commit that a revision names. Raises UsageError: it is none, or holds no sessions."""
    commit = resolve(repo, revision)
    with open_objects(repo) as objects:
        if next(store.keys(objects, objects.commit_tree(commit)), None) is None:
            raise UsageError(f"{revision} holds no sessions", hint=f"git push … {SESSIONS}")
    return commit


def _told(target: str, source: str, done: Pushed) -> list[str]:
    """Git believes that what it named went where nothing was, unless it is told otherwise."""
    if done.old == done.new == source:
        return [f"error {target} {_CURRENT}"]
    old = [] if done.old is None else [f"option old-oid {done.old}"]
    return [f"ok {target}", *old, *([] if done.new == source else [f"option new-oid {done.new}"])]


def _terms(speaker: Speaker, lease: str | None) -> Terms:
    """The terms that Git's options make. What is meant for hooks of the host does not get there, and that is said."""
    as_is, policy = False, None
    for option in speaker.options.push_options:
        name, _, value = option.partition("=")
        if name == POLICY and value:
            policy = value
        elif option == AS_IS:
            as_is = True
        else:
            speaker.warn(f"push option '{option}' is not passed on: asr:: knows {POLICY}=NAME and {AS_IS}")
    if policy is not None and as_is:
        raise UsageError(f"{POLICY} and {AS_IS} exclude each other")
    expected = None if lease is None else re.sub("^0+$", "", lease)
    return Terms(
        policy=None if policy is None else policy_of(policy),
        as_is=as_is,
        dry_run=speaker.options.dry_run,
        lease=expected,
    )
