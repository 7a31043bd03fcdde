"""The timeline of ``git asr show`` as lines of text, neutral and with colour where stdout gets it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from git_asr.asr.draft import Record
from git_asr.asr.reading import Stream
from git_asr.asr.times import instant
from git_asr.cli import entry_lines
from git_asr.cli.course import Side, beside
from git_asr.cli.folding import Folding
from git_asr.cli.looks import ANY, Sheet
from git_asr.cli.render import paint
from git_asr.cli.shown import Shown, timeline_of
from git_asr.companion.opening import OpenBundle
from git_asr.values import dataclass
from git_asr.views import text, words
from git_asr.views.drift import unknown
from git_asr.views.excerpt import Excerpt
from git_asr.views.items import Call, Item, Mark, Message, Reasoning, Turn
from git_asr.views.session import Overview, overview
from git_asr.views.timeline import Timeline

_CLOCK = 9
"""Cells of the column with the time."""


def lines(shown: Shown, folding: Folding, sheet: Sheet) -> Iterator[str]:
    """All lines, without line ends, each as the sheet has it."""
    for line in heading(shown):
        yield from sheet.rows(line)
    for bundle, excerpt in shown.parts:
        yield from _part(bundle, excerpt, folding, sheet)
    strange = sum(unknown(excerpt) or 0 for _, excerpt in shown.parts)
    said = f"{text.plural(strange, 'record')} of kinds that are new to git-asr: git asr drift"
    for line in [*(note(said) if strange else ()), *folded(folding)]:
        yield from sheet.rows(line)


def heading(shown: Shown) -> Iterator[str]:
    """What was asked for, where it is no session."""
    if shown.commit is not None:
        one = shown.commit
        yield paint(f"commit {one.oid}", "yellow")
        yield "  ".join(map(text.one_line, (one.date, one.author, one.subject)))
    elif shown.what.kind == "checkpoint":
        yield paint(f"checkpoint {shown.what.id}", "yellow")


def note(said: str) -> list[str]:
    """What is said about the lines, below an empty one; the text must be neutral."""
    return ["", paint(said, "dim")]


def folded(folding: Folding) -> list[str]:
    """How many texts were folded, if any were."""
    said = f"{text.plural(folding.folded, 'text')} folded; --full shows all of them"
    return note(said) if folding.folded else []


def told_lines(told: Timeline, header: Record, folding: Folding, sheet: Sheet) -> Iterator[str]:
    """The lines of a timeline, and what it does not show."""
    folding.folder, folding.plan, folding.thoughts = _folder(header), (), 0
    yield from item_lines(told.items, folding, sheet=sheet)
    hidden = {**told.hidden, **({"reasoning": folding.thoughts} if folding.thoughts else {})}
    if hidden:
        for line in note(f"not shown: {text.one_line(words.hidden(hidden))}; --records has them"):
            yield from sheet.rows(line)


def _part(bundle: OpenBundle, excerpt: Excerpt, folding: Folding, sheet: Sheet) -> Iterator[str]:
    told = timeline_of(bundle, excerpt)
    empty = (
        paint("nothing came in here", "dim")
        if excerpt.stream.records
        else text.one_line(words.no_transcript(excerpt.stream.header))
    )
    head = head_lines(overview(bundle.session), excerpt.stream)
    for line in ["", *head, *_figures(excerpt), "", *([] if told.items else [empty])]:
        yield from sheet.rows(line)
    yield from told_lines(told, excerpt.stream.header, folding, sheet)


def head_lines(view: Overview, stream: Stream) -> Iterator[str]:
    """What session this is."""
    yield paint(text.one_line(f"session {view.id}"), "bold")
    about = [
        view.agent,
        *([", ".join(view.models)] if view.models else []),
        *([] if stream.id == view.id else [f"stream {stream.id}"]),
        *(["not translated: each unit as the agent wrote it"] if _is_opaque(stream.header) else []),
    ]
    yield text.one_line(" · ".join(about))


def _figures(excerpt: Excerpt) -> Iterator[str]:
    """Which part of the session it is, and its figures."""
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


def item_lines(
    items: tuple[Item, ...], folding: Folding, clock: Clock | None = None, sheet: Sheet = ANY
) -> Iterator[str]:
    """The lines of items; those of a subagent stand below the call, indented by a bar."""
    clock = clock or Clock()
    for item, side in beside(items):
        if isinstance(item, Reasoning) and not item.parts and (item.capture or "").startswith("omitted"):
            folding.thoughts += 1
        else:
            ts = None if isinstance(item, Mark) or instant(item.ts) is None else item.ts
            if (day := clock.new_day(ts)) is not None:
                yield from sheet.rows(paint(text.one_line(day), "dim"))
            column = text.one_line(clock.column(ts), _CLOCK)
            yield from _set(_lines(item, side, folding), column, side, sheet)
            folding.said = _text(item) if isinstance(item, Message) else ""
        if isinstance(item, Call) and item.subagent is not None:
            yield from _below(item, side, folding, clock, sheet)
        if side.below:
            yield f"{' ' * _CLOCK}{paint(sheet.drawn(side.below), 'yellow')}"


def _lines(item: Item, side: Side, folding: Folding) -> Iterator[str]:
    if side.turns and isinstance(item, Turn):
        return iter([paint(text.one_line(words.turn(item)), "yellow")])
    return entry_lines.lines(item, folding)


def _set(lines: Iterable[str], column: str, side: Side, sheet: Sheet) -> Iterator[str]:
    """Lines of an entry beside the clock and what is drawn there."""
    inner = sheet.narrower(_CLOCK + text.width(side.first))
    lead, bar = (paint(sheet.drawn(one), "yellow") for one in (side.first, side.bar))
    clock = paint(column.ljust(_CLOCK), "dim")
    for line in lines:
        for row in inner.rows(line):
            yield f"{clock}{lead}{row}".rstrip()
            clock, lead = " " * _CLOCK, bar


def _below(item: Call, side: Side, folding: Folding, clock: Clock, sheet: Sheet) -> Iterator[str]:
    """What a subagent did, and what came of it."""
    subagent = item.subagent
    bar = f"{' ' * _CLOCK}{paint(sheet.drawn(side.bar), 'yellow')}"
    below = f"  {paint(sheet.drawn('│'), 'cyan')} "
    plan, folding.plan = folding.plan, ()
    inner = sheet.narrower(_CLOCK + text.width(side.bar) + text.width("  │ "))
    for line in item_lines(subagent.items if subagent else (), folding, clock, inner):
        yield f"{bar}{below}{line}".rstrip()
    folding.plan = plan
    yield from _set(entry_lines.outcome(item, folding), "", Side(side.bar, side.bar), sheet)
