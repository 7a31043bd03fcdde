"""Every target. A new reader of what others wrote is one function in a module beside this, and one entry there."""

from __future__ import annotations

from tests.fuzz import asked, local, repositories, streams, transcripts
from tests.fuzz.base import Target

MODULES = (asked, local, repositories, streams, transcripts)
TARGETS: tuple[Target, ...] = tuple(one for module in MODULES for one in module.targets())


def wanted(names: list[str]) -> list[Target]:
    """The targets whose names are or begin so (``transcript-``); all without any. Raises KeyError: none does."""
    found = [one for one in TARGETS if not names or any(map(one.is_meant, names))]
    if not found:
        raise KeyError(" ".join(names))
    return found
