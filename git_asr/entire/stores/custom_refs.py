"""The branch's tree on another ref: what Entire 0.7.0 to 0.7.7 mirrored for those who asked for it."""

from __future__ import annotations

import re

from git_asr.entire.stores.folders import Folders, remote_rank

_REF = re.compile(r"refs/entire/(?:remotes/(.+)/)?checkpoints/v1(?:\.1)?")


class CustomRefs(Folders):
    """Reference entire-checkpoints, sections 2.1 (layout F) and 2.5.

    ``refs/entire/checkpoints/v1.1``, its sibling ``v1`` that was seen in the wild, and what was fetched of them under
    ``refs/entire/remotes/<remote>/checkpoints/``.
    """

    kind = "custom-ref"

    def rank(self, ref: str, remote: str | None) -> int | None:
        """The refs of this repository, then the copies of remotes."""
        found = _REF.fullmatch(ref)
        if found is None:
            return None
        return 0 if found[1] is None else 1 + remote_rank(found[1], remote)
