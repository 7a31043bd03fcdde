"""Each kind of entry of a timeline as lines: the first says what it is, the others are its content."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, cast

from git_asr.cli.folding import Folding
from git_asr.cli.render import Style, paint
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
    Subagent,
    Turn,
)

_INDENT = "  "
_SPOKEN_LINES = {"human": 24, "agent": 16}
_OTHER_LINES = 4
"""Lines of what the harness put in, of results, and of reasoning."""
_FAILED_LINES = 10
_DIFF_LINES = 30
_STEP_LINES = 20
_SAME_STEPS = 3
"""Steps of a plan that are worth a line which says that they are as before."""
_GIST_CELLS = 90
_HEAD_CELLS = 400
_AUTHORS: dict[str, Style] = {"human": "green", "agent": "bold"}
_STATUS: dict[str, Style] = {"ok": "green", "error": "red", "rejected": "yellow", "cancelled": "yellow"}


def lines(item: Item, folding: Folding) -> Iterator[str]:
    """The lines of an item, neutral; at least one."""
    return _LINES[type(item)](item, folding)


def _line(said: str) -> str:
    """One neutral line for what is short unless somebody means harm."""
    return text.one_line(said, _HEAD_CELLS)


def _indented(found: Iterator[str]) -> Iterator[str]:
    return (f"{_INDENT}{line}" if line else "" for line in found)


def _message(item: Message, folding: Folding) -> Iterator[str]:
    notes = words.notes(item)
    name = paint(_line(words.who(item)), _AUTHORS.get(item.author, "dim"))
    yield name + (" " + paint(_line(f"({', '.join(notes)})"), "dim") if notes else "")
    yield from _indented(_parts(item.parts, folding, _SPOKEN_LINES.get(item.author, _OTHER_LINES)))


def _reasoning(item: Reasoning, folding: Folding) -> Iterator[str]:
    yield paint(_line("thinking" + (f" ({item.capture})" if item.capture else "")), "dim")
    for line in _parts(item.parts, folding, _OTHER_LINES):
        yield _INDENT + paint(line, "dim")


def _parts(parts: Sequence[Part], folding: Folding, most: int) -> Iterator[str]:
    for part in parts:
        if part.text is not None:
            yield from folding.lines(part.text, most) if part.text.strip() else ()
        elif part.type == "json":
            said = gist(part.value)
            yield from folding.lines(said, most) if said.strip() else ()
        else:
            yield paint(_line(words.absent(part)), "dim")


def _call(item: Call, folding: Folding) -> Iterator[str]:
    shown_below = item.questions is not None or item.plan is not None
    said = "" if shown_below else folding.path(gist(item.arguments))
    if item.edits:
        edit = item.edits[0]
        said = f"{folding.path(edit.path)}  +{edit.added}" + ("" if edit.whole else f" −{edit.removed}")
    head = [
        paint(_line(words.tool(item, _here(folding))), "cyan"),
        text.one_line(said, _GIST_CELLS),
        _status(item, folding),
        paint(words.took(item), "dim"),
    ]
    yield "  ".join(one for one in head if one)
    if item.questions is not None:
        yield from _indented(_exchange_lines(item.questions, item.answers, folding))
    elif item.plan is not None:
        yield from _indented(_steps(item.plan, folding))
    elif item.edits and item.status in ("ok", None):
        yield from _indented(_diff(item, folding))
    if item.subagent is not None:
        yield from _indented(_subagent(item.subagent, item.arguments, folding))
    else:
        yield from outcome(item, folding)


def outcome(item: Call, folding: Folding) -> Iterator[str]:
    """The result of a call; it stands behind what a subagent did."""
    if item.status == "ok" and (item.edits or item.questions is not None or item.plan is not None):
        return  # the result says that it was done
    most = _OTHER_LINES if item.status == "ok" else _FAILED_LINES
    yield from _indented(_parts(item.result, folding, most))


def _here(folding: Folding) -> str:
    return words.IN_CONTEXT if folding.projection else words.RECORDED


def _status(item: Call, folding: Folding) -> str:
    said = words.outcome(item, _here(folding))
    return paint(_line(said), _STATUS.get(said, "yellow"))


def _diff(item: Call, folding: Folding) -> Iterator[str]:
    for edit in item.edits:
        if len(item.edits) > 1:
            yield paint(_line(folding.path(edit.path)), "bold")
        for hunk in edit.hunks:
            if hunk.old is not None and hunk.new is not None:
                yield paint(f"@@ -{hunk.old} +{hunk.new} @@", "cyan")
            for line in folding.lines("\n".join(hunk.lines), _DIFF_LINES):
                style = {"+": "green", "-": "red"}.get(line[:1])
                yield paint(line, cast("Style", style)) if style else line


def _exchange(item: Exchange, folding: Folding) -> Iterator[str]:
    yield paint("question", "cyan")
    yield from _indented(_exchange_lines(item.questions, item.answers, folding))


def _exchange_lines(
    questions: Sequence[Any], answers: Sequence[Any] | None, folding: Folding
) -> Iterator[str]:
    """Each question with its options, and the answer that names it."""
    replies = [one for one in answers or () if isinstance(one, dict)]
    by_question: dict[str, list[Mapping[str, Any]]] = {}
    for one in replies:
        if isinstance(one.get("question"), str):
            by_question.setdefault(one["question"], []).append(one)
    for question in questions:
        asked = question.get("question") if isinstance(question, dict) else None
        said = asked if isinstance(asked, str) else gist(question)
        yield from folding.lines(f"? {said}", _OTHER_LINES)
        options = question.get("options") if isinstance(question, dict) else None
        labels = (
            [gist(one.get("label")) for one in options if isinstance(one, dict)]
            if isinstance(options, list)
            else []
        )
        if labels:
            for line in folding.lines(f"of: {' | '.join(labels)}", _OTHER_LINES):
                yield paint(line, "dim")
        own = by_question.pop(asked, ()) if isinstance(asked, str) else ()
        for reply in own:
            yield from _answer(reply, folding)
        if not own:
            yield paint(f"no answer {_here(folding)}", "yellow")
    for reply in replies:
        asked = reply.get("question")
        if isinstance(asked, str) and asked not in by_question:
            continue  # it stands with its question
        yield from folding.lines(f"? {gist(reply.get('question'))}", _OTHER_LINES)
        yield from _answer(reply, folding)


def _answer(reply: Mapping[str, Any], folding: Folding) -> Iterator[str]:
    for line in folding.lines(f"→ {gist(reply.get('answer'))}", _OTHER_LINES):
        yield paint(line, "green")


def _plan(item: Plan, folding: Folding) -> Iterator[str]:
    yield paint("plan", "cyan")
    yield from _indented(_steps(item.steps, folding))


def _steps(steps: Sequence[Mapping[str, Any]], folding: Folding) -> Iterator[str]:
    """The steps of a plan; of one that goes on from the one before only what is new."""
    if not steps:
        yield paint("empty", "dim")
    elif len(steps) == 1 and "status" not in steps[0]:  # a plan in prose
        prose = str(steps[0]["text"])
        if prose.strip() and prose.strip() in folding.said and not folding.full:
            yield paint("as just said", "dim")
        else:
            yield from folding.lines(prose, _STEP_LINES)
    else:
        now, known = tuple(map(_step, steps)), set(folding.plan)
        new = [one for one in now if one not in known]
        same = len(now) - len(new)
        folding.plan = now
        if folding.full or same < _SAME_STEPS:
            yield from folding.lines("\n".join(now), _STEP_LINES)
            return
        if new:
            yield from folding.lines("\n".join(new), _STEP_LINES)
        yield paint(f"… {text.plural(same, 'step')} as before", "dim")
        folding.folded += 1


def _step(step: Mapping[str, Any]) -> str:
    status = step.get("status")
    box = words.BOXES.get(status, "[?]") if isinstance(status, str) else "[?]"
    return f"{box} {text.one_line(str(step['text']))}"


def _subagent(item: Subagent, arguments: Any, folding: Folding) -> Iterator[str]:
    if folding.projection:
        yield paint("subagent: its context is its own", "cyan")
    else:
        yield paint(_line(words.subagent(item)), "cyan")
        if item.stream is not None and item.items:
            yield paint(_line(f"stream {item.stream}"), "dim")
    prompt = arguments.get("prompt") if isinstance(arguments, dict) else None
    if isinstance(prompt, str) and prompt.strip() != words.first_said(item.items):
        yield from _indented(folding.lines(prompt, _OTHER_LINES))


def _compaction(item: Compaction, folding: Folding) -> Iterator[str]:
    said = words.compaction(item, "what came before") if folding.projection else words.compaction(item)
    yield paint(_line(f"── {said} ──"), "yellow")


def _turn(item: Turn, _: Folding) -> Iterator[str]:
    yield paint(_line(f"── {words.turn(item)} ──"), "yellow")


def _event(item: Event, folding: Folding) -> Iterator[str]:
    first, *rest = folding.lines(folding.path(item.text), _OTHER_LINES)
    yield f"{paint(_line(item.label), 'red' if item.level == 'error' else 'dim')}  {first}".rstrip()
    yield from _indented(iter(rest))


def _mark(item: Mark, _: Folding) -> Iterator[str]:
    yield paint(_line(f"── {words.mark(item)} ──"), "yellow")


def _gap(item: Gap, _: Folding) -> Iterator[str]:
    yield paint(_line(f"── {words.gap(item)} ──"), "red")


_LINES: dict[type[Item], Callable[[Any, Folding], Iterator[str]]] = {
    Message: _message,
    Reasoning: _reasoning,
    Call: _call,
    Exchange: _exchange,
    Plan: _plan,
    Compaction: _compaction,
    Turn: _turn,
    Event: _event,
    Mark: _mark,
    Gap: _gap,
}
