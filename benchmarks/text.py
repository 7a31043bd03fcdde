"""Made-up prose, code and base64 that deflate about as those of real transcripts do (four to ten times)."""

from __future__ import annotations

import base64
import random
from itertools import accumulate

_SYLLABLES = (
    "ba",
    "ce",
    "di",
    "fo",
    "gu",
    "la",
    "me",
    "ni",
    "po",
    "ru",
    "sa",
    "te",
    "vi",
    "zo",
    "qua",
    "stra",
    "ning",
)
_COMMON = (
    "the",
    "to",
    "of",
    "a",
    "in",
    "is",
    "and",
    "that",
    "for",
    "it",
    "file",
    "test",
    "`HEAD`",
    "…",
    "é",
    "✅",
)
_BREAKS = (".\n\n", ".", ",", ":\n-", "\n")
_STATEMENTS = (
    "def {0}_{1}(self, {2}: str) -> int:",
    '    """Return the {0} of {1}, or {2} if there is none."""',
    "    {0} = self._{1}.get({2}, None)",
    "    if {0} is not None and {1}:",
    "        return len({0}.{1}) + {2}",
    '        raise ValueError(f"{0}: no {1} in {{{2}}}")',
    "    for {0} in sorted({1}.{2}):",
    "        {0}.append(({1}, {2}))",
    "from {0}.{1} import {2}",
    "@dataclass(frozen=True)",
    "class {0}{1}({2}):",
    "    {0}: dict[str, {1}] = field(default_factory=dict)",
    "",
    "",
)


class Author:
    """Writes text of about any size; the same generator of chance gives the same text."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        made = ["".join(rng.choices(_SYLLABLES, k=rng.randint(1, 4))) for _ in range(3000)]
        self._names = made[:400]
        self._words = [*_COMMON, *_BREAKS, *made]
        self._weights = [*accumulate(1 / (rank + 2) for rank in range(len(self._words)))]

    def name(self) -> str:
        """One made-up identifier."""
        return self._rng.choice(self._names)

    def prose(self, size: int) -> str:
        """Sentences and lists, some words far more often than others."""
        words = self._rng.choices(self._words, cum_weights=self._weights, k=size // 4 + 1)
        return " ".join(words)[:size]

    def code(self, lines: int) -> list[str]:
        """The lines of a file."""
        statements = self._rng.choices(_STATEMENTS, k=lines)
        names = self._rng.choices(self._names, k=lines + 2)
        return [one.format(*names[at : at + 3]) for at, one in enumerate(statements)]

    def base64(self, size: int) -> str:
        """Bytes that do not deflate, as base64."""
        return base64.b64encode(self._rng.randbytes(size * 3 // 4)).decode("ascii")

    def hexadecimal(self, digits: int) -> str:
        """An ID in lower-case hex."""
        return f"{self._rng.getrandbits(4 * digits):0{digits}x}"

    def uuid(self) -> str:
        """An ID as agents write them."""
        text = self.hexadecimal(32)
        return f"{text[:8]}-{text[8:12]}-4{text[13:16]}-a{text[17:20]}-{text[20:]}"
