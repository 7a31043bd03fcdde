"""The layout of Entire 0.5.2 to 0.5.6: metadata on one ref, transcripts on a current one and on archived ones."""

from __future__ import annotations

import re

from git_asr.entire.stores.folders import Folders

_MAIN = "refs/entire/checkpoints/v2/main"
_FULL = "refs/entire/checkpoints/v2/full/"
_REF = re.compile(rf"{_MAIN}|{_FULL}(?:current|([0-9]{{13}}))")


class V2(Folders):
    """Reference entire-checkpoints, section 2.3: ``v2/main``, ``v2/full/current``, ``v2/full/<13 digits>``.

    All have the branch's tree, and a checkpoint is what its folders hold together. A generation of transcripts that
    grew large was archived under the next number; the higher one is the newer.
    """

    kind = "v2"
    descends = False
    layered = True

    def rank(self, ref: str, remote: str | None) -> int | None:
        """Metadata, the current transcripts, then the archived ones, the newest first."""
        del remote
        found = _REF.fullmatch(ref)
        if found is None:
            return None
        if found[1] is not None:
            return 1 + 10**13 - int(found[1])
        return 0 if ref == _MAIN else 1

    def described(self, ref: str) -> str:
        """The name of the one, and all generations in one."""
        return ref if ref == _MAIN else f"{_FULL}*"
