"""The files of a stream, joined and cut."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_asr.asr import codec, joining, links
from git_asr.asr.bundle import Bundle, BundleWriter, Manifest, StreamEntry
from git_asr.asr.header import Header, Producer, SessionKey
from git_asr.asr.parts import header_path
from git_asr.errors import AsrError

KEY = SessionKey("claude-code", "ses-1")
SIZES = st.lists(st.integers(0, 60_000), max_size=20)


def written(sizes: list[int], linked: int) -> tuple[Manifest, dict[str, bytes]]:
    files: dict[str, bytes] = {}
    bundle = BundleWriter(files.__setitem__)
    head = Header("ses-1", KEY, {"state": "partial"}, Producer("opaque", 1, "converter", "x")).record()
    records = [
        {
            "type": "a/b",
            "seq": n,
            "id": str(n),
            "value": '"vcs" \u2028 ' + "x" * size,
            "of": ["io.entire/checkpoint"],
        }
        for n, size in enumerate(sizes, 1)
    ]
    own = links.unite({"type": "vcs", "id": f"c@{n:040x}", "commit": f"{n:040x}"} for n in range(linked))
    summary = {"agent": "a", "models": [], "commits": []}
    bundle.stream(KEY, head, bundle.records("ses-1", records), own, records=len(records), summary=summary)
    return bundle.close(), files


def only(manifest: Manifest) -> StreamEntry:
    return manifest.sessions[0].streams[0]


@given(SIZES, st.integers(0, 3))
def test_what_was_joined_is_cut_as_it_was(sizes: list[int], linked: int) -> None:
    manifest, files = written(sizes, linked)
    assert joining.is_cut(only(manifest), files.get)
    whole = joining.join(Bundle(manifest, files.get))
    entry = only(whole.manifest)
    (one,) = entry.files
    assert one.path == header_path("ses-1")
    data = whole.file(one.path)
    assert data == b"".join(files[file.path] for file in only(manifest).files)
    assert joining.is_cut(entry, whole.file) is (not sizes and not linked)
    again, made = joining.cut(entry, whole.file)
    assert again == only(manifest)
    assert made == {file.path: files[file.path] for file in only(manifest).files}


@given(
    st.lists(
        st.sampled_from([b"{}\n", b"\n", b'{"type":"vcs","id":"a"}\n', b'no json "vcs"\n', b'["vcs"]\n']),
        max_size=6,
    )
)
def test_no_line_becomes_another(lines: list[bytes]) -> None:
    data = b"".join(lines)
    entry = StreamEntry("s", (joining.file_entry("sessions/s.jsonl", data),), 0, "full", "0.1", {})
    _, made = joining.cut(entry, {"sessions/s.jsonl": data}.get)
    assert sorted(b"".join(made.values()).splitlines(keepends=True)) == sorted(lines)
    links_of: Any = made.get("sessions/s~links.jsonl", b"")
    assert all(codec.decode(line).value["type"] == "vcs" for line in links_of.splitlines())


def test_a_last_line_that_is_cut_off_stays_the_last() -> None:
    data = b'{"type":"header"}\n{"type":"a"}\n{"type":"vcs","i'
    entry = StreamEntry("s", (joining.file_entry("sessions/s.jsonl", data),), 0, "full", "0.1", {})
    _, made = joining.cut(entry, {"sessions/s.jsonl": data}.get)
    assert b"".join(made.values()) == data


def test_a_file_that_is_missing() -> None:
    manifest, _ = written([3], 1)
    with pytest.raises(AsrError, match="lacks sessions/"):
        joining.join(Bundle(manifest, lambda _: None))
