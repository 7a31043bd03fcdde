"""Cases that are a bundle, or the tree of a companion ref: by check, what is sound and what is not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.support.kit.making import (
    CHECKPOINT,
    COMMIT,
    KEY,
    Files,
    Made,
    blob_path,
    bundle,
    checkpoint,
    first,
    header,
    header_path,
    links_path,
    part_path,
    placed,
    record,
    reference,
    returned,
    said,
    vcs,
)

Cases = dict[str, dict[str, dict[str, Files]]]

ONE, TWO = part_path("s-1", 1), part_path("s-1", 2)
LARGE = b"large"
OTHER = b"other"
DERIVED = {"derivedFrom": {"stream": "s-0", "policy": {"name": "default", "version": "1"}}}
PLACE = "claude-code/78/s-1"


def _without(files: Files, path: str) -> Files:
    return {name: data for name, data in files.items() if name != path}


def _changed(change: Callable[[Any], object]) -> Files:
    return bundle(change=lambda manifest: change(manifest) and None)


def _files(manifest: Any) -> list[Any]:
    listed: list[Any] = first(manifest)["files"]
    return listed


def _two_parts() -> Files:
    text = "x" * 60_000
    return bundle(Made([said(n, text, capture=None) for n in range(1, 7)]))


def _longer_part() -> Files:
    """The two parts in one."""
    files = _two_parts()
    joined = files.pop(ONE) + files.pop(TWO)
    import hashlib
    import json

    manifest = json.loads(files["bundle.json"])
    _files(manifest)[1:] = [{"path": ONE, "bytes": len(joined), "sha256": hashlib.sha256(joined).hexdigest()}]
    from git_asr.asr import codec

    return {**files, ONE: joined, "bundle.json": codec.encode_indented(manifest)}


def _joined() -> Files:
    """A stream in one file."""
    import hashlib
    import json

    from git_asr.asr import codec

    files = bundle()
    path = header_path("s-1")
    files[path] += files.pop(ONE)
    manifest = json.loads(files["bundle.json"])
    digest = hashlib.sha256(files[path]).hexdigest()
    _files(manifest)[:] = [{"path": path, "bytes": len(files[path]), "sha256": digest}]
    return {**files, "bundle.json": codec.encode_indented(manifest)}


def _cut_in_a_line() -> Files:
    import hashlib
    import json

    from git_asr.asr import codec

    files = bundle()
    head, path = header_path("s-1"), ONE
    files[path] = files[head][40:] + files[path]
    files[head] = files[head][:40]
    manifest = json.loads(files["bundle.json"])
    for file in _files(manifest):
        data = files[file["path"]]
        file |= {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    return {**files, "bundle.json": codec.encode_indented(manifest)}


def _naming(**changed: Any) -> Made:
    return Made([returned(1, outputBlob=reference(LARGE, **changed))])


def _blobs_told(told: dict[str, str]) -> Callable[[Any], None]:
    return lambda manifest: first(manifest).update(blobs=told)


SHA = reference(LARGE)["blob"]
NAMED = _blobs_told({SHA: "text/plain"})
CHILD = header(
    stream="s-1.a", lineage={"spawnedBy": {"session": KEY, "callId": "c1", "evidence": "native_structure"}}
)
SECOND = header(
    stream="s-1@b", lineage={"continues": {"session": KEY, "stream": "s-1", "evidence": "native_structure"}}
)
COPIED = {"copiedFrom": {"session": KEY, "stream": "s-1", "id": "a", "evidence": "native_structure"}}
OTHER_SESSION = header(stream="s-2", session=KEY | {"id": "s-2"})
LATER = header(formatVersion="1.0", **DERIVED)
SHARED = {"shareable": True}

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
            "path": _changed(lambda manifest: _files(manifest).append({"path": "../x", "bytes": 1, "sha256": "a" * 64})),
            "digest": bundle(blobs=[]) | bundle(blobs=()) | _changed(lambda m: _files(m)[0].update(sha256="A" * 64)),
            "long-prompt": _changed(lambda m: first(m)["summary"].update(firstPrompt="x" * 201)),
            "bytes": _changed(lambda m: _files(m)[0].update(bytes="9")),
        },
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
                path.replace("s-1", "s-2"): data.replace(b"sessions/s-1", b"sessions/s-2") if path == "bundle.json" else data
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
            "links-first": bundle(
                Made([], [vcs(), checkpoint()]), change=lambda manifest: _files(manifest).reverse()
            ),
        },
    },
    "file-size": {
        "valid": {
            "two": _two_parts(),
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
                Made([said(1)], [vcs()]), change=lambda manifest: first(manifest)["summary"].update(commits=[])
            ),
            "other": _changed(lambda manifest: first(manifest)["summary"].update(commits=[COMMIT])),
        },
    },
    "entry-blobs": {
        "valid": {
            "named": bundle(_naming(), blobs=[LARGE], change=NAMED),
            "not-said": bundle(_naming(), blobs=[LARGE], change=lambda manifest: first(manifest).pop("blobs")),
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
    "manifest-sorted": {
        "valid": {"two": bundle(Made([said(1)]), Made([said(1)], head=CHILD), Made([], head=OTHER_SESSION))},
        "invalid": {
            "streams": bundle(
                Made([said(1)]),
                Made([said(1)], head=CHILD),
                change=lambda manifest: manifest["sessions"][0]["streams"].reverse(),
            ),
            "sessions": bundle(
                Made([said(1)]), Made([], head=OTHER_SESSION), change=lambda manifest: manifest["sessions"].reverse()
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
            "other-shard": placed(bundle(), "claude-code/79/s-1"),
            "other-harness": placed(bundle(), "codex/78/s-1"),
            "two-sessions": placed(bundle(Made([said(1)]), Made([], head=OTHER_SESSION)), PLACE),
        },
    },
    "copy-source": {
        "valid": {
            "earlier": bundle(Made([said(1, id="a")]), Made([said(1, **COPIED)], head=SECOND)),
            "later": bundle(
                Made([said(1, **{"copiedFrom": COPIED["copiedFrom"] | {"stream": "s-1@b"}})]),
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
        "valid": {"private": bundle(native=[{"path": "native/a.jsonl"}])},
        "invalid": {"native": bundle(Made([said(1)], head=header(**DERIVED)), native=[{"path": "native/a.jsonl"}], **SHARED)},
    },
    "shareable-listed": {
        "valid": {
            "all": bundle(Made([said(1)], head=header(**DERIVED)), **SHARED),
            "private": {**bundle(), "sessions/left.jsonl": b"{}\n"},
        },
        "invalid": {
            "stream": {**bundle(Made([said(1)], head=header(**DERIVED)), **SHARED), "sessions/left.jsonl": b"{}\n"},
            "native": {**bundle(Made([said(1)], head=header(**DERIVED)), **SHARED), "native/a.jsonl": b"{}\n"},
        },
    },
}
_ = links_path
