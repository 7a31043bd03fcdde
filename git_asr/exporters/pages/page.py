"""A page: sessions, or parts of them, each with its facts and its timeline."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import field

from git_asr.exporters.base import ExportedSession, Losses
from git_asr.exporters.common import ABSENT_BLOB, BINARY, COMMON, problems
from git_asr.exporters.pages.entries import Entries, Entry
from git_asr.exporters.pages.templates import rendered
from git_asr.values import dataclass
from git_asr.views import text, words
from git_asr.views.excerpt import Excerpt
from git_asr.views.items import Item, Message, Reasoning
from git_asr.views.session import figures, overview
from git_asr.views.timeline import timeline

REASONS = {
    **COMMON,
    ABSENT_BLOB: "a text that is not in the bundle",
    BINARY: "a part of a content that is no text: its kind and size stand in its place",
    "arguments": "arguments of a call whose edits are shown as a diff, or that asked, planned or started a subagent",
    "not-shown": "records that a reader of the conversation does not need",
    "output": "what a tool returned beside what the model got",
    "record": "links and fields of records that nothing shown says",
    "usage": "the usage of single model calls: it is told as a total",
}
_CELLS = 100
"""Terminal cells of a prompt in the list of prompts."""


@dataclass(frozen=True, slots=True)
class Told:
    """A session and what of it a page tells."""

    session: ExportedSession
    excerpts: Sequence[Excerpt]


@dataclass(frozen=True, slots=True)
class Page:
    """A page while it is made. ``anchors``: the commits that have a place on it, when it is made."""

    title: str
    subtitle: str
    told: Sequence[Told]
    losses: Losses = field(default_factory=lambda: Losses(REASONS))
    anchors: set[str] = field(default_factory=set)

    def pieces(self) -> Iterator[bytes]:
        """The page as UTF-8, in pieces that are made when they are asked for; nothing told is an empty page."""
        for one in self.told:
            problems(one.session, self.losses)
        if self.told:
            values = {"title": self.title, "subtitle": self.subtitle, "lost": self.losses.as_json}
            yield from rendered("page.html", self.told[0].session.marking, {**values, "parts": self._parts()})

    def _parts(self) -> Iterator[_Part]:
        number = 0
        for one in self.told:
            for excerpt in one.excerpts:
                number += 1
                yield _Part(f"p{number}", one.session, excerpt, self.losses, self.anchors)


class _Part:
    """A stream, or a part of it, as the template wants it."""

    def __init__(
        self, identifier: str, session: ExportedSession, excerpt: Excerpt, losses: Losses, anchors: set[str]
    ) -> None:
        stream = excerpt.stream
        several = excerpt.slices is None or len(excerpt.slices) > 1
        told = timeline(
            stream, session.blob, within=excerpt.slices, subagents=excerpt.subagents, marks=several
        )
        self._items = [item for item in told.items if not _is_silent(item)]
        silent = len(told.items) - len(self._items)
        hidden = Counter(told.hidden)
        hidden["reasoning"] += silent
        for one in (stream, *excerpt.subagents):
            losses.note("record", len(one.records))
            losses.note("usage", sum(record["type"] == "inference" for record in one.records))
        losses.note("not-shown", hidden.total())
        self._entries = Entries(losses, _folder(excerpt), anchors)
        self.id = identifier
        own = stream.id == session.key.id
        self.title = f"Session {session.key.id}" if own else f"Session {session.key.id}, stream {stream.id}"
        self.facts = tuple(_facts(session, excerpt))
        self.hidden = words.hidden(+hidden)
        self.nothing = ""
        if not self._items:
            self.nothing = "nothing came in here" if stream.records else words.no_transcript(stream.header)
        self.prompts = [
            (f"{identifier}-{at}", said)
            for at, item in enumerate(self._items, 1)
            if isinstance(item, Message) and item.author == "human" and (said := _prompt(item))
        ]

    def entries(self) -> Iterator[tuple[str, Entry, str]]:
        """Each entry with its ID on the page, and the day where another begins."""
        day = ""
        for at, item in enumerate(self._items, 1):
            entry = self._entries.of(item)
            new = entry.day if entry.day and entry.day != day else ""
            day = new or day
            zone = ", UTC" if (entry.ts or "").endswith("Z") else ""
            yield f"{self.id}-{at}", entry, f"{new} (times as recorded{zone})" if new else ""


def _is_silent(item: Item) -> bool:
    """Whether it is a thought of which nothing is left."""
    return isinstance(item, Reasoning) and not item.parts and (item.capture or "").startswith("omitted")


def _prompt(item: Message) -> str:
    said = next((part.text for part in item.parts if part.text is not None and part.text.strip()), "")
    return text.one_line(said[: 16 * _CELLS], _CELLS)


def _folder(excerpt: Excerpt) -> str | None:
    """Where the session ran."""
    workspace = excerpt.stream.header.get("workspace")
    found = workspace.get("cwd") if isinstance(workspace, dict) else None
    return found if isinstance(found, str) and found else None


def _facts(session: ExportedSession, excerpt: Excerpt) -> Iterator[tuple[str, str]]:
    """What is known of a session, and of the part of it that is shown."""
    view = overview(session.entry)
    yield "agent", view.agent
    if view.models:
        yield "models", ", ".join(view.models)
    if view.started_at:
        yield "from", view.started_at
    if view.ended_at:
        yield "to", view.ended_at
    if said := figures(view):
        yield "session", ", ".join(said)
    yield "shown" if excerpt.slices is not None else "usage", words.figures(excerpt.total())
    for one in excerpt.slices or ():
        part = (
            f"units {one.first}–{one.last} of {excerpt.stream.through}"
            if one.last >= one.first
            else "nothing new"
        )
        yield "checkpoint", f"{one.checkpoint}: {part}"
    if excerpt.unplaced:
        yield (
            "checkpoint",
            f"{', '.join(excerpt.unplaced)}: which part belongs to it is not recorded, so all is shown",
        )
    if excerpt.slices is None and view.commits:
        yield "commits", ", ".join(one[:12] for one in view.commits)
