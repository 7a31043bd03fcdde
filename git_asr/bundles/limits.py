"""How much a bundle may hold, counted while it is read (profile section 7: files, bytes, ratio)."""

from __future__ import annotations

from dataclasses import field

from git_asr.asr.parts import is_bundle_path
from git_asr.errors import AsrError
from git_asr.values import dataclass

PIECE = 256 * 1024
"""Bytes that are read or written at once."""
RATIO_FLOOR = 16 * 1024 * 1024
"""Bytes up to which an archive may hold more than the ratio allows: small ones are no danger."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a bundle may hold at most.

    ``files``: entries, folders too. ``bytes``: of all files. ``file_bytes``: of one file. ``ratio``: bytes that come
    out of an archive for each byte that it has.
    """

    files: int = 65_535
    bytes: int = 4 << 30
    file_bytes: int = 1 << 30
    ratio: int = 250


@dataclass(slots=True)
class Gauge:
    """Counts what comes out of a bundle, and refuses what is more than the limits, or has an unsafe name."""

    limits: Limits
    _entries: int = 0
    _bytes: int = 0
    _names: dict[str, str] = field(default_factory=dict)
    _kinds: dict[str, str] = field(default_factory=dict)

    def file(self, path: str) -> None:
        """Take note of a file. Raises AsrError for a name that is unsafe, or that clashes with an earlier one."""
        self._entry(path)
        lower = path.lower()
        if lower in self._names:
            same = self._names[lower] == path
            raise AsrError(
                f"{path!r} stands in it twice"
                if same
                else f"{path!r} and {self._names[lower]!r} differ only in case"
            )
        self._names[lower] = path
        self._place(path, "file")

    def folder(self, path: str) -> None:
        """Take note of a folder, which may be told more than once. Raises AsrError as ``file``."""
        self._entry(path)
        self._place(path, "folder")

    def grew(self, count: int, of_file: int, taken: int | None = None) -> None:
        """Count bytes that came out.

        ``of_file``: how many of the file in hand there are now; ``taken``: how many bytes of the archive all that came
        out of (None: it is no archive).

        Raises:
            AsrError: they are too many.
        """
        self._bytes += count
        if of_file > self.limits.file_bytes:
            raise AsrError(
                f"a file in it has more than {said(self.limits.file_bytes)}",
                hint="--max-file-size allows more",
            )
        if self._bytes > self.limits.bytes:
            raise AsrError(f"it holds more than {said(self.limits.bytes)}", hint="--max-size allows more")
        if taken is not None and self._bytes > max(RATIO_FLOOR, taken * self.limits.ratio):
            raise AsrError(
                f"it holds more than {self.limits.ratio} times its own size", hint="--max-ratio allows more"
            )

    def _entry(self, path: str) -> None:
        self._entries += 1
        if self._entries > self.limits.files:
            raise AsrError(f"it holds more than {self.limits.files:,} files", hint="--max-files allows more")
        check_path(path)

    def _place(self, path: str, kind: str) -> None:
        """See that no file stands where a folder must, and that folders do not differ only in case."""
        names = path.split("/")
        for end in range(1, len(names) + 1):
            part = "/".join(names[:end])
            what = f"{'folder' if end < len(names) else kind} {part}"
            known = self._kinds.setdefault(part.lower(), what)
            if known != what:
                raise AsrError(f"the {what!s:.200} and the {known!s:.200} cannot both stand in it")


def check_path(path: str) -> None:
    """Refuse a path that no file of a bundle may have. Raises AsrError."""
    if is_bundle_path(path):
        return
    shown = ascii(path)
    shown = shown if len(shown) <= 80 else f"{shown[:76]}…'"
    names = path.replace("\\", "/").split("/")
    if path[:1] in ("/", "\\") or path[1:2] == ":":
        raise AsrError(f"{shown} is an absolute path")
    if ".." in names:
        raise AsrError(f"{shown} leads out of it")
    raise AsrError(f"{shown} is no name that a file of a bundle may have")


def said(count: int) -> str:
    """A number of bytes for people."""
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if count >= unit:
            return f"{count / unit:.4g} {name}"
    return f"{count} bytes"
