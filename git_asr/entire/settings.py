"""What Entire's settings say about where the checkpoints are: untrusted text, of which next to nothing is believed."""

from __future__ import annotations

import re
import stat
from pathlib import Path
from typing import Any

from git_asr.asr import codec
from git_asr.errors import AsrError, Diagnostic, Report, UsageError
from git_asr.git.backend import open_objects
from git_asr.git.base import Repository
from git_asr.git.history import resolve
from git_asr.git.process import run_git
from git_asr.values import dataclass

PROJECT = ".entire/settings.json"
LOCAL = ".entire/settings.local.json"
MAX_BYTES = 1 << 20
"""A larger file is not read."""

_PARTS = {"github": (2, 2), "gitlab": (2, 20)}
"""The providers, and of how many parts the path of a repository is there: GitLab has groups in groups."""
_PART = re.compile(r"(?!\.{1,2}\Z)[A-Za-z0-9_.][A-Za-z0-9_.-]{0,99}")


@dataclass(frozen=True, slots=True)
class CheckpointRemote:
    """The repository that Entire pushes checkpoints to: ``github`` or ``gitlab``, and ``owner/name`` there."""

    provider: str
    path: str

    def __str__(self) -> str:
        """As a person writes it."""
        return f"{self.provider}:{self.path}"


@dataclass(frozen=True, slots=True)
class Settings:
    """``checkpoint_remote``: a repository of its own for checkpoints. ``push_remote``: the remote that carries them."""

    checkpoint_remote: CheckpointRemote | None = None
    push_remote: str | None = None


class _Unusable(Exception):
    """Why a file, or a value in it, cannot be meant."""


def read_settings(repo: Repository, report: Report) -> Settings:
    """Read ``strategy_options`` of both settings files, field by field, the local one first.

    They are read in the worktree, or from HEAD where there is none. A local file that is tracked does not count, since
    whoever commits it would decide for everybody (Entire does so too); hence HEAD has none. What cannot be meant is
    reported as ``entire-settings`` and counts as absent.
    """
    found: dict[str, tuple[str, Any]] = {}
    for name in (PROJECT, LOCAL):
        try:
            options = _options(repo, name)
        except _Unusable as why:
            report(Diagnostic("entire-settings", name, str(why)))
        else:
            found |= {key: (name, value) for key, value in options.items()}

    where, given = found.get("checkpoint_remote", ("", None))
    try:
        remote = _checkpoint_remote(given)
    except _Unusable as why:
        report(Diagnostic("entire-settings", where, f"checkpoint_remote {why}"))
        remote = None
    where, pinned = found.get("checkpoint_push_remote", ("", None))
    if not isinstance(pinned, str | None):
        report(Diagnostic("entire-settings", where, "checkpoint_push_remote is no name of a remote"))
        pinned = None
    return Settings(remote, pinned or None)


def _options(repo: Repository, name: str) -> dict[str, Any]:
    content = _in_head(repo, name) if repo.work_tree is None else _in_worktree(repo, repo.work_tree, name)
    if content is None:
        return {}
    try:
        value = codec.decode(content).value
    except ValueError as error:
        raise _Unusable(f"not JSON: {error}") from None
    options = value.get("strategy_options") if isinstance(value, dict) else value
    if options is None and isinstance(value, dict):
        return {}
    if not isinstance(options, dict):
        raise _Unusable("no JSON object where its strategy_options should be")
    return options


def _in_worktree(repo: Repository, top: Path, name: str) -> bytes | None:
    """What stands in the file; a pipe or a device that somebody put there is not waited for."""
    path = top / name
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise _Unusable("it is no file")
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise _Unusable(f"cannot be read: {error.strerror}") from None
    if len(content) > MAX_BYTES:
        raise _Unusable(f"it is larger than {MAX_BYTES} bytes")
    if name == LOCAL and run_git(repo, "ls-files", "-z", "--", f":/{name}"):
        raise _Unusable("it is tracked, so it does not count")
    return content


def _in_head(repo: Repository, name: str) -> bytes | None:
    if name == LOCAL:
        return None
    with open_objects(repo, "git") as objects:
        try:
            entry = objects.lookup(objects.commit_tree(resolve(repo, "HEAD")), name)
        except UsageError:  # no commit yet
            return None
        except AsrError as error:
            raise _Unusable(error.message) from None
        if entry is None or not entry.is_blob:
            return None
        size = objects.sizes([entry.oid])[entry.oid]
        if size is not None and size > MAX_BYTES:
            raise _Unusable(f"it is larger than {MAX_BYTES} bytes")
        return objects.blob(entry.oid)


def _checkpoint_remote(value: object) -> CheckpointRemote | None:
    """Read the setting; nothing but a known provider and plain names of a plain number passes."""
    if value is None:
        return None
    if not isinstance(value, dict):
        raise _Unusable("is no JSON object")
    provider, path = value.get("provider"), value.get("repo")
    if not isinstance(provider, str) or provider not in _PARTS:
        raise _Unusable(f"has no provider that is known ({' or '.join(_PARTS)})")
    least, most = _PARTS[provider]
    parts = path.removesuffix(".git").split("/") if isinstance(path, str) else []
    if not (least <= len(parts) <= most and all(_PART.fullmatch(part) for part in parts)):
        raise _Unusable("has no repo of the form owner/name")
    return CheckpointRemote(provider, "/".join(parts))
