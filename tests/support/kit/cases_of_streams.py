"""Cases that are a stream alone: by check, what is sound and what is not."""

from __future__ import annotations

from typing import Any

from git_asr.asr.links import FLOOR
from tests.support.kit.making import (
    CHECKPOINT,
    COMMIT,
    KEY,
    OTHER,
    called,
    checkpoint,
    header,
    record,
    returned,
    said,
    stream,
    vcs,
)

Cases = dict[str, dict[str, dict[str, bytes]]]

TEXT = {"type": "text", "text": "x"}
BLOB = {"blob": "a" * 64, "mediaType": "text/plain", "bytes": 3}
USAGE = {
    "input": {"total": 12, "includesCache": True, "uncached": 2},
    "cacheRead": 10,
    "output": {"total": 3, "reasoning": 1},
}
SOUND = stream(said(1))
A_LINE = b'{"type":"git-asr/title","seq":1000000,"id":"~1.0","idSource":"derived","title":"'
AFTER = b'"}\n'

SHAPES: dict[str, tuple[list[dict[str, Any]], list[dict[str, Any]]]] = {
    "message": (
        [
            said(
                1,
                content=[TEXT, {"type": "image", **BLOB}, {"type": "json", "value": [1]}, {"type": "later"}],
            )
        ],
        [said(1, role=None), said(1, content=["x"]), said(1, content=[{"type": "image", "blob": "x"}])],
    ),
    "reasoning": (
        [record("reasoning", 1, capture={"state": "omitted", "reason": "signature only"})],
        [record("reasoning", 1, content="x")],
    ),
    "tool_call": ([called(1), called(2, arguments="x")], [called(1, callId=None), called(1, name=None)]),
    "tool_result": (
        [returned(1, content=[TEXT], output={"a": 1})],
        [returned(1, status=None), returned(1, callId="")],
    ),
    "inference": (
        [record("inference", 1, inferenceId="m1", requestId="r1", model="x", usage=USAGE)],
        [
            record("inference", 1),
            record("inference", 1, inferenceId="m1", usage={"cacheRead": -1}),
            record("inference", 1, inferenceId="m1", usage={"output": {"total": 1.5}}),
        ],
    ),
    "usage_summary": (
        [record("usage_summary", 1, scope="session", usage=USAGE, cost={"amount": "0.1"})],
        [record("usage_summary", 1, usage=USAGE), record("usage_summary", 1, scope="session")],
    ),
    "input_request": (
        [record("input_request", 1, requestId="r1", questions=[{"question": "Which?"}])],
        [
            record("input_request", 1, questions=[]),
            record("input_request", 1, requestId="r1", questions="Which?"),
        ],
    ),
    "input_response": (
        [record("input_response", 1, requestId="r1", answers=[{"question": "Which?", "answer": "This"}])],
        [record("input_response", 1, answers=[])],
    ),
    "subagent": (
        [record("subagent", 1, state="started", callId="c1", stream="s-1.a")],
        [record("subagent", 1), record("subagent", 1, state="started", callId=3)],
    ),
    "plan": (
        [record("plan", 1, items=[{"text": "look", "status": "done"}])],
        [record("plan", 1, items=["look"]), record("plan", 1, items=[{"status": "done"}])],
    ),
    "state": ([record("state", 1, state="running")], [record("state", 1)]),
    "compaction": (
        [
            said(1),
            record(
                "compaction", 2, trigger="auto", summary="~1.0", replaces={"through": "~1.0", "except": []}
            ),
        ],
        [record("compaction", 2, replaces=[]), record("compaction", 2, replaces={"unknown": "yes"})],
    ),
    "rewind": (
        [record("rewind", 1, to=None) | {"to": None}],
        [record("rewind", 1), record("rewind", 1, to=3)],
    ),
    "delivery": ([record("delivery", 1, to="a channel")], [record("delivery", 1, ts="yesterday")]),
    "vcs": ([vcs()], [vcs(commit="0123456"), vcs(evidence=None), vcs(committedAt="2026")]),
    "tombstone": (
        [said(1), record("tombstone", 2, target="~1.0", reason="withdrawn")],
        [record("tombstone", 2, target="~1.0"), record("tombstone", 2, reason="withdrawn")],
    ),
    "checkpoint": (
        [checkpoint()],
        [checkpoint(sessionIds=None), checkpoint(start=0), checkpoint(through="9")],
    ),
    "entire-compaction": (
        [record("io.entire/compaction", 1, value={"event": 1})],
        [record("io.entire/compaction", 1, value="x")],
    ),
    "unit": ([record("git-asr/unit", 1, value=[1])], [record("git-asr/unit", 1)]),
    "notice": ([record("git-asr/notice", 1, text="Update")], [record("git-asr/notice", 1, text=1)]),
    "context": ([record("git-asr/context", 1, cwd="/srv")], [record("git-asr/context", 1, cwd=["/srv"])]),
    "mode": (
        [record("git-asr/mode", 1, kind="permission", mode="plan")],
        [record("git-asr/mode", 1, kind="plan")],
    ),
    "hook": (
        [record("git-asr/hook", 1, event="Stop", exitCode=0, durationMs=1.5, outcome="ok")],
        [record("git-asr/hook", 1, event="Stop"), record("git-asr/hook", 1, exitCode="0", outcome="ok")],
    ),
    "title": (
        [record("git-asr/title", 1, title="A day", source="user")],
        [record("git-asr/title", 1, title=1)],
    ),
    "command": (
        [record("git-asr/command", 1, kind="slash", name="/x")],
        [record("git-asr/command", 1, name="/x")],
    ),
    "file-snapshot": (
        [record("git-asr/file-snapshot", 1, messageId="m", files=["a"])],
        [record("git-asr/file-snapshot", 1, files="a")],
    ),
    "attachment": (
        [record("git-asr/attachment", 1, kind="file", content=[TEXT])],
        [record("git-asr/attachment", 1, content=[TEXT])],
    ),
    "vendor": (
        [record("com.example.agent/thing", 1, value={"a": 1})],
        [record("com.example.agent/thing", 1, _meta=[])],
    ),
    "envelope": (
        [
            said(
                1,
                ts="2026-01-02T03:04:05.6789+01:00",
                predecessors=[],
                copiedFrom={"session": OTHER, "evidence": "native_field"},
                inferenceId="m1",
                capture={"state": "truncated"},
                native={"pointer": "/a/0"},
                _meta={"com.example.agent": {"a": None}},
            )
        ],
        [
            said(1, seq="1"),
            said(1, seq=None),
            said(1, id=None),
            said(1, type=None),
            said(1, ts="2026-01-02"),
            said(1, predecessors="~0.0"),
            said(1, supersedes=1),
            said(1, copiedFrom={"session": OTHER}),
            said(1, capture={}),
            said(1, native={}),
            said(1, contentBlob={"blob": "x"}),
            header(),
        ],
    ),
}
"""Of each type records that have its shape, and others of which each has not."""


def _shapes() -> dict[str, dict[str, bytes]]:
    valid = {name: stream(*sound) for name, (sound, _) in SHAPES.items()}
    invalid = {}
    for name, (_, unsound) in SHAPES.items():
        for number, one in enumerate(unsound, 1):
            invalid[f"{name}-{number}" if len(unsound) > 1 else name] = stream(one)
    return {"valid": valid, "invalid": invalid}


def _header_shapes() -> dict[str, dict[str, bytes]]:
    key = {"session": OTHER, "evidence": "native_field"}
    full = header(
        startedAt="2026-01-02T03:04:05Z",
        endedAt="2026-01-02T03:04:05Z",
        capture={"state": "complete"},
        lineage={"continues": {**key, "reason": "other"}, "spawnedBy": [{**key, "callId": "c1"}, key]},
        workspace={"cwd": "/srv", "vcs": {"branch": "main", "head": "x"}},
        nativeSources=[{"format": "claude-code-jsonl", "sha256": "a" * 64, "bytes": 3, "positions": [1, 9]}],
        derivedFrom={
            "stream": "s-2",
            "policy": {"name": "default", "version": "1"},
            "findings": {"token": 2},
        },
        _meta={"io.entire/checkpoint": {"id": CHECKPOINT}},
        later=1,
    )
    wrong: dict[str, dict[str, Any]] = {
        "stream-missing": {"stream": None},
        "session-without-source": {"session": OTHER},
        "level-missing": {"contentLevel": None},
        "capture-missing": {"capture": None},
        "producer-without-losses": {"producer": {"name": "x", "version": "x/1", "method": "converter"}},
        "producer-version": {"producer": {"name": "x", "version": "1.0", "method": "converter", "lossy": []}},
        "lineage-without-evidence": {"lineage": {"continues": {"session": OTHER}}},
        "derived-without-policy": {"derivedFrom": {"stream": "s-2"}},
        "started-at": {"startedAt": "yesterday"},
        "version-missing": {"formatVersion": None},
        "version-no-number": {"formatVersion": "new"},
    }
    return {
        "valid": {"least": stream(), "full": stream(head=full)},
        "invalid": {name: stream(head=header(**changed)) for name, changed in wrong.items()},
    }


def _copied(**fields: Any) -> dict[str, Any]:
    return {"copiedFrom": {"session": KEY, "evidence": "native_structure", **fields}}


def _big(name: str, **fields: Any) -> dict[str, Any]:
    return record("com.example.agent/thing", 1, **{name: "x" * (64 * 1024 - 1), **fields})


QUESTIONS = [{"id": "q1", "question": "Token?", "isSecret": True}, {"id": "q2", "question": "Name?"}]
ASKED = record("input_request", 1, 1, requestId="c1", callId="c1", questions=QUESTIONS)
ASKING = called(1, arguments={"questions": QUESTIONS})
PART_OF = {"lineage": {"continues": {"session": KEY, "stream": "s-1", "evidence": "native_structure"}}}
INFERENCE = {"inferenceId": "m1", "model": "x"}


def _answers(*answers: Any, **fields: Any) -> dict[str, Any]:
    return record("input_response", 2, requestId="c1", callId="c1", answers=list(answers), **fields)


ACCEPTED = f"{CHECKPOINT}@{COMMIT}#hand"
TAKEN_BACK = f"{CHECKPOINT}@{COMMIT}#removed:hand"

CHECKPOINT_META = {"io.entire/checkpoint": {"id": CHECKPOINT}}
OF_ENTIRE: dict[str, Any] = {
    "name": "git-asr",
    "version": "entire-transcript/1",
    "method": "import",
    "source": {"format": "entire-transcript", "formatVersion": "1"},
    "lossy": [{"feature": one} for one in ("reasoning", "tool_result.content", "timestamps")],
}

CASES: Cases = {
    "line-utf-8": {
        "valid": {"text": stream(said(1, "Grüße, 日本語 🙂"))},
        "invalid": {
            "latin-1": SOUND.replace(b"Good", b"G\xfc"),
            "surrogate": SOUND.replace(b"Good", b"\xed\xa0\x80"),
        },
    },
    "line-json": {
        "valid": {
            "escapes": SOUND.replace(b"Good", rb"\ud800 A\u0041"),
            "white-space": SOUND.replace(b',"seq"', b' , "seq"'),
            "deep": stream(record("git-asr/unit", 1, value=eval("[" * 80 + "]" * 80))),  # noqa: S307
        },
        "invalid": {
            "words": SOUND + b"no JSON\n",
            "array": SOUND + b"[]\n",
            "blank": SOUND + b"\n",
            "nan": SOUND + b'{"type":"git-asr/unit","seq":2000000,"id":"x","value":NaN}\n',
            "control-character": SOUND + b'{"type":"git-asr/title","seq":2000000,"id":"x","title":"a\tb"}\n',
            "two-values": SOUND + b'{"type":"git-asr/title","seq":2000000,"id":"x"}{}\n',
            "byte-order-mark": b"\xef\xbb\xbf" + SOUND,
            "middle": stream(said(1)) + b'{"type":"mess\n' + stream(said(3)).partition(b"\n")[2],
        },
    },
    "line-end": {
        "valid": {"ended": SOUND},
        "invalid": {"whole": SOUND[:-1], "half": SOUND[:-20]},
    },
    "header-first": {
        "valid": {"first": SOUND},
        "invalid": {"missing": SOUND.partition(b"\n")[2], "empty": b""},
    },
    "header-shape": _header_shapes(),
    "record-shape": _shapes(),
    "unknown-major": {
        "valid": {"minor": stream(said(1), head=header(formatVersion="0.7"))},
        "invalid": {
            "one": stream({"kind": "of a later version"}, head={"type": "header", "formatVersion": "1.0"})
        },
    },
    "record-type": {
        "valid": {
            "vendor": stream(record("com.example.agent/thing", 1)),
            "ours": stream(record("git-asr/later", 1)),
        },
        "invalid": {"no-prefix": stream(record("thing", 1))},
    },
    "seq-rises": {
        "valid": {"gaps": stream(said(1), said(4), said(4, seq=4_000_100, id="~4.100", idSource="derived"))},
        "invalid": {
            "equal": stream(said(1), said(1, id="x")),
            "less": stream(said(2), said(1)),
            "links": stream(vcs(), said(1)),
        },
    },
    "seq-links": {
        "valid": {"by-id": stream(said(1), *sorted([vcs(), checkpoint()], key=lambda one: one["seq"]))},
        "invalid": {
            "other": stream(vcs() | {"seq": FLOOR + 7}),
            "low": stream(vcs() | {"seq": 2_000_000}),
            "message": stream(said(1, seq=FLOOR + 7, id="x"), head=header(capture={"state": "complete"})),
        },
    },
    "id-unique": {
        "valid": {"unique": stream(said(1, id="a"), said(2, id="b"))},
        "invalid": {"twice": stream(said(1, id="a"), said(2, id="a"))},
    },
    "id-derived": {
        "valid": {
            "both": stream(said(1, id="a"), said(2), said(3, seq=3_000_101, id="~3.101", idSource="derived"))
        },
        "invalid": {
            "other-position": stream(said(2, id="~1.0", idSource="derived")),
            "not-marked": stream(said(1, id="~1.0")),
            "marked-native": stream(said(1, id="a", idSource="derived")),
        },
    },
    "id-scope": {
        "valid": {"positional": stream(said(1, idScope="capture"))},
        "invalid": {"native": stream(said(1, id="a", idScope="capture"))},
    },
    "id-usable": {
        "valid": {"native": stream(said(1, id="msg_01|A:b c", messageId="m", inferenceId="~1.0"))},
        "invalid": {
            "marker": stream(said(1, id="REDACTED")),
            "marker-within": stream(said(1, messageId="msg_[REDACTED_EMAIL]")),
            "control-character": stream(said(1, id="a\x1b[31mb")),
            "long": stream(said(1, inferenceId="x" * 401)),
        },
    },
    "call-usable": {
        "valid": {
            "native": stream(called(1), returned(2)),
            "derived": stream(
                called(1, "~1.0", callIdSource="derived"), returned(2, "~1.0", callIdSource="derived")
            ),
        },
        "invalid": {
            "marker": stream(called(1, "REDACTED")),
            "of-no-call": stream(
                called(1, "~1.0", callIdSource="derived"), returned(2, "~3.0", callIdSource="derived")
            ),
        },
    },
    "call-source": {
        "valid": {
            "derived": stream(
                called(1, "~1.0", callIdSource="derived"), returned(2, "~1.0", callIdSource="derived")
            ),
            "native": stream(called(1), returned(2)),
        },
        "invalid": {
            "not-marked": stream(called(1, "~1.0")),
            "native": stream(called(1), returned(2, callIdSource="derived")),
        },
    },
    "time-exists": {
        "valid": {
            "leap": stream(
                said(1, ts="2024-02-29T23:59:60.123456789Z"), said(2, ts="2024-03-01t00:00:00-05:30")
            )
        },
        "invalid": {
            "month": stream(said(1, ts="2024-13-01T00:00:00Z")),
            "day": stream(said(1, ts="2023-02-29T00:00:00Z")),
            "offset": stream(said(1, ts="2024-01-01T00:00:00+25:00")),
        },
    },
    "predecessors-earlier": {
        "valid": {
            "root-and-chain": stream(said(1, id="a", predecessors=[]), said(2, predecessors=["a"])),
            "gap": stream(said(1, predecessors=["native-and-not-here"])),
        },
        "invalid": {
            "itself": stream(said(1, id="a", predecessors=["a"])),
            "derived-later": stream(said(1, predecessors=["~2.0"]), said(2)),
        },
    },
    "supersedes-earlier": {
        "valid": {"chain": stream(said(1), said(2, supersedes="~1.0"), said(3, supersedes="~2.0"))},
        "invalid": {
            "later": stream(said(1, supersedes="~2.0"), said(2)),
            "itself": stream(said(1, supersedes="~1.0")),
            "cycle": stream(said(1, supersedes="~2.0"), said(2, supersedes="~1.0")),
        },
    },
    "supersedes-once": {
        "valid": {"chain": stream(said(1), said(2, supersedes="~1.0"), said(3, supersedes="~2.0"))},
        "invalid": {"tree": stream(said(1), said(2, supersedes="~1.0"), said(3, supersedes="~1.0"))},
    },
    "supersedes-whole": {
        "valid": {
            "result": stream(called(1), returned(2), returned(3, supersedes="~2.0")),
            "queued-text": stream(said(1), record("git-asr/command", 2, kind="slash", supersedes="~1.0")),
        },
        "invalid": {"other-type": stream(called(1), said(2, supersedes="~1.0"))},
    },
    "tombstone-target": {
        "valid": {"earlier": stream(said(1), record("tombstone", 2, target="~1.0", reason="withdrawn"))},
        "invalid": {"nothing": stream(record("tombstone", 2, target="~1.0", reason="withdrawn"))},
    },
    "compaction-records": {
        "valid": {
            "known": stream(
                said(1),
                said(2),
                record("compaction", 3, summary="~2.0", replaces={"through": "~1.0", "except": ["~1.0"]}),
            ),
            "unknown": stream(record("compaction", 3, replaces={"unknown": True})),
        },
        "invalid": {
            "summary": stream(said(1), record("compaction", 3, summary="~2.0")),
            "through": stream(said(1), record("compaction", 3, replaces={"through": "x"})),
            "except": stream(said(1), record("compaction", 3, replaces={"through": "~1.0", "except": ["x"]})),
        },
    },
    "rewind-target": {
        "valid": {
            "earlier": stream(said(1), record("rewind", 2, to="~1.0")),
            "start": stream(record("rewind", 2) | {"to": None}),
        },
        "invalid": {"later": stream(record("rewind", 2, to="~3.0"), said(3))},
    },
    "lineage-other": {
        "valid": {"other-stream": stream(head=header(stream="s-1@b", **PART_OF))},
        "invalid": {"itself": stream(head=header(**PART_OF))},
    },
    "capture-header": {
        "valid": {
            "partial": stream(),
            "omitted": stream(head=header(capture={"state": "omitted", "reason": "absent"})),
        },
        "invalid": {
            "partial": stream(head=header(capture={"state": "partial"})),
            "omitted": stream(head=header(capture={"state": "omitted"})),
        },
    },
    "capture-complete": {
        "valid": {
            "whole": stream(head=header(capture={"state": "complete"})),
            "other-session": stream(
                head=header(
                    capture={"state": "complete"},
                    lineage={"continues": {"session": OTHER, "evidence": "native_field"}},
                )
            ),
        },
        "invalid": {"part": stream(head=header(stream="s-1@b", capture={"state": "complete"}, **PART_OF))},
    },
    "capture-through": {
        "valid": {"last": stream(said(9))},
        "invalid": {"behind": stream(said(10))},
    },
    "capture-omitted": {
        "valid": {"links": stream(vcs(), head=header(capture={"state": "omitted", "reason": "absent"}))},
        "invalid": {
            "message": stream(said(1), head=header(capture={"state": "omitted", "reason": "absent"}))
        },
    },
    "source-positions": {
        "valid": {
            "order": stream(
                head=header(
                    nativeSources=[{"format": "x", "sha256": "a" * 64, "bytes": 3, "positions": [1, 1]}]
                )
            )
        },
        "invalid": {
            "turned": stream(
                head=header(
                    nativeSources=[{"format": "x", "sha256": "a" * 64, "bytes": 3, "positions": [9, 1]}]
                )
            )
        },
    },
    "copy-elsewhere": {
        "valid": {
            "other-stream": stream(said(1, **_copied(stream="s-1.a", id="x"))),
            "not-said": stream(said(1, **_copied())),
        },
        "invalid": {"own-stream": stream(said(1, id="a"), said(2, **_copied(stream="s-1", id="a")))},
    },
    "copy-links": {
        "valid": {"message": stream(said(1, **_copied(stream="s-1.a")))},
        "invalid": {
            "vcs": stream(vcs(**_copied(stream="s-1.a"))),
            "checkpoint": stream(checkpoint(**_copied(stream="s-1.a"))),
        },
    },
    "capture-masked": {
        "valid": {
            "record": stream(said(1, "The key is [REDACTED_API_KEY]", capture={"state": "masked"})),
            "part": stream(
                said(1, content=[{"type": "text", "text": "REDACTED", "capture": {"state": "masked"}}])
            ),
            "no-marker": stream(said(1, "UNREDACTED")),
        },
        "invalid": {
            "message": stream(said(1, "The key is [REDACTED_API_KEY]")),
            "arguments": stream(called(1, arguments={"command": ["echo", "REDACTED"]})),
        },
    },
    "usage-parts": {
        "valid": {
            "parts": stream(record("inference", 1, **INFERENCE, usage=USAGE)),
            "unknown": stream(record("inference", 1, **INFERENCE)),
        },
        "invalid": {
            "input": stream(
                record("inference", 1, **INFERENCE, usage={"input": {"total": 1, "uncached": 2}})
            ),
            "output": stream(
                record("usage_summary", 1, scope="x", usage={"output": {"total": 1, "reasoning": 2}})
            ),
        },
    },
    "usage-once": {
        "valid": {
            "revised": stream(
                record("inference", 1, **INFERENCE), record("inference", 2, **INFERENCE, supersedes="~1.0")
            ),
            "copy": stream(
                record("inference", 1, **INFERENCE),
                record("inference", 2, **INFERENCE, **_copied(stream="s-1.a")),
            ),
            "other-request": stream(
                record("inference", 1, **INFERENCE, requestId="r1"),
                record("inference", 2, **INFERENCE, requestId="r2"),
            ),
        },
        "invalid": {
            "twice": stream(record("inference", 1, **INFERENCE), record("inference", 2, **INFERENCE))
        },
    },
    "summary-covers": {
        "valid": {
            "positions": stream(
                record("usage_summary", 3, scope="process", covers={"start": 1, "through": 2}, usage=USAGE)
            ),
            "call": stream(
                called(1), record("usage_summary", 3, scope="last", covers={"callId": "c1"}, usage=USAGE)
            ),
        },
        "invalid": {
            "turned": stream(
                record("usage_summary", 3, scope="process", covers={"start": 2, "through": 1}, usage=USAGE)
            ),
            "call": stream(record("usage_summary", 3, scope="last", covers={"callId": "c1"}, usage=USAGE)),
        },
    },
    "secret-answer": {
        "valid": {
            "other-question": stream(ASKED, _answers({"question": "Name?", "answer": "Ann"})),
            "masked": stream(ASKING, ASKED, returned(2, content=[TEXT], capture={"state": "masked"})),
            "none": stream(ASKING, ASKED, returned(2)),
        },
        "invalid": {
            "by-text": stream(ASKED, _answers({"question": "Token?", "answer": "ghp_x"})),
            "by-id": stream(ASKED, _answers() | {"answers": {"q1": "ghp_x"}}),
            "without-question": stream(ASKED, _answers("ghp_x")),
            "result": stream(ASKING, returned(2, content=[TEXT])),
            "output": stream(ASKED, returned(2, output={"q1": "ghp_x"})),
        },
    },
    "large-value": {
        "valid": {
            "limit": stream(record("com.example.agent/thing", 1, value="x" * (64 * 1024 - 2))),
            "ids": stream(said(1, predecessors=["x" * 400] * 200)),
        },
        "invalid": {"value": stream(_big("value"))},
    },
    "large-once": {
        "valid": {"blob": stream(record("git-asr/unit", 1, valueBlob=BLOB))},
        "invalid": {"both": stream(record("git-asr/unit", 1, value=1, valueBlob=BLOB))},
    },
    "vcs-commit": {
        "valid": {
            "sha1": stream(vcs()),
            "sha256": stream(vcs(commit=COMMIT + "0" * 24, objectFormat="sha256")),
        },
        "invalid": {
            "sha1": stream(vcs(commit=COMMIT + "0" * 24)),
            "sha256": stream(vcs(objectFormat="sha256")),
        },
    },
    "vcs-id": {
        "valid": {"reported": stream(vcs()), "accepted": stream(vcs(id=ACCEPTED, evidence="hand"))},
        "invalid": {
            "other-commit": stream(vcs(id=f"{CHECKPOINT}@{COMMIT[::-1]}")),
            "other-checkpoint": stream(vcs(_meta={"io.entire/checkpoint": {"id": "0" * 12}})),
        },
    },
    "vcs-evidence": {
        "valid": {"reported": stream(vcs()), "accepted": stream(vcs(id=ACCEPTED, evidence="hand"))},
        "invalid": {"accepted": stream(vcs(id=ACCEPTED)), "reported": stream(vcs(evidence="tree"))},
    },
    "vcs-unlink": {
        "valid": {"taken-back": stream(vcs(id=TAKEN_BACK, action="unlink", evidence="hand"))},
        "invalid": {
            "reported": stream(vcs(action="unlink")),
            "no-action": stream(vcs(id=TAKEN_BACK, evidence="hand")),
        },
    },
    "vcs-stream": {
        "valid": {
            "session": stream(vcs()),
            "spawned-session": stream(
                vcs(), head=header(lineage={"spawnedBy": {"session": OTHER, "evidence": "native_field"}})
            ),
        },
        "invalid": {
            "subagent": stream(
                vcs(),
                head=header(
                    stream="s-1.a",
                    lineage={"spawnedBy": {"session": KEY, "callId": "c1", "evidence": "native_structure"}},
                ),
            )
        },
    },
    "vcs-checkpoint": {
        "valid": {"named": stream(vcs()), "in-a-blob": stream(vcs(_meta=None, _metaBlob=BLOB))},
        "invalid": {
            "missing": stream(vcs(_meta=None)),
            "no-id": stream(vcs(_meta={"io.entire/checkpoint": {}})),
        },
    },
    "entire-level": {
        "valid": {
            "redacted": stream(head=header(_meta=CHECKPOINT_META)),
            "from-elsewhere": stream(head=header(contentLevel="full")),
        },
        "invalid": {"full": stream(head=header(contentLevel="full", _meta=CHECKPOINT_META))},
    },
    "entire-transcript": {
        "valid": {
            "declared": stream(head=header(producer=OF_ENTIRE)),
            "native": stream(head=header()),
        },
        "invalid": {
            "method": stream(head=header(producer={**OF_ENTIRE, "method": "converter"})),
            "version": stream(head=header(producer={**OF_ENTIRE, "source": {"format": "entire-transcript"}})),
            "losses": stream(head=header(producer={**OF_ENTIRE, "lossy": OF_ENTIRE["lossy"][:2]})),
        },
    },
    "meta-key": {
        "valid": {
            "domain": stream(said(1, _meta={"com.example.agent": {"x": 1}})),
            "prefix": stream(said(1, _meta={"git-asr/queue": "pending", "io.entire/x": {}})),
            "none": stream(said(1)),
        },
        "invalid": {"plain": stream(said(1, _meta={"x": 1}))},
    },
    "shareable-level": {
        "valid": {
            "redacted": stream(head=header(derivedFrom={"stream": "s-2", "policy": {"name": "default"}}))
        },
        "invalid": {
            "full": stream(
                head=header(contentLevel="full", derivedFrom={"stream": "s-2", "policy": {"name": "default"}})
            )
        },
    },
    "derived-other": {
        "valid": {
            "other-stream": stream(head=header(derivedFrom={"stream": "s-2", "policy": {"name": "default"}})),
            "digest": stream(
                head=header(derivedFrom={"stream": "s-1", "sha256": "a" * 64, "policy": {"name": "default"}})
            ),
        },
        "invalid": {
            "same": stream(head=header(derivedFrom={"stream": "s-1", "policy": {"name": "default"}}))
        },
    },
}
