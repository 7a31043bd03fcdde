"""What a converter learns of a session while its units pass, and tells of it when they are through."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from git_asr.converters.base import Embedded
from git_asr.converters.building import Standing


@dataclass(slots=True)
class Learned(Standing):
    """What later units depend on, and the header says.

    ``version``: the agent's, or the format's. ``workspace``: folder, branch and commit. ``lineage``: the sessions from
    which this one comes. All as first recorded.
    """

    version: str | None = field(default=None, kw_only=True)
    workspace: dict[str, Any] = field(default_factory=dict, kw_only=True)
    lineage: dict[str, Any] = field(default_factory=dict, kw_only=True)


S = TypeVar("S", bound=Learned)


class Learning(Generic[S]):
    """The half of a converter (``base.Converter``) that tells what it has learned: complete after ``convert``."""

    def __init__(self, state: S) -> None:
        self._state = state

    @property
    def embedded(self) -> Sequence[Embedded]:
        """Streams whose units stand inside the units of this one: by default none."""
        return ()

    @property
    def format_version(self) -> str | None:
        """The version as first recorded."""
        return self._state.version

    @property
    def workspace(self) -> Mapping[str, Any] | None:
        """The place as first recorded."""
        return self._state.workspace or None

    @property
    def lineage(self) -> Mapping[str, Any] | None:
        """The sessions from which this one comes, as it says itself."""
        return self._state.lineage or None
