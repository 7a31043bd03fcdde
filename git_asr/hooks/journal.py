"""What the installer did, so that it can be taken back: ``hooks.json``, written before each thing is done."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from git_asr.errors import AsrError
from git_asr.hooks.first_look import JOURNAL
from git_asr.hooks.places import home
from git_asr.hooks.reading import beginning
from git_asr.hooks.steps import Configure, Keep, MakeFolder, Step, Write, temporary_name
from git_asr.values import dataclass

LOCK_NAME = "hooks.lock"

_VERSION = 1
_WAIT = 10.0
"""Seconds; another installer is done in a tenth of one."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that was done, or was about to be when the installer was killed.

    ``did``: ``folder`` (``path`` was made), ``keep`` (it got the second name ``aside``), ``write``, or ``config``
    (``path`` is the section, ``aside`` the scope).
    """

    did: str
    path: str
    aside: str = ""


class Journal:
    """The journal in one directory: ``<common directory>/asr``, or the one for what serves all repositories.

    ``damaged``: there is a file, but it cannot be read as one. It is only believed where to look, for anybody may have
    written it.
    """

    def __init__(self, directory: Path) -> None:
        self.path = directory / JOURNAL
        self.entries, self.damaged = _read(self.path)

    def record(self, step: Step) -> None:
        """Note a step that is about to be done. Raises AsrError: the journal cannot be written."""
        entry = _entry(step)
        if entry is None or entry in self.entries:
            return
        self.entries.append(entry)
        content = {"version": _VERSION, "did": [asdict(one) for one in self.entries]}
        temporary = temporary_name(self.path)
        try:
            temporary.unlink(missing_ok=True)
            temporary.write_text(json.dumps(content, indent=1) + "\n", "ascii")
            temporary.replace(self.path)
        except OSError as error:
            raise AsrError(f"cannot write {self.path}: {error.strerror}") from error


def _entry(step: Step) -> Entry | None:
    match step:
        case MakeFolder(path):
            return Entry("folder", str(path))
        case Keep(path, aside, _):
            return Entry("keep", str(path), str(aside))
        case Write(path, _, _, _):
            return Entry("write", str(path))
        case Configure(scope, key, _, _):
            return Entry("config", key.rpartition(".")[0], scope)
        case _:
            return None


def _read(path: Path) -> tuple[list[Entry], bool]:
    data = beginning(path)
    if data is None:
        return [], path.is_symlink() or path.exists()
    try:
        content = json.loads(data)
        if content["version"] != _VERSION:
            return [], True
        entries = [Entry(one["did"], one["path"], one["aside"]) for one in content["did"]]
    except (ValueError, KeyError, TypeError, RecursionError):
        return [], True
    texts = [text for one in entries for text in (one.did, one.path, one.aside)]
    if not all(isinstance(text, str) and "\0" not in text for text in texts):
        return [], True
    return entries, False


@contextmanager
def locked(directory: Path) -> Iterator[None]:
    """Keep other installers out while the block runs; ``directory`` is made.

    Raises:
        AsrError: another one is at work for longer, or there can be no lock.
    """
    if directory.is_symlink():
        raise AsrError(f"{directory} is a symbolic link, and nothing is written through it")
    from filelock import FileLock, Timeout  # noqa: PLC0415  (slow to import)

    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = FileLock(directory / LOCK_NAME, timeout=_WAIT, fallback_to_soft=False)
        lock.acquire()
    except Timeout as error:
        raise AsrError("another git-asr is installing hooks", hint="wait for it to end") from error
    except OSError as error:
        where = error.filename if error.filename is not None else directory
        raise AsrError(f"cannot lock {os.fsdecode(where)}: {error.strerror}") from error
    try:
        yield
    finally:
        lock.release()


def global_directory() -> Path:
    """Where lies what serves all repositories: the journal and, for hooks in the configuration, their files."""
    base = Path(os.environ.get("XDG_DATA_HOME", ""))
    return (base if base.is_absolute() else home() / ".local" / "share") / "git-asr"
