"""What a list or a log says of a session, from its manifest alone."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from git_asr.asr import usage
from git_asr.asr.parts import header_path, links_path
from git_asr.values import dataclass
from git_asr.views import text

if TYPE_CHECKING:
    from git_asr.asr.bundle import Session, StreamEntry

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
LINE = 100
"""Terminal cells of a line in the log."""


@dataclass(frozen=True, slots=True)
class Overview:
    """A session over all of its streams. Unknown is None or absent, never 0.

    ``counts``: by the manifest's names (``prompts``, ``toolCalls``, …). ``usage``: in the profile's normal form.
    ``started_at``, ``ended_at``: the first and the last time recorded, RFC 3339. ``commits``: full IDs, sorted.
    """

    harness: str
    id: str
    agent: str
    models: tuple[str, ...]
    started_at: str | None
    ended_at: str | None
    first_prompt: str | None
    counts: Mapping[str, int]
    usage: Mapping[str, Any]
    commits: tuple[str, ...]
    streams: int
    content: bool
    """Whether anything of a transcript is here."""

    @property
    def seconds(self) -> float | None:
        """Time from the first to the last recorded time, in seconds."""
        if self.started_at is None or self.ended_at is None:
            return None
        try:
            between = datetime.fromisoformat(self.ended_at) - datetime.fromisoformat(self.started_at)
        except (ValueError, TypeError):
            return None
        return max(between.total_seconds(), 0.0)

    @property
    def tokens(self) -> int | None:
        """All tokens that are known, as ``asr.usage.tokens``; None where none are."""
        return usage.tokens(self.usage)


def overview(session: Session) -> Overview:
    """Gather a session's streams: counts and usage are summed, the first stream in time gives the first prompt."""
    summaries = sorted(
        (one.summary for one in session.streams), key=lambda one: str(one.get("startedAt") or "~")
    )
    counts: dict[str, int] = {}
    for one in summaries:
        for name, number in (one.get("counts") or {}).items():
            counts[name] = counts.get(name, 0) + number
    ends = [str(one["endedAt"]) for one in summaries if one.get("endedAt")]
    return Overview(
        session.key.harness,
        session.key.id,
        str(next((one.get("agent") for one in summaries), session.key.harness)),
        tuple(dict.fromkeys(model for one in summaries for model in one.get("models") or ())),
        next((one["startedAt"] for one in summaries if one.get("startedAt")), None),
        max(ends, default=None),
        next((one["firstPrompt"] for one in summaries if one.get("firstPrompt")), None),
        counts,
        usage.total(usage.normal(one.get("usage")) for one in summaries),
        tuple(sorted({commit for one in summaries for commit in one.get("commits") or ()})),
        len(session.streams),
        any(map(_has_content, session.streams)),
    )


def _has_content(entry: StreamEntry) -> bool:
    """Whether a stream has more than a header and links."""
    without = {header_path(entry.stream), links_path(entry.stream)}
    joined = len(entry.files) == 1 and entry.records > 0
    return joined or any(file.path not in without for file in entry.files)


def figures(view: Overview) -> list[str]:
    """The numbers of a session in words, only those that are known."""
    said: list[str] = []
    for name, word in (("prompts", "prompt"), ("toolCalls", "call"), ("units", "unit")):
        if name in view.counts:
            said.append(text.plural(view.counts[name], word))
    if view.tokens is not None:
        said.append(f"{text.human(view.tokens)} tokens")
    if view.seconds is not None:
        said.append(text.duration(view.seconds))
    return said


def short_id(identifier: str) -> str:
    """The beginning of a session ID by which a person tells it from others.

    Eight characters of a random UUID; thirteen of any other, since those that begin with the time share more.
    """
    random = _UUID.fullmatch(identifier) is not None and identifier[14] != "7"
    return identifier[: 8 if random else 13]


def log_line(view: Overview) -> str:
    """One line for ``git log``: agent, session, model, figures, the first line of the first prompt; neutral text."""
    parts = [f"{view.agent} {short_id(view.id)}"]
    if view.models:
        parts.append(", ".join(view.models))
    if numbers := figures(view):
        parts.append(", ".join(numbers))
    if view.first_prompt and (first := view.first_prompt.strip().splitlines()):
        parts.append(f"“{first[0]}”")
    return text.one_line(" · ".join(parts), LINE)
