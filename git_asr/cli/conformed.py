"""How the cases of the conformance kit went, said to people and to programs."""

from __future__ import annotations

import json
from collections.abc import Iterable

import click

from git_asr.cli import render
from git_asr.validation.conformance import Case, difference
from git_asr.views.text import neutral, plural


def print_cases(cases: Iterable[Case], *, machine: bool) -> None:
    """Print every case with what must be found in it."""
    if machine:
        listed = [
            {
                "case": case.name,
                "findings": [
                    {"check": check, "file": file, "line": line, "record": record}
                    for check, file, line, record in case.findings
                ],
            }
            for case in cases
        ]
        click.echo(json.dumps({"version": 1, "cases": listed}, indent=2))
        return
    with render.paged():
        for case in cases:
            print(f"{case.name}: {(difference(case, ()) or 'nothing').removeprefix('lacks ')}")


def print_outcome(told: Iterable[tuple[Case, str | None]], *, machine: bool) -> int:
    """Print what is wrong with each case (None: nothing), for people as it is found; how many failed."""
    tried, failed = 0, []
    for case, wrong in told:
        tried += 1
        if wrong is not None:
            failed.append({"case": case.name, "reason": wrong})
            if not machine:
                print(f"{case.name}: {neutral(wrong)}")
    if machine:
        click.echo(json.dumps({"version": 1, "tried": tried, "failed": failed}, indent=2))
    else:
        print(f"{tried - len(failed):,} of {plural(tried, 'case')} as expected")
    return len(failed)
