"""lefthook: it writes its hook files anew whenever its configuration changed, so only an entry there stays.

``lefthook-local.yml`` is the user's own, beside the configuration that all share (reference git-integration, 7.5).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from git_asr.git.process import try_git
from git_asr.hooks.blocks import with_block, without_blocks
from git_asr.hooks.managers.base import Changes, HookFile, Site, editable, mentions, shell_line
from git_asr.hooks.refusal import Refusal
from git_asr.hooks.steps import Step, Write, stamp

LOCAL = "lefthook-local.yml"

_SUFFIXES = (".yml", ".yaml", ".toml", ".json", ".jsonc")
_SHARED = [
    f"{stem}{suffix}" for stem in ("lefthook", ".lefthook", ".config/lefthook") for suffix in _SUFFIXES
]
_OTHERS = [
    f"{stem}-local{suffix}" for stem in ("lefthook", ".lefthook", ".config/lefthook") for suffix in _SUFFIXES
][1:]
"""Other names of a local configuration: where there is one already, a second would be one too many."""

_PLAIN = re.compile(rb"(?:[ \t]*(?:#[^\n]*)?\n)*(?:[A-Za-z_][\w.-]*[ \t]*:|\Z)")
"""The first key of a block mapping stands in the first column, after comments and empty lines."""
_NOT_PLAIN = re.compile(rb"^(?:---|\.\.\.|%)|\r|\t", re.MULTILINE)
_ARGUMENTS = {"post-checkout": "{0}", "post-rewrite": "{0}"}
"""Of the other hooks our files read no arguments, and these are numbers and words that a shell takes as they are."""


class Lefthook:
    """lefthook, from version 1 on."""

    name = "lefthook"

    def owns(self, file: HookFile) -> bool:
        """Its files define a function of this name."""
        return b"call_lefthook" in file.data

    def calls(self, site: Site, hook: str) -> bool:
        """The configuration of every worktree, shared or local, has our entry."""
        names, tops = (LOCAL, *_OTHERS, *_SHARED), _configured(site)
        return bool(tops) and all(any(mentions(top / name, hook) for name in names) for top in tops)

    def entry(self, hooks: Sequence[str]) -> str:
        """What stands in the local configuration."""
        return f"in {LOCAL}:\n" + "".join(_entry(hook) for hook in hooks).rstrip("\n")

    def changes(self, site: Site) -> Changes:
        """Add the entry to ``lefthook-local.yml`` of the worktrees, or make that file."""
        steps: list[Step] = []
        for top in _configured(site):
            new = self._edited(top, list(site.files))
            if isinstance(new, Refusal):
                return Changes((), dict.fromkeys(site.files, new))
            if new is not None:
                steps.append(Write(top / LOCAL, new, stamp(top / LOCAL), executable=False))
        return Changes(tuple(steps))

    def _edited(self, top: Path, hooks: Sequence[str]) -> bytes | Refusal | None:
        """The local configuration with our entries; None if it has them."""
        path, hint = top / LOCAL, self.entry(hooks)
        data = editable(path)
        if isinstance(data, Refusal):
            return data
        other = next((name for name in _OTHERS if (top / name).exists()), None)
        if other is not None:
            return Refusal(f"the local configuration of lefthook is {top / other}", hint)
        if try_git(None, "ls-files", "--error-unmatch", "--", LOCAL, cwd=top).status == 0:
            return Refusal(f"{path} is tracked, so it is not yours alone", hint)
        foreign = b"" if data is None else without_blocks(data) or b""
        if not _PLAIN.match(foreign) or _NOT_PLAIN.search(foreign):
            return Refusal(f"{path} is not written as one mapping of plain keys", hint)
        for hook in hooks:
            if re.search(rb"^[\"']?%s[\"']?[ \t]*:" % hook.encode(), foreign, re.MULTILINE):
                return Refusal(f"{path} has an entry for {hook} already", hint)
        new = data
        for hook in hooks:
            new = with_block(new, hook, _entry(hook).encode())
        return new if new != data else None


def _configured(site: Site) -> list[Path]:
    """The worktrees that have a configuration of lefthook: in others it does nothing."""
    return [top for top in site.tops if any((top / name).exists() for name in _SHARED)]


def _entry(hook: str) -> str:
    run = shell_line(hook, _ARGUMENTS.get(hook, ""))
    lines = [f"{hook}:", "  commands:", "    git-asr:", f"      run: '{run}'"]
    if hook == "post-rewrite":
        lines.append("      use_stdin: true")
    return "\n".join(lines) + "\n"
