"""The first words to Git, before anything is imported that they do not need.

Git starts a helper, asks what it can do, and waits. What it wants comes after that, and so does what must be imported.
"""

from __future__ import annotations

import os

CAPABILITIES = ("fetch", "push", "option", "object-format")
INTERRUPTED, PIPE_CLOSED = 130, 141
"""What a shell reports for a program that was interrupted, or that a closed pipe ended."""
_ASKED = b"capabilities\n"
_ANSWER = "".join(f"{one}\n" for one in (*CAPABILITIES, "")).encode()


def greeted() -> bytes | None:
    """Say what can be done as often as it is asked; the beginning of what Git says then, None if that is all.

    Raises:
        OSError: there is no pipe, or nobody at its other end.
    """
    while (line := _line()) == _ASKED:
        os.write(1, _ANSWER)
    return None if line == b"\n" else line


def _line() -> bytes:
    """Read what may be a line like those above, and not a byte more: the rest is read by others."""
    line = b""
    while len(line) < len(_ASKED) and not line.endswith(b"\n"):
        byte = os.read(0, 1)
        if not byte:
            break
        line += byte
    return line
