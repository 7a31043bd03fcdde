"""What a bundle tells before it is masked: who works there, and which placeholders it has already."""

from __future__ import annotations

import re
from collections.abc import Iterable

from git_asr.redaction.markers import highest_number
from git_asr.redaction.personal import is_someone
from git_asr.values import dataclass

_FOLDER = re.compile(
    rb'"(?:cwd|workdir|working_directory|workspaceFolder)"\s*:\s*"'
    rb'(?:(?:/mnt/[a-z])?/(?:home|Users)/|[A-Za-z]:(?:\\\\|/)[Uu]sers(?:\\\\|/))([^"\\/]{1,64})'
)
_SHORTEST = 3
_COMMON = frozenset(
    (
        *(
            "the",
            "and",
            "for",
            "not",
            "you",
            "all",
            "can",
            "her",
            "was",
            "one",
            "our",
            "out",
            "get",
            "has",
            "him",
            "his",
        ),
        *(
            "how",
            "new",
            "now",
            "old",
            "see",
            "two",
            "way",
            "who",
            "did",
            "its",
            "let",
            "put",
            "say",
            "she",
            "too",
            "use",
        ),
        *(
            "code",
            "data",
            "main",
            "temp",
            "user",
            "demo",
            "mark",
            "will",
            "grace",
            "rob",
            "pat",
            "art",
            "max",
            "min",
        ),
    )
)
"""Words that are names of people too: such a name is masked in home folders only."""


@dataclass(slots=True)
class Learned:
    """``people``: names of the users in whose folders the work was done. ``number``: the highest of a placeholder."""

    people: set[str]
    number: int = 0


def learn(files: Iterable[bytes]) -> Learned:
    """Look through the files of a bundle."""
    learned = Learned(set())
    for data in files:
        learned.number = max(learned.number, highest_number(data))
        for found in set(_FOLDER.findall(data)):
            name = found.decode("utf-8", "replace")
            if (
                len(name) >= _SHORTEST
                and is_someone(name)
                and name.lower() not in _COMMON
                and name.isprintable()
            ):
                learned.people.add(name)
    return learned
