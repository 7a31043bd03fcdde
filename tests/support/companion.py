"""Reads the companion ref with plain Git and the standard library, and lets the validator check all that it holds."""

from __future__ import annotations

import functools
import json
import subprocess
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from tests.support.checked import bundle_findings

PROJECT = Path(__file__).parents[2]
REF = "refs/asr/sessions"


@dataclass(frozen=True, slots=True)
class StoredStream:
    """A stream as it is stored: header, transcript records, link records."""

    name: str
    header: dict[str, Any]
    records: list[dict[str, Any]]
    links: list[dict[str, Any]]
    summary: dict[str, Any]

    @property
    def units(self) -> list[str]:
        """The native IDs, in order: that of each unit's first record."""
        return [record["id"] for record in self.records if record.get("idSource") != "derived"]


@dataclass(frozen=True, slots=True)
class StoredBundle:
    """A session's bundle: its place in the tree, its manifest, its files by path, its streams by ID."""

    path: str
    manifest: dict[str, Any]
    files: dict[str, bytes]
    streams: dict[str, StoredStream]

    @property
    def links(self) -> list[dict[str, Any]]:
        return [record for stream in self.streams.values() for record in stream.links]


@functools.cache
def schema(name: str) -> Draft202012Validator:
    text = (PROJECT / "git_asr" / "schemas" / f"{name}.schema.json").read_text(encoding="utf-8")
    return Draft202012Validator(json.loads(text))


def tree_files(repo: Path, revision: str = REF) -> dict[str, bytes]:
    """All files of a revision."""
    listing = _git(repo, "ls-tree", "-r", "-z", "--full-tree", revision).split(b"\0")
    entries = [(line.split(b"\t")[0].split()[2], line.split(b"\t")[1].decode()) for line in listing if line]
    out = _git(repo, "cat-file", "--batch", stdin=b"".join(oid + b"\n" for oid, _ in entries))
    files: dict[str, bytes] = {}
    at = 0
    for _, path in entries:
        end = out.index(b"\n", at)
        size = int(out[at:end].split()[2])
        files[path] = out[end + 1 : end + 1 + size]
        at = end + size + 2
    return files


def tip(repo: Path, ref: str = REF) -> str | None:
    """Where a ref stands; None where there is none."""
    return _git(repo, "for-each-ref", "--format=%(objectname)", ref).decode().strip() or None


def bundles(repo: Path, revision: str = REF) -> list[StoredBundle]:
    """Every bundle, each checked (see ``check``)."""
    commit = tip(repo, revision)
    return [] if commit is None else list(_bundles(repo, commit))


@functools.lru_cache(maxsize=2)
def _bundles(repo: Path, commit: str) -> list[StoredBundle]:
    folders: dict[str, dict[str, bytes]] = defaultdict(dict)
    for path, data in tree_files(repo, commit).items():
        harness, shard, name, rest = path.split("/", 3)
        folders[f"{harness}/{shard}/{name}"][rest] = data
    return [check(path, files) for path, files in sorted(folders.items())]


def check(path: str, files: dict[str, bytes]) -> StoredBundle:
    """Check one bundle, also for what no rule asks and git-asr does: nothing is there that nobody names."""
    found = bundle_findings(files, path)
    assert found == [], found
    manifest = json.loads(files["bundle.json"])
    (session,) = manifest["sessions"]
    listed = {"bundle.json"}
    listed |= {f"blobs/sha256/{blob['sha256']}" for blob in manifest["blobs"]}
    streams = {}
    for entry in session["streams"]:
        listed |= {file["path"] for file in entry["files"]}
        streams[entry["stream"]] = _stream(entry, files)
    assert listed == set(files)
    assert {sha for stream in streams.values() for sha in _referenced(stream)} == {
        b["sha256"] for b in manifest["blobs"]
    }
    return StoredBundle(path, manifest, files, streams)


def replace(repo: Path, files: dict[str, bytes], ref: str = REF) -> None:
    """Write a companion commit with exactly these files, as if from elsewhere."""
    content = b"".join(
        b"M 100644 inline %s\ndata %d\n%s\n" % (name.encode(), len(data), data)
        for name, data in files.items()
    )
    head = f"reset {ref}\ncommit {ref}\ncommitter x <x@example.com> 1 +0000\ndata 0\ndeleteall\n".encode()
    _git(repo, "fast-import", "--quiet", "--force", stdin=head + content + b"\n")


def _stream(entry: dict[str, Any], files: dict[str, bytes]) -> StoredStream:
    joined = b"".join(files[file["path"]] for file in entry["files"])
    header, *records = [json.loads(line) for line in joined.split(b"\n")[:-1]]
    transcript = [record for record in records if record["seq"] < 2**52]
    links = [record for record in records if record["seq"] >= 2**52]
    return StoredStream(entry["stream"], header, transcript, links, entry["summary"])


def _referenced(stream: StoredStream) -> list[str]:
    """The blobs that a stream's own fields name."""
    found: list[str] = []
    for record in [stream.header, *stream.records, *stream.links]:
        found += [value["blob"] for field, value in record.items() if field.endswith("Blob")]
        content = record.get("content")
        found += [part["blob"] for part in content if "blob" in part] if isinstance(content, list) else []
    return found


def _git(repo: Path, *args: str, stdin: bytes = b"") -> bytes:
    return subprocess.run(["git", *args], cwd=repo, input=stdin, capture_output=True, check=True).stdout
