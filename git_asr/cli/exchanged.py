"""What went to a remote and what came from there, said to people and to programs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import click

from git_asr.cli import render
from git_asr.cli.fetched import hear
from git_asr.companion.arrivals import UNSIGNED, UNSOUND
from git_asr.companion.names import SESSIONS
from git_asr.errors import DONE, INCOMPLETE, AsrError, Report
from git_asr.git.base import Repository
from git_asr.git.refs import read_ref
from git_asr.sharing import target
from git_asr.sharing.fetching import Fetched, fetch_companion
from git_asr.sharing.pushing import Pushed, Terms, push
from git_asr.sharing.target import Target
from git_asr.values import dataclass
from git_asr.views.text import neutral

_SHOWN = 5
"""Sessions left out that are named one by one."""
_DIGITS = 12


@dataclass(frozen=True, slots=True)
class Arrived:
    """What came from a remote. ``dry_run``: nothing did, it would."""

    target: Target
    fetched: Fetched
    dry_run: bool = False

    def summary(self) -> str:
        """The outcome in one line."""
        one = self.fetched
        if one.new is None:
            return f"no sessions at {neutral(self.target.shown)}: it has no {neutral(self.target.ref)}"
        trial = " (dry run)" if self.dry_run else ""
        return f"fetched from {neutral(self.target.shown)}: {_move(one.old, one.new)}{trial}"

    def as_json(self) -> dict[str, Any]:
        """What ``git asr fetch --json`` prints of it."""
        return {
            **_where(self.target),
            "tracking": self.fetched.tracking,
            "old": self.fetched.old,
            "new": self.fetched.new,
            "dryRun": self.dry_run,
        }


@dataclass(frozen=True, slots=True)
class Sent:
    """What went to a remote. ``terms``: on what terms."""

    target: Target
    pushed: Pushed
    terms: Terms

    def print_text(self) -> None:
        """Name what was left out on stderr, then say where the ref of the remote stands and who can read it there."""
        left_out = self.pushed.left_out
        for one in left_out[:_SHOWN]:
            render.warning(f"{one.session.harness} session {one.session.id} is left out: {one.why}")
        if len(left_out) > _SHOWN:
            render.warning(render.left_out(len(left_out) - _SHOWN, command="git asr push"))
        if left_out:
            render.hint(
                "sessions go where their checkpoints are: push those first, or git asr fetch --checkpoints"
            )
        click.echo(self.summary())
        click.echo(f"  {neutral(self.pushed.reason)}")

    def summary(self) -> str:
        """The outcome in one line."""
        one = self.pushed
        if one.new is None:
            return f"nothing to push to {neutral(self.target.shown)}"
        trial = " (dry run)" if self.terms.dry_run else ""
        tries = f", in {one.tries} tries" if one.tries > 1 else ""
        return f"pushed to {neutral(self.target.shown)}: {_move(one.old, one.new)}{tries}{trial}"

    def as_json(self) -> dict[str, Any]:
        """What ``git asr push --json`` prints of it."""
        one, policy = self.pushed, self.terms.policy
        return {
            **_where(self.target),
            "reason": one.reason,
            "policy": None if policy is None else policy.record(),
            "old": one.old,
            "new": one.new,
            "tries": one.tries,
            "leftOut": [
                {"harness": left.session.harness, "id": left.session.id, "why": left.why}
                for left in one.left_out
            ],
            "dryRun": self.terms.dry_run,
        }


@dataclass(frozen=True, slots=True)
class Exchange:
    """A sync with a remote: what was fetched before it, and, once it has ended, pushed."""

    arrived: Arrived

    @classmethod
    def begun(cls, repo: Repository, remote: str, report: Report, *, quiet: bool) -> Exchange:
        """Fetch, and say so; ``remote`` is empty for where the checkpoints go. Raises as ``fetch_companion``."""
        where = target.named(repo, remote) if remote else target.default(repo, report)
        arrived = fetched_from(repo, where)
        if not quiet:
            click.echo(arrived.summary())
        return cls(arrived)

    def ended(self, repo: Repository, report: Report, *, quiet: bool) -> dict[str, Any]:
        """Push what the sync left, and say so; both as JSON. Raises as ``push``."""
        told: dict[str, Any] = {"fetched": self.arrived.as_json(), "pushed": None}
        if read_ref(repo, SESSIONS) is not None:
            sent = pushed_to(repo, self.arrived.target, Terms(), report)
            told["pushed"] = sent.as_json()
            if not quiet:
                sent.print_text()
        return told


def fetched_from(repo: Repository, where: Target, *, whole: bool = False, dry_run: bool = False) -> Arrived:
    """Fetch the companion ref of a remote. Raises as ``fetch_companion``."""
    return Arrived(where, fetch_companion(repo, where, hear, whole=whole, dry_run=dry_run), dry_run)


def pushed_to(repo: Repository, where: Target, terms: Terms, report: Report) -> Sent:
    """Push the companion ref. Raises AsrError: there is none; else as ``push``."""
    source = read_ref(repo, SESSIONS)
    if source is None:
        raise AsrError("no session is here", hint="git asr sync")
    return Sent(where, push(repo, where, source, terms, hear=hear, report=report), terms)


def status(warnings: render.Warnings) -> int:
    """The exit status: not complete if something that came from a remote was refused."""
    return INCOMPLETE if any(one.code in (UNSOUND, UNSIGNED) for one in warnings.seen) else DONE


def print_json(fields: Mapping[str, Any]) -> None:
    """Print one JSON object, with the version of its form."""
    click.echo(json.dumps({"version": 1, **fields}, indent=2))


def _where(one: Target) -> dict[str, Any]:
    name = one.remote.name if one.remote is not None else None
    return {"remote": name, "address": one.shown, "ref": one.ref}


def _move(old: str | None, new: str) -> str:
    """A move of a ref as Git shows it."""
    if old == new:
        return f"up to date ({new[:_DIGITS]})"
    return f"new, {new[:_DIGITS]}" if old is None else f"{old[:_DIGITS]}..{new[:_DIGITS]}"
