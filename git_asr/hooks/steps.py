"""What is done to files and settings, as data: each step is all or nothing, and says what must be there before it.

So a kill between two steps leaves hooks that work: a hook file is replaced by another in one rename, and a file that is
kept has two names for a while rather than none.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from pathlib import Path

from git_asr.errors import AsrError
from git_asr.git.base import Repository
from git_asr.git.process import run_git
from git_asr.values import dataclass


@dataclass(frozen=True, slots=True)
class Stamp:
    """Tells a file from what may stand there later, without reading it: device, inode, size, time in nanoseconds."""

    device: int
    inode: int
    size: int
    changed: int


@dataclass(frozen=True, slots=True)
class MakeFolder:
    """Make a folder; the one above it is there."""

    path: Path


@dataclass(frozen=True, slots=True)
class Keep:
    """Give a file a second name, ``aside``, under which nothing stands yet."""

    path: Path
    aside: Path
    before: Stamp


@dataclass(frozen=True, slots=True)
class Write:
    """Put a file in the place of another (``before``), or of nothing (None).

    ``executable``: it is a program; otherwise it gets the permissions of the one that it replaces, or of a new file.
    """

    path: Path
    data: bytes
    before: Stamp | None
    executable: bool = True


@dataclass(frozen=True, slots=True)
class Remove:
    """Remove a file."""

    path: Path
    before: Stamp


@dataclass(frozen=True, slots=True)
class Restore:
    """Give a file that was kept its name back, in the place of another (``before``) or of nothing (None)."""

    aside: Path
    path: Path
    before: Stamp | None


@dataclass(frozen=True, slots=True)
class RemoveFolder:
    """Remove a folder if it is empty."""

    path: Path


@dataclass(frozen=True, slots=True)
class Discard:
    """Remove what is git-asr's own, a file or a folder with all that is in it, if it is there."""

    path: Path


@dataclass(frozen=True, slots=True)
class Configure:
    """Set a key of Git's configuration, or give it one more value (``add``). ``scope``: ``--local`` or ``--global``."""

    scope: str
    key: str
    value: str
    add: bool = False


@dataclass(frozen=True, slots=True)
class Unconfigure:
    """Remove a whole section of Git's configuration at once, or with a ``value`` only that, from a key of this name."""

    scope: str
    name: str
    value: str | None = None


Step = MakeFolder | Keep | Write | Remove | Restore | RemoveFolder | Discard | Configure | Unconfigure


class Changed(AsrError):
    """Something else has changed a file since it was looked at."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path} was changed meanwhile", hint="run it again")


def stamp(path: Path) -> Stamp | None:
    """The stamp of what stands at a path, a link as itself; None for nothing."""
    try:
        found = path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return Stamp(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)


def make_folders(folder: Path) -> tuple[MakeFolder, ...]:
    """The steps that make a folder, and those above it that are missing; none if it is there."""
    missing = [above for above in (folder, *folder.parents) if stamp(above) is None]
    return tuple(MakeFolder(path) for path in reversed(missing))


def carry_out(step: Step, repo: Repository | None) -> None:
    """Do one step.

    ``repo``: whose configuration is meant by ``--local``.

    Raises:
        Changed: what stands there is no more what the step was made for.
        AsrError: Git refuses, or the file system does.
    """
    try:
        _do(step, repo)
    except OSError as error:
        where = error.filename if error.filename is not None else getattr(step, "path", "")
        raise AsrError(f"cannot write {os.fsdecode(where)}: {error.strerror}") from error


def _do(step: Step, repo: Repository | None) -> None:
    match step:
        case MakeFolder(path):
            path.mkdir(exist_ok=True)
        case Keep(path, aside, before):
            _check(path, before)
            _link(path, aside)
        case Write(path, data, before, executable):
            _check(path, before)
            _replace(path, data, executable=executable)
        case Remove(path, before):
            _check(path, before)
            path.unlink()
        case Restore(aside, path, before):
            _check(path, before)
            aside.replace(path)
        case RemoveFolder(path):
            with contextlib.suppress(OSError):  # not empty, or gone: both are well
                path.rmdir()
        case Discard(path):
            _discard(path)
        case Configure(scope, key, value, add):
            _configure(repo, scope, "--add" if add else "--replace-all", key, value)
        case Unconfigure(scope, name, value):
            one = (
                ("--remove-section", name) if value is None else ("--fixed-value", "--unset-all", name, value)
            )
            _configure(repo, scope, *one)


def _check(path: Path, before: Stamp | None) -> None:
    if stamp(path) != before:
        raise Changed(path)


def _link(path: Path, aside: Path) -> None:
    """A second name for the same file; where there are no links, a copy with the same permissions and times."""
    try:
        os.link(path, aside, follow_symlinks=False)
    except FileExistsError:
        raise
    except OSError:
        temporary = temporary_name(aside)
        temporary.unlink(missing_ok=True)
        shutil.copy2(path, temporary, follow_symlinks=False)
        temporary.rename(aside)


def _replace(path: Path, data: bytes, *, executable: bool) -> None:
    """Write beside it and rename: whoever opens the path gets the old file or the new one, whole."""
    old = path.stat() if not executable and path.exists() else None
    temporary = temporary_name(path)
    temporary.unlink(missing_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    descriptor = os.open(temporary, flags, 0o777 if executable else 0o666)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        if old is not None:
            temporary.chmod(stat.S_IMODE(old.st_mode))
            if hasattr(os, "chown") and (old.st_uid, old.st_gid) != (os.getuid(), os.getgid()):
                with contextlib.suppress(OSError):  # who may write it need not own it
                    os.chown(temporary, old.st_uid, old.st_gid)
        temporary.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def temporary_name(path: Path) -> Path:
    """The name under which a file is written before it gets its own. It is always the same: a kill leaves no litter."""
    return path.with_name(f".{path.name}.asr-new")


def _discard(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _configure(repo: Repository | None, scope: str, *arguments: str) -> None:
    run_git(repo, "config", scope, *arguments, cwd=None if repo else Path(os.sep))
