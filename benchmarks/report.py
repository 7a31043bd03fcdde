"""The figures as a table, as JSON, and in ``docs/performance.md``."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.measure import Figure, answer
from benchmarks.prepare import Facts

_WORDS = {1: "one core", 2: "two cores", 4: "four cores", 8: "eight cores"}
_COLUMNS = ("measured", "unit", "aim", "min", "median", "max", "met")


def machine() -> dict[str, str]:
    """What the machine is like, as far as it may be told."""
    cores = os.cpu_count() or 1
    return {
        "cores": _WORDS.get(cores, f"{cores} cores"),
        "system": platform.system(),
        "python": ".".join(platform.python_version_tuple()[:2]),
        "git": ".".join(answer(["git", "--version"], Path.cwd()).split()[2].split(".")[:2]),
    }


def record(
    command: str, facts: Facts | None, figures: Sequence[Figure], rounds: int, on: dict[str, str]
) -> dict[str, Any]:
    """All of a run as JSON."""
    held = None if facts is None else {name: getattr(facts, name) for name in Facts.__slots__}
    return {
        "command": command,
        "machine": on,
        "rounds": rounds,
        "repository": held,
        "figures": [one.record() for one in figures],
    }


def section(
    command: str, facts: Facts | None, figures: Sequence[Figure], rounds: int, on: dict[str, str]
) -> list[str]:
    """The lines of one run in Markdown: the command, what it worked on, the table."""
    lines = [
        f"`{command}`, rounds: {rounds}; {on['cores']}, {on['system']}, Python {on['python']}, Git {on['git']}."
    ]
    if facts is not None:
        lines.append(
            f"The repository: {facts.commits:,} commits, {facts.checkpoints:,} checkpoints, {facts.sessions:,} streams;"
            f" {_mb(facts.stored)} of transcripts, of which {_mb(facts.read)} give units, the largest"
            f" {_mb(facts.largest)}; a full sync writes {facts.objects:,} objects of {_mb(facts.written)}."
        )
    return [*lines, "", *table(figures)]


def table(figures: Sequence[Figure]) -> list[str]:
    """The figures as a Markdown table with even columns."""
    rows = [_COLUMNS, *map(_row, figures)]
    widths = [max(len(row[at]) for row in rows) for at in range(len(_COLUMNS))]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |"
        for row in rows
    ]
    return [lines[0], "|" + "|".join("-" * (width + 2) for width in widths) + "|", *lines[1:]]


def _row(figure: Figure) -> tuple[str, ...]:
    values = (min(figure.values), figure.median, max(figure.values))
    aim = "" if figure.aim is None else f"≤ {figure.aim:g}"
    met = {None: "", True: "yes", False: "no"}[figure.met]
    return (figure.name, figure.unit, aim, *(_number(value, figure.unit) for value in values), met)


def _number(value: float, unit: str) -> str:
    digits = 0 if unit == "MB" else 3 if unit in ("s", "× full sync") or unit.startswith("s beyond") else 2
    return f"{value:.{digits}f}"


def _mb(size: int) -> str:
    return f"{size / 1e6:.1f} MB"


def rewrite(page: Path, name: str, lines: Sequence[str]) -> None:
    """Replace what stands in a page between the two comments of a name.

    Raises:
        ValueError: the page lacks one of them.
    """
    begin, end = f"<!-- figures: {name} -->\n", f"<!-- end of figures: {name} -->\n"
    text = page.read_text("utf-8")
    before, found, rest = text.partition(begin)
    _, closed, after = rest.partition(end)
    if not (found and closed):
        raise ValueError(f"{page.name} has no place for figures: {name}")
    page.write_text(before + begin + "\n" + "\n".join(lines) + "\n\n" + end + after, "utf-8")
