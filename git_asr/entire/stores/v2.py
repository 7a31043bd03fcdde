"""The layout of Entire 0.5.2 to 0.5.6: metadata on one ref, transcripts on a current one and on archived ones."""

from __future__ import annotations

import re

from git_asr.entire.stores.folders import Folders, remote_rank

_REF = re.compile(r"(refs/entire/(?:remotes/(.+)/)?checkpoints/v2/)(?:main|full/(?:current|([0-9]{13})))")
_RANKS = 10**13 + 2
"""The ref of the metadata, that of the current transcripts, and as many as have 13 digits."""


class V2(Folders):
    """Reference entire-checkpoints, section 2.3: ``v2/main``, ``v2/full/current``, ``v2/full/<13 digits>``.

    All have the branch's tree, and a checkpoint is what its folders hold together. A generation of transcripts that
    grew large was archived under the next number; the higher one is the newer.
    """

    kind = "v2"
    descends = False
    layered = True

    def rank(self, ref: str, remote: str | None) -> int | None:
        """Metadata, the current transcripts, then the archived ones, the newest first; copies of remotes come after."""
        found = _REF.fullmatch(ref)
        if found is None:
            return None
        first = 0 if found[2] is None else _RANKS * (1 + remote_rank(found[2], remote))
        if found[3] is not None:
            return first + 1 + 10**13 - int(found[3])
        return first + (0 if ref.endswith("/main") else 1)

    def described(self, ref: str) -> str:
        """The name of the one, and all generations in one."""
        found = _REF.fullmatch(ref)
        return ref if found is None or ref.endswith("/main") else f"{found[1]}full/*"
