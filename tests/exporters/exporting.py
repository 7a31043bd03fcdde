"""Exports in memory, and what the public schema or a reader of each format says of them."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from html.parser import HTMLParser
from posixpath import dirname, join
from typing import Any

import pytest

from git_asr.asr.bundle import Bundle, Session
from git_asr.asr.header import SessionKey
from git_asr.asr.reading import GetBlob, Stream
from git_asr.exporters import registry
from git_asr.exporters.base import ExportedSession, Exporter, Losses, Marking, exported

Files = dict[str, bytes]
PRIVATE = Marking()
POLICY = Marking({"name": "default", "version": "2"})


def written(exporter: Exporter, sessions: Iterable[ExportedSession]) -> tuple[Files, Losses]:
    """The files that an exporter writes; a test is skipped where the library that it needs is not installed."""
    if exporter.name == "parquet":
        pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    files: Files = {}

    def put(path: str, pieces: Iterable[bytes]) -> None:
        assert path not in files
        files[path] = b"".join(pieces)

    return files, exporter.write(sessions, put)


def of_bundle(exporter: Exporter, bundle: Bundle, marking: Marking = PRIVATE) -> tuple[Files, Losses]:
    return written(exporter, exported(bundle, marking))


def session(
    *streams: Stream, blob: GetBlob = lambda _: None, marking: Marking = PRIVATE, identifier: str = "s"
) -> ExportedSession:
    """A session as it is read, of which the manifest says nothing."""
    return ExportedSession(Session(SessionKey("h", identifier), ()), streams, (), blob, marking)


def check(name: str, files: Files, marking: Marking = PRIVATE) -> None:
    """See that the files are of their format, as others read it, and say what they are."""
    _CHECKS[name](files, marking)


def _markdown(files: Files, marking: Marking) -> None:
    markdown_it = pytest.importorskip("markdown_it", reason="markdown-it-py is not installed")
    for path, data in files.items():
        assert marking.text in data.decode("utf-8")
        tokens = markdown_it.MarkdownIt("gfm-like", {"linkify": False, "html": True}).parse(
            data.decode("utf-8")
        )
        every = [one for token in tokens for one in (token, *(token.children or ()))]
        links = [str(one.attrs["href"]) for one in every if one.type == "link_open"]
        assert links == ([one for one in files if one != path] if path == "index.md" else [])
        assert {one.type for one in every} <= _PLAIN, path


def _html(files: Files, marking: Marking) -> None:
    for path, data in files.items():
        found = _Elements()
        found.feed(data.decode("utf-8"))
        found.close()
        assert f">{marking.text}</strong>" in data.decode("utf-8")
        assert found.names <= ELEMENTS, path
        assert [one for one in found.attributes if not ATTRIBUTES.fullmatch(one)] == []
        assert (found.count["script"], found.count["style"]) == (1, 1)
        assert "default-src 'none'; script-src 'sha256-" in found.policy
        others = {one.partition("#")[0] for one in found.links} - {""}
        assert others == (files.keys() - {path} if path == "index.html" else set())
        assert len(found.places) == len(set(found.places))
        own = {one[1:] for one in found.links if one.startswith("#")}
        assert own <= set(found.places)


class _Elements(HTMLParser):
    """What a page consists of."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.count: Counter[str] = Counter()
        self.attributes: set[str] = set()
        self.links: list[str] = []
        self.places: list[str] = []
        self.policy = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = dict(attrs)
        self.names.add(tag)
        self.count[tag] += 1
        self.attributes |= said.keys()
        self.links += [said["href"] or ""] if "href" in said else []
        self.places += [said["id"] or ""] if "id" in said else []
        if said.get("http-equiv") == "Content-Security-Policy":
            self.policy = said["content"] or ""


ELEMENTS = {
    *("html", "head", "meta", "title", "style", "body", "script", "header", "main", "section", "article"),
    *("form", "input", "button", "label", "dialog", "details", "summary", "strong", "h1", "h2", "p", "div"),
    *("span", "a", "dl", "dt", "dd", "ol", "ul", "li", "time", "bdi", "kbd", "code", "br"),
}
"""The elements of a page, none of which loads anything; the one script and the one style are named by their hash."""
ATTRIBUTES = re.compile(
    "id|class|lang|charset|content|name|http-equiv|href|hidden|type|role|tabindex|dir|open|checked|method"
    "|placeholder|autocomplete|spellcheck|for|aria-[a-z]+|data-(record|theme)"
)

_PLAIN = {
    *("heading_open", "heading_close", "paragraph_open", "paragraph_close", "inline", "text", "softbreak"),
    *("bullet_list_open", "bullet_list_close", "list_item_open", "list_item_close", "strong_open"),
    *("strong_close", "code_inline", "fence", "link_open", "link_close"),
}


def _jsonl(files: Files, marking: Marking) -> None:
    ((path, data),) = files.items()
    assert path == "records.jsonl"
    first, *lines, last = [json.loads(line) for line in data.split(b"\n")[:-1]]
    assert (first["type"], first.get("redaction")) == ("git-asr/export", marking.record() if lines else None)
    assert last["type"] == "git-asr/losses"
    for line in lines:
        assert all(isinstance(line[key], str) for key in ("harness", "session", "stream", "type"))


def _atif(files: Files, marking: Marking) -> None:
    atif = pytest.importorskip("atif", reason="the models of ATIF are not installed")
    images = {path for path in files if "/images/" in path}
    shown: set[str] = set()
    for path, data in files.items():
        if path in images:
            assert re.fullmatch(f"[^/]+/images/{hashlib.sha256(data).hexdigest()}[.](png|jpg|gif|webp)", path)
            continue
        found = atif.Trajectory.model_validate(json.loads(data))
        assert found.schema_version == "ATIF-v1.8"
        assert found.steps  # as the models of the Harbor project want
        assert found.notes == marking.text
        assert found.extra["git-asr"]["redaction"] == marking.record()
        assert isinstance(found.extra["git-asr"]["losses"], list)
        for reference in _references(found.steps):
            assert join(dirname(path), reference) in files
        shown |= {join(dirname(path), one) for one in _images(found.steps)}
    assert shown == images


def _references(steps: Iterable[Any]) -> Iterator[str]:
    for step in steps:
        for result in step.observation.results if step.observation is not None else ():
            yield from (one.trajectory_path for one in result.subagent_trajectory_ref or ())


def _images(steps: Iterable[Any]) -> Iterator[str]:
    for step in steps:
        results = step.observation.results if step.observation is not None else ()
        for content in (step.message, *(one.content for one in results)):
            for part in content if isinstance(content, list) else ():
                if part.source is not None:
                    yield part.source.path


def _otel(files: Files, marking: Marking) -> None:
    json_format = pytest.importorskip(
        "google.protobuf.json_format", reason="opentelemetry-proto is not installed"
    )
    traces = pytest.importorskip("opentelemetry.proto.trace.v1.trace_pb2")
    ((path, data),) = files.items()
    assert path == "traces.jsonl"
    known: set[tuple[str, str]] = set()
    parents: set[tuple[str, str]] = set()
    for line in data.split(b"\n")[:-1]:
        found = json.loads(line)
        ((resource,),) = found.values()
        said = {one["key"]: one["value"] for one in resource["resource"]["attributes"]}
        assert said["git_asr.redaction"] == {"stringValue": marking.text}
        for span in resource["scopeSpans"][0]["spans"]:
            assert (len(span["traceId"]), len(span["spanId"])) == (32, 16)
            known.add((span["traceId"], span["spanId"]))
            if "parentSpanId" in span:
                parents.add((span["traceId"], span["parentSpanId"]))
            for field in {"traceId", "spanId", "parentSpanId"} & span.keys():
                span[field] = base64.b64encode(
                    bytes.fromhex(span[field])
                ).decode()  # as Protobuf's JSON has bytes
        json_format.ParseDict(found, traces.TracesData())
    assert parents <= known


def _parquet(files: Files, marking: Marking) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    import pyarrow

    assert set(files) == {f"{name}.parquet" for name in ("sessions", "records", "usage", "links")}
    for data in files.values():
        found = parquet.ParquetFile(pyarrow.BufferReader(data))
        meta = found.schema_arrow.metadata or found.metadata.metadata
        meta = {**(found.metadata.metadata or {}), **meta}
        said = meta.get(b"git-asr.redaction")
        assert said is None or json.loads(said) == marking.record()
        assert isinstance(json.loads(meta[b"git-asr.losses"]), list)
        found.read().validate(full=True)


_CHECKS: dict[str, Callable[[Files, Marking], None]] = {
    "html": _html,
    "markdown": _markdown,
    "jsonl": _jsonl,
    "atif": _atif,
    "otel": _otel,
    "parquet": _parquet,
}
EXPORTERS = [pytest.param(one, id=one.name) for one in registry.EXPORTERS]
