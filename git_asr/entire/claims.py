"""What a checkpoint's metadata say of commits: links beside trailers (reference entire-checkpoints, section 1.7)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from git_asr.entire import metadata as fields
from git_asr.entire.contents import Checkpoint
from git_asr.entire.metadata import Metadata
from git_asr.values import dataclass

LINKED, SHA = "linked-commit", "commit-sha"
MOST = 1000
"""Claims that are read of one checkpoint."""

_SHA = re.compile("[0-9a-f]{7,64}")


@dataclass(frozen=True, slots=True)
class Claim:
    """A commit that a checkpoint's metadata name.

    ``commit``: an ID or the beginning of one, lower case. ``method``: which field it stood in. ``told``: how Entire
    came by it (``recorded``, ``heuristic``, ``fallback``), None where that is not said. ``repo``: the repository that
    is named with it.
    """

    checkpoint: str
    commit: str
    method: str
    told: str | None = None
    repo: str | None = None


def claims(checkpoint: Checkpoint) -> Iterator[Claim]:
    """The commits that the metadata of a checkpoint and of its session folders name, each claim once.

    ``migration_source_commit`` is none: it names an old commit of the store.
    """
    own = [checkpoint.metadata, *(folder.metadata for folder in checkpoint.sessions)]
    found = (claim for one in own for claim in _claims(checkpoint.id, one))
    yield from dict.fromkeys(islice(found, MOST))


def _claims(checkpoint: str, metadata: Metadata) -> Iterator[Claim]:
    listed = metadata.get("linked_commits")
    for item in listed if isinstance(listed, list) else [listed]:
        entry: Mapping[str, Any] = item if isinstance(item, dict) else {"sha": item}
        if (commit := _commit(entry, "sha")) is not None:
            yield Claim(checkpoint, commit, LINKED, repo=fields.text(entry, "repo"))
    if (commit := _commit(metadata, "commit_sha")) is not None:
        yield Claim(checkpoint, commit, SHA, fields.text(metadata, "commit_sha_method"))


def _commit(metadata: Metadata, key: str) -> str | None:
    text = (fields.text(metadata, key) or "").strip().lower()
    return text if _SHA.fullmatch(text) else None
