"""OTLP JSON: a trace for each session, with the conventions of OpenTelemetry for GenAI.

Rules: OTLP's file exporter (a ``TracesData`` a line, IDs as hexadecimal digits, 64-bit integers as texts), and semantic
conventions 1.41 for agents, model calls and tools. A stream is an ``invoke_agent`` span; below it are ``chat`` and
``execute_tool`` spans, and below those the streams of subagents.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any

from git_asr.asr import codec, entities
from git_asr.asr.draft import Record
from git_asr.asr.entities import Call
from git_asr.asr.ids import is_derived
from git_asr.asr.reading import Stream, value
from git_asr.asr.slices import slices
from git_asr.asr.times import instant
from git_asr.asr.totals import spawning_calls
from git_asr.asr.usage import normal
from git_asr.exporters.base import ExportedSession, Losses, Put
from git_asr.exporters.common import ABSENT_BLOB, BINARY, COMMON, HALVES, encoded, problems, text_of
from git_asr.exporters.steps import REASONS, Step, input_tokens, steps

PATH = "traces.jsonl"
SCHEMA = "https://opentelemetry.io/schemas/1.41.0"
_SPANS = 256
"""Spans of one line at most."""
_INTERNAL, _CLIENT = 1, 3
_ERROR = 2
_REASONS = {
    **COMMON,
    **REASONS,
    ABSENT_BLOB: "a value that is not in the bundle",
    BINARY: "a part of a content that is no text: its media type, size and SHA-256 stand in its place",
    HALVES: "halves of characters, which are no Unicode: U+FFFD stands in their place",
    "duration": "how long a model call took: its span lasts from the first to the last record of what it gave",
    "history": "what a model call was given of earlier ones: its span has what came in since the one before",
    "output": "what a tool returned, where the model got something else",
    "time": "a span whose time is not known: it stands where the one before it does",
}

Attributes = dict[str, Any]


class _Otel:
    name = "otel"
    suffix = ".jsonl"

    def write(self, sessions: Iterable[ExportedSession], put: Put) -> Losses:
        """See ``Exporter.write``. One file, some lines for each session."""
        losses = Losses(_REASONS)
        put(PATH, _lines(sessions, losses))
        return losses


OTEL = _Otel()


def _lines(sessions: Iterable[ExportedSession], losses: Losses) -> Iterator[bytes]:
    for session in sessions:
        own = Losses(_REASONS)
        problems(session, own)
        trace = _Trace(session, own)
        spans: list[bytes] = []
        for span in trace.spans():
            spans.append(encoded(span, own))
            if len(spans) == _SPANS:
                yield trace.line(spans)
                spans = []
        if spans:
            yield trace.line(spans)
        losses.add(own)


class _Trace:
    """One session as it is written."""

    def __init__(self, session: ExportedSession, losses: Losses) -> None:
        self._session = session
        self._losses = losses
        self._id = _digits(16, session.key.harness, session.key.id)
        self._calls: dict[str, str] = {}
        for stream in session.streams if session.subagents else ():
            for record in entities.Revisions(stream.records).standing():
                if record["type"] == "tool_call":
                    self._calls.setdefault(record["callId"], _span_id(stream, record))

    def line(self, spans: list[bytes]) -> bytes:
        """Spans as a line of the file."""
        about = {
            "service.name": self._session.key.harness,
            "git_asr.redaction": self._session.marking.text,
        }
        resource = encoded({"attributes": _attributes(about)}, self._losses)
        head = (
            b'{"resourceSpans":[{"resource":'
            + resource
            + b',"scopeSpans":[{"scope":{"name":"git-asr"},"spans":['
        )
        return head + b",".join(spans) + b'],"schemaUrl":"' + SCHEMA.encode() + b'"}]}]}\n'

    def spans(self) -> Iterator[dict[str, Any]]:
        """The spans of all streams; that of a stream comes after those below it, and tells what was lost so far."""
        for stream in self._session.streams:
            yield from _Spans(self, stream).all()

    def span(
        self,
        identifier: str,
        parent: str | None,
        name: str,
        kind: int,
        *,
        times: tuple[int, int],
        about: Attributes,
    ) -> dict[str, Any]:
        """A span. ``times``: nanoseconds since 1970."""
        return {
            "traceId": self._id,
            "spanId": identifier,
            **({} if parent is None else {"parentSpanId": parent}),
            "name": name,
            "kind": kind,
            "startTimeUnixNano": str(times[0]),
            "endTimeUnixNano": str(max(times)),
            "attributes": _attributes({"gen_ai.conversation.id": self._session.key.id, **about}),
        }

    def parent(self, stream: Stream) -> str | None:
        """The span of the call that started a subagent; None for any other stream, or where the call is not here."""
        found = (self._calls.get(call) for call in spawning_calls(stream))
        return next((one for one in found if one is not None), None)


class _Spans:
    """One stream as it is written."""

    def __init__(self, trace: _Trace, stream: Stream) -> None:
        self._trace = trace
        self._stream = stream
        self._session = trace._session
        self._losses = trace._losses
        self._root = _digits(8, stream.id)
        begin = _time(stream.header.get("startedAt"))
        self._begin = begin if begin is not None else self._first()
        self._now = self._begin
        self._pending: list[dict[str, Any]] = []

    def all(self) -> Iterator[dict[str, Any]]:
        for step in steps(self._stream, self._losses):
            if step.source == "agent":
                yield self._chat(step)
                yield from (self._tool(call.call, call) for call in step.calls)
            elif step.source == "result":
                yield self._tool(step.first, None)
            else:
                self._pending.append(_message(step.source, self._text(step.first)))
                self._at(step.first)
        yield self._agent()

    def _agent(self) -> dict[str, Any]:
        end = _time(self._stream.header.get("endedAt"))
        commits = sorted({commit for one in slices(self._stream) for commit in one.commits})
        about: Attributes = {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": self._session.key.harness,
            "gen_ai.provider.name": "unknown",
            "git_asr.stream": self._stream.id,
            "git_asr.commits": commits,
            "git_asr.losses": [
                f"{one['feature']} {one['count']}: {one['reason']}" for one in self._losses.as_json()
            ],
        }
        if self._pending:
            about["gen_ai.input.messages"] = self._json(self._pending)
        times = (self._begin, max(self._now, end or 0))
        name = f"invoke_agent {self._session.key.harness}"
        return self._trace.span(
            self._root, self._trace.parent(self._stream), name, _INTERNAL, times=times, about=about
        )

    def _chat(self, step: Step) -> dict[str, Any]:
        inference = step.inference or {}
        begin = self._at(step.first)
        for record in step.records:
            self._at(record, told=True)
        self._losses.note("duration")
        self._losses.note("history")
        model = inference.get("model")
        about: Attributes = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": inference.get("provider") or "unknown",
            "gen_ai.response.model": model,
            "gen_ai.input.messages": self._json(self._pending) if self._pending else None,
            "gen_ai.output.messages": self._json([self._answer(step, inference)]) if step.records else None,
            "git_asr.record": step.first.get("id"),
            "git_asr.model_call": "recorded" if inference else "unknown",
            **_usage(normal(inference.get("usage"))),
        }
        if isinstance(inference.get("stopReason"), str):
            about["gen_ai.response.finish_reasons"] = [inference["stopReason"]]
        if inference and not is_derived(inference["inferenceId"]):
            about["gen_ai.response.id"] = inference["inferenceId"]
        self._pending = []
        name = f"chat {model}" if isinstance(model, str) else "chat"
        identifier = _span_id(self._stream, step.first, "chat")
        return self._trace.span(identifier, self._root, name, _CLIENT, times=(begin, self._now), about=about)

    def _answer(self, step: Step, inference: Record) -> dict[str, Any]:
        """What a model call gave, as a message."""
        listed: list[dict[str, Any]] = []
        for record in step.records:
            if record["type"] == "tool_call":
                listed.append(
                    {
                        "type": "tool_call",
                        "id": record["callId"],
                        "name": self._name(record),
                        "arguments": value(record, "arguments", self._session.blob),
                    }
                )
            elif said := self._text(record):
                kind = "reasoning" if record["type"] == "reasoning" else "text"
                listed.append({"type": kind, "content": said})
        reason = inference.get("stopReason")
        return {
            "role": "assistant",
            "parts": listed,
            "finish_reason": reason if isinstance(reason, str) else "unknown",
        }

    def _tool(self, record: Record, call: Call | None) -> dict[str, Any]:
        """A call with its result, or a result that belongs to no call."""
        result = record if call is None else call.result
        named = None if call is None else self._name(record)
        begin = self._at(record)
        about: Attributes = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": named or "unknown",
            "gen_ai.tool.call.id": record["callId"],
            "git_asr.record": record["id"],
            "git_asr.status": "unknown" if result is None else result.get("status", "unknown"),
        }
        if call is not None:
            arguments = value(record, "arguments", self._session.blob)
            about["gen_ai.tool.call.arguments"] = None if arguments is None else self._json(arguments)
        end = begin
        if result is not None:
            about["gen_ai.tool.call.result"] = self._result(result)
            end = max(begin, self._at(result) if "ts" in result else begin)
        failed = about["git_asr.status"] == "error"
        if failed:
            about["error.type"] = "_OTHER"
        name = f"execute_tool {named}" if named else "execute_tool"
        identifier = _span_id(self._stream, record)
        span = self._trace.span(identifier, self._root, name, _INTERNAL, times=(begin, end), about=about)
        return {**span, **({"status": {"code": _ERROR}} if failed else {})}

    def _result(self, result: Record) -> str:
        got = self._text(result)
        output = value(result, "output", self._session.blob)
        if not got and isinstance(output, str):
            return output
        if output is not None and output != got:
            self._losses.note("output")
        return got

    def _name(self, record: Record) -> str:
        found = value(record, "name", self._session.blob)
        return found if isinstance(found, str) else "unknown"

    def _at(self, record: Record, *, told: bool = False) -> int:
        """The time of a record, and the latest one so far if it is unknown, which is noted unless that is ``told``."""
        found = _time(record.get("ts"))
        if found is None:
            self._losses.note("time", int(not told))
            return self._now
        self._now = max(self._now, found)
        return found

    def _first(self) -> int:
        """The first time that is known; 0 where none is."""
        found = (_time(record.get("ts")) for record in self._stream.records)
        return next((one for one in found if one is not None), 0)

    def _text(self, record: Record) -> str:
        return text_of(record, self._session.blob, self._losses)

    def _json(self, found: Any) -> str:
        return encoded(found, self._losses).decode("utf-8")


def _message(role: str, said: str) -> dict[str, Any]:
    return {"role": role, "parts": [{"type": "text", "content": said}]}


def _usage(usage: dict[str, Any]) -> Attributes:
    return {
        "gen_ai.usage.input_tokens": input_tokens(usage),
        "gen_ai.usage.output_tokens": usage.get("output", {}).get("total"),
        "gen_ai.usage.cache_read.input_tokens": usage.get("cacheRead"),
        "gen_ai.usage.cache_creation.input_tokens": usage.get("cacheWrite"),
        "git_asr.usage.reasoning_tokens": usage.get("output", {}).get("reasoning"),
    }


def _attributes(about: Attributes) -> list[dict[str, Any]]:
    """Attributes as OTLP has them; what is None, and empty lists, are left out."""
    return [
        {"key": key, "value": _value(found)}
        for key, found in about.items()
        if found is not None and found != []
    ]


def _value(found: Any) -> dict[str, Any]:
    if isinstance(found, list):
        return {"arrayValue": {"values": [_value(one) for one in found]}}
    if type(found) is int and -(1 << 63) <= found < 1 << 63:
        return {"intValue": str(found)}
    return {"stringValue": found if isinstance(found, str) else codec.lenient(found)}


def _time(ts: Any) -> int | None:
    """Nanoseconds since 1970, as far as OTLP can say them."""
    found = instant(ts) if isinstance(ts, str) else None
    return found if found is not None and 0 <= found < 1 << 64 else None


def _span_id(stream: Stream, record: Record, *kind: str) -> str:
    return _digits(8, stream.id, str(record.get("id")), str(record.get("seq")), *kind)


def _digits(count: int, *names: str) -> str:
    """So many bytes that stand for names, in hexadecimal digits."""
    joined = "\0".join(names).encode("utf-8", "surrogatepass")
    return hashlib.sha256(joined).hexdigest()[: 2 * count]
