"""Long texts, folded: the first lines, and how much more there is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from git_asr.cli.render import paint
from git_asr.views import text

_CELLS = 400
"""Of a line; a terminal wraps what is longer than it is wide."""


@dataclass(slots=True)
class Folding:
    """Folds texts, unless ``full``, and counts how many of them in ``folded``. ``folder``: where the session ran."""

    full: bool = False
    folder: str | None = None
    folded: int = 0

    def path(self, said: str) -> str:
        """A path as seen from ``folder``; any other text, or a path elsewhere, as it is."""
        return said if self.folder is None else said.removeprefix(self.folder.rstrip("/\\") + "/")

    def lines(self, said: str, most: int) -> Iterator[str]:
        """The lines of a text, neutral, at most so many; then how many more there are."""
        kept = text.neutral(said, lines=True).expandtabs(4).strip("\n").split("\n")
        shown = (
            kept if self.full or len(kept) <= most + 1 else kept[:most]
        )  # one line more is no longer than its notice
        cut = len(shown) < len(kept)
        for line in shown:
            short = line if self.full else text.clip(line, _CELLS)
            cut = cut or short != line.rstrip()
            yield short.rstrip()
        if len(shown) < len(kept):
            yield paint(f"… {text.plural(len(kept) - len(shown), 'more line')}", "dim")
        self.folded += cut
