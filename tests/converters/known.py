"""What each converter knows, from its fixtures: ``python -m tests.converters.known`` writes ``converters/kinds/``.

The kinds are those in the golden records of all cases of its formats, but for those that a case says are invented: a
line for each in its file ``invented.txt``. An invented kind takes with it what stands below. What ``data`` says in the
files is written by hand and stays.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from git_asr.asr import codec
from git_asr.asr.draft import Record
from git_asr.asr.kinds import Drift, Known
from git_asr.converters.registry import CONVERTERS, by_name, converter_for
from tests.converters.goldens import FIXTURES, cases

FOLDER = Path(__file__).parents[2] / "git_asr" / "converters" / "kinds"


def converter_of(case: str) -> str | None:
    """The name of the converter of a case; None where its format has none."""
    head = codec.strict((FIXTURES / case / "units.jsonl").read_bytes().partition(b"\n")[0])
    return converter_for(by_name(head["format"])).name if head["format"] in CONVERTERS else None


def of_converter(name: str) -> list[str]:
    """The cases of a converter."""
    return [case for case in cases() if converter_of(case) == name]


def streams(case: str) -> list[list[Record]]:
    """The golden records of a case, by stream."""
    files = sorted((FIXTURES / case).glob("records*.jsonl"))
    return [[codec.decode(line).value for line in file.read_bytes().splitlines()] for file in files]


def invented(case: str) -> list[str]:
    """The kinds of a case that no agent ever wrote."""
    file = FIXTURES / case / "invented.txt"
    return file.read_text("utf-8").splitlines() if file.is_file() else []


def drift(of: Iterable[Sequence[Record]], known: Known, *, everything: bool = False) -> set[str]:
    """The kinds in some streams that are not known, of those below each other only the topmost."""
    found: set[str] = set()
    for records in of:
        watch = Drift(known, everything=everything)
        for record in records:
            watch.note(record)
        found.update(watch.found)
    return found


def every(of: Sequence[Sequence[Record]], data: Sequence[str]) -> set[str]:
    """All kinds in some streams."""
    found: set[str] = set()
    while new := drift(of, Known(found, data), everything=True):
        found |= new
    return found


def is_below(kind: str, others: Iterable[str]) -> bool:
    """Tell whether a kind is one of the others, or stands below one."""
    return any(kind == one or kind.startswith(f"{one}.") for one in others)


def stored(name: str) -> dict[str, Any]:
    """What the file of a converter says now."""
    file = FOLDER / f"{name}.json"
    return dict(json.loads(file.read_text("utf-8"))) if file.is_file() else {"data": [], "kinds": []}


@cache
def kinds(name: str) -> list[str]:
    """The kinds that a converter knows by its fixtures."""
    data = stored(name)["data"]
    found: set[str] = set()
    for case in of_converter(name):
        out = invented(case)
        found |= {kind for kind in every(streams(case), data) if not is_below(kind, out)}
    return sorted(found)


def names() -> list[str]:
    """The converters of agents."""
    return sorted({converter_for(by_name(one)).name for one in CONVERTERS})


def files() -> dict[str, str]:
    """The file of each converter."""
    return {
        f"{name}.json": json.dumps({"data": stored(name)["data"], "kinds": kinds(name)}, indent=2) + "\n"
        for name in names()
    }


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.glob("*.json"):
        if old.name not in files():
            old.unlink()
    for file, text in files().items():
        (FOLDER / file).write_text(text, "utf-8")
