"""The backend that works everywhere: objects through `git cat-file` (reference git-integration, 4.3)."""

from __future__ import annotations

import re
import tempfile
import threading
from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import IO, TypeVar

from git_asr.errors import AsrError
from git_asr.git.base import Repository
from git_asr.git.process import Child, try_git
from git_asr.git.reading import Reading, blob_of
from git_asr.git.streaming import asked

_FEW = 8
"""Up to so many blobs or sizes are asked one by one: cheaper than another process."""

_Told = TypeVar("_Told")
_ANSWER = re.compile(rb"[0-9a-f]+ ([a-z]+) (\d+)")


class PlumbingObjects(Reading):
    """Implements ``Objects``. A first question starts a child that answers all later ones; bulk reads get their own.

    In a partial clone an absent object must be an answer, but Git (2.39 to 2.44, and 2.39.5 with its backport of
    GIT_NO_LAZY_FETCH) dies when it may not fetch what was promised. So there the children run in an empty
    repository of our own that borrows the object store: it has made no promise, and missing is simply missing.
    """

    def __init__(self, repo: Repository) -> None:
        super().__init__(repo.hex_length)
        self._repo = repo
        self._env: Mapping[str, str] = {}
        self._scratch: tempfile.TemporaryDirectory[str] | None = None
        self._child: Child | None = None
        self._asking = threading.Lock()
        if repo.promisor:
            self._borrow()

    def read(self, oid: str) -> tuple[str, bytes] | None:
        """See ``Reading.read``."""
        return self._ask(b"contents", oid, _answer)

    def blobs(self, oids: Iterable[str]) -> Generator[bytes | None, None, None]:
        """See ``Objects.blobs``. The IDs are collected first; at most one blob is held."""
        wanted = [self.checked(oid) for oid in oids]
        if len(wanted) <= _FEW:
            yield from map(self.blob, wanted)
            return
        with asked(wanted) as file, self._start("--batch", "--buffer", stdin=file) as child:
            for oid in wanted:
                yield blob_of(_answer(child, oid))

    def sizes(self, oids: Iterable[str]) -> dict[str, int | None]:
        """See ``Objects.sizes``. Safe to call while another thread reads from the same object."""
        wanted = list(dict.fromkeys(map(self.checked, oids)))
        if len(wanted) <= _FEW:
            return {oid: self._ask(b"info", oid, _size) for oid in wanted}
        finished = try_git(
            self._repo,
            "cat-file",
            "--batch-check=%(objectname) %(objectsize)",
            "--buffer",
            stdin="".join(f"{oid}\n" for oid in wanted).encode("ascii"),
            env=self._env,
        )
        if finished.status:
            raise finished.failure()
        found: dict[str, int | None] = {}
        for line in finished.out.decode("ascii").splitlines():
            oid, size = line.split(" ")
            if size == "missing" and _mentions(finished.err, oid):
                raise _damaged(oid)
            found[oid] = None if size == "missing" else int(size)
        return found

    def rest(self) -> None:
        """See ``Objects.rest``."""
        with self._asking:
            self._stop()

    def close(self) -> None:
        """End the child."""
        self._stop()
        if self._scratch is not None:
            self._scratch.cleanup()

    def _ask(self, verb: bytes, oid: str, answer: Callable[[Child, str], _Told]) -> _Told:
        """Ask the child, and let ``answer`` read all that it says."""
        question = b"%s %s\n" % (verb, self.checked(oid).encode("ascii"))
        with self._asking:
            if self._child is None:
                self._child = self._start("--batch-command")
            try:
                self._child.ask(question)
                return answer(self._child, oid)
            except BaseException:
                self._stop()  # whatever interrupted us, the rest of the answer is still in the pipe
                raise

    def _start(self, *options: str, stdin: IO[bytes] | None = None) -> Child:
        return Child(self._repo, "cat-file", *options, stdin=stdin, env=self._env)

    def _stop(self) -> None:
        if self._child is not None:
            self._child.close()
            self._child = None

    def _borrow(self) -> None:
        """Move to a repository that promises nothing (see the class)."""
        self._scratch = tempfile.TemporaryDirectory(prefix="git-asr-")
        folder = Path(self._scratch.name)
        for name in ("objects", "refs"):
            (folder / name).mkdir()
        (folder / "HEAD").write_bytes(b"ref: refs/heads/none\n")
        (folder / "config").write_text(
            "[core]\n\trepositoryFormatVersion = 1\n\tbare = true\n"
            f"[extensions]\n\tobjectFormat = {self._repo.object_format}\n",
            encoding="ascii",
        )
        self._env = {"GIT_OBJECT_DIRECTORY": str(self._repo.common_dir / "objects")}
        self._repo = replace(self._repo, git_dir=folder, common_dir=folder)


def _answer(child: Child, oid: str) -> tuple[str, bytes] | None:
    """Read one answer of ``cat-file --batch``: a line, and the object with a line feed after it."""
    head = _head(child, oid)
    if head is None:
        return None
    kind, size = head
    body = child.exactly(size)
    child.exactly(1)
    return kind, body


def _size(child: Child, oid: str) -> int | None:
    """Read one answer to ``info``: only the line."""
    head = _head(child, oid)
    return None if head is None else head[1]


def _head(child: Child, oid: str) -> tuple[str, int] | None:
    """The type and the size of an object, from a line of ``cat-file``."""
    line = child.line()
    if line.endswith(b" missing"):
        if _mentions(child.complaints(), oid):
            raise _damaged(oid)
        return None
    head = _ANSWER.fullmatch(line)
    if head is None:
        raise AsrError(f"git cat-file: unexpected answer for {oid}")
    return head[1].decode("ascii"), int(head[2])


def _mentions(complaints: bytes, oid: str) -> bool:
    """Tell whether Git complained about an object, by its ID or by its file: then it is damaged rather than absent."""
    return oid.encode() in complaints or f"{oid[:2]}/{oid[2:]}".encode() in complaints


def _damaged(oid: str) -> AsrError:
    return AsrError(f"object {oid} is damaged", hint="see what is wrong: git fsck")
