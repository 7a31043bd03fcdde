"""Masks records and headers, field by field: IDs stay IDs, and the same wherever a record names one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from git_asr.asr.draft import Record
from git_asr.redaction.base import BINARY
from git_asr.redaction.headers import ENTIRE
from git_asr.redaction.inlining import LEFT_OUT, text, without_content
from git_asr.redaction.masking import Masker
from git_asr.redaction.policy import Policy
from git_asr.redaction.values import Walker

MASKED = {"state": "masked"}

_IDS = frozenset(
    (
        "id",
        "supersedes",
        "inferenceId",
        "messageId",
        "callId",
        "requestId",
        "target",
        "stream",
        "predecessors",
        "sessionIds",
    )
)
_OF_A_TYPE = {("rewind", "to"), ("compaction", "summary")}
"""Fields that hold an ID in records of one type only."""
_REFERENCES = frozenset(("copiedFrom", "replaces", "covers", "lineage", "session"))
_NAMES_IN_REFERENCES = frozenset(
    (
        "id",
        "stream",
        "callId",
        "callIds",
        "through",
        "except",
        "calls",
        "harness",
        "messageId",
        "session_id",
        "start",
    )
)
_SHELL = ("type", "seq", "id", "idSource", "idScope", "ts", "predecessors", "supersedes")
"""What stays of a record of a vendor's type that the policy leaves out: others may name it."""
_BEFORE_CAPTURE = (*_SHELL, "copiedFrom", "inferenceId", "text", "value", "data", "mediaType", "path", "name")
_OURS = ("git-asr/", "io.entire/checkpoint")


class Records:
    """Masks the records of one stream."""

    def __init__(self, masker: Masker, policy: Policy, note: Callable[[str], None]) -> None:
        """``note`` is told of what is left out, by the name of a rule."""
        self.masker = masker
        self._policy = policy
        self._note = note
        self._listed = False
        self.walker = Walker(masker, names=policy.uses("assignments"))
        self._masks: dict[str, Callable[[Any], Any]] = {
            **dict.fromkeys(_IDS, self.ids),
            **dict.fromkeys(_REFERENCES, self.reference),
            "_meta": self.meta,
            "content": self._content,
            "capture": self.walker.value,
            "derivedFrom": Walker(
                masker, names=False
            ).value,  # counts under names of rules, which are those of secrets
        }

    def record(self, record: Record) -> Record:
        """A record, its blobs in it (``inlined``), without what the policy takes out; marked where that is anything."""
        kind = record.get("type")
        self._listed = kind == ENTIRE
        left = any(field not in (*_SHELL, "capture") for field in record)
        if (
            left
            and self._policy.vendor == "drop"
            and isinstance(kind, str)
            and "/" in kind
            and not kind.startswith(_OURS)
        ):
            return self._shell(record)
        out: Record = {}
        changed = False
        for field, value in record.items():
            name = self.masker.text(field)
            masked = self._field(kind, name, value)
            changed = changed or masked is not value or name is not field
            if masked is not None or value is None:
                out[name] = masked
        if not changed:
            return record
        return (
            out if kind == ENTIRE else _marked(out)
        )  # there the field tells of a transcript that is not there

    def header(self, header: Record) -> Record:
        """A header without what the policy takes out."""
        out: Record = {}
        for field, value in header.items():
            masked = self._field("header", self.masker.text(field), value)
            if masked is not None or value is None:
                out[self.masker.text(field)] = masked
        return out

    def _shell(self, record: Record) -> Record:
        self._note("vendor-record")
        kept = {field: value for field, value in record.items() if field in _SHELL}
        masked = {field: self._field(record.get("type"), field, value) for field, value in kept.items()}
        return {**masked, "capture": dict(LEFT_OUT)}

    def _field(self, kind: Any, field: str, value: Any) -> Any:
        """A field's value; None where it is left out."""
        self.walker.path[:] = [field]
        if field == "seq" and not isinstance(value, str):
            return value
        mask = self.ids if (kind, field) in _OF_A_TYPE else self._masks.get(field)
        if mask is not None:
            return mask(value)
        self.walker.path.clear()
        return self.walker.under(field, value)

    def ids(self, value: Any) -> Any:
        """An ID, or a list of IDs."""
        if isinstance(value, str):
            return self.masker.identifier(value)
        if isinstance(value, list):
            masked = [self.ids(one) for one in value]
            return masked if any(new is not old for new, old in zip(masked, value, strict=True)) else value
        return self.walker.value(value)

    def reference(self, value: Any) -> Any:
        """What names sessions, streams, records or calls: the members that do are IDs."""
        if isinstance(value, list):
            masked = [self.reference(one) for one in value]
            return masked if any(new is not old for new, old in zip(masked, value, strict=True)) else value
        if not isinstance(value, dict):
            return self.ids(value)
        out: dict[str, Any] = {}
        for key, item in value.items():
            if isinstance(item, dict | list) and key not in _NAMES_IN_REFERENCES:
                out[self.masker.text(key)] = self.reference(item)
            elif key in _NAMES_IN_REFERENCES:
                out[key] = self.ids(item)
            else:
                name = self.masker.text(key)
                out[name] = self.walker.under(name, item)
        return out if any(out.get(key) is not item for key, item in value.items()) else value

    def meta(self, value: Any) -> Any:
        """``_meta``, as the policy has it: without it only what this package's readers need stays."""
        if not isinstance(value, dict):
            return self.walker.value(value)
        if self._policy.meta == "drop":
            kept = {key: item for key, item in value.items() if key.startswith("git-asr/") or key == ENTIRE}
            if ENTIRE in kept and isinstance(kept[ENTIRE], dict):
                kept[ENTIRE] = {
                    key: item
                    for key, item in kept[ENTIRE].items()
                    if key in ("id", "session_id", "createdAt", "redaction")
                }
            if kept != value:
                self._note("meta")
                value = kept
            if not value:
                return None
        out = {}
        for key, item in value.items():
            if key == ENTIRE and isinstance(item, dict):
                out[key] = self._entire(item)
            else:
                name = self.masker.text(key)
                out[name] = self.walker.under(name, item)
        same = len(out) == len(value) and all(out.get(key) is item for key, item in value.items())
        return value if same else out

    def _entire(self, value: dict[str, Any]) -> dict[str, Any]:
        """How a record names its checkpoint, or the metadata of one."""
        ids = {key: self.ids(value[key]) for key in ("id", "session_id") if key in value}
        rest = self.walker.under(ENTIRE, {key: item for key, item in value.items() if key not in ids})
        out = {key: ids[key] if key in ids else rest[key] for key in value if key in ids or key in rest}
        out |= {key: item for key, item in rest.items() if key not in out}
        return (
            value
            if len(out) == len(value) and all(out.get(key) is item for key, item in value.items())
            else out
        )

    def _content(self, parts: Any) -> Any:
        if not isinstance(parts, list):
            return self.walker.value(parts)
        out = []
        for place, part in enumerate(parts):
            self.walker.path[:] = ["content", place]
            out.append(self._part(part) if isinstance(part, dict) else self.walker.value(part))
        return out if any(new is not old for new, old in zip(out, parts, strict=True)) else parts

    def _part(self, part: dict[str, Any]) -> dict[str, Any]:
        data = part.get("data")
        if not isinstance(data, bytes):
            masked: dict[str, Any] = self.walker.value(part)
            return part if masked is part else _marked(masked)
        rest: dict[str, Any] = {key: value for key, value in part.items() if key != "data"}
        masked = self.walker.value(rest)
        kept = self._bytes(data)
        if kept is data and masked is rest:
            return part
        if kept is None:
            return without_content({**masked, "bytes": len(data)}, LEFT_OUT, listed=self._listed)
        return _marked({**masked, "data": kept})

    def _bytes(self, data: bytes) -> bytes | None:
        """The bytes of a blob; None where they are left out: no text, and the policy says so or something is found."""
        found = text(data)
        if found is not None:
            masked = self._text_file(found)
            return data if masked is found else masked.encode("utf-8", "surrogatepass")
        if self._policy.binary == "drop" or self._holds_something(data):
            self._note(BINARY.lower())
            return None
        return data

    def _text_file(self, found: str) -> str:
        """A file of text; JSON, and lines of JSON, are masked as the values they are."""
        whole = self.walker.json(found)
        if whole is not None:
            return whole
        lines = found.split("\n")
        if found[:1] not in ("{", "["):
            return self.masker.text(found)
        out = [line if not line else self.walker.json(line) or self.masker.text(line) for line in lines]
        joined = "\n".join(out)
        return found if joined == found else joined

    def _holds_something(self, data: bytes) -> bool:
        """Whether the rules find something in bytes, read as they are and as UTF-16."""
        readings = (data.decode("latin-1"), data.replace(b"\x00", b"").decode("latin-1"))
        return any(self.masker.text(reading) is not reading for reading in readings)


def _marked(record: dict[str, Any]) -> dict[str, Any]:
    """A record or a part that says that something was taken out; what it said of itself before comes first."""
    capture = record.get("capture")
    if capture is None:
        first = {field: value for field, value in record.items() if field in _BEFORE_CAPTURE}
        return {**first, "capture": dict(MASKED), **record}
    if isinstance(capture, dict) and capture.get("state") not in (None, "masked"):
        return {**record, "capture": {**capture, "masked": True}}
    return record
