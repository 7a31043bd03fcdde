"""Bundles in memory, made of records, and what is in them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from git_asr.asr import bundle, reading
from git_asr.asr.bundle import Bundle, BundleWriter, Manifest
from git_asr.asr.draft import Record
from git_asr.asr.header import SessionKey
from git_asr.asr.summary import Summary
from git_asr.redaction.findings import Redacted
from git_asr.redaction.policy import Policy
from git_asr.redaction.redactor import Redactor

Files = dict[str, bytes]
HEADER: dict[str, Any] = {
    "type": "header",
    "formatVersion": "0.1",
    "stream": "s",
    "session": {"harness": "claude-code", "id": "s", "idSource": "native"},
    "contentLevel": "redacted",
    "capture": {"state": "partial", "through": 1},
    "producer": {"name": "git-asr", "version": "claude-code/3", "method": "converter", "lossy": []},
    "_meta": {"io.entire/checkpoint": {"id": "5f0af6f2363f", "redaction": "entire"}},
}


def made(records: Iterable[Record], **header: Any) -> Files:
    """The files of a bundle with one stream."""
    head = {**HEADER, **header}
    files: Files = {}
    writer = BundleWriter(files.__setitem__)
    key = SessionKey(head["session"]["harness"], head["session"]["id"])
    numbered: list[Record] = []
    for number, record in enumerate(records, start=1):
        given = {"type": record["type"], "seq": number * 1_000_000, "id": f"r{number}"}
        numbered.append({**given, **record})
    links = [one for one in numbered if reading.is_of_links(one)]
    own = [one for one in numbered if not reading.is_of_links(one)]
    watch = Summary()
    written = writer.records(head["stream"], watch.watch(one for one in own if reading.fault(one) is None))
    summary = watch.record(agent="claude-code", models=(), first_prompt=lambda: None, commits=())
    writer.stream(key, head, written, links, records=len(own), summary=summary)
    writer.close()
    return files


def opened(files: Mapping[str, bytes]) -> Bundle:
    return Bundle(bundle.load(files[bundle.MANIFEST]), files.get)


def redacted(files: Mapping[str, bytes], policy: Policy, **more: Any) -> tuple[Files, Redacted]:
    """The files of the twin, and what was told."""
    out: Files = {}
    return out, _ready(policy.name, policy).bundle(opened(files), out.__setitem__, **more)


_READY: dict[tuple[str, str], tuple[Policy, Redactor]] = {}


def _ready(name: str, policy: Policy) -> Redactor:
    """A redactor for a policy: to make one takes longer than a small bundle."""
    known = _READY.get((name, policy.version))
    if known is None or known[0] is not policy:
        known = _READY[(name, policy.version)] = policy, Redactor(policy)
    return known[1]


def streams(files: Mapping[str, bytes]) -> list[reading.Stream]:
    manifest: Manifest = bundle.load(files[bundle.MANIFEST])
    return [reading.load(entry, files.get) for _, entry in bundle.streams(manifest)]


def places(files: Mapping[str, bytes], text: str) -> list[str]:
    """The files whose name or bytes hold a text: as it is, or as JSON writes it."""
    spellings = {
        text.encode(),
        json.dumps(text)[1:-1].encode(),
        json.dumps(text, ensure_ascii=False)[1:-1].encode(),
    }
    return [
        path for path, data in files.items() if any(one in data or one in path.encode() for one in spellings)
    ]
