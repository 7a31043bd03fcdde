"""The hook files: all are one source, ``hook.sh``, and differ in the name of the hook and in how git-asr is started."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
from collections.abc import Sequence
from importlib import resources
from pathlib import Path

from git_asr.values import dataclass

HOOKS = ("post-commit", "post-rewrite", "post-merge", "post-checkout", "post-applypatch", "pre-push")
"""Git's names of the hooks that git-asr has a file for, the one that matters most first."""

VERSION = 1
"""Stands in every file. It is raised when the source changes, so that installed files are known to be older."""

_HEAD = re.compile(
    rb"\A#![^\n]*\n# git-asr hook (?P<version>[0-9]{1,9}) (?P<hook>[a-z-]+)\r?\n"
    rb"(?P<line># sha256 (?P<hash>[0-9a-f]{64})\r?\n)"
)
"""Also with line ends that something changed, or started by another shell: still ours, though no longer intact."""


@dataclass(frozen=True, slots=True)
class Identity:
    """What a hook file says of itself. ``intact``: it is byte for byte what some version of git-asr wrote."""

    hook: str
    version: int
    intact: bool


def render(hook: str, launch: Sequence[str] = ()) -> bytes:
    """Give the file of one of :data:`HOOKS`.

    ``launch``: the words that start git-asr, the first an absolute path; the file falls back on ``PATH`` where there is
    no such program any more, and always without such words.

    Raises:
        ValueError: there is no such hook, or the first word is not absolute: it would name a file of the worktree.
    """
    if hook not in HOOKS:
        raise ValueError(f"no hook of git-asr: {hook}")
    if launch and not Path(launch[0]).is_absolute():
        raise ValueError(f"not an absolute path: {launch[0]}")
    source = resources.files(__package__).joinpath("hook.sh").read_bytes()
    words = b" ".join(os.fsencode(shlex.quote(word)) for word in launch)
    body = source.replace(b"@HOOK@", hook.encode()).replace(b" @LAUNCH@", b" " + words if words else b"")
    first = b"#!/bin/sh\n# git-asr hook %d %s\n" % (VERSION, hook.encode())
    return first + b"# sha256 %s\n" % _hash(first + body) + body


def identify(data: bytes) -> Identity | None:
    """Tell what hook file of git-asr these bytes are; None for any other file."""
    head = _HEAD.match(data)
    if head is None:
        return None
    rest = data[: head.start("line")] + data[head.end("line") :]
    return Identity(head["hook"].decode(), int(head["version"]), _hash(rest) == head["hash"])


def _hash(rest: bytes) -> bytes:
    """The hash of all of a file but the line that holds it."""
    return hashlib.sha256(rest).hexdigest().encode()
