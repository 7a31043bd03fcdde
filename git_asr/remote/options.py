"""The options that Git sends, and what is answered to each (reference git-integration, 8.2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from typing import Any

from git_asr.remote.protocol import unquoted
from git_asr.values import dataclass

OK = "ok"
UNSUPPORTED = "unsupported"
"""Git then does without, warns, or stops, as fits the option."""


@dataclass(frozen=True, slots=True)
class Options:
    """What Git asked for.

    ``verbosity``: 0 for errors only, 1 as usual. ``leases``: where a ref must be, by ref; zeros or nothing for nowhere.
    ``family``: ``ipv4`` or ``ipv6``, empty for either. ``push_options``: the values of ``git push -o``, in their order.
    ``object_format``: Git wants to know the object format of what is listed.
    """

    verbosity: int = 1
    progress: bool = False
    object_format: bool = False
    refetch: bool = False
    family: str = ""
    dry_run: bool = False
    atomic: bool = False
    force: bool = False
    push_options: tuple[str, ...] = ()
    leases: Mapping[str, str] = field(default_factory=dict)


def answered(options: Options, line: str) -> tuple[Options, str]:
    """Take ``option <name> [<value>]`` and give the options after it, and the answer.

    Git before 2.45 sends ``object-format`` without a value; a name alone counts as true.
    """
    name, _, quoted = line.removeprefix("option ").partition(" ")
    if name in _NO_MATTER:
        return options, OK
    take = _TAKEN.get(name)
    if take is None:
        return options, UNSUPPORTED
    try:
        return take(options, unquoted(quoted)), OK
    except ValueError:
        return options, f"error the value of {name} cannot be read"


def _flag(name: str) -> Callable[[Options, str], Options]:
    def take(options: Options, value: str) -> Options:
        flag: dict[str, Any] = {name: value in ("", "true", "yes", "1")}
        return replace(options, **flag)

    return take


def _verbosity(options: Options, value: str) -> Options:
    return replace(options, verbosity=int(value))


def _family(options: Options, value: str) -> Options:
    if value not in ("ipv4", "ipv6", "all"):
        raise ValueError(value)
    return replace(options, family="" if value == "all" else value)


def _push_option(options: Options, value: str) -> Options:
    return replace(options, push_options=(*options.push_options, value))


def _lease(options: Options, value: str) -> Options:
    ref, colon, oid = value.rpartition(":")
    if not colon or not ref:
        raise ValueError(value)
    return replace(options, leases={**options.leases, ref: oid})


_TAKEN: Mapping[str, Callable[[Options, str], Options]] = {
    "verbosity": _verbosity,
    "progress": _flag("progress"),
    "object-format": _flag("object_format"),
    "refetch": _flag("refetch"),
    "family": _family,
    "dry-run": _flag("dry_run"),
    "atomic": _flag("atomic"),
    "force": _flag("force"),
    "push-option": _push_option,
    "cas": _lease,
}
_NO_MATTER = frozenset({"cloning", "followtags", "filter", "from-promisor", "no-dependents", "servpath"})
"""Answered with ok, and without effect: what is fetched is one ref, whole, by the Git that the remote expects."""
