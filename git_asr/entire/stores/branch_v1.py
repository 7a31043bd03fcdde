"""The layout since Entire 0.3.11: the branch ``entire/checkpoints/v1``, with a numbered folder for each session."""

from __future__ import annotations

from git_asr.entire.stores.folders import Branch


class BranchV1(Branch):
    """Reference entire-checkpoints, section 2.2, layout C."""

    kind = "branch-v1"
    name = "entire/checkpoints/v1"
