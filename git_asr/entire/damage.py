"""Units of a transcript that cannot be read: they are kept as text, and told once for each transcript."""

from __future__ import annotations

from collections.abc import Iterator

from git_asr.converters.base import Unit
from git_asr.entire.copies import Copy, Line
from git_asr.errors import Diagnostic, Report


def watched(units: Iterator[Unit], line: Line, report: Report) -> Iterator[Unit]:
    """Pass the units of a line on, and report ``damaged-transcript`` for each of its copies with malformed ones.

    It says where the first one is and how many there are, once all units were taken. The last line of a transcript that
    grows may still be being written. Nothing is said of a transcript of no known agent, which is told anyway.
    """
    if line.native is None:
        yield from units
        return
    document = line.native.array is not None
    found: dict[Copy, list[int]] = {}
    last: Unit | None = None
    for unit in units:
        if last is not None and last.kind == "malformed":
            found.setdefault(_copy(line, last), []).append(last.position)
        last = unit
        yield unit
    if last is not None and last.kind == "malformed" and document:
        found.setdefault(_copy(line, last), []).append(last.position)
    for copy, positions in found.items():
        where = f"{copy.path:.200}, {'element' if document else 'line'} {positions[0]}"
        more = f" (and {len(positions) - 1} more)" if len(positions) > 1 else ""
        said = f"{where}: cannot be read; it is kept as text{more}"
        report(Diagnostic("damaged-transcript", f"checkpoint {copy.checkpoint}", said))


def _copy(line: Line, unit: Unit) -> Copy:
    """The copy that gave a unit."""
    place = (unit.position, unit.index)
    return next(one.copy for one in line.segments if one.last is None or place <= one.last)
