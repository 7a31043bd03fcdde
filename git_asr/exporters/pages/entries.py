"""Items of a timeline as a page shows them: what stands in the line of an entry, and the texts below it.

Texts are as recorded here; the templates make them neutral and escape them (``pages.templates``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from git_asr.asr import codec
from git_asr.asr.times import instant
from git_asr.exporters.base import Losses
from git_asr.exporters.common import ABSENT_BLOB, BINARY
from git_asr.exporters.pages.texts import Block, Line, block, diff, folded, prose
from git_asr.values import dataclass
from git_asr.views import text, words
from git_asr.views.gist import gist
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
    Turn,
)

_CELLS = 160
"""Terminal cells of a line that says what an entry is about."""
_LEVELS = 100
"""Levels of a value that are indented."""
_SPOKEN, _OTHER, _FAILED, _DIFF = 40, 12, 20, 40
"""Lines of a text that are shown unfolded: of what was said, of anything else, of a failure, of an edit."""
_OID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_AUTHORS = frozenset({"human", "agent", "harness"})
_STATUS = {"ok": "ok", "error": "error", "rejected": "warned", "cancelled": "warned"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One entry. ``kind``: how it looks. ``who``: what its line begins with, ``said``: what it is about.

    ``outcome``: of a call, with ``state`` for its look. ``took``: how long it took, nothing where that is not known.
    ``folded``: None where it cannot be folded, else whether it is at first. ``below``: what a subagent did.
    ``behind``: texts behind that. ``anchors``: commits whose place on the page this is.
    """

    kind: str
    who: str
    said: str = ""
    outcome: str = ""
    state: str = ""
    notes: tuple[str, ...] = ()
    record: str | None = None
    ts: str | None = None
    took: str = ""
    aside: bool = False
    folded: bool | None = None
    blocks: tuple[Block, ...] = ()
    below: tuple[Entry, ...] = ()
    behind: tuple[Block, ...] = ()
    anchors: tuple[str, ...] = ()

    @property
    def day(self) -> str:
        """The date of its time as recorded."""
        return (self.ts or "")[:10]

    @property
    def clock(self) -> str:
        """The time of day."""
        return (self.ts or "")[11:19]


class Entries:
    """Makes entries of items, and notes what of them is lost. ``folder``: paths below it are shown from there."""

    def __init__(self, losses: Losses, folder: str | None, anchors: set[str]) -> None:
        """``anchors``: the commits that have their place on the page already; more are added."""
        self._losses = losses
        self.anchors = anchors
        self._folder = None if folder is None else folder.rstrip("/\\") + "/"
        self._makers: dict[type[Item], Callable[[Any], Entry]] = {
            Message: self._message,
            Reasoning: self._reasoning,
            Call: self._call,
            Exchange: self._exchange,
            Plan: self._plan,
            Compaction: lambda item: _rule(item, words.compaction(item)),
            Turn: lambda item: _rule(item, words.turn(item)),
            Event: self._event,
            Mark: self._mark,
            Gap: lambda item: _rule(item, words.gap(item), state="error"),
        }

    def of(self, item: Item) -> Entry:
        """The entry of an item."""
        return self._makers[type(item)](item)

    def _message(self, item: Message) -> Entry:
        spoken = item.author in ("human", "agent")
        return Entry(
            **_place(item, item.author if item.author in _AUTHORS else "other"),
            who=words.who(item),
            notes=tuple(words.notes(item)),
            said="" if spoken else _begin(item.parts),
            folded=None if spoken else True,
            blocks=tuple(self._parts(item.parts, _SPOKEN, spoken=spoken)),
        )

    def _reasoning(self, item: Reasoning) -> Entry:
        found = tuple(self._parts(item.parts, _SPOKEN, spoken=True))
        return Entry(
            **_place(item, "thinking"),
            who="thinking",
            notes=(item.capture,) if item.capture else (),
            said=_begin(item.parts),
            folded=True if found else None,
            blocks=found,
        )

    def _call(self, item: Call) -> Entry:
        failed = item.status not in ("ok", None)
        most = _FAILED if failed else _OTHER
        asked = tuple(self._asked(item))
        telling = bool(item.edits or item.plan is not None or item.questions is not None)
        result = tuple(self._parts(item.result, most, done=telling and item.status == "ok"))
        if item.output is not None and item.output != "".join(part.text or "" for part in item.result):
            self._losses.note("output")
        below: tuple[Entry, ...] = ()
        if item.subagent is not None:
            below = tuple(self.of(one) for one in item.subagent.items)
        blocks, behind = (asked, result) if below else ((*asked, *result), ())
        folds = bool(blocks or below or behind)
        return Entry(
            **_place(item, "tool"),
            who=words.tool(item),
            said=self._about(item),
            outcome=words.outcome(item),
            state=_STATUS.get(words.outcome(item), "warned"),
            took=words.took(item),
            folded=not (telling or failed) if folds else None,
            blocks=blocks,
            below=below,
            behind=behind,
        )

    def _about(self, item: Call) -> str:
        """What a call is about, in one line."""
        if item.questions is not None or item.plan is not None:
            return ""
        said = self._from_here(gist(item.arguments))
        if item.edits:
            edit = item.edits[0]
            removed = "" if edit.whole else f" −{edit.removed}"
            said = f"{self._from_here(edit.path)} +{edit.added}{removed}"
        return text.one_line(said, _CELLS)

    def _asked(self, item: Call) -> Iterator[Block]:
        """What a call asked for: a question, a plan, edits, a subagent, or any arguments."""
        if item.questions is not None:
            self._losses.note("arguments")
            yield from _exchange(item.questions, item.answers)
        elif item.plan is not None:
            self._losses.note("arguments")
            yield _steps(item.plan)
        elif item.edits:
            self._losses.note("arguments")
            for edit in item.edits:
                yield diff(self._from_here(edit.path), edit, _DIFF)
        elif item.arguments not in (None, {}, []):
            prompt = item.arguments.get("prompt") if isinstance(item.arguments, dict) else None
            said = item.subagent is not None and isinstance(prompt, str)
            if not said:
                yield block("code", _pretty(item.arguments), _OTHER, title="arguments")
            elif item.subagent is not None and str(prompt).strip() != words.first_said(item.subagent.items):
                self._losses.note("arguments")
                yield block("prose", str(prompt), _OTHER)
        if item.subagent is not None:
            yield block("note", words.subagent(item.subagent), _OTHER)

    def _exchange(self, item: Exchange) -> Entry:
        return Entry(
            **_place(item, "question"),
            who="question",
            folded=False,
            blocks=tuple(_exchange(item.questions, item.answers)),
        )

    def _plan(self, item: Plan) -> Entry:
        return Entry(**_place(item, "plan"), who="plan", folded=False, blocks=(_steps(item.steps),))

    def _event(self, item: Event) -> Entry:
        said = self._from_here(item.text)
        short = text.one_line(said, _CELLS)
        whole = " ".join(text.neutral(said, lines=True).split()) == short
        return Entry(
            **_place(item, "event"),
            who=item.label,
            said=short,
            state="error" if item.level == "error" else "",
            folded=None if whole else True,
            blocks=() if whole else (block("code", said, _OTHER),),
        )

    def _mark(self, item: Mark) -> Entry:
        new = tuple(one for one in item.commits if _OID.fullmatch(one) and one not in self.anchors)
        self.anchors.update(new)
        return _rule(item, words.mark(item), anchors=new)

    def _parts(
        self, parts: Sequence[Part], most: int, *, spoken: bool = False, done: bool = False
    ) -> Iterator[Block]:
        """The parts of a content. ``done``: what they say is that what stands above was done."""
        for part in parts:
            if part.text is not None:
                if done and part.text.strip():
                    yield folded("code", part.text, "result")
                elif part.text.strip():
                    yield from prose(part.text, most) if spoken else (block("code", part.text, most),)
            elif part.type == "json":
                yield block("code", _pretty(part.value), most)
            else:
                self._losses.note(ABSENT_BLOB if part.type == "text" else BINARY)
                yield block("note", words.absent(part), most)

    def _from_here(self, said: str) -> str:
        return said if self._folder is None else said.removeprefix(self._folder)


def _place(item: Item, kind: str) -> dict[str, Any]:
    """The members that every entry has."""
    ts = None if instant(item.ts) is None else item.ts
    return {"kind": kind, "record": item.record, "ts": ts, "aside": item.aside}


def _rule(item: Item, who: str, *, anchors: tuple[str, ...] = (), state: str = "") -> Entry:
    """An entry that is a line across the page."""
    return Entry(**{**_place(item, "rule"), "ts": None}, who=who, anchors=anchors, state=state)


def _begin(parts: Iterable[Part]) -> str:
    """The first words of a content."""
    said = next((part.text for part in parts if part.text is not None and part.text.strip()), "")
    return text.one_line(said[: 16 * _CELLS], _CELLS)


def _pretty(value: Any) -> str:
    """A value as JSON for people; on one line where it is nested very deeply."""
    data = codec.encode(value)
    if codec.deeper(data, _LEVELS):
        return data.decode("utf-8")
    return codec.encode_indented(value).decode("utf-8").rstrip("\n")


def _steps(steps: Sequence[Mapping[str, Any]]) -> Block:
    """The steps of a plan; one that has no status is a plan in prose."""
    if len(steps) == 1 and "status" not in steps[0]:
        return block("prose", str(steps[0]["text"]), _SPOKEN)
    said = "\n".join(map(_step, steps))
    return block("plan", said or "empty", _SPOKEN)


def _step(step: Mapping[str, Any]) -> str:
    status = step.get("status")
    box = words.BOXES.get(status, "[?]") if isinstance(status, str) else "[?]"
    return f"{box} {' '.join(str(step['text']).split())}"


def _exchange(questions: Sequence[Any], answers: Sequence[Any] | None) -> Iterator[Block]:
    """Each question with its options, and the answers that name it; then those that name none."""
    replies = [one for one in answers or () if isinstance(one, dict)]
    asked = [one.get("question") if isinstance(one, dict) else None for one in questions]
    for question, said in zip(questions, asked, strict=True):
        options = question.get("options") if isinstance(question, dict) else None
        labels = (
            [gist(one.get("label")) for one in options or () if isinstance(one, dict)]
            if isinstance(options, list)
            else []
        )
        own = [one for one in replies if said is not None and one.get("question") == said]
        yield _asked(said if isinstance(said, str) else gist(question), labels, own)
    for one in replies:
        if one.get("question") not in [said for said in asked if said is not None]:
            yield _asked(gist(one.get("question")), [], [one])


def _asked(question: str, labels: Sequence[str], replies: Sequence[Mapping[str, Any]]) -> Block:
    lines = chain(
        [Line("", f"? {question}")],
        [Line("dim", f"of: {' | '.join(labels)}")] if labels else [],
        (Line("add", f"→ {gist(one.get('answer'))}") for one in replies),
        [] if replies else [Line("dim", "no answer recorded")],
    )
    first, *others = lines
    return Block("question", head=(first, *(Line(one.look, f"\n{one.text}") for one in others)))
