"""Reads JSON whose numbers keep their digits, for what is written again by whoever does not know it."""

from __future__ import annotations

import json
import re
from typing import Any

from git_asr.asr.codec import BLANK, JsonError, NumberText, as_text, decode

_ODD_NUMBER = re.compile(rb"[\s:,\[](?:-?[0-9]{16}|-?[0-9]+[.eE]|-0)")
"""What may be a number that Python spells otherwise."""


def decode_exactly(text: bytes) -> Any:
    """Read one value as ``codec.decode`` does; a number that Python spells otherwise is a NumberText.

    Raises:
        JsonError: no decoder reads it, it holds NaN or an infinity, or it is nested too deeply.
    """
    if not _ODD_NUMBER.search(text):
        return decode(text).value
    decoder = json.JSONDecoder(
        strict=False, parse_int=_integer, parse_float=_decimal, parse_constant=_constant
    )
    try:
        return decoder.decode(as_text(text)[0].strip(BLANK))
    except RecursionError:
        raise JsonError("nested too deeply") from None
    except ValueError as error:
        raise JsonError(str(error)) from None


def _integer(literal: str) -> int | NumberText:
    return int(literal) if len(literal) <= 20 and literal != "-0" else NumberText(literal)


def _decimal(literal: str) -> float | NumberText:
    value = float(literal)
    return value if repr(value) == literal else NumberText(literal)


def _constant(name: str) -> Any:
    raise JsonError(f"{name} is no JSON")
