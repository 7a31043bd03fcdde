"""What a person looks for, as something that finds it in the lines of a text.

A pattern is an extended regular expression for one line. RE2 matches it where that is installed: its time grows with
the text alone. Python's own engine stands in, and takes for ever with some patterns: who calls sets it a deadline.
Words that are looked for as they are need neither.

Whatever finds the lines, ``Matcher.literals`` tells which texts cannot have one: those that lack a word without which
nothing matches. It is read off the pattern, cautiously: in doubt there is none, and every text is looked at.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from importlib import import_module
from itertools import islice
from typing import Any

from git_asr.errors import UsageError
from git_asr.values import dataclass

MOST = 1000
"""Characters of a pattern."""
_MOST_SPANS = 1000
_SURROGATES = re.compile("[\ud800-\udfff]")
_DOTTED = {0x130: "i", 0x131: "i"}
_NOT_ALIKE = re.compile("[\x80-\U0010ffff]+")
"""What stands for other characters, or is stood for, in ways that the engines do not share."""
_META = re.compile(r"[\\.^$*+?{}\[\]|()]")
_GROUP = re.compile(r"\((?!\?)|\(\?(?:[:=!]|<[=!]|P<|i\))")
_COUNT = re.compile(r"\{[^}]*\}")


@dataclass(frozen=True, slots=True)
class Query:
    """What is looked for. ``fixed``: it is no pattern; ``ignore_case``: letters stand for those of the other case."""

    text: str
    fixed: bool = False
    ignore_case: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """A line that matches. ``number``: in its text, from 1.

    ``spans``: what matched, begin and end in ``text``; of more than a thousand the first ones.
    """

    number: int
    text: str
    spans: tuple[tuple[int, int], ...]


class Matcher:
    """Finds the lines of a text that match.

    ``literals``: alternatives; of one of them a text has all words, folded (``fold``), in one line that matches. None
    where any text may match. ``bounded``: its time grows with the text alone.
    """

    def __init__(self, query: Query) -> None:
        """Raises UsageError: it is empty, of several lines, too long, or no pattern."""
        if not query.text:
            raise UsageError("nothing to look for")
        if "\n" in query.text:
            raise UsageError("a query is one line")
        if len(query.text) > MOST:
            raise UsageError(f"a query of more than {MOST:,} characters")
        self._plain = query.text if query.fixed or not _META.search(query.text) else None
        if self._plain is not None:
            flags = re.IGNORECASE if query.ignore_case else 0
            self._pattern: Any = re.compile(re.escape(self._plain), flags)
            self._bytes = False
            self.bounded = True
            found: list[list[str]] | None = [[self._plain]]
        else:
            self._pattern, self.bounded = _compiled(query)
            self._bytes = self.bounded
            found = words(query.text)
        self.literals = _folded(found, ignore_case=query.ignore_case or "(?i)" in query.text)

    def lines(self, text: str) -> list[Line]:
        """The lines that match, in order. A carriage return at the end of a line is no part of it."""
        if self.literals is not None:
            folded = fold(text)
            if not any(all(word in folded for word in one) for one in self.literals):
                return []
        return [
            Line(number, line, spans)
            for number, line in enumerate(split(text), start=1)
            if (spans := tuple(self._spans(line)))
        ]

    def _spans(self, line: str) -> Iterator[tuple[int, int]]:
        if self._bytes:
            line = _SURROGATES.sub("\ufffd", line)  # RE2 reads none
        if self._pattern.search(line) is None:
            return
        yield from (hit.span() for hit in islice(self._pattern.finditer(line), _MOST_SPANS))


def split(text: str) -> list[str]:
    """The lines of a text, without what ends them."""
    return [line[:-1] if line.endswith("\r") else line for line in text.split("\n")]


def fold(text: str) -> str:
    """A text in which characters that differ in case alone are the same, character by character.

    The dotless i and the dotted I are an i: Python's engine says so of them.
    """
    return text.lower() if text.isascii() else text.translate(_DOTTED).casefold()


def _folded(found: list[list[str]] | None, *, ignore_case: bool) -> tuple[tuple[str, ...], ...] | None:
    """The words folded, without what stands for something else; None where an alternative has none left."""
    if found is None:
        return None
    splitter = _NOT_ALIKE if ignore_case else re.compile("[\ufffd\ud800-\udfff]+")
    kept = [[fold(piece) for word in one for piece in splitter.split(word) if piece] for one in found]
    return tuple(map(tuple, kept)) if all(kept) else None


def _compiled(query: Query) -> tuple[Any, bool]:
    """The pattern, and whether its time is bounded."""
    try:
        re2 = import_module("re2")
    except ModuleNotFoundError:
        return _own(query), False
    options = re2.Options()
    options.log_errors = False
    options.case_sensitive = not query.ignore_case
    try:
        return re2.compile(_SURROGATES.sub("\ufffd", query.text), options), True
    except re2.error as error:
        said = error.args[0] if error.args else "no regular expression"
        raise _bad(said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)) from error


def _own(query: Query) -> re.Pattern[str]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return re.compile(query.text, re.IGNORECASE if query.ignore_case else 0)
    except (re.error, OverflowError, RecursionError) as error:
        raise _bad(str(error)) from error


def _bad(why: str) -> UsageError:
    return UsageError(f"no regular expression: {why}", hint="-F looks for the text as it is")


def words(pattern: str) -> list[list[str]] | None:
    """Words that a line needs to match a pattern, one list for each alternative; None where that cannot be told.

    Only what stands outside of groups and classes counts, and only what both engines read alike: a pattern with
    escapes that take arguments, with POSIX classes, or with flags but ``(?i)`` at its beginning tells nothing. For RE2
    what repeats a flag repeats what stands before that.
    """
    if "(?i)" in pattern[1:] or re.search(r"\\[QEpPxuUN0-9CkgG]|\[:|\[\.|\[=", pattern):
        return None
    found: list[list[str]] = [[]]
    run = ""
    at = 0
    while at < len(pattern):
        character = pattern[at]
        literal: str | None = None
        step = 1
        if character == "\\":
            step = 2
            escaped = pattern[at + 1 : at + 2]
            literal = escaped if escaped and not escaped.isalnum() else None
        elif character in "([":
            end = _group_end(pattern, at) if character == "(" else _class_end(pattern, at)
            if end is None:
                return None
            step = end - at
        elif character not in ".^$|)]{}*+?":
            literal = character
        after, least = _repeated(pattern, at + step)
        if literal is not None and least:
            run += literal
        if literal is None or not least or after > at + step:
            found[-1].append(run)
            run = ""
        if character == "|":
            found.append([])
        at = after
    found[-1].append(run)
    kept = [[word for word in one if word] for one in found]
    return kept if all(kept) else None


def _repeated(pattern: str, at: int) -> tuple[int, bool]:
    """Where what says how often something stands ends, and whether it stands at least once."""
    least = True
    while at < len(pattern):
        if pattern[at] in "*?":
            least, at = False, at + 1
        elif pattern[at] == "+":
            at += 1
        elif (count := _COUNT.match(pattern, at)) is not None:
            least, at = False, count.end()
        else:
            break
    return at, least


def _class_end(pattern: str, at: int) -> int | None:
    """Where a class of characters that begins here ends; its first member may be a bracket."""
    at += 2 if pattern[at + 1 : at + 2] == "^" else 1
    first = at
    while at < len(pattern):
        if pattern[at] == "]" and at > first:
            return at + 1
        at += 2 if pattern[at] == "\\" else 1
    return None


def _group_end(pattern: str, at: int) -> int | None:
    """Where a group that begins here ends; None for one that says how the rest is read."""
    depth = 0
    while at < len(pattern):
        if pattern[at] == "\\":
            at += 2
        elif pattern[at] == "[":
            end = _class_end(pattern, at)
            if end is None:
                return None
            at = end
        else:
            if pattern[at] == "(":
                if not _GROUP.match(pattern, at):
                    return None
                depth += 1
            elif pattern[at] == ")":
                depth -= 1
            at += 1
            if not depth:
                return at
    return None
