"""Windsurf's lines: what a person asked for, which files were written, what the agent answered."""

from __future__ import annotations

from typing import Any

from git_asr.converters.building import CONTENT, Building, text_part
from git_asr.converters.fields import text
from git_asr.converters.sidecar.format import WindsurfSidecar
from git_asr.converters.sidecar.hooks import UNSEEN
from git_asr.converters.successive import Reader, Successive

_TOOLS = {"feature": "tools", "reason": "of calls the source has the files that were written"}


class Files(Reader):
    """Windsurf's lines: what a person asked for, which file was written, what the agent answered."""

    def read(self, line: Building, value: dict[str, Any]) -> set[str] | None:
        """Make the record of a line."""
        kind = text(value, "type")
        said = text(value, "path" if kind == "file" else "content")
        if said is None or kind not in ("prompt", "file", "response"):
            return None
        taken = {"type", "path" if kind == "file" else "content"}
        if kind == "file":
            line.put(CONTENT, "git-asr/notice", {"level": "info", "kind": kind, "text": said})
        else:
            who = ("user", "human") if kind == "prompt" else ("assistant", "agent")
            line.put(CONTENT, "message", {"role": who[0], "author": who[1], "content": [text_part(said)]})
        if line.ts is not None:
            taken.add("ts")
        return taken if self.changed("v", value.get("v")) else {*taken, "v"}


def windsurf() -> Successive:
    """The converter of Windsurf's lines."""
    return Successive("windsurf", WindsurfSidecar(), "com.windsurf", (*UNSEEN, _TOOLS), Files)
