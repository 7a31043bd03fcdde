"""The header of a stream and the session key (profile section 2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any, Literal

from git_asr.asr.draft import Record
from git_asr.asr.version import FORMAT_VERSION
from git_asr.values import dataclass

PRODUCER = "git-asr"
IdSource = Literal["native", "metadata", "derived"]
REDACTED = "redacted"
"""``contentLevel`` of what was redacted, which is all that Entire stores."""
UNKNOWN = "unknown"
"""The harness of a bare key: a session of which no transcript can be read."""


@dataclass(frozen=True, slots=True, order=True)
class SessionKey:
    """The key of a session. ``id_source``: ``native`` (from the transcript), ``metadata`` (from Entire's metadata
    where no transcript names one), or ``derived`` (from the checkpoint, where neither does); it tells where the ID is
    from and does not tell sessions apart.
    """

    harness: str
    id: str
    id_source: IdSource = field(default="native", compare=False)

    @property
    def bare(self) -> bool:
        """Whether no readable transcript stands behind the key."""
        return self.harness == UNKNOWN

    @property
    def pair(self) -> tuple[str, str]:
        """Harness and ID alone."""
        return self.harness, self.id

    def record(self) -> dict[str, str]:
        """The key as the header writes it."""
        return {"harness": self.harness, "id": self.id, "idSource": self.id_source}

    def reference(self) -> dict[str, str]:
        """The key as other records refer to it."""
        return {"harness": self.harness, "id": self.id}


def is_sound(header: Mapping[str, Any]) -> bool:
    """Tell whether a header that was read has the shapes on which merging and listing rely."""
    session, capture, producer = (header.get(name) for name in ("session", "capture", "producer"))
    meta = header.get("_meta", {})
    entire = meta.get("io.entire/checkpoint", {}) if isinstance(meta, Mapping) else None
    return (
        isinstance(session, Mapping)
        and all(isinstance(session.get(name), str) for name in ("harness", "id"))
        and isinstance(capture, Mapping)
        and isinstance(capture.get("through", 0), int)
        and isinstance(producer, Mapping)
        and all(isinstance(producer.get(name), str) for name in ("version", "method"))
        and isinstance(entire, Mapping)
        and isinstance(entire.get("createdAt", ""), str)
    )


@dataclass(frozen=True, slots=True)
class Producer:
    """Who made a stream: the converter with its version, how, from which format, and what it could not carry."""

    converter: str
    version: int
    method: Literal["converter", "import"]
    format: str | None = None
    format_version: str | None = None
    lossy: Sequence[Mapping[str, str]] = ()

    def record(self) -> dict[str, Any]:
        """The producer as the header writes it."""
        record: dict[str, Any] = {
            "name": PRODUCER,
            "version": f"{self.converter}/{self.version}",
            "method": self.method,
        }
        if self.format is not None:
            record["source"] = {"format": self.format}
            if self.format_version is not None:
                record["source"]["formatVersion"] = self.format_version
        record["lossy"] = [dict(loss) for loss in self.lossy]
        return record


@dataclass(frozen=True, slots=True)
class Header:
    """The header of a stream; attributes are the fields of profile section 2, None where they are left out."""

    stream: str
    session: SessionKey
    capture: Mapping[str, Any]
    producer: Producer
    started_at: str | None = None
    ended_at: str | None = None
    content_level: str = REDACTED
    lineage: Mapping[str, Any] | None = None
    workspace: Mapping[str, Any] | None = None
    native_sources: Sequence[Mapping[str, Any]] = ()
    meta: Mapping[str, Any] | None = None

    def record(self) -> Record:
        """The header line, in the key order of the profile."""
        known = {
            "startedAt": self.started_at,
            "endedAt": self.ended_at,
            "contentLevel": self.content_level,
            "capture": dict(self.capture),
            "producer": self.producer.record(),
            "lineage": self.lineage and dict(self.lineage),
            "workspace": self.workspace and dict(self.workspace),
            "nativeSources": [dict(source) for source in self.native_sources],
            "_meta": self.meta and dict(self.meta),
        }
        return {
            "type": "header",
            "formatVersion": FORMAT_VERSION,
            "stream": self.stream,
            "session": self.session.record(),
            **{name: value for name, value in known.items() if value},
        }
