"""Markdown, for people: a page for each session, and an index where there are several.

Nothing from a transcript is Markdown here: long texts stand in fences that are longer than any run of backticks in
them, short ones in code spans, and characters that could deceive are made visible. So no HTML, link or image lives.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from git_asr.asr import codec
from git_asr.exporters.base import ExportedSession, Losses, Put, path_of
from git_asr.exporters.common import ABSENT_BLOB, BINARY, COMMON, problems
from git_asr.views import text
from git_asr.views.excerpt import Excerpt, excerpts
from git_asr.views.items import (
    Call,
    Compaction,
    Event,
    Exchange,
    Gap,
    Item,
    Mark,
    Message,
    Part,
    Plan,
    Reasoning,
    Subagent,
    Turn,
)
from git_asr.views.session import figures, overview
from git_asr.views.timeline import timeline

_CELLS = 200
"""Terminal cells of what stands in a line."""
_DEEPEST = 6
"""Level of headings."""
_LEVELS = 100
"""Levels of a value that are indented."""
_RUN = re.compile("`+")
_REASONS = {
    **COMMON,
    ABSENT_BLOB: "a text that is not in the bundle",
    BINARY: "a part of a content that is no text: its kind and size stand in its place",
    "arguments": "arguments of a call whose edits are shown as a diff, or that asked, planned or started a subagent",
    "characters": "characters that steer a terminal or deceive the eye, in a text: they are made visible",
    "not-shown": "records that a reader of the conversation does not need",
    "output": "what a tool returned beside what the model got",
    "record": "IDs, links and fields of records that nothing shown says",
    "usage": "the usage of single model calls: it is told as a total",
}


class _Markdown:
    name = "markdown"
    suffix = ".md"

    def write(self, sessions: Iterable[ExportedSession], put: Put) -> Losses:
        """See ``Exporter.write``. A file for each session, and ``index.md`` behind them."""
        losses = Losses(_REASONS)
        index: list[str] = []
        for session in sessions:
            own = Losses(_REASONS)
            path = path_of(session.key, self.suffix)
            put(path, (piece.encode("utf-8") for piece in _page(session, own)))
            index.append(_entry(session, path))
            losses.add(own)
        if len(index) > 1:
            put("index.md", (line.encode("utf-8") for line in ("# Sessions\n\n", *index)))
        return losses


MARKDOWN = _Markdown()


def _entry(session: ExportedSession, path: str) -> str:
    """The line of a session in the index. A path has no character that ends a link."""
    view = overview(session.entry)
    said = [code(view.agent), *figures(view), *([code(view.first_prompt)] if view.first_prompt else [])]
    return f"- [{code(session.key.id)}]({path}) ({session.marking.text}) {' · '.join(said)}\n"


def _page(session: ExportedSession, losses: Losses) -> Iterator[str]:
    problems(session, losses)
    view = overview(session.entry)
    yield f"# Session {code(session.key.id)}\n\n**{session.marking.text}**\n\n"
    about = {
        "agent": code(view.agent),
        "models": ", ".join(map(code, view.models)),
        "from": code(view.started_at or ""),
        "to": code(view.ended_at or ""),
        "figures": ", ".join(figures(view)),
        "commits": ", ".join(map(code, view.commits)),
    }
    yield "".join(f"- {word}: {said}\n" for word, said in about.items() if said) + "\n"
    page = _Page(session, losses)
    for excerpt in excerpts(session.streams):
        yield from page.stream(excerpt)
    lost = losses.as_json()
    yield "## What is not here\n\n"
    yield "".join(f"- {one['count']:,} {one['feature']}: {one['reason']}\n" for one in lost) or "- nothing\n"


class _Page:
    """A page while it is written."""

    def __init__(self, session: ExportedSession, losses: Losses) -> None:
        self._session = session
        self._losses = losses
        self._makers: dict[type[Item], Callable[[Any, int], Iterator[str]]] = {
            Message: self._message,
            Reasoning: self._reasoning,
            Call: self._call,
            Exchange: self._exchange,
            Plan: self._plan,
            Compaction: self._compaction,
            Turn: self._turn,
            Event: self._event,
            Mark: self._mark,
            Gap: self._gap,
        }

    def stream(self, excerpt: Excerpt) -> Iterator[str]:
        """A stream with those of its subagents."""
        yield f"## Stream {code(excerpt.stream.id)}\n\n"
        header = excerpt.stream.header
        total = excerpt.total()
        if total.usage:
            yield f"Tokens, each model call once:\n\n{self.fence(pretty(total.usage), 'json')}"
        if not excerpt.stream.records:
            yield f"No transcript: {code(str(header['capture'].get('reason') or 'the reason is unknown'))}\n\n"
        told = timeline(excerpt.stream, self._session.blob, subagents=excerpt.subagents)
        self._losses.note("not-shown", sum(told.hidden.values()))
        for one in (excerpt.stream, *excerpt.subagents):
            self._losses.note("record", len(one.records))
            self._losses.note("usage", sum(record["type"] == "inference" for record in one.records))
        for item in told.items:
            yield from self._item(item, 3)

    def fence(self, said: str, info: str = "text") -> str:
        """A text in a fence that nothing in it ends."""
        plain = said.replace("\r\n", "\n")
        shown = text.neutral(plain, lines=True)
        self._losses.note("characters", int(shown != plain))
        mark = "`" * max(3, _longest(shown) + 1)
        return f"{mark}{info}\n{shown}\n{mark}\n\n"

    def _item(self, item: Item, level: int) -> Iterator[str]:
        return self._makers[type(item)](item, level)

    def _message(self, item: Message, level: int) -> Iterator[str]:
        who = item.author if item.author != "unknown" else f"{item.role}, author unknown"
        notes = [
            *([f"from {item.sender}"] if item.sender else []),
            *(["queued, not known to be delivered"] if item.pending else []),
            *(["copied"] if item.copied else []),
            *([item.capture] if item.capture else []),
        ]
        yield _head(item, level, who, *notes)
        yield from self._parts(item.parts)

    def _reasoning(self, item: Reasoning, level: int) -> Iterator[str]:
        yield _head(item, level, "thinking", *([item.capture] if item.capture else []))
        yield from self._parts(item.parts)

    def _call(self, item: Call, level: int) -> Iterator[str]:
        name = item.name
        if name is None:
            name = "result whose call cannot be told" if item.ambiguous else "result without a call"
        status = item.status or ("unknown: no result is recorded" if not item.ambiguous else "unknown")
        yield _head(
            item, level, f"tool {name}", f"outcome {status}", *(["called before"] if item.earlier else [])
        )
        if item.questions is not None or item.plan is not None:
            self._losses.note("arguments")
            found = {"questions": item.questions, "answers": item.answers, "plan": item.plan}
            yield self.fence(pretty({key: one for key, one in found.items() if one is not None}), "json")
        elif item.edits:
            self._losses.note("arguments")
            for edit in item.edits:
                yield f"{code(edit.path)} +{edit.added} −{edit.removed}\n\n"
                yield self.fence("\n".join(_diff(edit.hunks)), "diff")
        elif item.arguments is not None:
            yield self.fence(pretty(item.arguments), "json")
        if item.subagent is not None:
            yield from self._subagent(item.subagent, level)
        if item.output is not None and item.output != "".join(part.text or "" for part in item.result):
            self._losses.note("output")
        yield from self._parts(item.result)

    def _subagent(self, found: Subagent, level: int) -> Iterator[str]:
        said = [one for one in (found.agent_type, found.state, found.status) if one]
        yield f"Subagent {' '.join(map(code, said))}\n\n"
        for item in found.items:
            yield from self._item(item, min(level + 1, _DEEPEST))
        if found.items:
            yield f"End of the subagent {code(found.stream or '')}\n\n"

    def _exchange(self, item: Exchange, level: int) -> Iterator[str]:
        yield _head(item, level, "question", *([] if item.answers is not None else ["no answer recorded"]))
        found = {"questions": item.questions, "answers": item.answers}
        yield self.fence(pretty({key: one for key, one in found.items() if one is not None}), "json")

    def _plan(self, item: Plan, level: int) -> Iterator[str]:
        yield _head(item, level, "plan")
        yield self.fence(pretty(item.steps), "json")

    def _compaction(self, item: Compaction, level: int) -> Iterator[str]:
        known = "what it replaced is unknown" if item.unknown else "what stood before was replaced"
        yield _head(item, level, "compaction", *([item.trigger] if item.trigger else []), known)

    def _turn(self, item: Turn, level: int) -> Iterator[str]:
        to = "" if item.to is None else f" {item.to}"
        yield _head(item, level, item.what, *([f"record{to}"] if to else []))

    def _event(self, item: Event, level: int) -> Iterator[str]:
        yield _head(item, level, item.label, *([item.level] if item.level else []))
        if item.text:
            yield self.fence(item.text)

    def _mark(self, item: Mark, level: int) -> Iterator[str]:
        yield _head(item, level, f"checkpoint {item.checkpoint}", *item.commits)

    def _gap(self, item: Gap, level: int) -> Iterator[str]:
        yield _head(item, level, f"{item.lines} lines that cannot be read", item.reason)

    def _parts(self, parts: Sequence[Part]) -> Iterator[str]:
        for part in parts:
            if part.text is not None:
                yield self.fence(part.text)
            elif part.type == "json":
                yield self.fence(pretty(part.value), "json")
            else:
                self._losses.note(ABSENT_BLOB if part.type == "text" else BINARY)
                size = "" if part.bytes is None else f", {part.bytes} bytes"
                named = " ".join(one for one in (part.type, part.media_type) if one)
                yield f"{code(named + size)} is not here\n\n"


def _head(item: Item, level: int, what: str, *notes: str) -> str:
    """The heading of an item: what it is, its time, what else is to be said of it."""
    aside = ["on a branch that was left"] if item.aside else []
    said = [code(what), *([code(item.ts)] if item.ts else []), *map(code, (*notes, *aside))]
    return f"{'#' * level} {' · '.join(said)}\n\n"


def _diff(hunks: Iterable[Any]) -> Iterator[str]:
    for hunk in hunks:
        if hunk.old is not None and hunk.new is not None:
            yield f"@@ -{hunk.old} +{hunk.new} @@"
        yield from hunk.lines


def code(said: str) -> str:
    """A text as one code span: nothing in it ends it, and it is one line."""
    shown = text.one_line(said, _CELLS) or " "
    mark = "`" * (_longest(shown) + 1)
    pad = " " if shown[0] in "` " or shown[-1] in "` " else ""
    return f"{mark}{pad}{shown}{pad}{mark}"


def _longest(said: str) -> int:
    return max((len(run) for run in _RUN.findall(said)), default=0)


def pretty(value: Any) -> str:
    """A value as JSON for people, every half of a character escaped; on one line where it is nested very deeply."""
    text = codec.encode(value)
    if codec.deeper(text, _LEVELS):
        return text.decode("utf-8")
    return codec.encode_indented(value).decode("utf-8").rstrip("\n")
