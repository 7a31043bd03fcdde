"""``git-remote-asr``: the way in."""

from __future__ import annotations

import sys

from git_asr.remote.handshake import INTERRUPTED, PIPE_CLOSED, greeted


def main() -> int:
    """Serve the Git that started this process, and give the exit status."""
    try:
        said = greeted()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        return PIPE_CLOSED
    except OSError:  # no pipe: the helper says so
        said = b""
    if said is None:
        return 0
    from git_asr.remote import helper  # noqa: PLC0415  (what it imports takes longer than all of this)

    return helper.main(sys.argv[1:], said)
