"""The files of a stream: joined to one, or cut as the companion ref has them (profile section 1, *stream files*)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from io import BytesIO

from git_asr.asr import codec, parts
from git_asr.asr.bundle import Bundle, File, StreamEntry, file_entry
from git_asr.asr.reading import is_of_links
from git_asr.asr.version import SUPPORTED_MAJOR, major
from git_asr.errors import AsrError

_LINKS = (b'"vcs"', b"io.entire/checkpoint")


def join(bundle: Bundle) -> Bundle:
    """The bundle with each stream in one file; those of another major version stay as they are.

    Raises:
        AsrError: a file is missing.
    """
    joined: dict[str, tuple[str, ...]] = {}

    def entry(one: StreamEntry) -> StreamEntry:
        if major(one.format_version) != SUPPORTED_MAJOR:
            return one
        path, files = parts.header_path(one.stream), tuple(file.path for file in one.files)
        whole = file_entry(path, _whole(files, bundle.file))
        joined[path] = files
        return replace(one, files=(replace(whole, other=one.files[0].other),))

    def file(path: str) -> bytes | None:
        return _whole(joined[path], bundle.file) if path in joined else bundle.file(path)

    sessions = tuple(replace(one, streams=tuple(map(entry, one.streams))) for one in bundle.manifest.sessions)
    return Bundle(replace(bundle.manifest, sessions=sessions), file)


def is_cut(entry: StreamEntry, file: Callable[[str], bytes | None]) -> bool:
    """Tell by their names whether the files of a stream are header, parts and links, the header of one line."""
    paths = [one.path for one in entry.files]
    if paths[-1:] == [parts.links_path(entry.stream)]:
        paths.pop()
    numbers = range(1, len(paths))
    named = paths == [parts.header_path(entry.stream), *(parts.part_path(entry.stream, n) for n in numbers)]
    return named and not (file(paths[0]) or b"").partition(b"\n")[2]


def cut(entry: StreamEntry, file: Callable[[str], bytes | None]) -> tuple[StreamEntry, dict[str, bytes]]:
    """A stream as header, parts and links, and these files; no line of it becomes another.

    Raises:
        AsrError: a file is missing.
    """
    head, *lines = list(BytesIO(_whole((one.path for one in entry.files), file))) or [b""]
    links = [line for line in lines if _is_link(line)]
    rest = (line for line in lines if not _is_link(line)) if links else iter(lines)
    made = {parts.header_path(entry.stream): head}
    for number, part in enumerate(parts.cut(rest), start=1):
        made[parts.part_path(entry.stream, number)] = part
    if links:
        made[parts.links_path(entry.stream)] = b"".join(links)
    files = tuple(file_entry(path, data) for path, data in made.items())
    kept = File(files[0].path, files[0].bytes, files[0].sha256, entry.files[0].other if entry.files else {})
    return replace(entry, files=(kept, *files[1:])), made


def _is_link(line: bytes) -> bool:
    if not line.endswith(b"\n") or not any(one in line for one in _LINKS):
        return False
    try:
        record = codec.decode(line).value
    except ValueError:
        return False
    return isinstance(record, dict) and isinstance(record.get("type"), str) and is_of_links(record)


def _whole(paths: Iterable[str], file: Callable[[str], bytes | None]) -> bytes:
    found = [(path, file(path)) for path in paths]
    for path, data in found:
        if data is None:
            raise AsrError(f"a bundle lacks {path}")
    return b"".join(data or b"" for _, data in found)
