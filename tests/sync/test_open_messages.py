"""Copies that end amid a message: its record is the only one that a longer copy replaces (profile section 3)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

from git_asr.companion.arrivals import merged
from git_asr.git.backend import open_objects
from git_asr.git.repository import open_repository
from git_asr.git.writing import ObjectWriter
from tests.support.companion import StoredStream, tip, tree_files
from tests.support.entire_repo import EntireRepo, Stored
from tests.support.repo_builder import fsck, git
from tests.sync.syncing import ONE, only, run, scratch

CPS = [f"{n:02x}0f6af2363f" for n in range(3)]


def _chunk(content: str, index: int) -> tuple[str, dict[str, Any]]:
    return "assistant.message", {"content": content, "apiCallId": "a", "chunkIndex": index, "chunkCount": 3}


EVENTS: list[tuple[str, dict[str, Any]]] = [
    ("session.start", {"sessionId": ONE}),
    *[("user.message", {"content": "p" * 60_000})] * 5,
    _chunk("The garden", 0),
    *[("hook.start", {"hookType": "x", "input": "p" * 60_000})] * 5,
    _chunk(" has", 1),
    _chunk(" beds", 2),
    ("user.message", {"content": "more"}),
]
FIRST, HOOKED, SECOND, LAST, ALL = 7, 12, 13, 14, 15
"""How many events there are up to a chunk, with the hooks behind it, and with what follows the message."""


def transcript(count: int) -> bytes:
    made = [
        {"type": kind, "data": data, "id": f"e{at}", "parentId": f"e{at - 1}" if at > 1 else None}
        for at, (kind, data) in enumerate(EVENTS[:count], 1)
    ]
    return b"".join(orjson.dumps(one) + b"\n" for one in made)


def add(repo: EntireRepo, number: int, count: int) -> None:
    stored = Stored(ONE, transcript(count), created=number * 60, agent="Copilot CLI")
    repo.checkpoint(CPS[number], stored)
    repo.commit(CPS[number], when=1_767_225_600 + number)


def stream(path: Path) -> StoredStream:
    (found,) = only(path).streams.values()
    return found


def said(path: Path) -> list[tuple[str, str, str]]:
    """Where the messages of the agent stand, what they say, and their state."""
    return [
        (one["id"], one["content"][0]["text"], one["assembly"]["state"])
        for one in stream(path).records
        if one["type"] == "message" and one["role"] == "assistant"
    ]


FOUND = {
    FIRST: ("e7", "The garden", "partial"),
    HOOKED: ("e7", "The garden", "partial"),
    SECOND: ("e13", "The garden has", "partial"),
    LAST: ("e14", "The garden has beds", "final"),
    ALL: ("e14", "The garden has beds", "final"),
}


@pytest.mark.parametrize("exchanged", [False, True])
@pytest.mark.parametrize("short", [FIRST, HOOKED, SECOND])
@pytest.mark.parametrize("full", [SECOND, LAST, ALL])
def test_a_session_that_grows_has_the_message_once(
    tmp_path: Path, short: int, full: int, exchanged: bool
) -> None:
    """Every other record stays, byte for byte; so does a part before the one with the message."""
    repo = EntireRepo(tmp_path / "r")
    add(repo, 0, short)
    run(repo.build())
    assert said(repo.path) == [FOUND[short]]
    before, files = stream(repo.path), tree_files(repo.path)
    if exchanged:
        git(repo.path, "update-ref", "refs/asr/remotes/origin/sessions", "refs/asr/sessions")
    add(repo, 1, full)
    run(repo.build())
    assert said(repo.path) == [FOUND[full]]
    after = stream(repo.path)
    kept = [one for one in before.records if "assembly" not in one]
    assert [one for one in after.records if "assembly" not in one][: len(kept)] == kept
    assert [one["id"] for one in after.links if one["type"] == "io.entire/checkpoint"] == CPS[:2]
    part = next(path for path in files if path.endswith("~000001.jsonl"))
    assert tree_files(repo.path)[part] == files[part]
    if not exchanged:
        assert tip(repo.path) == scratch(repo.path)
    fsck(repo.path)


@pytest.mark.parametrize("here", ["a", "b"])
def test_merging_keeps_what_an_open_message_became(tmp_path: Path, here: str) -> None:
    """Whoever has the longer copy; and a sync of the shorter one alone does not take it back."""
    paths = {name: tmp_path / name for name in ("a", "b")}
    for name, lengths in (("a", [HOOKED]), ("b", [HOOKED, ALL])):
        repo = EntireRepo(paths[name])
        for number, length in enumerate(lengths):
            add(repo, number, length)
        run(repo.build())
    longer = git(paths["b"], "rev-parse", "refs/asr/sessions^{tree}")
    path, other = paths.pop(here), paths.popitem()[1]
    git(path, "fetch", "-q", str(other), "refs/asr/sessions:refs/asr/remotes/other/sessions")
    git(path, "update-ref", "refs/asr/remotes/here/sessions", "refs/asr/sessions")
    tips = [git(path, "rev-parse", f"refs/asr/remotes/{name}/sessions") for name in ("here", "other")]
    opened = open_repository(path)
    with open_objects(opened) as objects, ObjectWriter(opened, objects) as writer:
        commit = str(merged(opened, objects, writer, tips, lambda _: pytest.fail()).commit)
    git(path, "update-ref", "refs/asr/sessions", commit)
    for full in (False, True):
        assert said(path) == [FOUND[ALL]]
        assert git(path, "rev-parse", "refs/asr/sessions^{tree}") == longer
        run(path, full=full)
    fsck(path)


def test_a_copy_that_leaves_amid_a_message_has_it_as_it_was_there(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    add(repo, 0, ALL)
    other = {"type": "user.message", "data": {"content": "else"}, "id": "other", "parentId": "e7"}
    left = transcript(FIRST) + orjson.dumps(other) + b"\n"
    repo.checkpoint(CPS[1], Stored(ONE, left, created=60, agent="Copilot CLI"))
    repo.commit(CPS[1])
    run(repo.build())
    streams = only(repo.path).streams
    messages = [[one["assembly"] for one in found.records if "assembly" in one] for found in streams.values()]
    assert messages == [
        [{"state": "final", "fragments": 3}],
        [{"state": "partial", "fragments": 1}],
    ]
    assert tip(repo.path) == scratch(repo.path)
