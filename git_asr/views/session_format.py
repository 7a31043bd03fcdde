"""``--asr-format``: a line of one's own for each session of a commit.

Fields are named as in the formats of `git for-each-ref`, ``%(agent)``; ``%%``, ``%n``, ``%C(…)`` and the paddings
``%<(N)`` and ``%>(N)`` are those of `git log --format`. What is not recorded is ``-``, never 0.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from git_asr.errors import UsageError
from git_asr.values import dataclass
from git_asr.views import text
from git_asr.views.session import Overview, short_id

UNKNOWN = "-"
_RESET = "\x1b[m"
_TOKEN = re.compile(
    r"%(?:(?P<plain>[%n])|\((?P<field>[^()]*)\)|C\((?P<colour>[^()]*)\)"
    r"|(?P<side>[<>])\((?P<cells>[0-9]{1,4})(?P<cut>,trunc)?\))"
)


@dataclass(frozen=True, slots=True)
class Tie:
    """What ties a session to a commit: the checkpoints, and what the links rest on; both sorted."""

    checkpoints: tuple[str, ...]
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Tied:
    """A session under a commit. ``tie``: asked for only where the format has a field of it."""

    view: Overview
    tie: Callable[[], Tie]


def _count(name: str) -> Callable[[Tied], str | None]:
    def told(one: Tied) -> str | None:
        return str(one.view.counts[name]) if name in one.view.counts else None

    return told


def _tokens(group: str, name: str = "total") -> Callable[[Tied], str | None]:
    def told(one: Tied) -> str | None:
        found = one.view.usage.get(group)
        number = found.get(name) if isinstance(found, dict) else found
        return None if number is None else str(number)

    return told


def _input(one: Tied) -> str | None:
    from git_asr.asr.usage import plain_input  # noqa: PLC0415  (not needed for other fields)

    number = plain_input(one.view.usage)
    return None if number is None else str(number)


def _duration(one: Tied) -> str | None:
    return None if one.view.seconds is None else text.duration(one.view.seconds)


def _total(one: Tied) -> str | None:
    return None if one.view.tokens is None else str(one.view.tokens)


def _prompt(one: Tied) -> str | None:
    lines = (one.view.first_prompt or "").strip().splitlines()
    return lines[0] if lines else None


FIELDS: dict[str, Callable[[Tied], str | None]] = {
    "agent": lambda one: one.view.agent,
    "harness": lambda one: one.view.harness,
    "model": lambda one: ", ".join(one.view.models),
    "session": lambda one: one.view.id,
    "session:short": lambda one: short_id(one.view.id),
    "checkpoint": lambda one: ", ".join(one.tie().checkpoints),
    "evidence": lambda one: ", ".join(one.tie().evidence),
    "started": lambda one: one.view.started_at,
    "ended": lambda one: one.view.ended_at,
    "duration": _duration,
    "prompts": _count("prompts"),
    "calls": _count("toolCalls"),
    "tokens": _total,
    "input": _input,
    "output": _tokens("output"),
    "cache-read": _tokens("cacheRead"),
    "cache-write": _tokens("cacheWrite"),
    "commits": lambda one: str(len(one.view.commits)),
    "prompt": _prompt,
}
"""What each field says of a session; None or nothing where it is not recorded. docs/log.md explains them."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """A text as the user typed it, or a field, in so many cells if any. ``colour``: a name for Git to translate."""

    literal: str = ""
    field: str = ""
    colour: str | None = None
    side: str = ""
    cells: int = 0
    cut: bool = False

    def told(self, one: Tied) -> str:
        if not self.field:
            return self.literal
        said = text.one_line(FIELDS[self.field](one) or "") or UNKNOWN
        if self.cut:
            said = text.clip(said, self.cells)
        if not self.side:
            return said
        space = " " * max(0, self.cells - text.width(said))
        return space + said if self.side == ">" else said + space


@dataclass(frozen=True, slots=True)
class Format:
    """A format that was read: its lines, each of pieces."""

    lines: tuple[tuple[_Piece, ...], ...]

    @property
    def ties(self) -> bool:
        """Whether it says what ties a session to its commit."""
        return any(one.field in ("checkpoint", "evidence") for line in self.lines for one in line)

    @property
    def colours(self) -> frozenset[str]:
        """The colours that it names, as Git's configuration writes them."""
        return frozenset(one.colour for line in self.lines for one in line if one.colour is not None)

    def rendered(self, one: Tied, colours: Mapping[str, str]) -> list[str]:
        """The lines for a session, neutral but for what the user typed and for colours.

        ``colours``: the escape sequence of each name; empty for none. A line that has one ends without.
        """
        return [_line(pieces, one, colours) for pieces in self.lines]


def _line(pieces: Sequence[_Piece], one: Tied, colours: Mapping[str, str]) -> str:
    said = [colours.get(each.colour, "") if each.colour is not None else each.told(one) for each in pieces]
    painted = any(each.colour is not None and colours.get(each.colour) for each in pieces)
    return "".join(said).rstrip(" ") + (_RESET if painted else "")


def parse(given: str) -> Format:
    """Read a format.

    Raises:
        UsageError: it has a ``%`` that means nothing, a field that there is none of, or a padding of nothing.
    """
    lines: list[list[_Piece]] = [[]]
    pad = _Piece()
    for literal, token in _tokens_of(given):
        if token is None:
            first, *more = literal.split("\n")
            lines[-1].append(_Piece(first))
            lines += ([_Piece(one)] for one in more)
        elif token["side"]:
            pad = _Piece("", "", None, token["side"], int(token["cells"]), token["cut"] is not None)
        elif token["plain"] == "n":
            lines.append([])
        elif token["plain"]:
            lines[-1].append(_Piece("%"))
        elif token["colour"] is not None:
            lines[-1].append(_Piece(colour=token["colour"]))
        elif token["field"] not in FIELDS:
            raise _odd(literal)
        else:
            lines[-1].append(replace(pad, field=token["field"]))
            pad = _Piece()
    if pad.side:
        raise UsageError("--asr-format: a padding stands before a field")
    return Format(tuple(map(tuple, lines)))


def _tokens_of(given: str) -> Iterator[tuple[str, re.Match[str] | None]]:
    """The texts and the tokens of a format, in order. Raises UsageError: a ``%`` that begins no token."""
    at = 0
    while at < len(given):
        found = _TOKEN.match(given, at)
        if found is None and given[at] == "%":
            raise _odd(given[at : at + 12])
        end = (found.end() if found is not None else given.find("%", at)) % (len(given) + 1)
        yield given[at:end], found
        at = end


def _odd(said: str) -> UsageError:
    return UsageError(
        f"--asr-format has no '{said}'",
        hint="\n".join(
            [
                "fields: " + " ".join(f"%({one})" for one in FIELDS),
                "also %% %n %C(COLOUR) %<(N) %>(N) %<(N,trunc)",
            ]
        ),
    )
