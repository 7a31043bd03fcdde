"""Overcommit: it moves all other hooks away; its configuration is shared and signed, so only a person adds to it."""

from __future__ import annotations

from collections.abc import Sequence

from git_asr.hooks.managers.base import FILES, Changes, HookFile, Site, mentions
from git_asr.hooks.refusal import Refusal

_CONFIGURATION = ".overcommit.yml"


class Overcommit:
    """Overcommit, of any version; it has no ``post-applypatch``."""

    name = "Overcommit"

    def owns(self, file: HookFile) -> bool:
        """All its files are copies of one that says so."""
        return b"Overcommit hook integration" in file.data

    def calls(self, site: Site, hook: str) -> bool:
        """The configuration of every worktree names our file."""
        return bool(site.tops) and all(mentions(top / _CONFIGURATION, hook) for top in site.tops)

    def entry(self, hooks: Sequence[str]) -> str:
        """Hooks of its own kind that run our files."""
        lines = [f"in {_CONFIGURATION}, and sign it with `overcommit --sign`:"]
        for hook in hooks:
            name = "".join(part.capitalize() for part in hook.split("-"))
            lines += [
                f"{name}:",
                "  GitAsr:",
                "    enabled: true",
                f"    required_executable: .git/{FILES}/{hook}",
            ]
        return "\n".join(lines)

    def changes(self, site: Site) -> Changes:
        """None: whoever signs the configuration answers for it."""
        reason = Refusal(f"{_CONFIGURATION} is signed, so add it yourself", self.entry(list(site.files)))
        return Changes((), dict.fromkeys(site.files, reason))
