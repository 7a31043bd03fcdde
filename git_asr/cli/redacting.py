"""What becomes of a bundle before it is written: redacted by a policy, or marked as what it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, replace
from typing import Any

from git_asr.asr.bundle import REDACTION, Bundle
from git_asr.bundles.spool import Spool
from git_asr.errors import Diagnostic, Report, UsageError
from git_asr.exporters.base import NOT_REDACTED, Marking
from git_asr.redaction.findings import Redacted
from git_asr.redaction.policy import Policy
from git_asr.redaction.redactor import Redactor
from git_asr.sharing.policies import policy as policy_of
from git_asr.values import dataclass
from git_asr.views.text import plural

_SHOWN = 6
"""Rules that are named with their counts."""


@dataclass(slots=True)
class Redaction:
    """What is wanted: a policy, or a mark that says that there was none. ``told``: what the policy found."""

    policy: Policy | None
    private: bool = False
    told: Redacted | None = field(default=None)

    def apply(
        self, bundle: Bundle, spool: Spool, report: Report, tick: Callable[[int, int], object]
    ) -> Bundle:
        """The bundle as it may be written. ``spool``: takes the files that are made."""
        if self.private:
            meta = {**bundle.manifest.meta, REDACTION: NOT_REDACTED}
            return replace(bundle, manifest=replace(bundle.manifest, meta=meta))
        if self.policy is None:
            return bundle
        self.told = Redactor(self.policy).bundle(bundle, spool.put, progress=tick)
        for one in self.told.left_out:
            report(Diagnostic("not-shared", one.what, f"left out: {one.reason}"))
        return Bundle(self.told.manifest, spool.read)

    @property
    def marking(self) -> Marking:
        """What every file of another format says of it."""
        return Marking(None if self.policy is None else self.policy.record())

    def lines(self) -> list[str]:
        """What was found, for people; nothing where nothing was redacted."""
        if self.told is None or self.policy is None:
            return []
        total = self.told.total
        often = sorted(total.items(), key=lambda one: (-one[1], one[0]))
        named = ", ".join(f"{rule} {count}" for rule, count in often[:_SHOWN])
        more = f", and {plural(len(often) - _SHOWN, 'other rule')}" if len(often) > _SHOWN else ""
        found = f"{plural(sum(total.values()), 'finding')}{f' ({named}{more})' if named else ''}"
        return [f"redacted by policy {self.policy.name}: {found}"]

    def as_json(self) -> dict[str, Any] | None:
        """The same for programs; None where nothing was redacted."""
        if self.told is None or self.policy is None:
            return None
        left_out = [{"what": one.what, "reason": one.reason} for one in self.told.left_out]
        return {"policy": self.policy.record(), "findings": self.told.total, "leftOut": left_out}


def for_files(kind: str, policy: str | None, *, shareable: bool, private: bool) -> Redaction:
    """What the options ask for, for files of another format than that of bundles: it must be said.

    Raises:
        UsageError: it is not, or twice, or there is no such policy.
    """
    if private and (shareable or policy is not None):
        raise UsageError(
            f"--{'policy' if policy is not None else 'shareable'} and --private exclude each other"
        )
    if policy is None and not private:
        raise UsageError(
            f"{kind} files are redacted by a policy, or say that they are {NOT_REDACTED}: which is wanted?",
            hint="--policy default, or --private",
        )
    return Redaction(None if policy is None else policy_of(policy), private)


def for_bundle(policy: str | None, *, shareable: bool, private: bool, native: bool) -> Redaction:
    """What the options ask for, for a bundle.

    Raises:
        UsageError: they contradict one another, or there is no such policy.
    """
    if shareable and private:
        raise UsageError("--shareable and --private exclude each other")
    if shareable and policy is None:
        raise UsageError(
            "a bundle that is to be shared needs a redaction policy",
            hint="git asr export --shareable --policy default …",
        )
    if shareable and native:
        raise UsageError("native transcripts are not redacted, and never in a bundle that is to be shared")
    if policy is not None and not shareable:
        raise UsageError(
            "a policy is for a bundle that is to be shared",
            hint=f"git asr export --shareable --policy {policy} …",
        )
    return Redaction(None if policy is None else policy_of(policy), private)
