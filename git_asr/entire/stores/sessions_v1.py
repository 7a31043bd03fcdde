"""The layout of Entire 0.3.10 alone: as its successor's, on the branch ``entire/sessions/v1``."""

from __future__ import annotations

from git_asr.entire.stores.folders import Branch


class SessionsV1(Branch):
    """Reference entire-checkpoints, section 2.2, layout B."""

    kind = "sessions-v1"
    name = "entire/sessions/v1"
