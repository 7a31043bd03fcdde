"""Finds what rules look for in a text, in one pass over it for the literals of all rules together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import ahocorasick

from git_asr.redaction.base import Match, Rule, Span


class Scanner:
    """Rules that were made ready once; ``spans`` says where in a text they find something."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        """``rules``: those that come first give a place its name, where several find it."""
        self._rules = tuple(rules)
        self._exact = _automaton(_entries(rules, folded=False))
        self._folded = _automaton(_entries(rules, folded=True))
        self._values = [() if rule.whole else tuple(range(1, rule.pattern.groups + 1)) for rule in rules]
        self._always = [index for index, rule in enumerate(rules) if not rule.literals]

    def spans(self, text: str) -> list[Span]:
        """Every place that a rule finds, in no order; places may lie over one another."""
        found: list[Span] = []
        reached: dict[int, int] = {}
        if self._exact is not None:
            for end, tried in self._exact.iter(text):
                self._at(text, end + 1, tried, reached, found)
        if self._folded is not None:
            for end, tried in self._folded.iter(folded(text)):
                self._at(text, end + 1, tried, reached, found)
        for index in self._always:
            self._between(text, index, 0, len(text), found)
        return found

    def _at(
        self,
        text: str,
        end: int,
        tried: Iterable[tuple[int, int]],
        reached: dict[int, int],
        found: list[Span],
    ) -> None:
        """Try the rules that have a literal which ends here; ``tried``: its length and the rule, of each."""
        for length, index in tried:
            start = end - length
            if start < reached.get(index, 0):
                continue
            rule = self._rules[index]
            if rule.before:
                last = self._between(text, index, max(0, start - rule.before), end + rule.after, found)
            else:
                last = self._from(text, index, start, end + rule.after, found)
            reached[index] = last

    def _from(self, text: str, index: int, start: int, limit: int, found: list[Span]) -> int:
        """Try a rule whose match begins at a place; where it ended, 0 for nowhere."""
        rule = self._rules[index]
        while (match := rule.pattern.match(text, start, limit)) is not None:
            if match.span()[1] < limit or limit >= len(text):
                self._take(text, index, match, found)
                return match.span()[1]
            limit += limit - start
        return 0

    def _between(self, text: str, index: int, start: int, limit: int, found: list[Span]) -> int:
        """Try a rule wherever a match begins between two places; where the last one ended, 0 for nowhere."""
        rule, last = self._rules[index], 0
        for match in rule.pattern.finditer(text, start, limit):
            if match.span()[1] >= limit and limit < len(text):
                last = self._from(text, index, match.span()[0], limit + rule.after, found) or last
                break
            self._take(text, index, match, found)
            last = match.span()[1]
        return last

    def _take(self, text: str, index: int, match: Match, found: list[Span]) -> None:
        rule = self._rules[index]
        for group in self._values[index] or (0,):
            start, until = match.span(group)
            while (
                rule.rest
                and start >= 0
                and until < len(text)
                and (text[until].isalnum() or text[until] in rule.rest)
            ):
                until += 1
            if 0 <= start < until and (rule.accepts is None or rule.accepts(text[start:until])):
                found.append(Span(start, until, index, rule))


def folded(text: str) -> str:
    """The text in small letters, every character in its place."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(small if len(small := one.lower()) == 1 else one for one in text)


def merged(spans: Iterable[Span]) -> list[Span]:
    """Spans that lie over one another joined to one, in order; it has the rule of the lowest rank among them."""
    out: list[Span] = []
    for span in sorted(spans):
        if not out or span.start >= out[-1].end:
            out.append(span)
            continue
        last = out[-1]
        best = min(last, span, key=lambda one: one.rank)
        out[-1] = Span(last.start, max(last.end, span.end), best.rank, best.rule)
    return out


def _entries(rules: Sequence[Rule], *, folded: bool) -> Iterator[tuple[str, tuple[int, int]]]:
    for index, rule in enumerate(rules):
        if rule.folded == folded:
            yield from ((literal, (len(literal), index)) for literal in rule.literals)


def _automaton(entries: Iterable[tuple[str, tuple[int, int]]]) -> ahocorasick.Automaton | None:
    """Gives, for each literal that ends at a place, the rules to try there; None where there is no literal."""
    by_literal: dict[str, list[tuple[int, int]]] = {}
    for literal, entry in entries:
        by_literal.setdefault(literal, []).append(entry)
    if not by_literal:
        return None
    automaton = ahocorasick.Automaton()
    for literal, tried in by_literal.items():
        automaton.add_word(literal, tuple(tried))
    automaton.make_automaton()
    return automaton
