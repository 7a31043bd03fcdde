"""ATIF, the Agent Trajectory Interchange Format, version 1.8: one trajectory for each stream.

Rule: RFC 0001 of the Harbor project. A subagent's trajectory is a file of its own, and the result of the call that
started it refers to it. Images are files too, to which the parts of a content refer.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import groupby
from typing import Any, ClassVar

from git_asr.asr import codec
from git_asr.asr.draft import Record
from git_asr.asr.entities import Call
from git_asr.asr.ids import name
from git_asr.asr.reading import Stream, value
from git_asr.asr.totals import spawning_calls, total
from git_asr.asr.usage import normal
from git_asr.exporters.base import ExportedSession, Losses, Put
from git_asr.exporters.common import (
    ABSENT_BLOB,
    BINARY,
    COMMON,
    HALVES,
    Places,
    encoded,
    problems,
    resolved,
    text_of,
    texts,
)
from git_asr.exporters.steps import REASONS, Step, input_tokens, steps
from git_asr.values import dataclass

SCHEMA = "ATIF-v1.8"
_KEY = "git-asr"
_IMAGES = {
    re.compile(rb"\x89PNG\r\n\x1a\n"): ("image/png", ".png"),
    re.compile(rb"\xff\xd8\xff"): ("image/jpeg", ".jpg"),
    re.compile(rb"GIF8[79]a"): ("image/gif", ".gif"),
    re.compile(rb"RIFF.{4}WEBP", re.DOTALL): ("image/webp", ".webp"),
}
"""How images begin for which the format has a place, whatever they are said to be; their media types and suffixes."""
_FOLDER = "images"
_LEVELS = 100
"""Levels of arguments: many readers of JSON do not take some hundreds."""
_REASONS = {
    **COMMON,
    **REASONS,
    ABSENT_BLOB: "a value that is not in the bundle",
    BINARY: "a part of a content that is no text: its media type, size and SHA-256 stand in its place",
    HALVES: "halves of characters, which are no Unicode: U+FFFD stands in their place",
    "arguments": "arguments that are no object, or very deep: they stand in one, under 'value', or as text there",
    "empty-stream": "a stream without a step: a trajectory has at least one",
    "output": "what a tool returned, where the model got something else",
    "time": "a time that is no ISO 8601: it stands as extra.ts",
}


@dataclass(frozen=True, slots=True)
class _Atif:
    images: bool = True
    """Whether images are written, each as a file; else they are only named."""
    name: ClassVar[str] = "atif"
    suffix: ClassVar[str] = ".json"

    def write(self, sessions: Iterable[ExportedSession], put: Put) -> Losses:
        """See ``Exporter.write``. A file for each stream that has a step, ``<harness>/<stream>.json``, and for each
        image in these, ``<harness>/images/<SHA-256>.<kind>``.
        """
        losses = Losses(_REASONS)
        known: set[str] = set()
        for session in sessions:
            own = Losses(_REASONS)
            problems(session, own)
            written = [one for one in session.streams if next(steps(one, Losses(_REASONS)), None) is not None]
            own.note("empty-stream", len(session.streams) - len(written))
            files = {one.id: f"{name(one.id)}{self.suffix}" for one in written}
            for stream in written:
                folder = name(session.key.harness)
                shown: dict[str, str] = {}
                trajectory = _Trajectory(session, stream, own, shown if self.images else None)
                put(f"{folder}/{files[stream.id]}", trajectory.pieces(files))
                for path, sha256 in shown.items():
                    if (image := f"{folder}/{path}") not in known:
                        known.add(image)
                        put(image, filter(None, [session.blob(sha256)]))
                losses.add(own)
                own = Losses(_REASONS)
            losses.add(own)
        return losses


ATIF = _Atif()
ATIF_ALONE = _Atif(images=False)
"""For an export that is one file."""


class _Trajectory:
    """One stream as it is written."""

    def __init__(
        self, session: ExportedSession, stream: Stream, losses: Losses, images: dict[str, str] | None
    ) -> None:
        """``images``: gets the SHA-256 of each image by its path beside this file; None where they are only named."""
        self._session = session
        self._stream = stream
        self._losses = losses
        self._images = images
        self._places = Places(stream)
        self._spawned: dict[str, list[str]] = {}
        self._count = 0

    def pieces(self, files: dict[str, str]) -> Iterator[bytes]:
        """The file. ``files``: of each stream the file beside this one."""
        for one in self._session.streams:
            for call in spawning_calls(one) if one.id in files else ():
                if one.id != self._stream.id:
                    self._spawned.setdefault(call, []).append(files[one.id])
        head = self._json(self._head())
        yield head[:-1] + b',"steps":['
        for step in steps(self._stream, self._losses):
            self._count += 1
            yield (b",\n" if self._count > 1 else b"\n") + self._json(self._step(step))
        yield b"\n]," + self._json(self._tail(files))[1:] + b"\n"

    def _json(self, found: Any) -> bytes:
        return encoded(found, self._losses)

    def _head(self) -> dict[str, Any]:
        header = self._stream.header
        version = _member(header, "producer", "source", "formatVersion")
        models = next(
            (
                one.summary.get("models")
                for one in self._session.entry.streams
                if one.stream == self._stream.id
            ),
            None,
        )
        agent = {
            "name": self._session.key.harness,
            "version": version if isinstance(version, str) else "unknown",
            **({"model_name": models[0]} if models else {}),
        }
        return {
            "schema_version": SCHEMA,
            "session_id": self._session.key.id,
            "trajectory_id": self._stream.id,
            "agent": agent,
            "notes": self._session.marking.text,
        }

    def _tail(self, files: dict[str, str]) -> dict[str, Any]:
        found = total([self._stream])
        counted = _tokens(found.usage, "total_")
        further = {
            **counted.pop("extra", {}),
            **({"calls": found.calls} if found.calls else {}),
            **({"calls_without_usage": found.unknown} if found.unknown else {}),
        }
        following = [
            files[one.id]
            for one in self._session.streams
            if _member(one.header, "lineage", "continues", "stream") == self._stream.id
            and one.id in files.keys() - {self._stream.id}
        ]
        header = self._stream.header
        kept = {
            field: header[field]
            for field in ("startedAt", "endedAt", "capture", "lineage")
            if field in header
        }
        return {
            "final_metrics": {
                **counted,
                "total_steps": self._count,
                **({"extra": further} if further else {}),
            },
            **({"continued_trajectory_ref": following[0]} if len(following) == 1 else {}),
            "extra": {
                _KEY: {
                    "redaction": self._session.marking.record(),
                    **kept,
                    "losses": self._losses.as_json(),
                }
            },
        }

    def _step(self, step: Step) -> dict[str, Any]:
        ts = step.ts
        extra: dict[str, Any] = {"record": step.first.get("id")}
        checkpoints, commits = self._places.of(step.first)
        extra |= {
            key: listed for key, listed in (("checkpoints", checkpoints), ("commits", commits)) if listed
        }
        if ts is not None and not _is_time(ts):
            self._losses.note("time")
            extra["ts"] = ts
            ts = None
        said = [one for one in step.records if one["type"] == "message"]
        found: dict[str, Any] = {
            "step_id": self._count,
            **({} if ts is None else {"timestamp": ts}),
            "source": "system" if step.source == "result" else step.source,
            "message": self._content(said),
        }
        if step.source == "agent":
            found |= self._agents(step, extra)
        elif step.source == "result":
            extra["callId"] = step.first["callId"]
            found["observation"] = {"results": [self._result(step.first, None)]}
        else:
            extra |= {key: step.first[key] for key in ("role", "author", "from") if key in step.first}
        return {**found, **({"is_copied_context": True} if step.copied else {}), "extra": extra}

    def _agents(self, step: Step, extra: dict[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        inference = step.inference or {}
        if isinstance(inference.get("model"), str):
            found["model_name"] = inference["model"]
        thoughts = [
            text_of(one, self._session.blob, self._losses)
            for one in step.records
            if one["type"] == "reasoning"
        ]
        if any(thoughts):
            found["reasoning_content"] = "\n".join(one for one in thoughts if one)
        if step.calls:
            found["tool_calls"] = [self._call(one) for one in step.calls]
            results = [self._result(one.result, one) for one in step.calls if self._has_result(one)]
            if results:
                found["observation"] = {"results": results}
        if (metrics := _tokens(normal(inference.get("usage")), "")) != {}:
            found["metrics"] = metrics
        if inference:
            found["llm_call_count"] = 1
            extra |= {
                key: inference[key] for key in ("provider", "stopReason", "requestId") if key in inference
            }
        return found

    def _call(self, call: Call) -> dict[str, Any]:
        record = call.call
        arguments = value(record, "arguments", self._session.blob)
        called = value(record, "name", self._session.blob)
        if arguments is None:
            arguments = {}
        elif codec.deeper(text := codec.encode(arguments), _LEVELS):
            self._losses.note("arguments")
            arguments = {"value": text.decode("utf-8")}
        elif not isinstance(arguments, dict):
            self._losses.note("arguments")
            arguments = {"value": arguments}
        return {
            "tool_call_id": record["callId"],
            "function_name": called if isinstance(called, str) else "unknown",
            "arguments": arguments,
            "extra": {"record": record["id"], **({"ts": record["ts"]} if "ts" in record else {})},
        }

    def _has_result(self, call: Call) -> bool:
        return call.result is not None or (call.alone and call.call["callId"] in self._spawned)

    def _result(self, record: Record | None, call: Call | None) -> dict[str, Any]:
        found: dict[str, Any] = {}
        if call is not None:
            found["source_call_id"] = call.call["callId"]
        if record is not None:
            got = self._content([record])
            output = value(record, "output", self._session.blob)
            if not got and isinstance(output, str):
                got = output
            elif output is not None and output != got:
                self._losses.note("output")
            found["content"] = got
            told = {key: record[key] for key in ("status", "ts") if key in record}
            found["extra"] = {"record": record["id"], **told}
        if call is not None and call.alone:
            started = self._spawned.get(call.call["callId"], ())
            if started:
                found["subagent_trajectory_ref"] = [{"trajectory_path": path} for path in started]
        return found

    def _content(self, records: Iterable[Record]) -> str | list[dict[str, Any]]:
        """The contents of records as one text, or where images are among them, as a list of parts."""
        said = [
            part
            for one in records
            for part in resolved(one, self._session.blob, self._losses, self._take).get("content") or ()
        ]
        parts: list[dict[str, Any]] = []
        for is_image, some in groupby(said, lambda part: isinstance(part, _Image)):
            if is_image:
                parts += [{"type": "image", "source": one.source} for one in some]
            else:
                parts.append({"type": "text", "text": "\n".join(texts(list(some)))})
        if all(one["type"] == "text" for one in parts):
            return "".join(one["text"] for one in parts)
        return parts

    def _take(self, data: bytes) -> _Image | None:
        """See ``common.Take``."""
        found = next((kind for begins, kind in _IMAGES.items() if begins.match(data)), None)
        if self._images is None or found is None:
            return None
        media, suffix = found
        sha256 = hashlib.sha256(data).hexdigest()
        path = f"{_FOLDER}/{sha256}{suffix}"
        self._images[path] = sha256
        return _Image({"media_type": media, "path": path})


@dataclass(frozen=True, slots=True)
class _Image:
    """What stands in a content for an image. ``source``: as the format has it."""

    source: dict[str, str]


def _tokens(usage: dict[str, Any], prefix: str) -> dict[str, Any]:
    """Tokens in the names of the format; what is unknown is left out."""
    told = usage.get("input", {})
    known = {
        f"{prefix}prompt_tokens": input_tokens(usage),
        f"{prefix}completion_tokens": usage.get("output", {}).get("total"),
        f"{prefix}cached_tokens": usage.get("cacheRead"),
    }
    further = {
        "cache_write_tokens": usage.get("cacheWrite"),
        "reasoning_tokens": usage.get("output", {}).get("reasoning"),
        "input_tokens_as_recorded": told.get("total") if known[f"{prefix}prompt_tokens"] is None else None,
    }
    rest = {key: number for key, number in further.items() if number is not None}
    found: dict[str, Any] = {key: number for key, number in known.items() if number is not None}
    return {**found, **({"extra": rest} if rest else {})}


def _member(found: Any, *way: str) -> Any:
    """What stands at the end of a way through objects; None where it does not lead on."""
    for field in way:
        found = found.get(field) if isinstance(found, dict) else None
    return found


def _is_time(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True
