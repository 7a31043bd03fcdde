"""What ties a commit to a checkpoint: IDs, the trailer that names them, and the refs in which not to look for it."""

from __future__ import annotations

import re

from git_asr.git import trailers
from git_asr.git.trailers import Place
from git_asr.values import dataclass

KEY = "Entire-Checkpoint"
"""The trailer of a user's commit, in exactly this case (reference entire-checkpoints, sections 1.2 and 1.3)."""

HEX = "[0-9a-f]{12}"
ULID = "[0-7][0-9A-HJKMNP-TV-Z]{25}"
ULID_LENGTH = 26
_CHECKPOINT_ID = re.compile(f"{HEX}|{ULID}".encode())
"""12 lower-case hex digits, or a canonical ULID (reference, section 1.1)."""

_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

_BOOKKEEPING = re.compile(
    rb"\s*(?:Checkpoint: |Finalize transcript for Checkpoint: |Update summary for checkpoint "
    rb"|Update checkpoint summary for |Import checkpoint |Cleanup: removed |Initialize (?:metadata|sessions) "
    rb"|Merge remote session logs)"
)

WALK_EXCLUDES = (
    "refs/entire/*",
    "refs/heads/entire/*",
    "refs/remotes/*/entire/*",
    "refs/asr/*",
    "refs/notes/*",
    "refs/stash",
    "refs/prefetch/*",
    "refs/bisect/*",
    "refs/original/*",
)
"""Refs that hold no work of the user's own, as ``git log --exclude=<glob> … --all`` takes them.

``*`` runs across slashes here, so that each line covers every depth. A remote's name may hold slashes too, hence a
remote branch with a part named ``entire`` in its middle (``origin/feature/entire/x``) is taken for one of Entire's.
"""


@dataclass(frozen=True, slots=True)
class Mention:
    """A checkpoint that a commit message names, and where in the message (:func:`git_asr.git.trailers.find`)."""

    checkpoint: str
    place: Place


def checkpoint_ids(message: bytes) -> tuple[Mention, ...]:
    """The checkpoints that a raw commit message names, in the order first seen, each once.

    An ID says that this message once belonged to a commit with that checkpoint, no more (reference, section 1.6).
    """
    return tuple(Mention(found.value, found.place) for found in trailers.find(message, KEY, _CHECKPOINT_ID))


def minted(checkpoint: str) -> int | None:
    """When a ULID was minted, in milliseconds since 1970; None for a hex ID, which does not say.

    It is the time at which the message was prepared: a little before the checkpoint's ``created_at`` (reference 1.1).
    """
    if not re.fullmatch(ULID, checkpoint):
        return None
    milliseconds = 0
    for digit in checkpoint[:10]:
        milliseconds = milliseconds * 32 + _CROCKFORD.index(digit)
    return milliseconds


def is_bookkeeping(message: bytes) -> bool:
    """Whether a message begins as those of Entire's own commits in its stores (reference, section 2.2)."""
    return _BOOKKEEPING.match(message) is not None
