"""Images that Entire took out of a transcript and put beside it (reference entire-checkpoints, section 3.7)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from typing import Any

from git_asr.asr import codec
from git_asr.asr.draft import Draft
from git_asr.entire.contents import Checkpoint
from git_asr.entire.copies import Copy, Line
from git_asr.entire.files import SmallFiles
from git_asr.errors import Diagnostic
from git_asr.values import dataclass

FOLDER = "assets"
MANIFEST = f"{FOLDER}/manifest.json"
MAX_ASSET = 64 * 1024 * 1024
"""Bytes; Entire takes out images of up to 50 MiB."""
MAX_MANIFEST = 1024 * 1024

_PLACEHOLDER = "entire-asset:"
_NAME = re.compile(r"assets/(img-[0-9a-f]{32}\.(png|jpg|gif|webp|bin))")
_MEDIA = {"png": "image/png", "jpg": "image/jpeg", "gif": "image/gif", "webp": "image/webp"}
_MEDIA_TYPE = re.compile(r"[a-z]{1,20}/[A-Za-z0-9.+-]{1,100}")
_MOST_VALUES = 100
"""Values of one part that are looked into for a placeholder."""


@dataclass(slots=True)
class Assets:
    """Puts images back where the transcripts of some checkpoints have placeholders for them."""

    checkpoints: Mapping[str, Checkpoint]
    files: SmallFiles
    _manifests: dict[str, Mapping[str, str]] = field(default_factory=dict)

    def restored(self, drafts: Iterator[Draft], line: Line) -> Iterator[Draft]:
        """The drafts of a line, with the images of the copy that gave each unit.

        A part of a content that a converter declares omitted, and that has a placeholder, becomes an image; the native
        value stays beside it, in ``value``. What cannot be found stays as it is. Reported are ``asset-name`` for a
        placeholder that names none of Entire's images, ``absent-asset`` for one whose image the checkpoint lacks,
        ``absent-blob`` and ``huge-asset``.
        """
        for draft in drafts:
            content = draft.fields.get("content")
            if isinstance(content, list) and _holds_capture(content):
                copy = _giver(line, draft)
                parts = [self._part(part, copy) for part in content]
                yield replace(draft, fields={**draft.fields, "content": parts})
            else:
                yield draft

    def _part(self, part: dict[str, Any], copy: Copy) -> dict[str, Any]:
        named = _placeholder(part.get("value")) if "capture" in part else None
        if named is None:
            return part
        where = f"checkpoint {copy.checkpoint}, {copy.path:.200}"
        found = _NAME.fullmatch(named)
        if found is None:
            self.files.report(
                Diagnostic("asset-name", where, f"{named!a:.120} is no image of the checkpoint")
            )
            return part
        for base in dict.fromkeys((copy.path.rpartition("/")[0], copy.folder)):
            path = f"{base}/{named}".removeprefix("/")
            oid = self._file(copy.checkpoint, path)
            if oid is not None:
                data = self._data(copy.checkpoint, path, oid)
                media = self._media(copy.checkpoint, base).get(found[1]) or _MEDIA.get(found[2])
                return part if data is None else _image(data, media, part["value"])
        self.files.report(Diagnostic("absent-asset", where, f"there is no {named}"))
        return part

    def _data(self, checkpoint: str, path: str, oid: str) -> bytes | None:
        size, data = self.files.size(oid), self.files.read(oid, MAX_ASSET)
        if size is not None and size > MAX_ASSET:
            where = f"checkpoint {checkpoint}, {path:.200}"
            self.files.report(Diagnostic("huge-asset", where, f"{size} bytes of an image are not read"))
        elif data is None:
            self.files.lack(checkpoint, f"{path:.200}")
        return data

    def _file(self, checkpoint: str, path: str) -> str | None:
        return self.checkpoints[checkpoint].file(path)

    def _media(self, checkpoint: str, base: str) -> Mapping[str, str]:
        """The media types that the manifest of a folder gives, by name."""
        oid = self._file(checkpoint, f"{base}/{MANIFEST}".removeprefix("/"))
        if oid is None:
            return {}
        if oid not in self._manifests:
            self._manifests[oid] = _media_types(self.files.read(oid, MAX_MANIFEST) or b"")
        return self._manifests[oid]


def _holds_capture(content: list[dict[str, Any]]) -> bool:
    """Tell whether a part says that it is not whole; few do, and this runs for each draft."""
    for part in content:  # noqa: SIM110  (a generator takes three times as long)
        if "capture" in part:
            return True
    return False


def _giver(line: Line, draft: Draft) -> Copy:
    """The copy that gave the unit of a draft."""
    found = line.segments[0].copy
    for segment in line.segments:
        if segment.first[0] <= draft.position:
            found = segment.copy
    return found


def _placeholder(value: Any) -> str | None:
    """The name in the first placeholder that stands in a value."""
    todo = [value]
    for _ in range(_MOST_VALUES):
        if not todo:
            break
        one = todo.pop()
        if isinstance(one, dict):
            todo.extend(one.values())
        elif isinstance(one, list):
            todo.extend(one)
        elif isinstance(one, str) and one.startswith(_PLACEHOLDER):
            return one.removeprefix(_PLACEHOLDER)
    return None


def _image(data: bytes, media: str | None, value: Any) -> dict[str, Any]:
    media = media or "application/octet-stream"
    kind = "image" if media.startswith("image/") else "file"
    return {"type": kind, "data": data, "mediaType": media, "value": value}


def _media_types(data: bytes) -> dict[str, str]:
    try:
        value = codec.decode(data).value
    except codec.JsonError:
        return {}
    listed = value.get("assets") if isinstance(value, dict) else None
    found: dict[str, str] = {}
    for one in listed if isinstance(listed, list) else ():
        name, media = (
            (one.get(key) for key in ("name", "media_type")) if isinstance(one, dict) else (None, None)
        )
        if isinstance(name, str) and isinstance(media, str) and _MEDIA_TYPE.fullmatch(media):
            found[name] = media
    return found
