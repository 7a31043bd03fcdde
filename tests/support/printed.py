"""What commands print as JSON, compared with the schemas in ``docs/json``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import click
from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match
from referencing import Registry, Resource

from git_asr.cli import group
from tests.support.run import PROJECT

FOLDER = PROJECT / "docs" / "json"
COMMON = "common"
"""The schema that is no command's: what several share."""


@cache
def schemas() -> dict[str, dict[str, Any]]:
    """Every schema, by the name of its command."""
    files = sorted(FOLDER.glob("*.schema.json"))
    return {file.name.partition(".")[0]: json.loads(file.read_text("utf-8")) for file in files}


def validator(schema: dict[str, Any]) -> Draft202012Validator:
    """A validator; what a schema refers to lies beside it."""
    named = ((f"{name}.schema.json", Resource.from_contents(one)) for name, one in schemas().items())
    registry: Registry[Any] = Registry().with_resources(named)
    return Draft202012Validator(schema, registry=registry, format_checker=Draft202012Validator.FORMAT_CHECKER)


@cache
def of_command(name: str) -> Draft202012Validator:
    """The validator of what one command prints."""
    return validator(schemas()[name])


def with_json() -> Iterator[str]:
    """Every command that has ``--json``."""
    for name in group.COMMANDS:
        if any("--json" in one.opts for one in group.load(name).params if isinstance(one, click.Option)):
            yield name


def faults(name: str, out: str) -> str | None:
    """Why the schema of a command refuses what it printed, and where; None where it does not."""
    found = best_match(of_command(name).iter_errors(json.loads(out)))
    return None if found is None else f"{name}: {found.json_path}: {found.message[:300]}"
