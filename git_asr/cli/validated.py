"""What ``git asr validate`` found, said to people and to programs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import click

from git_asr import __version__
from git_asr.cli import render
from git_asr.cli.checked import Checked, run
from git_asr.validation import sarif
from git_asr.validation.base import LEVELS, Finding
from git_asr.validation.registry import CHECKS, FAMILIES
from git_asr.views.text import neutral, one_line, plural

__all__ = ["as_json", "as_sarif", "lines", "print_listing", "run"]


def lines(found: Checked) -> Iterator[str]:
    """The findings by level, each on a line; then how many there are, or that all is well."""
    level = None
    for one in found.findings.kept():
        if one.level != level:
            level = one.level
            yield render.paint(level, "bold")
        yield _line(one)
    for check, count in found.findings.more.items():
        yield f"and {count:,} more of {check}"
    what = _looked_at(found)
    if not found.findings.counts:
        yield f"clean: {what}"
        return
    levels = {check.name: check.level for check in CHECKS}
    counts = dict.fromkeys(LEVELS, 0)
    for check, count in found.findings.counts.items():
        counts[levels.get(check, "semantics")] += count  # those of twins are no checks of the format
    told = ", ".join(f"{count:,} {name}" for name, count in counts.items() if count)
    yield f"{plural(found.findings.counts.total(), 'finding')} ({told}) in {what}"


def _looked_at(found: Checked) -> str:
    counted = (("bundle", found.bundles), ("stream", found.streams))
    what = " and ".join(plural(number, noun) for noun, number in counted if number) or "0 bundles"
    return f"{what}, {plural(found.records, 'record')}"


def _line(one: Finding) -> str:
    where = neutral(one.file) + (f":{one.line}" if one.line is not None else "")
    record = f"record {one_line(one.record, 60)}: " if one.record is not None else ""
    return f"{where}: {render.paint(one.check, 'yellow')}: {record}{one_line(one.message)}"


def as_json(found: Checked) -> dict[str, Any]:
    """As ``git asr validate --json`` prints it; version 1."""
    return {
        "version": 1,
        "bundles": found.bundles,
        "streams": found.streams,
        "records": found.records,
        "counts": dict(found.findings.counts),
        "findings": [
            {
                "check": one.check,
                "level": one.level,
                "file": one.file,
                "line": one.line,
                "record": one.record,
                "message": one.message,
            }
            for one in found.findings.kept()
        ],
    }


def as_sarif(found: Checked) -> dict[str, Any]:
    """As ``git asr validate --sarif`` prints it."""
    return sarif.log(CHECKS, found.findings.kept(), __version__, neutral)


def print_listing(*, machine: bool) -> None:
    """Print every check, family by family; ``machine``: as JSON, version 1."""
    if machine:
        checks = [
            {
                "check": check.name,
                "level": check.level,
                "family": title,
                "summary": check.summary,
                "source": check.source,
            }
            for title, family in FAMILIES.items()
            for check in family
        ]
        click.echo(json.dumps({"version": 1, "checks": checks}, indent=2))
        return
    with render.paged():
        for line in _listing():
            print(line)


def _listing() -> Iterator[str]:
    for number, (title, checks) in enumerate(FAMILIES.items()):
        yield from ([""] if number else [])
        yield render.paint(title, "bold")
        for check in checks:
            yield f"  {check.name} ({check.level})"
            yield f"      {check.summary}"
            yield f"      Source: {check.source}"
