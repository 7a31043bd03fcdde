"""The kinds that each converter knows: ``kinds/<converter>.json`` beside the converters.

``kinds`` come from the converter's fixtures: ``python -m tests.converters.known`` writes them anew. ``data`` is written
by hand: where the source has data in place of names (a map by tool or by server, what a tool returned), with ``*`` for
all of it.
"""

from __future__ import annotations

from functools import cache
from pkgutil import get_data

from git_asr.asr import codec
from git_asr.asr.kinds import Known
from git_asr.converters.versions import VERSIONS


@cache
def known(converter: str) -> Known | None:
    """What a converter of this name knows; None for one that keeps all units whole, and for one that is not here."""
    if converter not in VERSIONS:
        return None
    try:
        said = codec.strict(get_data(__package__, f"kinds/{converter}.json") or b"")
    except FileNotFoundError:
        return None
    return Known(said["kinds"], said["data"])
