"""husky 9: ``core.hooksPath`` is ``.husky/_``, whose files all run the script of their own name in ``.husky``.

``npm install`` writes them anew, so only a line in the script itself stays (reference git-integration, section 7.5).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from git_asr.hooks.blocks import with_block
from git_asr.hooks.managers.base import Changes, HookFile, Site, editable, mentions, shell_line
from git_asr.hooks.refusal import Refusal
from git_asr.hooks.steps import Step, Write, stamp

_UNREACHED = re.compile(rb"^[ \t]*(?:exit|exec)\b|<<|\\\n?\Z", re.MULTILINE)
"""What may keep the end of a script from being reached, or make it part of something else."""


class Husky:
    """husky, from version 9 on; before that the files are the user's own."""

    name = "husky"

    def owns(self, file: HookFile) -> bool:
        """All files in ``_`` are husky's, whatever they hold at the moment."""
        return file.folder.name == "_" and (file.folder / "h").is_file()

    def calls(self, site: Site, hook: str) -> bool:
        """The script of that name has our line."""
        return mentions(site.folder.parent / hook, hook)

    def entry(self, hooks: Sequence[str]) -> str:
        """One line for each script."""
        return "\n".join(f"in .husky/{hook}:  {shell_line(hook)}" for hook in hooks)

    def changes(self, site: Site) -> Changes:
        """Add the line at the end of the scripts, or make them."""
        steps: list[Step] = []
        refused: dict[str, Refusal] = {}
        for hook in site.files:
            path = site.folder.parent / hook
            data = editable(path)
            if isinstance(data, Refusal):
                refused[hook] = data
            elif data is not None and _UNREACHED.search(data):
                refused[hook] = Refusal(
                    f"what stands at the end of {path} may not be run", self.entry([hook])
                )
            else:
                new = with_block(data, hook, (shell_line(hook) + "\n").encode())
                if new != data:
                    steps.append(Write(path, new, stamp(path), executable=False))
        return Changes(tuple(steps), refused)
