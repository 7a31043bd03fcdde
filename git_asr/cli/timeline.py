"""The timeline of ``git asr show`` as lines of text, neutral and with colour where stdout gets it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from git_asr.asr.draft import Record
from git_asr.asr.times import instant
from git_asr.cli import entry_lines
from git_asr.cli.folding import Folding
from git_asr.cli.render import paint
from git_asr.cli.shown import Shown, timeline_of
from git_asr.companion.opening import OpenBundle
from git_asr.views import text, words
from git_asr.views.drift import unknown
from git_asr.views.excerpt import Excerpt
from git_asr.views.items import Call, Item, Mark, Message, Reasoning
from git_asr.views.session import Overview, overview

_CLOCK = 9
"""Cells of the column with the time."""


def lines(shown: Shown, folding: Folding) -> Iterator[str]:
    """All lines, without line ends."""
    if shown.commit is not None:
        one = shown.commit
        yield paint(f"commit {one.oid}", "yellow")
        yield "  ".join(map(text.one_line, (one.date, one.author, one.subject)))
    elif shown.what.kind == "checkpoint":
        yield paint(f"checkpoint {shown.what.id}", "yellow")
    for bundle, excerpt in shown.parts:
        yield from _part(bundle, excerpt, folding)
    if strange := sum(unknown(excerpt) or 0 for _, excerpt in shown.parts):
        yield ""
        yield paint(
            f"{text.plural(strange, 'record')} of kinds that are new to git-asr: git asr drift", "dim"
        )
    if folding.folded:
        yield ""
        yield paint(f"{text.plural(folding.folded, 'text')} folded; --full shows all of them", "dim")


def _part(bundle: OpenBundle, excerpt: Excerpt, folding: Folding) -> Iterator[str]:
    yield ""
    yield from _head(overview(bundle.session), excerpt)
    told = timeline_of(bundle, excerpt)
    folding.folder, folding.plan, folding.thoughts = _folder(excerpt.stream.header), (), 0
    yield from item_lines(told.items, folding)
    if not told.items:
        yield (
            paint("nothing came in here", "dim")
            if excerpt.stream.records
            else text.one_line(words.no_transcript(excerpt.stream.header))
        )
    hidden = {**told.hidden, **({"reasoning": folding.thoughts} if folding.thoughts else {})}
    if hidden:
        yield ""
        yield paint(f"not shown: {text.one_line(words.hidden(hidden))}; --records has them", "dim")


def _head(view: Overview, excerpt: Excerpt) -> Iterator[str]:
    """What session this is, which part of it, and its figures."""
    yield paint(text.one_line(f"session {view.id}"), "bold")
    about = [
        view.agent,
        *([", ".join(view.models)] if view.models else []),
        *_streams(view, excerpt),
        *(["not translated: each unit as the agent wrote it"] if _is_opaque(excerpt.stream.header) else []),
    ]
    yield text.one_line(" · ".join(about))
    if excerpt.unplaced:
        ids = ", ".join(excerpt.unplaced)
        yield text.one_line(f"the whole session: which part belongs to checkpoint {ids} is not recorded")
    for one in excerpt.slices or ():
        part = (
            f"units {one.first}–{one.last} of {excerpt.stream.through}"
            if one.last >= one.first
            else "nothing new"
        )
        yield text.one_line(f"checkpoint {one.checkpoint} · {part}")
    yield text.one_line(words.figures(excerpt.total()))
    yield ""


def _streams(view: Overview, excerpt: Excerpt) -> list[str]:
    """The stream's own name, where it is not the session's."""
    return [] if excerpt.stream.id == view.id else [f"stream {excerpt.stream.id}"]


def _folder(header: Record) -> str | None:
    """Where the session ran; paths below it are shown from there."""
    workspace = header.get("workspace")
    found = workspace.get("cwd") if isinstance(workspace, dict) else None
    return found if isinstance(found, str) and found else None


def _is_opaque(header: Record) -> bool:
    """Whether the converter did not know the format."""
    producer = header.get("producer")
    version = producer.get("version") if isinstance(producer, dict) else None
    return isinstance(version, str) and version.startswith("opaque/")


def _text(item: Message) -> str:
    return "\n".join(part.text for part in item.parts if part.text is not None)


@dataclass(slots=True)
class Clock:
    """The day and the second that were last said."""

    day: str = ""
    second: str = ""

    def column(self, ts: str | None) -> str:
        """The time of day, blank where it is unknown or the same as before."""
        second = (ts or "")[11:19]
        if second == self.second:
            return ""
        self.second = second
        return second

    def new_day(self, ts: str | None) -> str | None:
        """The date, if it is another than before."""
        day = (ts or "")[:10]
        if not day or day == self.day:
            return None
        self.day = day
        return f"{day} (times as recorded{', UTC' if (ts or '').endswith('Z') else ''})"


def item_lines(items: tuple[Item, ...], folding: Folding, clock: Clock | None = None) -> Iterator[str]:
    """The lines of items; those of a subagent stand below the call, indented by a bar."""
    clock = clock or Clock()
    for item in items:
        if isinstance(item, Reasoning) and not item.parts and (item.capture or "").startswith("omitted"):
            folding.thoughts += 1
            continue
        ts = None if isinstance(item, Mark) or instant(item.ts) is None else item.ts
        if (day := clock.new_day(ts)) is not None:
            yield paint(text.one_line(day), "dim")
        first, *rest = entry_lines.lines(item, folding)
        folding.said = _text(item) if isinstance(item, Message) else ""
        column = text.one_line(clock.column(ts), _CLOCK)
        bar = paint("╎ ", "yellow") if item.aside else ""
        yield f"{paint(column.ljust(_CLOCK), 'dim')}{bar}{first}"
        for line in rest:
            yield f"{' ' * _CLOCK}{bar}{line}".rstrip()
        if isinstance(item, Call) and item.subagent is not None:
            below = paint("│", "cyan")
            plan, folding.plan = folding.plan, ()
            for line in item_lines(item.subagent.items, folding, clock):
                yield f"{' ' * _CLOCK}{bar}  {below} {line}".rstrip()
            folding.plan = plan
            for line in entry_lines.outcome(item, folding):
                yield f"{' ' * _CLOCK}{bar}{line}".rstrip()
