"""Sizes as they are typed: a number of bytes, or of KiB, MiB or GiB as in Git's configuration."""

from __future__ import annotations

import re

import click

_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}


class Size(click.ParamType["int"]):
    """A number of bytes."""

    name = "size"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number of bytes that a text says: ``4g``, ``512m``, ``100000``."""
        found = re.fullmatch(r"([0-9]{1,15})([kmg]?)", str(value).lower())
        if found is None or int(found[1]) == 0:
            self.fail(f"'{value}' is no size: a number, or one with k, m or g behind it", param, ctx)
        return int(found[1]) * _UNITS[found[2]]


SIZE = Size()
