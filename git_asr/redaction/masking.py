"""Takes what the rules find out of a text, until nothing more is found in what is left."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from fnmatch import translate
from re import compile as compiled
from re import escape

from git_asr.redaction.base import EMAIL, HOST, SECRET, URL, USER, WORD, Rule, Span
from git_asr.redaction.markers import MARKER
from git_asr.redaction.placeholders import Placeholders
from git_asr.redaction.scanning import Scanner, merged
from git_asr.redaction.views import views

Note = Callable[[str, int, int], None]
"""Takes each finding: the rule's name, and where in the text it stood when it was found, in characters."""

_LEVELS = 4
"""Texts in texts that are looked into: JSON text in base64 in a URL is three."""
_ROUNDS = 6
_MOST_REMEMBERED = 500_000
"""Texts and IDs that are remembered as clean."""
_SEPARATORS = compiled(r"[:=;&,\s]+")
_KNOWN = {SECRET: "known-secret", URL: "known-secret", USER: "known-user", HOST: "known-host"}
_LEARNED = 8
"""Characters at least of a secret that is looked for everywhere, once it was found by what stands beside it."""


class Masker:
    """Masks texts and IDs of one bundle. ``note`` is told what was found."""

    def __init__(
        self,
        rules: Sequence[Rule],
        placeholders: Placeholders,
        allowed: Iterable[str] = (),
        note: Note | None = None,
    ) -> None:
        """``allowed``: values that stay, with ``*`` for any characters."""
        self._rules = tuple(rules)
        self._placeholders = placeholders
        self._allowed = compiled("|".join(map(translate, allowed))) if (allowed := tuple(allowed)) else None
        self._note = note
        self._clean: dict[
            int, bool
        ] = {}  # by hash, whose seed nobody knows: whether texts stand within the text
        self._within = False
        self._build(())

    def _build(self, learned: Sequence[Rule]) -> None:
        rules = [*self._rules, *learned]
        self._text_rules = Scanner(rules)
        self._id_rules = Scanner([rule for rule in rules if rule.in_ids])
        self._learned = Scanner(learned) if learned else None
        self._clean_ids: set[str] = set()

    def learn(self, people: Iterable[str] = ()) -> None:
        """Look from now on for every secret that was met, and for these names, wherever they stand."""
        met: dict[str, str] = {}
        for kind in (SECRET, URL, USER, HOST):
            for one in self._placeholders.values(kind):
                for part in _parts(one):
                    met.setdefault(part, kind)
        secrets = [literal_rule(_KNOWN[kind], kind, one) for one, kind in sorted(met.items())]
        names = [literal_rule("known-user", USER, one, fold=True) for one in sorted(set(people))]
        self._build([*secrets, *names])

    def text(self, text: str) -> str:
        """The text without what the rules find; the same object if that is nothing."""
        if len(text) < 3:
            return text
        key = hash(text)
        within = self._clean.get(key)
        if within is not None and not (
            self._learned and self._spans(text, self._learned, _LEVELS if within else 1)
        ):
            return text
        self._within = False
        masked = self._masked(text, self._text_rules)
        if masked is text and len(self._clean) < _MOST_REMEMBERED:
            self._clean[key] = self._within
        return masked

    def identifier(self, text: str) -> str:
        """The ID, or another one for an ID in which something is found."""
        if len(text) < 3 or text in self._clean_ids:
            return text
        found = self._spans(text, self._id_rules, _LEVELS)
        if not found:
            if len(self._clean_ids) < _MOST_REMEMBERED:
                self._clean_ids.add(text)
            return text
        for span, _ in found:
            self._tell(span)
        return self._placeholders.of_id(text)

    def whole(self, rule: str, text: str) -> str:
        """The placeholder for a secret that is a whole text, known by what stands beside it."""
        if self._note is not None:
            self._note(rule, 0, len(text))
        return self._placeholders.of(SECRET, text)

    def allows(self, text: str) -> bool:
        """Tell whether a value stays by the list of those that do."""
        return self._allowed is not None and self._allowed.match(text) is not None

    def _masked(self, text: str, scanner: Scanner) -> str:
        for _ in range(_ROUNDS):
            found = self._spans(text, scanner, _LEVELS)
            if not found:
                return text
            out: list[str] = []
            at = 0
            for span, value in found:
                self._tell(span)
                out += (text[at : span.start], self._placeholders.of(span.rule.kind, value))
                at = span.end
            text = "".join(out) + text[at:]
        return self._placeholders.of(SECRET, text)

    def _tell(self, span: Span) -> None:
        if self._note is not None:
            self._note(span.rule.name, span.start, span.end)

    def _spans(self, text: str, scanner: Scanner, levels: int) -> list[tuple[Span, str]]:
        """What is found in a text and in the texts within it, in order, each with its value as it is meant."""
        plain = scanner.spans(text)
        values: dict[tuple[int, int], str] = {}
        if levels > 1:
            for view in views(text):
                self._within = True
                for inner, value in self._spans(view.text, scanner, levels - 1):
                    place = view.place(inner.start, inner.end)
                    plain.append(Span(*place, inner.rank, inner.rule))
                    values.setdefault(place, value)
        if not plain:
            return []
        if "REDACTED" in text:
            plain = _around_markers(text, plain)
        plain = _without_parts_of_urls(plain)
        spans = merged(span for span in plain if not self._stays(text[span.start : span.end], span, values))
        return [(span, values.get((span.start, span.end), text[span.start : span.end])) for span in spans]

    def _stays(self, found: str, span: Span, values: dict[tuple[int, int], str]) -> bool:
        return self._allowed is not None and self.allows(values.get((span.start, span.end), found))


def literal_rule(name: str, kind: str, text: str, *, fold: bool = False) -> Rule:
    """A rule for one text: as a word, unless it is long."""
    words = len(text) < 16
    pattern = rf"(?<![A-Za-z0-9]){escape(text)}(?![A-Za-z0-9])" if words else escape(text)
    literal = text.lower() if fold else text
    if fold and len(literal) != len(text):
        fold, literal = False, text
    return Rule(
        name, kind, compiled(("(?i)" if fold else "") + pattern), (literal,), folded=fold, after=0, whole=True
    )


def word_rules(words: Iterable[str]) -> list[Rule]:
    """Rules for the words that a policy names."""
    return [literal_rule("word", WORD, one, fold=True) for one in words]


def _parts(secret: str) -> Iterator[str]:
    """A secret and what it is made of (``user:password``, ``name=value; …``), but no words that may stand anywhere."""
    for part in {secret, *_SEPARATORS.split(secret)}:
        telling = not part.isalpha() or not (part.islower() or part.istitle())
        if len(part) >= _LEARNED and telling and len(set(part)) > 4:
            yield part


def _without_parts_of_urls(spans: list[Span]) -> list[Span]:
    """Without what looks like an address because a password stands before the host of a URL: the host stays."""
    urls = [(url.start, url.end) for url in merged(span for span in spans if span.rule.kind == URL)]
    if not urls:
        return spans
    return [span for span in spans if span.rule.kind not in (EMAIL, HOST) or not _within(span.start, urls)]


def _within(at: int, places: list[tuple[int, int]]) -> bool:
    """Whether one of some places, in order, holds a character."""
    index = bisect_right(places, (at, places[-1][1])) - 1
    return index >= 0 and at < places[index][1]


def _around_markers(text: str, spans: Iterable[Span]) -> list[Span]:
    """The spans without the markers in them: what was taken out is not taken out again."""
    markers = [hit.span() for hit in MARKER.finditer(text)]
    out: list[Span] = []
    for span in spans:
        at = span.start
        first = bisect_right(markers, (at, at)) - 1
        for index in range(max(first, 0), len(markers)):
            start, end = markers[index]
            if start >= span.end:
                break
            if end <= at:
                continue
            if start > at:
                out.append(Span(at, start, span.rank, span.rule))
            at = max(at, end)
        if at < span.end:
            out.append(Span(at, span.end, span.rank, span.rule))
    return out
