"""The companion without its history: a commit without parents that says which commits it stands in place of.

It is made on purpose only (``git asr compact``). A sync does not put the tips that it replaces back under it; a remote
is replaced by a push that is asked to, with a lease on the tip that it replaces. In every other clone it is a tip like
any: what it replaces is merged with it where another ref still leads there, and what was forgotten stays forgotten.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from git_asr.companion.store import IDENTITY
from git_asr.errors import AsrError
from git_asr.git.base import Objects
from git_asr.git.writing import ObjectWriter

SUBJECT = "Agent sessions, compacted"
_SUBJECT = re.compile(f"{SUBJECT}; in place of((?: (?:[0-9a-f]{{40}}|[0-9a-f]{{64}}))+)")


def commit(writer: ObjectWriter, tree: str, when: int, replaced: Collection[str]) -> str:
    """Write a companion commit without parents in place of others: tips of remotes, or of their history.

    The same tree, date (``git_asr.companion.store.newest_date`` of what it replaces, or later) and commits give the
    same commit everywhere. Whoever pushes it (``git asr push --compact``) may do so only in place of one of
    ``replaced``, with a lease on that one.
    """
    message = f"{SUBJECT}; in place of {' '.join(sorted(replaced))}\n"
    return writer.commit(tree, (), message, identity=IDENTITY, when=when)


def replaced(objects: Objects, companion: str | None) -> frozenset[str]:
    """The commits in whose place a companion commit stands; none where it was not compacted, or is not here."""
    try:
        _, parents, subject = objects.titled(companion) if companion is not None else ("", (), "")
    except AsrError:
        return frozenset()
    found = _SUBJECT.fullmatch(subject)
    return frozenset(found[1].split()) if found is not None and not parents else frozenset()
