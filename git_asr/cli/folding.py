"""Long texts, folded: the first lines, and how much more there is."""

from __future__ import annotations

from collections.abc import Iterator

from git_asr.cli.render import paint
from git_asr.values import dataclass
from git_asr.views import text

_CELLS = 400
"""Of a line; a terminal wraps what is longer than it is wide."""
_CHARACTERS = 16 * _CELLS + 1
"""Of a line that are looked at."""


@dataclass(slots=True)
class Folding:
    """Folds texts, unless ``full``, and counts how many of them in ``folded``.

    Of the stream that is printed, ``folder``: where the session ran; ``plan``: the steps that were last said;
    ``said``: the message that was just said; ``thoughts``: how many were passed over since nothing is left of them.
    ``projection``: what is printed is a context view, in which what is missing may well be recorded.
    """

    full: bool = False
    folder: str | None = None
    folded: int = 0
    plan: tuple[str, ...] = ()
    said: str = ""
    thoughts: int = 0
    projection: bool = False

    def path(self, said: str) -> str:
        """A path as seen from ``folder``; any other text, or a path elsewhere, as it is."""
        return said if self.folder is None else said.removeprefix(self.folder.rstrip("/\\") + "/")

    def lines(self, said: str, most: int) -> Iterator[str]:
        """The lines of a text, neutral, at most so many; then how many more there are."""
        body = said.strip("\r\n")
        number = body.count("\n") + 1
        whole = self.full or number <= most + 1  # one line more is no longer than its notice
        kept = body.split("\n") if whole else body.split("\n", most)[:most]
        cut = not whole
        for line in kept:
            ended = line.removesuffix("\r").rstrip(" \t")
            looked_at = ended if self.full else ended[:_CHARACTERS]
            more = text.ELLIPSIS if len(looked_at) < len(ended) else ""
            shown = text.neutral(looked_at, lines=True).expandtabs(4) + more
            short = shown if self.full else text.clip(shown, _CELLS)
            cut = cut or bool(more) or short != shown
            yield short
        if not whole:
            yield paint(f"… {text.plural(number - len(kept), 'more line')}", "dim")
        self.folded += cut
