"""Moving one ref of a remote, from where it was seen: by compare-and-swap, never by force."""

from __future__ import annotations

import os
import re
import tempfile

from git_asr.git.base import Repository
from git_asr.git.fetching import Hear, explanation, listen
from git_asr.git.process import command_line
from git_asr.values import dataclass

_ROW = re.compile(r"([ +\-*!=])\t[^\t]*\t(?:\[([^]]*)\])?(?: ?\((.*)\))?.*")
_QUIET = {"push.gpgSign": "false", "push.recurseSubmodules": "no"}


@dataclass(frozen=True, slots=True)
class Move:
    """A ref of a remote that is to move from ``old`` (None: from nowhere) to ``new``, a commit that is here."""

    ref: str
    old: str | None
    new: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a push. ``moved``: the ref stands where it was to go; else ``why`` not, in Git's words."""

    moved: bool
    why: str = ""


def push_ref(repo: Repository, address: str, move: Move, hear: Hear, remote: str | None = None) -> Answer:
    """Let Git move one ref of a remote.

    The user's pre-push hook is not asked: it is about the user's own refs, and may push other ones. No tag and no
    submodule goes along. ``address``: as for ``fetching.fetch``; ``remote``: the name of the remote, where it is one.
    """
    settings = dict(_QUIET)
    if remote is not None:
        settings[f"remote.{remote}.mirror"] = "false"
    lease = f"--force-with-lease={move.ref}:{move.old or ''}"
    options = ("--porcelain", "--progress", "--no-verify", "--no-follow-tags", lease)
    arguments = ("push", *options, "--", address, f"{move.new}:{move.ref}")
    with tempfile.TemporaryFile() as table:
        status, said = listen(repo, command_line(repo, arguments, settings), None, table, hear)
        table.seek(0)
        rows = os.fsdecode(table.read()).splitlines()
    found = next((row for line in rows if (row := _ROW.fullmatch(line)) is not None), None)
    if status == 0:
        return Answer(True)
    why = found[3] or found[2] if found is not None and found[1] == "!" else None
    return Answer(False, why or explanation(said, status))
