"""Whose a hook file is: nobody's, ours, Entire's, a hook manager's, or somebody else's; or nothing to be touched."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection
from pathlib import Path
from typing import Literal

from git_asr.hooks.managers import registry
from git_asr.hooks.managers.base import HookFile, Manager
from git_asr.hooks.reading import beginning
from git_asr.hooks.script import Identity, identify
from git_asr.hooks.steps import Stamp, stamp
from git_asr.values import dataclass

Kind = Literal["none", "ours", "entire", "manager", "foreign", "symlink", "tracked", "unreadable", "special"]
"""``special``: a folder, a pipe, a device: no hook, whatever its name."""

BESIDE_ENTIRE = ".pre-entire"
"""What Entire calls the hook that was there before, and runs after its own (reference git-integration, section 7.6)."""
KEPT = ".pre-asr"
"""What git-asr calls the hook that was there before, and runs before its own."""

_ENTIRE = b"Entire CLI hooks"
"""The text by which Entire knows its own files, in every release (reference entire-checkpoints, section 7.1)."""


@dataclass(frozen=True, slots=True)
class Found:
    """What stands at the path of a hook.

    ``data``: its first bytes, empty for what is no file. ``identity``: of a file of ours. ``manager``: whose it is.
    ``stamp``: tells it from what may stand there later, None for nothing.
    """

    path: Path
    kind: Kind
    data: bytes = b""
    executable: bool = False
    identity: Identity | None = None
    manager: Manager | None = None
    stamp: Stamp | None = None

    @property
    def is_whole(self) -> bool:
        """Whether ``data`` is all that the file holds."""
        return self.stamp is not None and self.stamp.size == len(self.data)


def classify(path: Path, tracked: Collection[Path] = ()) -> Found:
    """Look at one file; ``tracked``: the files that Git tracks there. Nothing is waited for, little is read."""
    found = stamp(path)
    if found is None:
        return Found(path, "none")
    mode = path.lstat().st_mode
    if not stat.S_ISREG(mode):
        return Found(path, "symlink" if stat.S_ISLNK(mode) else "special", stamp=found)
    data = beginning(path)
    if data is None:
        return Found(path, "unreadable", stamp=found)
    kind, identity, manager = _owner(path, data)
    if path in tracked:
        kind = "tracked"
    return Found(path, kind, data, os.access(path, os.X_OK), identity, manager, found)


def _owner(path: Path, data: bytes) -> tuple[Kind, Identity | None, Manager | None]:
    if identity := identify(data):
        return "ours", identity, None
    if manager := registry.owner(HookFile(path.parent, data)):
        return "manager", None, manager
    return "entire" if _ENTIRE in data else "foreign", None, None


def is_same(one: Found, other: Found) -> bool:
    """Tell whether two names stand for one file, or for copies of it: an installer was killed between two steps."""
    if one.stamp is None or other.stamp is None:
        return False
    if (one.stamp.device, one.stamp.inode) == (other.stamp.device, other.stamp.inode):
        return True
    return bool(one.data) and one.data == other.data and one.is_whole and other.is_whole
