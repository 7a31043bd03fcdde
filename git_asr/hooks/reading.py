"""Reads files that anybody may have put there: never a pipe or a device, never more than the beginning."""

from __future__ import annotations

import os
import stat
from pathlib import Path

MOST = 1 << 20
"""Bytes; no hook, and no configuration of a hook manager, is as long as that."""


def beginning(path: Path) -> bytes | None:
    """The first :data:`MOST` bytes of a file; None for what is no file, cannot be read, or is a symbolic link."""
    flags = os.O_RDONLY
    for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"):  # not everywhere
        flags |= getattr(os, name, 0)
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            return None
        descriptor = os.open(path, flags)
        with os.fdopen(descriptor, "rb") as file:
            return file.read(MOST) if stat.S_ISREG(os.fstat(descriptor).st_mode) else None
    except (OSError, ValueError):
        return None
