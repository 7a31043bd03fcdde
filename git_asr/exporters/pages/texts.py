"""Long texts, folded: what is shown at once, and what is shown when it is asked for. Nothing is left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from git_asr.values import dataclass
from git_asr.views import text
from git_asr.views.patches import Edit

_LINE = 400
"""Characters that a line of what is shown at once has room for."""
_PIECE = 1 << 14
"""Characters that a browser lays out in one go."""
_FENCE = "```"


@dataclass(frozen=True, slots=True)
class Line:
    """A line, or several, that look alike: ``look`` is ``add``, ``del``, ``at``, ``dim``, or nothing."""

    look: str
    text: str


@dataclass(frozen=True, slots=True)
class Block:
    """A text. ``look``: prose, code, diff, plan, question or note. ``head``: its beginning, ``rest``: what is folded.

    ``more``: how much that is. ``title``: what it is. Each piece of ``rest`` is laid out by itself.
    """

    look: str
    head: tuple[Line, ...]
    rest: tuple[tuple[Line, ...], ...] = ()
    more: str = ""
    title: str = ""


def block(look: str, said: str, most: int, *, title: str = "") -> Block:
    """A text of which at most so many lines are shown at once."""
    said = said.replace("\r\n", "\n").rstrip("\n")
    at = _fold(said, most)
    if at is None:
        return Block(look, (Line("", said),), title=title)
    rest = said[at:]
    more = text.plural(rest.count("\n") + 1, "more line")
    if len(rest) > most * _LINE:
        more += f", {text.human(len(rest))} characters"
    return Block(look, (Line("", said[:at]),), tuple((Line("", one),) for one in _pieces(rest)), more, title)


def folded(look: str, said: str, more: str) -> Block:
    """A text of which nothing is shown at once; ``more`` says what it is."""
    return Block(look, (), tuple((Line("", one),) for one in _pieces(said.rstrip("\n"))), more)


def prose(said: str, most: int) -> Iterator[Block]:
    """A text that somebody said: what stands in fences is code."""
    said = said.strip("\r\n")
    if _fold(said, most) is not None or said.count(_FENCE) > 2 * most:
        yield block("prose", said, most)
        return
    look, kept = "prose", list[str]()
    for line in said.split("\n"):
        fence = line.lstrip().startswith(_FENCE)
        if fence and look == "prose":
            if kept:
                yield block(look, "\n".join(kept), most)
            look, kept = "code", [line]
        elif fence and line.strip() == _FENCE:
            yield block(look, "\n".join([*kept, line]), most)
            look, kept = "prose", []
        else:
            kept.append(line)
    if kept:
        yield block(look, "\n".join(kept), most)


def diff(path: str, edit: Edit, most: int) -> Block:
    """An edit, line by line."""
    lines = _diff(edit)
    head = tuple(islice(lines, most))
    if sum(len(one.text) for one in head) > most * _LINE:
        return _long(path, edit)
    rest = list(lines)
    if len(rest) == 1:  # no longer than what would say that it is folded
        head, rest = (*head, *rest), []
    if any(len(one.text) > _PIECE for one in rest):
        return _long(path, edit)
    pieces = tuple(tuple(rest[at : at + most * 4]) for at in range(0, len(rest), most * 4))
    return Block("diff", head, pieces, text.plural(len(rest), "more line") if rest else "", path)


def _long(path: str, edit: Edit) -> Block:
    """An edit with lines that are longer than anybody reads."""
    found = block("diff", "".join(one.text for one in _diff(edit)), 1, title=path)
    return Block("diff", found.head, found.rest, found.more, path)


def _diff(edit: Edit) -> Iterator[Line]:
    for hunk in edit.hunks:
        if hunk.old is not None and hunk.new is not None:
            yield Line("at", f"@@ -{hunk.old} +{hunk.new} @@\n")
        for line in hunk.lines:
            yield Line({"+": "add", "-": "del"}.get(line[:1], ""), line + "\n")


def _fold(said: str, most: int) -> int | None:
    """Where a text is folded: behind so many lines, or characters; None where it is hardly longer."""
    at = -1
    for _ in range(most):
        at = said.find("\n", at + 1)
        if at < 0:
            break
    long = most * _LINE
    if len(said) > long and (at < 0 or at >= long):
        return long
    if (
        at < 0 or "\n" not in said[at + 1 :]
    ):  # one line more is no longer than what would say that it is folded
        return None
    return at + 1


def _pieces(said: str) -> Iterable[str]:
    """A text in pieces that a browser lays out quickly, each to the end of a line if there is one."""
    at = 0
    while len(said) - at > _PIECE:
        end = said.rfind("\n", at, at + _PIECE) + 1
        if end <= at:
            end = at + _PIECE
        yield said[at:end]
        at = end
    yield said[at:]
