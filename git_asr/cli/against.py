"""``git asr validate TWIN --against ORIGINAL``: a redacted bundle beside what it was made from."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from git_asr.bundles import contents
from git_asr.bundles.registry import opened
from git_asr.cli.checked import Checked
from git_asr.errors import UsageError
from git_asr.validation.against import compare
from git_asr.validation.findings import Findings


def against(paths: tuple[str, ...], original: str, most: int) -> Checked:
    """Compare one bundle with its original.

    Raises:
        UsageError: not one bundle is named, or one of the two does not exist.
        AsrError: one of the two is no bundle, or damaged.
    """
    if len(paths) != 1:
        raise UsageError(
            "--against compares one bundle with its original", hint="git asr validate TWIN --against ORIGINAL"
        )
    for path in (paths[0], original):
        if not Path(path).exists():
            raise UsageError(f"cannot find '{path}'")
    found = Checked(Findings(most), bundles=1)
    with ExitStack() as stack:
        twin, source = (
            contents.read(stack.enter_context(opened(Path(path)))) for path in (paths[0], original)
        )
        for one in compare(twin, source):
            found.findings(one)
        found.records = sum(entry.records for session in twin.manifest.sessions for entry in session.streams)
    return found
