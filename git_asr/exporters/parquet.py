"""Parquet: tables of sessions, records, usage and links, through pyarrow (the extra ``git-asr[parquet]``)."""

from __future__ import annotations

import io
from collections.abc import Container, Iterable, Iterator
from typing import Any

from git_asr.asr import codec
from git_asr.asr.draft import Record
from git_asr.asr.links import checkpoint_of, standing
from git_asr.asr.reading import Stream
from git_asr.asr.times import instant
from git_asr.asr.totals import call
from git_asr.asr.usage import normal
from git_asr.errors import AsrError
from git_asr.exporters.base import ExportedSession, Losses, Put
from git_asr.exporters.common import ABSENT_BLOB, BINARY, COMMON, HALVES, begun, encoded, problems, whole_text
from git_asr.exporters.flat import Facts, facts
from git_asr.exporters.steps import input_tokens
from git_asr.views.session import overview

_ROWS = 2_000
"""Rows of a row group at most."""
_CHARACTERS = 4 << 20
"""Characters of JSON in a row group of records, about: one record may be longer."""
_REASONS = {
    **COMMON,
    BINARY: "a part of a content that is no text: its media type, size and SHA-256 stay",
    ABSENT_BLOB: "a value that is not in the bundle: the record says that it is omitted",
    HALVES: "halves of characters, which are no Unicode: U+FFFD stands in their place",
    "number": "a count beyond 64 bits, in its column; the record has it",
}
_TEXT, _NUMBER, _FLAG, _TIME, _TEXTS = "text", "number", "flag", "time", "texts"

_TOKENS = (
    "input_tokens:number input_total:number input_uncached:number input_includes_cache:flag"
    " cache_read:number cache_write:number output_tokens:number reasoning_tokens:number"
)


def _columns(*names: str) -> dict[str, str]:
    """Columns by name, each with its kind, which stands behind a colon unless it is text."""
    found = (name.partition(":") for name in " ".join(names).split())
    return {name: kind or _TEXT for name, _, kind in found}


TABLES = {
    "records": _columns(
        "harness session stream seq:number id type stands:flag ts time:time role author call_id tool status",
        "inference_id model text checkpoints:texts commits:texts record",
    ),
    "sessions": _columns(
        "harness session agent models:texts started_at started:time ended_at ended:time first_prompt",
        "prompts:number tool_calls:number units:number streams:number",
        _TOKENS,
        "commits:texts",
    ),
    "usage": _columns(
        "harness session stream id type call copied:flag ts time:time provider model request_id stop_reason scope",
        _TOKENS,
        "cost",
    ),
    "links": _columns(
        "harness session stream id checkpoint commit stands:flag evidence committed_at committed:time object_format"
    ),
}
"""The tables, and the kinds of their columns. Every column may be null: that is unknown."""


class _Parquet:
    name = "parquet"
    suffix = ".parquet"

    def write(self, sessions: Iterable[ExportedSession], put: Put) -> Losses:
        """See ``Exporter.write``. A file for each table; records are written as they come, the others behind them."""
        losses = Losses(_REASONS)
        first, sessions = begun(sessions)
        tables = {name: _Table(name, first, losses) for name in TABLES}
        put("records.parquet", _written(sessions, tables, losses))
        for name in ("sessions", "usage", "links"):
            put(f"{name}.parquet", tables[name].end())
        return losses


PARQUET = _Parquet()


def _written(
    sessions: Iterable[ExportedSession], tables: dict[str, _Table], losses: Losses
) -> Iterator[bytes]:
    """The file of the records; rows of the other tables are added on the way."""
    for session in sessions:
        problems(session, losses)
        tables["sessions"].add(_session(session))
        for stream in session.streams:
            linked = {one["id"] for one in standing(stream.links)}
            for own, record in facts(session, stream, losses):
                tables["records"].add(_record(own, record, losses))
                yield from tables["records"].taken()
                if record["type"] in ("inference", "usage_summary") and own["stands"]:
                    tables["usage"].add({**own, **_usage(stream, record)})
                elif record["type"] == "vcs":
                    tables["links"].add({**own, **_link(linked, record)})
    yield from tables["records"].end()


class _Sink(io.RawIOBase):
    """Takes what is written, until somebody else takes it."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._pieces.append(bytes(data))
        return len(data)

    def taken(self) -> list[bytes]:
        pieces, self._pieces = self._pieces, []
        return pieces


class _Table:
    """One table while it is written. What of it is compressed is held until it is taken."""

    def __init__(self, name: str, about: dict[str, Any], losses: Losses) -> None:
        arrow, parquet = _libraries()
        kinds = {
            _TEXT: arrow.string(),
            _NUMBER: arrow.int64(),
            _FLAG: arrow.bool_(),
            _TIME: arrow.timestamp("us", tz="UTC"),
            _TEXTS: arrow.list_(arrow.string()),
        }
        self._columns = TABLES[name]
        self._schema = arrow.schema([(column, kinds[kind]) for column, kind in self._columns.items()])
        self._batch = arrow.RecordBatch
        self._sink = _Sink()
        self._writer = parquet.ParquetWriter(
            arrow.PythonFile(self._sink, mode="w"), self._schema, compression="zstd"
        )
        self._about = about
        self._losses = losses
        self._rows: list[dict[str, Any]] = []
        self._size = 0

    def add(self, row: dict[str, Any]) -> None:
        """Take a row; what it has beside the columns is left out."""
        clean = {column: self._cell(kind, row.get(column)) for column, kind in self._columns.items()}
        self._rows.append(clean)
        self._size += len(clean.get("record") or "") + len(clean.get("text") or "")
        if len(self._rows) >= _ROWS or self._size >= _CHARACTERS:
            self._flush()

    def taken(self) -> list[bytes]:
        """What is there of the file."""
        return self._sink.taken()

    def end(self) -> Iterator[bytes]:
        """The rest of the file, which says whether it was redacted, and what was lost until now."""
        self._flush()
        about = {**self._about, "losses": self._losses.as_json()}
        meta = {f"git-asr.{key}": _json_text(found) for key, found in about.items()}
        self._writer.add_key_value_metadata(meta)
        self._writer.close()
        yield from self._sink.taken()

    def _flush(self) -> None:
        if self._rows:
            self._writer.write_batch(self._batch.from_pylist(self._rows, schema=self._schema))
        self._rows, self._size = [], 0

    def _cell(self, kind: str, found: Any) -> Any:
        """A value as its column can hold it; None for one of another kind."""
        if kind == _TEXT:
            return whole_text(found, self._losses) if isinstance(found, str) else None
        if kind == _TEXTS:
            listed = found if isinstance(found, list) else []
            return [whole_text(one, self._losses) for one in listed if isinstance(one, str)]
        if kind == _FLAG:
            return found if isinstance(found, bool) else None
        if type(found) is not int:
            return None
        if -(1 << 63) <= found < 1 << 63:
            return found
        self._losses.note("number")
        return None


def _libraries() -> tuple[Any, Any]:
    """Pyarrow and its module for Parquet. Raises AsrError where it is not installed."""
    try:
        import pyarrow  # noqa: PLC0415  (an extra, and slow to import)
        from pyarrow import parquet  # noqa: PLC0415
    except ImportError as error:
        raise AsrError(
            "parquet needs the library pyarrow, which is not installed",
            hint="pip install 'git-asr[parquet]'",
        ) from error
    return pyarrow, parquet


def _session(session: ExportedSession) -> dict[str, Any]:
    view = overview(session.entry)
    return {
        "harness": view.harness,
        "session": view.id,
        "agent": view.agent,
        "models": list(view.models),
        **_times("started_at", "started", view.started_at),
        **_times("ended_at", "ended", view.ended_at),
        "first_prompt": view.first_prompt,
        "prompts": view.counts.get("prompts"),
        "tool_calls": view.counts.get("toolCalls"),
        "units": view.counts.get("units"),
        "streams": view.streams,
        **_tokens(dict(view.usage)),
        "commits": list(view.commits),
    }


def _record(own: Facts, record: Record, losses: Losses) -> dict[str, Any]:
    name = record.get("name") if record["type"] == "tool_call" else own.get("tool")
    content = record.get("content")
    parts = (
        [part.get("text") for part in content if isinstance(part, dict)] if isinstance(content, list) else []
    )
    said = [one for one in parts if isinstance(one, str)]
    return {
        **own,
        "seq": record.get("seq"),
        "id": record.get("id"),
        "type": record["type"],
        **_times("ts", "time", record.get("ts")),
        "role": record.get("role"),
        "author": record.get("author"),
        "call_id": record.get("callId"),
        "tool": name,
        "status": record.get("status"),
        "inference_id": record.get("inferenceId"),
        "model": record.get("model"),
        "text": "\n".join(said) if said else record.get("text"),
        "record": encoded(record, losses).decode("utf-8"),
    }


def _usage(stream: Stream, record: Record) -> dict[str, Any]:
    """``call``: tells model calls apart over all sessions; null for a summary."""
    model_call = record["type"] == "inference"
    return {
        "id": record["id"],
        "type": record["type"],
        "call": _json_text(list(call(stream, record))) if model_call else None,
        "copied": "copiedFrom" in record,
        **_times("ts", "time", record.get("ts")),
        "provider": record.get("provider"),
        "model": record.get("model"),
        "request_id": record.get("requestId"),
        "stop_reason": record.get("stopReason"),
        "scope": record.get("scope"),
        **_tokens(normal(record.get("usage"))),
        "cost": _json_text(record["cost"]) if "cost" in record else None,
    }


def _link(linked: Container[str], record: Record) -> dict[str, Any]:
    """``linked``: the IDs of the links that stand."""
    return {
        "id": record["id"],
        "checkpoint": checkpoint_of(record),
        "commit": record["commit"],
        "stands": record["id"] in linked,
        "evidence": record.get("evidence"),
        **_times("committed_at", "committed", record.get("committedAt")),
        "object_format": record.get("objectFormat"),
    }


def _tokens(usage: dict[str, Any]) -> dict[str, Any]:
    told, written = usage.get("input", {}), usage.get("output", {})
    return {
        "input_tokens": input_tokens(usage),
        "input_total": told.get("total"),
        "input_uncached": told.get("uncached"),
        "input_includes_cache": told.get("includesCache"),
        "cache_read": usage.get("cacheRead"),
        "cache_write": usage.get("cacheWrite"),
        "output_tokens": written.get("total"),
        "reasoning_tokens": written.get("reasoning"),
    }


def _times(text: str, time: str, found: Any) -> dict[str, Any]:
    """A time as it was recorded, and in microseconds since 1970."""
    at = instant(found) if isinstance(found, str) else None
    return {text: found, time: None if at is None else at // 1_000}


def _json_text(found: Any) -> str:
    return codec.encode(found).decode("utf-8")
