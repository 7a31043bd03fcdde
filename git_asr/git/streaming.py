"""A Git that is asked about much at once: the questions go to it in a file, the answers come over a pipe.

Unlike a pipe a file cannot fill up while the child waits for us, and an iterator that is abandoned leaves nothing that
would wait for ever.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import IO

from git_asr.git.base import Repository
from git_asr.git.process import Child


@contextmanager
def asked(lines: Iterable[str]) -> Iterator[IO[bytes]]:
    """A file with these lines, as a child's standard input."""
    import tempfile  # noqa: PLC0415  (as in process)

    with tempfile.TemporaryFile() as file:
        file.writelines(os.fsencode(f"{line}\n") for line in lines)
        file.seek(0)
        yield file


def entries(
    repo: Repository, lines: Iterable[str], *args: str, config: Mapping[str, str] = {}
) -> Iterator[bytes]:
    """Yield what a Git that reads these lines prints, cut after each NUL byte; streamed.

    ``args``, ``config``: as for ``git.process.run_git``.

    Raises:
        AsrError: git fails. What was yielded before is right.
    """
    with asked(lines) as file, Child(repo, *args, stdin=file, config=config) as child:
        yield from cut(child.chunks(), b"\0")


def cut(chunks: Iterator[bytes], end: bytes) -> Iterator[bytes]:
    """Yield what ends with a byte, without it. A long entry waits in pieces, so that it is copied only once."""
    held: list[bytes] = []
    for chunk in chunks:
        first, *more = chunk.split(end)
        held.append(first)
        for piece in more:
            yield b"".join(held)
            held = [piece]
