"""Makes repositories with real Git: one `git init` and one `git fast-import`, however many commits."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

import pytest

EPOCH = 1_767_225_600  # 2026-01-01T00:00:00Z
Content = bytes | str | None


class RepoBuilder:
    """Collects commits, tags and refs; ``build`` writes what was added since the last ``build``.

    A *mark* (``":3"``) names a commit or tag before its ID is known; ``oid`` gives the ID afterwards.
    """

    def __init__(
        self, path: Path, object_format: Literal["sha1", "sha256"] = "sha1", bare: bool = False
    ) -> None:
        self.path = path
        self.object_format = object_format
        self.bare = bare
        self._stream: list[bytes] = []
        self._tips: dict[str, str] = {}
        self._next_mark = 1
        self._when = EPOCH
        self._ids: dict[str, str] = {}

    @property
    def git_dir(self) -> Path:
        return self.path if self.bare else self.path / ".git"

    def commit(
        self,
        ref: str,
        message: str | bytes,
        files: Mapping[str, Content] = {},
        *,
        parents: Sequence[str] | None = None,
        when: int | None = None,
        offset: str = "+0000",
        author: str = "Ann Author <ann@example.com>",
        encoding: str | None = None,
        replace: bool = False,
    ) -> str:
        """Add a commit to a ref (a complete name) and give its mark.

        It builds on the ref's last commit and keeps that one's files; ``parents`` (marks) names others, the files
        coming from the first; an empty list makes a root. ``replace`` starts from no files. In ``files`` None deletes.
        ``when``: epoch seconds, by default one minute after the commit before.
        """
        self._when = self._when + 60 if when is None else when
        if parents is None:
            parents = [self._tips[ref]] if ref in self._tips else []
        mark = self._mark()
        out = self._stream
        if not parents:
            out.append(b"reset %s\n" % ref.encode())
        out.append(b"commit %s\nmark %s\n" % (ref.encode(), mark.encode()))
        out.append(f"author {author} {self._when} {offset}\n".encode())
        out.append(f"committer {author} {self._when} {offset}\n".encode())
        if encoding:
            out.append(f"encoding {encoding}\n".encode())
        out.append(_data(message))
        out += [
            b"%s %s\n" % (word, parent.encode())
            for word, parent in zip(_words(len(parents)), parents, strict=True)
        ]
        if replace:
            out.append(b"deleteall\n")
        for path, content in files.items():
            quoted = _quoted(path)
            if content is None:
                out.append(b"D %s\n" % quoted)
            else:
                out.append(b"M 100644 inline %s\n%s" % (quoted, _data(content)))
        out.append(b"\n")
        self._tips[ref] = mark
        return mark

    def tag(self, name: str, target: str, message: str = "a tag\n") -> str:
        """Add an annotated tag (``name`` without ``refs/tags/``) for a mark or an object ID, and give its mark."""
        mark = self._mark()
        self._stream.append(
            f"tag {name}\nmark {mark}\nfrom {target}\ntagger Ann Author <ann@example.com> {self._when} +0000\n".encode()
            + _data(message)
        )
        return mark

    def ref(self, name: str, target: str) -> None:
        """Point a ref (a complete name) at a mark or an object ID."""
        self._stream.append(f"reset {name}\nfrom {target}\n\n".encode())
        self._tips[name] = target

    def build(self, checkout: bool = False) -> Path:
        """Write it all; ``checkout`` also fills index and worktree from ``refs/heads/main``."""
        if not self.git_dir.exists():
            self.path.mkdir(parents=True, exist_ok=True)
            bare = ["--bare"] if self.bare else []
            git(self.path, "init", "-q", "-b", "main", f"--object-format={self.object_format}", *bare)
        marks = self.git_dir / "builder-marks"
        git(
            self.path,
            "fast-import",
            "--quiet",
            "--force",
            f"--import-marks-if-exists={marks}",
            f"--export-marks={marks}",
            stdin=b"".join(self._stream),
        )
        self._stream.clear()
        if marks.exists():
            self._ids = dict(line.split() for line in marks.read_text().splitlines())
        if checkout:
            git(self.path, "reset", "-q", "--hard", "refs/heads/main")
        return self.path

    def oid(self, mark: str) -> str:
        """Give the ID behind a mark, once it is built."""
        return self._ids[mark]

    def _mark(self) -> str:
        mark = f":{self._next_mark}"
        self._next_mark += 1
        return mark


def git(path: Path, *args: str, stdin: bytes = b"", check: bool = True) -> str:
    """Run git in a folder and give its output, without the last line feed; a failure shows what git said."""
    ended = subprocess.run(["git", *args], cwd=path, input=stdin, capture_output=True, check=False)
    if check and ended.returncode:
        pytest.fail(f"git {' '.join(args)}: {ended.returncode}\n{ended.stderr.decode(errors='replace')}")
    return ended.stdout.decode("utf-8", "surrogateescape").removesuffix("\n")


def fsck(path: Path) -> None:
    """Let Git check every object; fail the test with what it says."""
    ended = subprocess.run(
        ["git", "fsck", "--strict", "--no-dangling", "--no-progress"],
        cwd=path,
        capture_output=True,
        check=False,
    )
    lines = (ended.stdout + ended.stderr).decode(errors="replace").splitlines()
    said = "\n".join(
        line for line in lines if not line.startswith("notice: ")
    )  # an unborn HEAD is none of ours
    if ended.returncode or said:
        pytest.fail(f"git fsck: {ended.returncode}\n{said}")


def _words(count: int) -> list[bytes]:
    return [b"from", *[b"merge"] * (count - 1)][:count]


def _data(content: bytes | str) -> bytes:
    data = content.encode() if isinstance(content, str) else content
    return b"data %d\n%s\n" % (len(data), data)


def _quoted(path: str) -> bytes:
    escaped = path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'.encode("utf-8", "surrogateescape")
