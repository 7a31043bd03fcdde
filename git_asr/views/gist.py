"""What a value is about, in one text: for the arguments of tools of which nothing else is known."""

from __future__ import annotations

from typing import Any

from git_asr.asr import codec

_TELLING = (
    *("command", "cmd", "file_path", "filePath", "path", "pattern", "query", "url", "description", "prompt"),
    *("skill", "subject", "taskId", "name", "text"),
    *("CommandLine", "TargetFile", "AbsolutePath", "DirectoryPath", "Query", "Url", "toolSummary"),
)
"""Arguments that say what a call is about, the most telling first."""
_MOST = 300
"""Characters of JSON."""


def gist(value: Any) -> str:
    """A text as it is; of an object its most telling text, else all of it as JSON; nothing for None."""
    if isinstance(value, str):
        return value
    if value in (None, {}, []):
        return ""
    if isinstance(value, dict):
        for name in _TELLING:
            found = value.get(name)
            if isinstance(found, str) and found:
                return found
            if isinstance(found, list) and found and all(isinstance(one, str) for one in found):
                return " ".join(found)
    return codec.encode(value).decode()[:_MOST]
