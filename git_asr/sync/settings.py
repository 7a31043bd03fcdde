"""The ``asr.*`` keys of Git's configuration (docs/configuration.md says what each does)."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast, get_args

from git_asr.errors import UsageError
from git_asr.git.base import Backend, Repository
from git_asr.git.repository import configuration, is_true
from git_asr.values import dataclass

SIGN = "asr.sign"
REQUIRE_SIGNED = "asr.requireSigned"
_NUMBER = re.compile(r"[0-9]{1,3}")
_MOST = 8
"""More processes than these wait for each other: one writes what all convert."""
_FALSE = re.compile(r"false|no|off|[+-]?0+|")


@dataclass(frozen=True, slots=True)
class Settings:
    """What the user configured: see docs/configuration.md."""

    exclusions: tuple[str, ...]
    autosync: bool
    orphans: bool
    reconvert: bool
    backend: Backend
    jobs: int

    def with_options(self, *, orphans: bool, reconvert: bool, jobs: int | None) -> Settings:
        """What the options of a command line say besides; ``jobs``: 0 for one a core, None for as configured."""
        return replace(
            self,
            orphans=orphans or self.orphans,
            reconvert=reconvert or self.reconvert,
            jobs=self.jobs if jobs is None else jobs or cores(),
        )


def settings(repo: Repository) -> Settings:
    """Read the configuration of a repository.

    Raises:
        UsageError: a key has a value that it cannot have.
    """
    config = configuration(repo)
    backend = config.get("asr.backend", ("auto",))[-1].lower()
    if backend not in get_args(Backend):
        raise UsageError(
            f"asr.backend is {backend!r}", hint="git config asr.backend auto   (or libgit2, git)"
        )
    autosync, orphans = _boolean(config, "asr.autosync", "true"), _boolean(config, "asr.orphans", "false")
    reconvert = config.get("asr.reconvert", ("auto",))[-1].lower()
    if reconvert not in ("auto", "manual"):
        raise UsageError(
            f"asr.reconvert is {reconvert!r}", hint="git config asr.reconvert auto   (or manual)"
        )
    for key in (SIGN, REQUIRE_SIGNED):  # which are asked for where refs are looked at
        _boolean(config, key, "false")
    exclusions = config.get("asr.exclude", ())
    return Settings(
        exclusions, autosync, orphans, reconvert == "auto", cast("Backend", backend), _jobs(config)
    )


def _jobs(config: Mapping[str, Sequence[str]]) -> int:
    """In how many processes many sessions are converted: as many as there are cores, unless it is said."""
    said = config.get("asr.jobs", ("0",))[-1]
    if not _NUMBER.fullmatch(said):
        raise UsageError(f"asr.jobs is {said!r}", hint="git config asr.jobs 2   (or 0: one for each core)")
    return int(said) or cores()


def cores() -> int:
    """The processor cores that this process may use, up to a few."""
    able = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(able, _MOST)


def is_set(repo: Repository, key: str) -> bool:
    """Whether a key that is true or false is true. Whoever reads all of them refuses other values."""
    return is_true(configuration(repo).get(key.lower(), ("false",))[-1])


def _boolean(config: Mapping[str, Sequence[str]], key: str, default: str) -> bool:
    value = config.get(key.lower(), (default,))[-1].lower()
    if not is_true(value) and not _FALSE.fullmatch(value):
        raise UsageError(f"{key} is {value!r}", hint=f"git config {key} true   (or false)")
    return is_true(value)
