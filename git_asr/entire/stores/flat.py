"""The layout up to Entire 0.3.9: the branch ``entire/sessions``, a checkpoint's folder being its newest session's."""

from __future__ import annotations

from git_asr.entire.stores.folders import Branch


class Flat(Branch):
    """Reference entire-checkpoints, section 2.2, layout A.

    That the checkpoint's folder holds a session itself is seen by its files, whatever the store
    (:mod:`git_asr.entire.contents`): branches were converted, and were renamed before they were.
    """

    kind = "flat"
    name = "entire/sessions"
