"""Whatever stands in the records of a stream, its timeline is made, every line is neutral, and JSON can be written."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from git_asr.asr import codec, context, reading
from git_asr.asr.bundle import StreamEntry, file_entry
from git_asr.asr.reading import Stream
from git_asr.cli.folding import Folding
from git_asr.cli.looks import Sheet
from git_asr.cli.shown import plain
from git_asr.cli.timeline import item_lines
from git_asr.views import text, words
from git_asr.views.excerpt import excerpts
from git_asr.views.timeline import projection, timeline

FIELDS: dict[str, tuple[str, ...]] = {
    "message": ("author", "role", "content", "contentBlob", "from", "capture", "copiedFrom", "_meta"),
    "reasoning": ("content", "capture"),
    "tool_call": ("callId", "name", "arguments", "argumentsBlob"),
    "tool_result": ("callId", "status", "content", "output"),
    "inference": ("inferenceId", "usage"),
    "usage_summary": ("covers", "usage", "scope"),
    "input_request": ("requestId", "callId", "questions"),
    "input_response": ("requestId", "callId", "answers"),
    "subagent": ("callId", "state", "status", "agentType"),
    "plan": ("callId", "items"),
    "state": ("state", "reason"),
    "compaction": ("replaces", "replacesBlob", "trigger", "summary"),
    "rewind": ("to",),
    "tombstone": ("target",),
    "vcs": ("commit",),
    "io.entire/checkpoint": ("start", "sessionIds", "ts"),
    "git-asr/context": ("cwd", "branch", "session"),
    "git-asr/mode": ("kind", "mode"),
    "git-asr/hook": ("outcome", "name", "text"),
    "git-asr/title": ("title",),
    "git-asr/command": ("kind", "name", "text"),
    "git-asr/notice": ("level", "kind", "text"),
    "git-asr/attachment": ("kind", "name"),
    "git-asr/unit": ("unitType", "value", "valueBlob"),
    "com.example/other": (),
}
IDS = st.sampled_from(["a", "b", "c", "~1.0"])
TEXTS = IDS | st.text(st.characters(exclude_categories=()), max_size=6)
KNOWN = st.sampled_from(
    [
        *("\x1b[31m", "\u202e", "\ud800", "\n\n", "\r", "2026-01-01T00:00:00Z", "9999-99-99T99:99:99Z"),
        *(
            "ok",
            "error",
            "human",
            "pending",
            "ended",
            "failed",
            "text",
            "json",
            "completed",
            "application/json",
        ),
    ]
)
KEYS = TEXTS | st.sampled_from(
    [
        *(
            "type",
            "text",
            "value",
            "blob",
            "bytes",
            "mediaType",
            "question",
            "options",
            "label",
            "answer",
            "status",
        ),
        *(
            "state",
            "reason",
            "callId",
            "through",
            "calls",
            "except",
            "unknown",
            "old_string",
            "new_string",
            "path",
        ),
        *(
            "edits",
            "structuredPatch",
            "lines",
            "oldStart",
            "newStart",
            "content",
            "command",
            "prompt",
            "input",
        ),
        *("output", "total", "cacheRead", "git-asr/queue"),
    ]
)
LEAVES = st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | TEXTS | KNOWN
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=5), max_leaves=8
)
LISTED = st.lists(st.dictionaries(KEYS, VALUES, max_size=4), max_size=3)
BLOBS = st.dictionaries(IDS, st.binary(max_size=9) | VALUES.map(lambda value: codec.lenient(value).encode()))


@st.composite
def records(draw: st.DrawFn) -> dict[str, Any]:
    """A record of any type: most of its fields are of a likely kind, some of any."""
    kind = draw(st.sampled_from(sorted(FIELDS)))
    seq = draw(
        st.integers(0, 9).map(lambda position: position * 1_000_000) | st.integers(-(2**63), 2**64 - 1)
    )
    found: dict[str, Any] = {"type": kind, "id": draw(IDS), "seq": seq}
    for field in (*FIELDS[kind], "predecessors", "supersedes", "ts"):
        likely: st.SearchStrategy[Any] = IDS | KNOWN
        if field.endswith("Blob"):
            likely = st.fixed_dictionaries({"blob": IDS, "mediaType": KNOWN, "bytes": LEAVES})
        elif field == "predecessors":
            likely = st.lists(IDS, max_size=3)
        elif field in ("content", "questions", "answers", "items"):
            likely = LISTED
        elif field in ("usage", "covers", "replaces", "arguments", "output", "_meta", "capture"):
            likely = st.dictionaries(KEYS, VALUES, max_size=4)
        if draw(st.booleans()):
            found[field] = draw(st.one_of(likely, likely, likely, VALUES))
    return found


def read(identifier: str, found: list[dict[str, Any]], calls: list[str]) -> Stream:
    header = {
        "type": "header",
        "formatVersion": "0.1",
        "stream": identifier,
        "session": {"harness": "h", "id": "s"},
        "capture": {"state": "partial"},
        "lineage": {"spawnedBy": [{"callId": call} for call in calls]},
    }
    data = b"".join(codec.lenient(one).encode() + b"\n" for one in (header, *found))
    entry = StreamEntry(identifier, (file_entry("sessions/s.jsonl", data),), 0, "redacted", "0.1", {})
    return reading.load(entry, lambda _: data)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.lists(records(), max_size=9), st.lists(records(), max_size=4), BLOBS, st.booleans())
def test_anything(
    main: list[dict[str, Any]], below: list[dict[str, Any]], blobs: dict[str, bytes], full: bool
) -> None:
    streams = [read("s", main, []), read("s.x", below, ["a", "b"])]
    for one in (*excerpts(streams), *excerpts(streams, checkpoint="a"), *excerpts(streams, commit="1" * 40)):
        told = timeline(one.stream, blobs.get, within=one.slices, subagents=one.subagents)
        for line in (*item_lines(told.items, Folding(full=full)), words.figures(one.total())):
            assert line == text.neutral(line)
        assert all(line.isascii() for line in item_lines(told.items, Folding(), sheet=Sheet(20, ascii=True)))
        codec.encode([plain(told.items), plain(one.total()), *one.records()])
    view = context.view(streams[0].records)
    if view is not None:
        before = projection(streams[0], view.records, blobs.get)
        for line in item_lines(before.items, Folding(full=full, projection=True), sheet=Sheet(20)):
            assert line == text.neutral(line)
        codec.encode([plain(before.items), words.context(view)])
