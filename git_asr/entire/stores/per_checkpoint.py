"""The layout since Entire 0.8.0: a ref for each checkpoint, ``refs/entire/checkpoints/<last two characters>/<ID>``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from git_asr.entire.links import HEX, ULID
from git_asr.entire.stores.base import Location, Store
from git_asr.entire.stores.folders import remote_rank
from git_asr.errors import Diagnostic, Report
from git_asr.git.base import Objects

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
    ) -> Iterator[Location]:
        """Yield the checkpoint. Raises AsrError as :class:`Layout` says.

        A ref whose shard is of another ID is not read, as Entire does not: it is reported as ``misplaced-ref``.
        """
        del old_tip  # what is on the ref is the checkpoint that was there
        shard, checkpoint = store.ref.split("/")[-2:]
        if shard == checkpoint[-2:]:
            yield Location(checkpoint, store.ref, self.kind, (objects.commit_tree(store.tip),))
        else:
            message = f"it is not read: a checkpoint {checkpoint} would stand under {checkpoint[-2:]}/"
            report(Diagnostic("misplaced-ref", store.ref, message))
