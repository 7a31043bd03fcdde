"""The options by which reading commands choose sessions; what they mean stands in ``views.filtering``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import click

_Command = TypeVar("_Command", bound=Callable[..., object])

_TIMES = (
    click.option("--since", metavar="TIME", help="Only sessions that went on after TIME, as for git log."),
    click.option("--until", metavar="TIME", help="Only sessions that began before TIME."),
)
_OTHERS = (
    click.option("--agent", metavar="NAME", help="Only sessions of that agent."),
    click.option(
        "--model", metavar="NAME", help="Only sessions of a model with NAME in its name, or a glob."
    ),
    click.option("--session", metavar="ID", help="Only sessions whose ID begins so."),
    click.option("--touched", metavar="PATH", help="Only sessions that edited PATH, or below it; or a glob."),
)


def session_filters(command: _Command) -> _Command:
    """Give a command the options; their values come under the names of ``views.filtering.Filters``."""
    for option in reversed((*_TIMES, *_OTHERS)):
        command = option(command)
    return command
