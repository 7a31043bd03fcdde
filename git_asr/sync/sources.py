"""What the sources of a session say of it as a whole: when the newest was made, and how it began."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from git_asr.asr.draft import Record
from git_asr.asr.times import instant
from git_asr.companion.store import LAST_PLAUSIBLE
from git_asr.entire.contents import SessionFolder
from git_asr.entire.session import age
from git_asr.git.base import Objects

_PROMPT_END = "\n\n---\n\n"


def newest_source(links: Iterable[Record]) -> int:
    """The newest time of a session's sources in epoch seconds: its checkpoints' and its commits'."""
    times = [instant(record.get("ts") or record.get("committedAt")) for record in links]
    seconds = [time // 1_000_000_000 for time in times if time is not None]
    return max((one for one in seconds if 0 <= one <= LAST_PLAUSIBLE), default=0)


def first_prompt(upstream: Objects, folders: Sequence[SessionFolder]) -> str | None:
    """The first prompt that Entire noted for the session's oldest checkpoint with one."""
    for folder in sorted(folders, key=age):
        data = None if folder.prompt is None else upstream.blob(folder.prompt)
        text = (data or b"").decode("utf-8", "replace").partition(_PROMPT_END)[0].strip()
        if text:
            return text
    return None
