"""What stands after ``asr::`` (docs/remote-helper.md, *Addresses*)."""

from __future__ import annotations

import os
import re

from git_asr.errors import UsageError
from git_asr.values import dataclass

CONVERT = "convert+"
_URL = re.compile(r"[^/]*:")
"""With a colon before the first slash Git takes it for a URL, a host or a helper, else for a path."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where the sessions are. ``url``: what Git is given, paths absolute. ``convert``: make them of checkpoints."""

    url: str
    convert: bool = False


def parse(text: str) -> Address:
    """Read an address as Git hands it over; a relative path counts from where Git started the helper.

    Raises:
        UsageError: it cannot be one.
    """
    if text.startswith("asr://"):
        shown = text.removeprefix("asr://")
        raise UsageError(f"'{text}' names no transport", hint=f"asr::https://{shown}   (or asr::ssh://…)")
    convert = text.startswith(CONVERT)
    url = text.removeprefix(CONVERT)
    if not url:
        raise UsageError("the address is empty", hint="asr::https://host/repository   or   asr::path")
    if url.startswith("-") or re.search(r"[\0\n]", url):
        raise UsageError(f"'{url}' is no address", hint="a path that begins with a dash: asr::./-path")
    if url.startswith(("asr::", "asr://")):
        raise UsageError(f"'{url}' would go through asr:: twice")
    return Address(url if _URL.match(url) else os.path.realpath(url), convert)
