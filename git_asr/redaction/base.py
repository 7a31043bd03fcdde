"""What a rule is, what it finds, and the kinds of things that are taken out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol

from git_asr.values import dataclass

SECRET = "SECRET"  # noqa: S105
URL = "URL_CREDENTIALS"
EMAIL = "EMAIL"
USER = "USER"
HOST = "HOST"
PATH = "PATH"
ADDRESS = "ADDRESS"
PHONE = "PHONE"
CARD = "CARD"
WORD = "WORD"
RANDOM = "RANDOM"
BINARY = "BINARY"
"""Kinds: what a placeholder says that it stands for."""


class Match(Protocol):
    """What a pattern gives: :class:`re.Match`, or the match of another engine."""

    def span(self, group: int = 0, /) -> tuple[int, int]:
        """Where a group starts and ends; -1 and -1 if it took no part."""
        ...


class Pattern(Protocol):
    """What a rule looks with: :class:`re.Pattern`, or the pattern of another engine."""

    @property
    def groups(self) -> int:
        """How many groups it has."""
        ...

    def match(self, text: str, start: int, end: int, /) -> Match | None:
        """The match that begins at ``start``."""
        ...

    def finditer(self, text: str, start: int, end: int, /) -> Iterator[Match]:
        """The matches between two places, none within another."""
        ...


@dataclass(frozen=True, slots=True)
class Rule:
    """One thing to look for.

    ``name``: short and stable, it stands in reports. ``kind``: what the placeholder says. ``pattern``: what is looked
    for; of its groups those that took part are what is replaced, the whole match where it has none or where the rule
    takes the ``whole``. ``literals``: one of
    them stands in every match, so that the pattern is tried only there; none: it is tried on every text. ``folded``:
    they are small letters, and compared without regard to case. ``before``: characters before a literal at which a
    match may begin; 0 where it begins with the literal. ``after``: characters behind the literal that are looked at; a
    match that reaches their end is looked at again in twice as many. ``accepts``: whether a value that was found is
    meant. ``in_ids``: whether IDs are looked at too. ``rest``: characters that belong to a value wherever they follow
    it.
    """

    name: str
    kind: str
    pattern: Pattern
    literals: tuple[str, ...] = ()
    folded: bool = False
    before: int = 0
    after: int = 400
    accepts: Callable[[str], bool] | None = None
    in_ids: bool = True
    rest: str = ""
    whole: bool = False


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A place in a text that a rule found, in characters; ``rank``: of rules at one place the lowest gives the name."""

    start: int
    end: int
    rank: int
    rule: Rule
