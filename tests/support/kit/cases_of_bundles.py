"""Cases that are a bundle, or the tree of a companion ref: by check, what is sound and what is not."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from git_asr.asr.parts import blob_path, header_path, part_path
from tests.support.kit.making import (
    CHECKPOINT,
    COMMIT,
    KEY,
    Files,
    Made,
    bundle,
    checkpoint,
    first,
    header,
    placed,
    record,
    reference,
    returned,
    said,
    vcs,
    with_files,
)

Cases = dict[str, dict[str, dict[str, Files]]]

ONE, TWO = part_path("s-1", 1), part_path("s-1", 2)
LARGE = b"large"
OTHER = b"other"
NO_TEXT = b"caf\xe9 au lait"
CUT_TEXT = b"caf\xc3"
DERIVED = {"derivedFrom": {"stream": "s-0", "policy": {"name": "default", "version": "1"}}}
SHARD = hashlib.sha256(b"s-1").hexdigest()[:2]
PLACE = f"claude-code/{SHARD}/s-1"


def _without(files: Files, path: str) -> Files:
    return {name: data for name, data in files.items() if name != path}


def _changed(change: Callable[[Any], object]) -> Files:
    return bundle(change=lambda manifest: change(manifest) and None)


def _files(manifest: Any) -> list[Any]:
    listed: list[Any] = first(manifest)["files"]
    return listed


def _two_parts() -> Files:
    """Two small ones: a part may be smaller than it must be."""
    files = bundle(
        Made([said(1), said(2)]),
        change=lambda manifest: _files(manifest).append({**_files(manifest)[1], "path": TWO}),
    )
    one, two = files[ONE].splitlines(keepends=True)
    return with_files(files, {ONE: one, TWO: two})


def _large_parts() -> Files:
    """Two parts that are together larger than one may be."""
    return bundle(Made([said(n, "x" * 60_000) for n in range(1, 6)]))


def _longer_part() -> Files:
    """The two parts in one."""
    files = _large_parts()
    return with_files(files, {ONE: files[ONE] + files[TWO], TWO: b""})


def _joined() -> Files:
    """A stream in one file."""
    files, head = bundle(), header_path("s-1")
    return with_files(files, {head: files[head] + files[ONE], ONE: b""})


def _cut_in_a_line() -> Files:
    """A header that goes on in the next file."""
    files, head = bundle(), header_path("s-1")
    return with_files(files, {head: files[head][:40], ONE: files[head][40:] + files[ONE]})


def _naming(**changed: Any) -> Made:
    return Made([returned(1, outputBlob=reference(LARGE, **changed))])


def _blobs_told(told: dict[str, str]) -> Callable[[Any], None]:
    return lambda manifest: first(manifest).update(blobs=told)


SHA = reference(LARGE)["blob"]
NAMED = _blobs_told({SHA: "text/plain"})
NO_BLOBS = _blobs_told({})
CHILD = header(
    stream="s-1.a", lineage={"spawnedBy": {"session": KEY, "callId": "c1", "evidence": "native_structure"}}
)
SECOND = header(
    stream="s-1@b", lineage={"continues": {"session": KEY, "stream": "s-1", "evidence": "native_structure"}}
)
COPIED = {"copiedFrom": {"session": KEY, "stream": "s-1", "id": "a", "evidence": "native_structure"}}
OTHER_SESSION = header(stream="s-2", session=KEY | {"id": "s-2"})
LATER = header(formatVersion="1.0", **DERIVED)
NATIVE = {"path": "native/a.jsonl", "bytes": 3, "sha256": reference(b"{}\n")["blob"]}
NATIVE_FILE = {"native/a.jsonl": b"{}\n"}
SHARED = {"shareable": True}

WHEN = "2026-01-02T03:04:05Z"
USAGE = {"output": {"total": 3}}


def _summed(**summary: Any) -> Files:
    """A bundle whose summary says more."""
    records = [said(1, ts=WHEN), record("inference", 2, inferenceId="m", usage=USAGE)]
    return bundle(Made(records), change=lambda manifest: first(manifest)["summary"].update(summary))


CASES: Cases = {
    "file-cut": {"valid": {"parts": _two_parts()}, "invalid": {"in-a-line": _cut_in_a_line()}},
    "manifest-shape": {
        "valid": {
            "plain": bundle(),
            "later-fields": bundle(change=lambda manifest: first(manifest).update(later=1), later=[1]),
        },
        "invalid": {
            "no-shareable": _changed(lambda manifest: manifest.pop("shareable") is None),
            "no-sessions": bundle(sessions={}),
            "path": _changed(
                lambda manifest: _files(manifest).append({"path": "../x", "bytes": 1, "sha256": "a" * 64})
            ),
            "digest": bundle(blobs=[])
            | bundle(blobs=())
            | _changed(lambda m: _files(m)[0].update(sha256="A" * 64)),
            "long-prompt": _changed(lambda m: first(m)["summary"].update(firstPrompt="x" * 201)),
            "bytes": _changed(lambda m: _files(m)[0].update(bytes="9")),
        },
    },
    "bundle-major": {
        "valid": {"minor": bundle(formatVersion="0.7")},
        "invalid": {"one": bundle(formatVersion="1.0")},
    },
    "bundle-manifest": {
        "valid": {"there": bundle()},
        "invalid": {
            "missing": _without(bundle(), "bundle.json"),
            "no-json": {**bundle(), "bundle.json": b"{"},
            "array": {**bundle(), "bundle.json": b"[]\n"},
        },
    },
    "file-there": {
        "valid": {"blob": bundle(_naming(), blobs=[LARGE], change=NAMED)},
        "invalid": {
            "part": _without(_two_parts(), TWO),
            "header": _without(bundle(), header_path("s-1")),
            "blob": _without(bundle(_naming(), blobs=[LARGE], change=NAMED), blob_path(SHA)),
        },
    },
    "file-same": {
        "valid": {"plain": bundle(Made([said(1)], [vcs()]))},
        "invalid": {
            "digest": {**bundle(), ONE: bundle()[ONE].replace(b"Good", b"Evil")},
            "size": {**bundle(), ONE: bundle()[ONE].replace(b"Good ", b"Fine new ")},
            "blob": {**bundle(_naming(), blobs=[LARGE], change=NAMED), blob_path(SHA): b"Large"},
        },
    },
    "listed-once": {
        "valid": {"two-streams": bundle(Made([said(1)]), Made([said(1)], head=CHILD))},
        "invalid": {
            "blob": bundle(_naming(), blobs=[LARGE, LARGE], change=NAMED),
            "session": bundle(
                change=lambda manifest: manifest["sessions"].append({"session": KEY, "streams": []})
            ),
        },
    },
    "file-name": {
        "valid": {
            "hashed": bundle(Made([said(1)], head=header(stream="S 1", session=KEY | {"id": "S 1"}))),
            "plain": bundle(),
        },
        "invalid": {
            "other-stream": {
                path.replace("s-1", "s-2"): data.replace(b"sessions/s-1", b"sessions/s-2")
                if path == "bundle.json"
                else data
                for path, data in bundle().items()
            }
        },
    },
    "file-order": {
        "valid": {
            "all": bundle(Made([said(1)], [vcs()])),
            "no-records": bundle(Made([], [vcs()])),
            "joined": _joined(),
        },
        "invalid": {
            "from-2": {
                path.replace("000001", "000002"): data.replace(b"000001", b"000002")
                for path, data in bundle().items()
            }
        },
    },
    "file-size": {
        "valid": {
            "two": _large_parts(),
            "long-line": bundle(Made([said(1, predecessors=["x" * 400] * 700)])),
        },
        "invalid": {"one": _longer_part()},
    },
    "entry-header": {
        "valid": {"same": bundle()},
        "invalid": {
            "level": _changed(lambda manifest: first(manifest).update(contentLevel="full")),
            "version": _changed(lambda manifest: first(manifest).update(formatVersion="0.2")),
            "session": _changed(lambda manifest: manifest["sessions"][0]["session"].update(id="s-9")),
        },
    },
    "entry-records": {
        "valid": {"links-too": bundle(Made([said(1)], [vcs(), checkpoint()]))},
        "invalid": {"other": _changed(lambda manifest: first(manifest).update(records=7))},
    },
    "entry-commits": {
        "valid": {
            "linked": bundle(Made([said(1)], [vcs()])),
            "taken-back": bundle(
                Made(
                    [],
                    [
                        vcs(id=f"{CHECKPOINT}@{COMMIT}#hand", evidence="hand"),
                        vcs(id=f"{CHECKPOINT}@{COMMIT}#removed:hand", evidence="hand", action="unlink"),
                    ],
                )
            ),
        },
        "invalid": {
            "missing": bundle(
                Made([said(1)], [vcs()]),
                change=lambda manifest: first(manifest)["summary"].update(commits=[]),
            ),
            "other": _changed(lambda manifest: first(manifest)["summary"].update(commits=[COMMIT])),
        },
    },
    "entry-summary": {
        "valid": {
            "as-summed": _summed(
                startedAt=WHEN, endedAt=WHEN, usage=USAGE, counts={"prompts": 1, "inferences": 1, "later": 7}
            ),
            "not-said": _summed(),
        },
        "invalid": {
            "time": _summed(endedAt="2026-02-01T00:00:00Z"),
            "usage": _summed(usage={"output": {"total": 4}}),
            "counts": _summed(counts={"prompts": 2}),
            "counts-none": _summed(counts={"toolCalls": 1}),
        },
    },
    "entry-blobs": {
        "valid": {
            "named": bundle(_naming(), blobs=[LARGE], change=NAMED),
            "not-said": bundle(
                _naming(), blobs=[LARGE], change=lambda manifest: first(manifest).pop("blobs")
            ),
        },
        "invalid": {
            "missing": bundle(_naming(), blobs=[LARGE], change=_blobs_told({})),
            "more": bundle(blobs=[LARGE], change=NAMED),
            "media-type": bundle(_naming(), blobs=[LARGE], change=_blobs_told({SHA: "image/png"})),
        },
    },
    "blob-listed": {
        "valid": {
            "field": bundle(_naming(), blobs=[LARGE], change=NAMED),
            "part": bundle(
                Made([said(1, content=[{"type": "file", **reference(LARGE)}])]), blobs=[LARGE], change=NAMED
            ),
        },
        "invalid": {
            "not-listed": bundle(_naming()),
            "part": bundle(Made([said(1, content=[{"type": "file", **reference(OTHER)}])])),
            "size": bundle(_naming(bytes=7), blobs=[LARGE], change=NAMED),
        },
    },
    "blob-text": {
        "valid": {
            "field": bundle(_naming(), blobs=[LARGE], change=NAMED),
            "file": bundle(
                Made([said(1, content=[{"type": "file", **reference(NO_TEXT)}])]),
                blobs=[NO_TEXT],
                change=_blobs_told({reference(NO_TEXT)["blob"]: "text/plain"}),
            ),
        },
        "invalid": {
            "field": bundle(
                Made([returned(1, outputBlob=reference(NO_TEXT))]),
                blobs=[NO_TEXT],
                change=_blobs_told({reference(NO_TEXT)["blob"]: "text/plain"}),
            ),
            "part-cut": bundle(
                Made([said(1, content=[{"type": "text", **reference(CUT_TEXT)}])]),
                blobs=[CUT_TEXT],
                change=_blobs_told({reference(CUT_TEXT)["blob"]: "text/plain"}),
            ),
        },
    },
    "manifest-sorted": {
        "valid": {"two": bundle(Made([said(1)]), Made([said(1)], head=CHILD), Made([], head=OTHER_SESSION))},
        "invalid": {
            "streams": bundle(
                Made([said(1)]),
                Made([said(1)], head=CHILD),
                change=lambda manifest: manifest["sessions"][0]["streams"].reverse(),
            ),
            "sessions": bundle(
                Made([said(1)]),
                Made([], head=OTHER_SESSION),
                change=lambda manifest: manifest["sessions"].reverse(),
            ),
        },
    },
    "forgotten-empty": {
        "valid": {
            "empty": {
                "bundle.json": bundle(
                    sessions=[{"session": KEY, "streams": []}], forgotten={"reason": "asked", "through": 3}
                )["bundle.json"]
            }
        },
        "invalid": {"streams": bundle(forgotten={"reason": "asked", "through": 3})},
    },
    "bundle-place": {
        "valid": {"own": placed(bundle(), PLACE)},
        "invalid": {
            "other-shard": placed(bundle(), "claude-code/00/s-1"),
            "other-harness": placed(bundle(), f"codex/{SHARD}/s-1"),
            "two-sessions": placed(bundle(Made([said(1)]), Made([], head=OTHER_SESSION)), PLACE),
        },
    },
    "copy-source": {
        "valid": {
            "earlier": bundle(Made([said(1, id="a")]), Made([said(1, **COPIED)], head=SECOND)),
            "later": bundle(
                Made([said(1, copiedFrom=COPIED["copiedFrom"] | {"stream": "s-1@b"})]),
                Made([said(1, id="a")], head=SECOND),
            ),
            "not-in-the-bundle": bundle(Made([said(1, **COPIED)], head=SECOND)),
        },
        "invalid": {"missing": bundle(Made([said(1, id="b")]), Made([said(1, **COPIED)], head=SECOND))},
    },
    "vcs-once": {
        "valid": {"one": bundle(Made([said(1)], [vcs()]), Made([said(1)], [checkpoint()], SECOND))},
        "invalid": {"both": bundle(Made([said(1)], [vcs()]), Made([said(1)], [vcs()], SECOND))},
    },
    "shareable-policy": {
        "valid": {"derived": bundle(Made([said(1)], head=header(**DERIVED)), **SHARED), "private": bundle()},
        "invalid": {"not-derived": bundle(**SHARED)},
    },
    "shareable-major": {
        "valid": {"private": bundle(), "read": bundle(Made([said(1)], head=header(**DERIVED)), **SHARED)},
        "invalid": {"opaque": bundle(Made([record("x/later", 1)], head=LATER), **SHARED)},
    },
    "shareable-native": {
        "valid": {"private": {**bundle(native=[NATIVE]), **NATIVE_FILE}},
        "invalid": {
            "native": NATIVE_FILE | bundle(Made([said(1)], head=header(**DERIVED)), native=[NATIVE], **SHARED)
        },
    },
    "shareable-listed": {
        "valid": {
            "all": bundle(Made([said(1)], head=header(**DERIVED)), **SHARED),
            "private": {**bundle(), "sessions/left.jsonl": b"{}\n"},
        },
        "invalid": {
            "stream": {
                **bundle(Made([said(1)], head=header(**DERIVED)), **SHARED),
                "sessions/left.jsonl": b"{}\n",
            },
            "native": {
                **bundle(Made([said(1)], head=header(**DERIVED)), **SHARED),
                "native/a.jsonl": b"{}\n",
            },
        },
    },
    "shareable-reached": {
        "valid": {
            "named": bundle(
                Made([returned(1, outputBlob=reference(LARGE))], head=header(**DERIVED)),
                blobs=[LARGE],
                change=NAMED,
                **SHARED,
            ),
            "private": bundle(Made([said(1)], head=header(**DERIVED)), blobs=[LARGE], change=NO_BLOBS),
        },
        "invalid": {
            "blob": bundle(Made([said(1)], head=header(**DERIVED)), blobs=[LARGE], change=NO_BLOBS, **SHARED),
            "file": NATIVE_FILE | bundle(Made([said(1)], head=header(**DERIVED)), later=[NATIVE], **SHARED),
        },
    },
}
