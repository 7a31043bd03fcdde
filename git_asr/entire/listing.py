"""The files of a checkpoint: all below its tree, or below the trees that are laid over each other, by path."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import field

from git_asr.entire.metadata import METADATA, Metadata
from git_asr.entire.stores.base import Location
from git_asr.errors import AsrError, Diagnostic, Report
from git_asr.git.base import ObjectAbsent, Objects, TreeEntry
from git_asr.values import dataclass

MAX_ENTRIES = 20_000
"""Files and folders that are looked at below one checkpoint; the deeper ones go first. The largest real one: 700."""
MAX_DEPTH = 16
"""Folders between a checkpoint and a file; deeper ones are left out. The deepest real one: 4."""

FULL, RAW = "full.jsonl", "raw_transcript"
"""The names of a transcript: in every layout, and the later one in v2 (reference entire-checkpoints, section 3.1)."""
COMPACT = "transcript.jsonl"
"""The name of Entire's own transcript."""
_OLD = "full.log"
PART = re.compile(r"(full\.jsonl|raw_transcript)(?:\.([0-9]{1,9}))?|full\.log")
"""A file that is a transcript or a part of one, for ``fullmatch``: its name without number, its number."""
HASHES = {FULL: "content_hash.txt", _OLD: "content_hash.txt", RAW: "raw_transcript_hash.txt"}
"""The file with the hash of a transcript, by the transcript's name."""


@dataclass(slots=True)
class Listing:
    """A checkpoint whose trees are read: its files, its metadata files once they are read, and what is not here."""

    location: Location
    report: Report
    files: dict[str, str] = field(default_factory=dict)
    parsed: dict[str, Metadata] = field(default_factory=dict)
    absent: list[str] = field(default_factory=list)

    def wanted(self) -> dict[str, str]:
        """The metadata files of the checkpoint and of all that may be session folders, by path."""
        return {
            path: oid
            for path, oid in self.files.items()
            if path == METADATA or (path.endswith(f"/{METADATA}") and path.count("/") == 1)
        }

    def tell(self, code: str, message: str, inside: str = "") -> None:
        """Report something about the checkpoint, or about what it holds."""
        self.report(Diagnostic(code, f"checkpoint {self.location.checkpoint}{inside}", message))


def list_files(objects: Objects, location: Location, report: Report) -> Listing:
    """Read the trees of a checkpoint, level by level, so that a limit meets the deepest files first.

    Never raises for what it finds: ``absent-tree``, ``damaged-tree``, ``too-deep``, ``not-a-file``, ``too-many-files``.
    """
    listing = Listing(location, report)
    layers: list[dict[str, str]] = [{} for _ in location.trees]
    todo = deque((layer, "", tree) for layer, tree in zip(layers, location.trees, strict=True))
    seen = left_out = 0
    while todo:
        layer, prefix, tree = todo.popleft()
        entries = _entries(objects, listing, tree)
        if seen + len(entries) > MAX_ENTRIES:
            left_out += 1
            continue
        seen += len(entries)
        for entry in entries:
            path = prefix + entry.name
            if entry.is_blob:
                layer[path] = entry.oid
            elif not entry.is_tree:
                listing.tell("not-a-file", f"{path:.200} is a link or a submodule and is left out")
            elif path.count("/") < MAX_DEPTH:
                todo.append((layer, f"{path}/", entry.oid))
            else:
                listing.tell("too-deep", f"what is below {path:.200} is left out")
    if left_out:
        listing.tell("too-many-files", f"more than {MAX_ENTRIES} files: {left_out} folders are left out")
    for layer in layers:
        _lay_under(listing.files, layer)
    return listing


def _entries(objects: Objects, listing: Listing, tree: str) -> tuple[TreeEntry, ...]:
    """The entries of a tree; of one that cannot be read none, and that is told."""
    try:
        return objects.entries(tree)
    except ObjectAbsent as error:
        listing.absent.append(tree)
        listing.tell("absent-tree", error.message)
    except AsrError as error:
        listing.tell("damaged-tree", error.message)
    return ()


def _lay_under(files: dict[str, str], layer: Mapping[str, str]) -> None:
    """Add the files of a tree to those of the trees above it.

    A transcript comes with all its parts and its hash from one tree: what an older generation has of it is superseded.
    """
    complete = {folder for folder, name in map(_split, files) if PART.fullmatch(name)}
    for path, oid in layer.items():
        folder, name = _split(path)
        if folder not in complete or not (PART.fullmatch(name) or name in HASHES.values()):
            files.setdefault(path, oid)


def _split(path: str) -> tuple[str, str]:
    folder, _, name = path.rpartition("/")
    return folder, name


def transcript_parts(files: Mapping[str, str], names: Sequence[str]) -> tuple[str | None, list[str], int]:
    """The name of the transcript among files, the names of its parts in order, and how many are known to be missing.

    Part 0 has the bare name, the others a decimal number of any width (reference, section 3.5). The old name
    ``full.log`` serves where ``full.jsonl`` is absent. Of two spellings of one number the longer stands for the part.
    ``names``: the first one that there is counts.
    """
    for name in names:
        base = _OLD if name == FULL and _OLD in files and FULL not in files else name
        parts: dict[int, str] = {}
        for one in sorted(files):
            found = PART.fullmatch(one)
            if found is not None and found[1] == name and found[2] is not None:
                parts.setdefault(int(found[2]), one)
        if base in files:
            parts[0] = base
        if parts:
            return base, [parts[number] for number in sorted(parts)], max(parts) + 1 - len(parts)
    return None, [], 0
