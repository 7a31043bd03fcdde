"""How Entire's hook comes to call ours, which stands beside it as ``<hook>.pre-entire`` (reference, section 7.6).

Entire calls what has that name, but a file that it wrote while there was none does not say so. Up to version 0.8 it
only looks whether its files are there, so such a file stays as it is, and lines of ours are added to it; Entire does
not mind, and they go when it writes the file anew, with a call of its own. Later versions write the call at the start
of the next session, and refuse files with lines that they do not know: those are left alone. They are told apart by
what the file for ``pre-push`` passes on.
"""

from __future__ import annotations

from pathlib import Path

from git_asr.hooks.blocks import with_block
from git_asr.hooks.classify import BESIDE_ENTIRE, Found
from git_asr.hooks.reading import beginning

_REPAIRS_ITSELF = b'pre-push "$1" "$2"'

_AFTER = """\
asr_status=$?
if [ -x "${0%/*}/@HOOK@.pre-entire" ]; then
  "${0%/*}/@HOOK@.pre-entire" "$@" || asr_status=$?
fi
(exit "$asr_status")
"""
"""After Entire's part, whose status counts unless the called hook fails."""

_BEFORE = """\
asr_input=$(cat; echo .)
asr_input=${asr_input%.}
if [ -x "${0%/*}/@HOOK@.pre-entire" ]; then
  printf %s "$asr_input" | "${0%/*}/@HOOK@.pre-entire" "$@"
fi
if [ -n "$asr_input" ]; then
  exec <<asr_end
${asr_input%?}
asr_end
else
  exec </dev/null
fi
"""
"""Before Entire's part where that reads the input: both get it."""


def calls(found: Found, hook: str) -> bool:
    """Tell whether Entire's file calls what stands beside it."""
    return f"{hook}{BESIDE_ENTIRE}".encode() in found.data


def repairs_itself(folder: Path) -> bool:
    """Tell whether the Entire that wrote these hooks adds the call by itself, and wants no lines of ours."""
    return _REPAIRS_ITSELF in (beginning(folder / "pre-push") or b"")


def with_call(found: Found, hook: str) -> bytes:
    """Entire's file with lines of ours that call what stands beside it."""
    first = hook == "post-rewrite"
    body = (_BEFORE if first else _AFTER).replace("@HOOK@", hook)
    return with_block(found.data, hook, body.encode(), first=first)
