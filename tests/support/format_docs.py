"""Writes what the documentation says of the format and of its checks: ``python -m tests.support.format_docs``.

``docs/checks.md`` is made from the registry. In ``docs/format.md`` the tables between marks are made from the schemas.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from git_asr.validation.base import LEVELS
from git_asr.validation.registry import FAMILIES
from git_asr.validation.shapes import schema

DOCS = Path(__file__).parents[2] / "docs"
FORMAT = DOCS / "format.md"
CHECKS = DOCS / "checks.md"
_MARKED = re.compile(r"<!-- table: (?P<name>[a-z -]+) -->\n.*?<!-- end -->\n", re.DOTALL)
_OURS = "git-asr/"
_ENTIRE = "io.entire/"

INTRODUCTION = """\
# Checks

This page is made from the registry of checks, by `make docs`; `git asr validate --list` prints the same. What
`git asr validate` finds is told apart by level:

- **syntax**: the text, and the shapes that the [schemas](format.md#where-it-is-checked) ask for;
- **semantics**: what records mean together, and what manifests say of files;
- **unsupported**: right as far as it can be told, and newer than this version.

A check of shapes looks at what has not the shape of its schema, and the others at what has, so one fault is told once.
For each check [the conformance kit](../fixtures/conformance/README.md) has cases that are sound and cases that are not;
`git asr conformance` runs it. Sources: "profile" is the working profile of this project, "conformance" the
specification's text on conformance, "Entire companion" its companion for Entire, and "format" [this page](format.md).
"""


def checks() -> str:
    """The page of checks."""
    lines = [INTRODUCTION]
    for title, family in FAMILIES.items():
        lines.append(f"\n## {title}\n")
        for check in family:
            lines += [f"\n### {check.name}\n", f"\n{check.summary} *{check.level}* ({check.source})\n"]
    assert all(check.level in LEVELS for family in FAMILIES.values() for check in family)
    return "".join(lines)


def table(head: tuple[str, ...], rows: Iterable[Iterable[str]]) -> str:
    """A table in Markdown."""
    lines = [head, ("---",) * len(head), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |\n" for row in lines)


def _fields(properties: dict[str, Any], required: Iterable[str] = ()) -> str:
    rows = ((f"`{name}`", f"{one['description']}") for name, one in properties.items())
    assert set(required) <= set(properties)
    return table(("field", "says"), rows)


def _types(wanted: Callable[[str], bool]) -> str:
    rows = []
    for one in schema("record")["allOf"]:
        kind = one["if"]["properties"]["type"]["const"]
        if not wanted(kind):
            continue
        then = one["then"] if "properties" in one["then"] else one["then"]["allOf"][0]
        required = then.get("required", [])
        has = [f"`{name}`" for name in required]
        may = [
            f"`{name}`" for name in then["properties"] if name not in required and not name.endswith("Blob")
        ]
        rows.append((f"`{kind}`", one["description"], ", ".join(has) or "–", ", ".join(may) or "–"))
    return table(("type", "says", "has", "may have"), rows)


def _of(kind: str) -> dict[str, Any]:
    (one,) = (one for one in schema("record")["allOf"] if one["if"]["properties"]["type"]["const"] == kind)
    found: dict[str, Any] = one["then"]["properties"]
    return found


def evidence() -> list[str]:
    """The evidence of links that the schema knows."""
    known: list[str] = _of("vcs")["evidence"]["examples"]
    return known


def _entry() -> dict[str, Any]:
    sessions = schema("bundle")["properties"]["sessions"]["items"]["properties"]
    found: dict[str, Any] = sessions["streams"]["items"]["properties"]
    return found


TABLES: dict[str, Callable[[], str]] = {
    "header": lambda: _fields(schema("header")["properties"]),
    "record": lambda: _fields(schema("record")["properties"]),
    "types": lambda: _types(lambda kind: "/" not in kind),
    "own types": lambda: _types(lambda kind: kind.startswith(_OURS)),
    "types of entire": lambda: _types(lambda kind: kind.startswith(_ENTIRE)),
    "commit": lambda: _fields(_of("vcs")),
    "checkpoint": lambda: _fields(_of("io.entire/checkpoint")),
    "manifest": lambda: _fields(schema("bundle")["properties"]),
    "stream": lambda: _fields(_entry()),
}
"""The tables by the name in their mark."""


def made(page: str) -> str:
    """A page with its tables made anew."""
    return _MARKED.sub(
        lambda hit: f"<!-- table: {hit['name']} -->\n{TABLES[hit['name']]()}<!-- end -->\n", page
    )


def named(page: str) -> list[str]:
    """The tables that a page has."""
    return [hit["name"] for hit in _MARKED.finditer(page)]


if __name__ == "__main__":
    CHECKS.write_text(checks(), "utf-8")
    FORMAT.write_text(made(FORMAT.read_text("utf-8")), "utf-8")
