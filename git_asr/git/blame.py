"""``git blame``: the commit behind each line of a file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from datetime import UTC, datetime, timedelta
from pathlib import Path

from git_asr.errors import AsrError, UsageError
from git_asr.git.base import Repository
from git_asr.git.graph import border
from git_asr.git.history import checked, resolve
from git_asr.git.process import Child
from git_asr.git.streaming import cut
from git_asr.values import dataclass

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_WRONG = re.compile(
    r"no such (?:path |ref)|file .* has only |bad revision |cannot stat path |(?:invalid )?-L |.* is outside repository"
    r"|cannot find revision |could not open object name list|invalid object name|option diff-algorithm "
)
"""How Git complains about a command line."""
_UNQUOTED = {"core.quotePath": "false"}
_LAZILY = {"GIT_NO_LAZY_FETCH": "0", "GIT_NO_REPLACE_OBJECTS": "1"}
"""In a partial clone Git may ask for what it needs, as without us."""
_ESCAPED = re.compile(r"\\([0-7]{3}|.)")
_ESCAPES = {"a": "\a", "b": "\b", "t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r"}


@dataclass(frozen=True, slots=True)
class Origin:
    """A commit behind lines, and where they stood there.

    ``oid``: in full, zeros for what is not committed. ``author``: by the mailmap. ``date``: the author's, in UTC
    (``YYYY-MM-DD``), empty where it is none. ``path``: of the file in that commit. ``boundary``: nothing before
    it was looked at, so that its lines may be older.
    """

    oid: str
    author: str
    date: str
    subject: str
    path: str
    boundary: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """A line. ``number``: in the file, from 1; ``original``: in the commit. ``text``: UTF-8 with surrogate escapes."""

    number: int
    original: int
    origin: Origin
    text: str


def blame(
    repo: Repository,
    path: str,
    *,
    cwd: Path,
    revision: str | None = None,
    ranges: Sequence[str] = (),
    options: Sequence[str] = (),
) -> Iterator[Line]:
    """Yield the lines of a file; streamed. In a partial clone Git fetches what it needs.

    ``path``: from ``cwd``, as Git takes it. ``revision``: as of there, by default what lies in the work tree, or HEAD
    where there is none. ``ranges``: as for ``-L``. ``options``: Git's, that change which commit a
    line is traced to, and nothing of what is printed.

    Raises:
        UsageError: there is no such file, revision or range.
        AsrError: the history is damaged.
    """
    if revision is not None and ".." not in checked(revision):
        resolve(repo, revision)
    place = [] if repo.work_tree is None else [f"--work-tree={repo.work_tree}"]
    where = repo.git_dir if repo.work_tree is None else cwd
    if repo.work_tree is None and revision is None:
        revision = "HEAD"
    asked = [*(f"-L{one}" for one in ranges), *([] if revision is None else [revision]), "--", path]
    command = ("blame", "--porcelain", "--root", "--encoding=UTF-8", *options)
    try:
        lazily = _LAZILY if repo.promisor else {}
        with Child(
            repo,
            *place,
            *command,
            *asked,
            cwd=where,
            config=_UNQUOTED,
            env=lazily,
            network=repo.promisor,
        ) as child:
            yield from _parsed(_lines(child.chunks()), border(repo))
    except AsrError as error:
        said = error.message.removeprefix("git blame: ")
        if said.startswith("usage: "):
            raise UsageError("-L does not name lines", hint="-L 10,20 or -L 10,+5 or -L :function") from None
        raise UsageError(said) if _WRONG.match(said) else error from None


def _lines(chunks: Iterator[bytes]) -> Iterator[str]:
    return (line.decode("utf-8", "surrogateescape") for line in cut(chunks, b"\n"))


def _parsed(lines: Iterator[str], border: Set[str] = frozenset()) -> Iterator[Line]:
    """Each entry is a line with IDs and numbers, what is known of the commit if it is new, and the text after a tab."""
    told: dict[str, dict[str, str]] = {}
    origins: dict[tuple[str, str], Origin] = {}
    for head in lines:
        oid, original, number, *_ = head.split(" ")
        known = told.setdefault(oid, {})
        for line in lines:
            if line.startswith("\t"):
                break
            name, _, value = line.partition(" ")
            known[name] = value
        else:
            return
        path = _unquoted(known.get("filename", ""))
        origin = origins.get((oid, path))
        if origin is None:
            day = _day(known.get("author-time", ""))
            edge = "boundary" in known or oid in border
            origin = Origin(oid, known.get("author", ""), day, known.get("summary", ""), path, edge)
            origins[oid, path] = origin
        yield Line(int(number), int(original), origin, line[1:])


def _unquoted(path: str) -> str:
    """A path as it is, of one that Git put into quotes because of a character in it."""
    if not path.startswith('"'):
        return path
    return _ESCAPED.sub(
        lambda hit: chr(int(hit[1], 8)) if len(hit[1]) == 3 else _ESCAPES.get(hit[1], hit[1]), path[1:-1]
    )


def _day(seconds: str) -> str:
    try:
        return (_EPOCH + timedelta(seconds=int(seconds))).date().isoformat()
    except (ValueError, OverflowError):
        return ""
