"""hk: from Git 2.54 on it uses hooks in the configuration, before that hook files; it is configured by a program."""

from __future__ import annotations

from collections.abc import Sequence

from git_asr.hooks.managers.base import Changes, HookFile, Site, mentions, shell_line
from git_asr.hooks.refusal import Refusal

_CONFIGURATIONS = ("hk.pkl", "hk.local.pkl", ".config/hk.pkl", ".config/hk.local.pkl")
_ARGUMENTS = {"post-checkout": "0 0 1", "post-rewrite": "rebase"}
"""hk passes no arguments on; these make our file take every checkout, and look at a rebase that is done."""


class Hk:
    """hk, from version 1 on."""

    name = "hk"

    def owns(self, file: HookFile) -> bool:
        """Its files can be switched off by this variable."""
        return b'"${HK:-1}"' in file.data

    def calls(self, site: Site, hook: str) -> bool:
        """One of the configurations of every worktree has our line."""
        return bool(site.tops) and all(
            any(mentions(top / name, hook) for name in _CONFIGURATIONS) for top in site.tops
        )

    def entry(self, hooks: Sequence[str]) -> str:
        """Steps that run our files."""
        lines = ["in hk.pkl:", "hooks {"]
        for hook in hooks:
            line = shell_line(hook, _ARGUMENTS.get(hook, "")).replace('"', '\\"')
            lines.append(f'  ["{hook}"] {{ steps {{ ["git-asr"] {{ check = "{line}" }} }} }}')
        return "\n".join([*lines, "}"])

    def changes(self, site: Site) -> Changes:
        """None: a program is not changed by another."""
        reason = Refusal("hk.pkl is a program, so add it yourself", self.entry(list(site.files)))
        return Changes((), dict.fromkeys(site.files, reason))
