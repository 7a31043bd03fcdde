"""What is kept of a fault in git-asr, for a report: which versions, which kind of fault, and where in our own source.

A text file under the common directory, ``asr/crash.txt``, with the last few faults, the newest first. Nothing of a
session can be in it: no message of an exception, for that may quote what was read, no value, no argument of a command
line, and no path but those of our own source.
"""

from __future__ import annotations

import errno
import os
import platform
import sys
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType

from git_asr import __version__
from git_asr.companion.lock import replace_file
from git_asr.companion.private import make_folder
from git_asr.errors import FAULT, AsrError

FILE_NAME = "crash.txt"
KEPT = 5
"""Faults of which the file tells."""
MOST_BYTES = 8192
"""Bytes of one report."""
_TITLE = "a fault in git-asr, "
_END = "\n\n"
_FRAMES = 25
"""Calls that are told at each end of a longer chain, as that of a recursion."""
_CAUSES = 5
_OURS = Path(__file__).parents[1]
_CARRIED = "git_asr_frames"


def report(directory: Path, fault: BaseException) -> Path | None:
    """Write down a fault, before those that the file tells of, and give the file; None where that cannot be done.

    ``directory``: ``<common directory>/asr``; it is made. The file is replaced as a whole, so it is never half of one;
    of two faults at the same moment it may keep one. Never raises.
    """
    path = directory / FILE_NAME
    try:
        make_folder(directory)
        told = [_told(fault), *_kept(path)][:KEPT]
        return path if replace_file(path, "".join(told).encode("ascii", "backslashreplace")) else None
    except Exception:
        return None


def report_here(fault: BaseException) -> Path | None:
    """As ``report``, for the repository of the caller; None where there is none."""
    try:
        from git_asr.git.repository import open_repository  # noqa: PLC0415  (only a fault needs it)

        return report(open_repository().common_dir / "asr", fault)
    except Exception:
        return None


def last(directory: Path) -> tuple[str, Path] | None:
    """When the newest fault was of which there is a report, RFC 3339 in UTC, and the file; None where there is none."""
    path = directory / FILE_NAME
    told = _kept(path)
    return (told[0].splitlines()[0].removeprefix(_TITLE)[:20], path) if told else None


def reported(fault: BaseException, where: Path | None) -> AsrError:
    """The error that a user sees of a fault: its kind and where it is told, and nothing that it may quote."""
    debug = "run it again with GIT_ASR_DEBUG=1 to see where, and report that"
    hint = f"{where} says where, and holds nothing of your sessions: please report that" if where else debug
    said = _kind(fault)
    if (
        isinstance(fault, OSError) and fault.strerror
    ):  # the system's own words; no name of a file comes from data
        said = ": ".join(
            str(one) for one in (type(fault).__qualname__, fault.strerror, fault.filename) if one
        )
    failure = AsrError(f"a fault in git-asr: {said}", hint=hint)
    failure.status = FAULT
    return failure


def carry(taken: BaseException, fault: BaseException) -> None:
    """Let an exception take along to another process, where no traceback can go, from where a fault came."""
    with suppress(AttributeError, TypeError):
        setattr(taken, _CARRIED, [f"in another process: {_kind(fault)}", *_places(fault)])


def frames(fault: BaseException) -> Iterator[str]:
    """The calls in our own source that led to a fault, the innermost last, after those of what caused it."""
    chain: list[BaseException] = []
    now: BaseException | None = fault
    while now is not None and len(chain) < _CAUSES and now not in chain:
        chain.append(now)
        now = now.__cause__ or (None if now.__suppress_context__ else now.__context__)
    for number, one in enumerate(reversed(chain)):
        yield f"{'which led to ' if number else ''}{_kind(one)}"
        carried = getattr(one, _CARRIED, [])
        yield from (f"  {place}" for place in carried if isinstance(place, str))
        yield from (f"  {place}" for place in _places(one))


def _told(fault: BaseException) -> str:
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    pygit2 = sys.modules.get("pygit2")
    known = "" if pygit2 is None else f", pygit2 {pygit2.__version__}, libgit2 {pygit2.LIBGIT2_VERSION}"
    python = f"{platform.python_implementation()} {platform.python_version()}"
    system = f"{platform.system()} {platform.release()} {platform.machine()}"
    lines = [f"{_TITLE}{now}", f"git-asr {__version__}, {python}, {system}{known}", *frames(fault)]
    return "\n".join(lines)[: MOST_BYTES - len(_END)] + _END


def _kept(path: Path) -> list[str]:
    """The reports that a file holds; none where it is no file of ours."""
    try:
        with os.fdopen(
            os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | os.O_NONBLOCK), "rb"
        ) as file:
            text = file.read(KEPT * MOST_BYTES).decode("ascii", "replace")
    except OSError:
        return []
    return [f"{one}{_END}" for one in text.split(_END) if one.startswith(_TITLE)]


def _kind(fault: BaseException) -> str:
    """The type of a fault, and the name of the system's error."""
    name = type(fault).__qualname__
    number = fault.errno if isinstance(fault, OSError) else None
    return name if number is None else f"{name} {errno.errorcode.get(number, number)}"


def _places(fault: BaseException) -> list[str]:
    """``file:line in function``; calls outside of our source are only counted."""
    found: list[str] = []
    outside = 0
    for file, line, name in _calls(fault.__traceback__):
        own = _own(file)
        if own is None:
            outside += 1
            continue
        found += _elsewhere(outside)
        outside = 0
        found.append(f"{own}:{line} in {name}")
    found += _elsewhere(outside)
    if len(found) > 2 * _FRAMES:
        found[_FRAMES:-_FRAMES] = [f"... {len(found) - 2 * _FRAMES} more"]
    return found


def _calls(trace: TracebackType | None) -> Iterator[tuple[str, int, str]]:
    while trace is not None:
        code = trace.tb_frame.f_code
        yield code.co_filename, trace.tb_lineno or 0, code.co_qualname
        trace = trace.tb_next


def _own(file: str) -> str | None:
    try:
        return (Path(_OURS.name) / Path(file).relative_to(_OURS)).as_posix()
    except ValueError:
        return None


def _elsewhere(count: int) -> list[str]:
    return [f"({count} outside of git-asr)"] if count else []
