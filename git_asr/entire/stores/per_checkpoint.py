"""The layout since Entire 0.8.0: a ref for each checkpoint, ``refs/entire/checkpoints/<last two characters>/<ID>``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from git_asr.entire.links import HEX, ULID, ULID_LENGTH
from git_asr.entire.stores.base import Location, Removed, Store
from git_asr.entire.stores.folders import remote_rank
from git_asr.errors import AsrError, Diagnostic, Report
from git_asr.git.base import Objects

_IMPORT = re.compile(rf"Import checkpoint ({HEX}) \(migrated from .*\)")
_STEPS = 64
"""Commits of a ref in which the one that imported the checkpoint is looked for; no real ref has more than four."""
_REF = re.compile(rf"(refs/entire/(?:remotes/(.+)/)?checkpoints/)([^/]+)/({HEX}|{ULID})")


class PerCheckpoint:
    """Reference entire-checkpoints, section 2.4: the tree of the ref's commit is the checkpoint.

    What was fetched of them to copies stands under ``refs/entire/remotes/<remote>/checkpoints/``.
    IDs are ULIDs, or hexadecimal after a migration. There may be tens of thousands of such refs, and each is a store.
    """

    kind = "per-checkpoint"
    descends = False
    layered = False

    def rank(self, ref: str, remote: str | None) -> int | None:
        """The refs of this repository, then the copies of remotes."""
        found = _REF.fullmatch(ref)
        if found is None:
            return None
        return 0 if found[2] is None else 1 + remote_rank(found[2], remote)

    def described(self, ref: str) -> str:
        """All of them in one, and all copies of a remote."""
        found = _REF.fullmatch(ref)
        return f"{found[1] if found else ref}*/*"

    def checkpoints(
        self, objects: Objects, store: Store, old_tip: str | None, report: Report
    ) -> Iterator[Location | Removed]:
        """Yield the checkpoint. Raises AsrError as :class:`Layout` says.

        One that got a ULID when it was migrated is yielded under its former ID too, which commits still name; the
        commit that imported it tells that ID (section 9, row 18). A ref whose shard is of another ID is not read, as
        Entire does not: it is reported as ``misplaced-ref``.
        """
        shard, checkpoint = store.ref.split("/")[-2:]
        if shard == checkpoint[-2:]:
            tree = objects.commit_tree(store.tip)
            yield Location(checkpoint, store.ref, self.kind, (tree,))
            if len(checkpoint) == ULID_LENGTH:
                former, before = (one and _former(objects, one) for one in (store.tip, old_tip))
                if before is not None and before != former:
                    yield Removed(before)
                if former is not None:
                    yield Location(former, store.ref, self.kind, (tree,))
        else:
            message = f"it is not read: a checkpoint {checkpoint} would stand under {checkpoint[-2:]}/"
            report(Diagnostic("misplaced-ref", store.ref, message))


def _former(objects: Objects, tip: str) -> str | None:
    """The ID that a checkpoint had before it was migrated, where one of its ref's commits tells it."""
    commits: tuple[str, ...] = (tip,)
    try:
        for _ in range(_STEPS):
            _, commits, subject = objects.titled(commits[0])
            if found := _IMPORT.fullmatch(subject):
                return found[1]
            if not commits:
                break
    except AsrError:
        pass  # a shallow clone ends here
    return None
