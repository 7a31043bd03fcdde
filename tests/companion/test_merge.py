from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from git_asr.asr import large, links
from git_asr.asr.bundle import Manifest, Session, StreamEntry, file_entry
from git_asr.asr.header import SessionKey
from git_asr.asr.parts import header_path, links_path
from git_asr.companion import merge
from git_asr.companion.merge import SessionState, StreamState

KEY = SessionKey("claude-code", "s")


def header(
    version: str = "opaque/1", through: int = 1, created: str = "2026-01-01T00:00:00Z", **other: Any
) -> dict[str, Any]:
    return {
        "producer": {"version": version, "method": "converter"},
        "capture": {"state": "partial", "through": through},
        "_meta": {links.CHECKPOINT: {"createdAt": created}},
        **other,
    }


def state(
    head: dict[str, Any],
    records: list[dict[str, Any]],
    *,
    stream: str = "s",
    data: bytes = b"x",
    format_version: str = "0.1",
) -> StreamState:
    entry = StreamEntry(
        stream, (file_entry(header_path(stream), data),), 3, "redacted", format_version, {"agent": "a"}
    )
    return merge.with_links(StreamState(entry, head, ()), links.unite(records))


def session(*streams: StreamState, **other: Any) -> SessionState:
    return SessionState(KEY, {one.entry.stream: one for one in streams}, {}, **other)


def vcs(number: int, word: str = "") -> dict[str, Any]:
    return {"type": "vcs", "id": f"cp@{number}", "commit": f"{number:040d}", "word": word}


RANKED = [
    header(capture={"state": "omitted"}),
    header(derivedFrom={"stream": "x"}, version="claude-code/9"),
    header(version="opaque/7", through=900),
    header(producer={"version": "etf/9", "method": "import"}),
    header(version="claude-code/1"),
]


@pytest.mark.parametrize("lower", range(len(RANKED)))
def test_rank_goes_before_version_and_length(lower: int) -> None:
    assert [merge.rank(one) for one in RANKED] == [0, 1, 2, 3, 4]
    for higher in range(lower + 1, len(RANKED)):
        low, high = state(RANKED[lower], []), state(RANKED[higher], [], data=b"y")
        assert merge.merge(session(low), session(high)).streams["s"].header == RANKED[higher]


@pytest.mark.parametrize(
    ("low", "high"),
    [
        (header("claude-code/2", through=99), header("claude-code/10")),
        (header(through=9, created="2026-02-01T00:00:00Z"), header(through=10)),
        (header(created="2026-01-01T00:00:00Z"), header(created="2026-01-02T00:00:00Z")),
    ],
)
def test_then_version_units_and_age(low: dict[str, Any], high: dict[str, Any]) -> None:
    merged = merge.merge(session(state(high, [])), session(state(low, [], data=b"z")))
    assert merged.streams["s"].header == high


def test_records_of_two_streams_are_never_mixed_and_links_are_united() -> None:
    small, great = (
        state(header(through=1), [vcs(1), vcs(2)]),
        state(header(through=2), [vcs(2, "b"), vcs(3)], data=b"g"),
    )
    merged = merge.merge(session(small), session(great)).streams["s"]
    assert merged.transcript == great.transcript
    assert [one["commit"][-1] for one in sorted(merged.links, key=lambda r: r["id"])] == ["1", "2", "3"]
    assert next(one for one in merged.links if one["id"] == "cp@2")["word"] == "b"
    assert merged.entry.records == 3 + 3
    assert merged.entry.summary == {"agent": "a", "commits": [f"{n:040d}" for n in (1, 2, 3)]}
    links_file = merge.made(merged)[links_path("s")]
    assert merged.entry.files[-1] == file_entry(links_path("s"), links_file)


def test_the_blobs_of_a_stream_that_lost_go() -> None:
    small = holding([state(header(through=1), [])], ["p"], "text/plain")
    great = holding([state(header(through=2), [], data=b"g")], ["q"], "text/plain")
    assert set(merge.merge(small, great).blobs) == {"q"}
    silent = SessionState(KEY, {"s": state(header(through=3), [])}, {"x": large.Blob("x", 1, "a/a")})
    assert set(merge.merge(silent, great).blobs) == {"x"}


def test_of_streams_with_one_transcript_the_greater_entry_stays() -> None:
    """Two people may know different metadata of a session that they converted alike."""
    one, two = state(header(), []), state(header(), [])
    other = replace(two, entry=replace(two.entry, summary={**two.entry.summary, "firstPrompt": "z"}))
    assert merge.merge(session(one), session(other)) == merge.merge(session(other), session(one))


def test_a_stream_of_an_unknown_major_is_kept_as_it_is() -> None:
    unknown = state({}, [], format_version="7.0", data=b"opaque")
    merged = merge.merge(session(state(header(), [vcs(1)])), session(unknown))
    assert merged.streams["s"] == unknown


def test_a_forgotten_session_stays_forgotten() -> None:
    gone = session(forgotten={"reason": "user", "through": "2026-01-01"})
    later = session(forgotten={"reason": "user", "through": "2026-02-01"})
    live = session(state(header(), []))
    assert merge.merge(live, gone).forgotten == gone.forgotten
    assert merge.merge(gone, live).streams == {}
    assert merge.merge(gone, later).forgotten == merge.merge(later, gone).forgotten == later.forgotten


def test_the_manifest_follows_from_the_state() -> None:
    blob = large.describe(b"b", "text/plain")
    merged = SessionState(KEY, {"s": state(header(), [vcs(1)])}, {blob.sha256: blob})
    manifest = merge.manifest(merged)
    assert manifest.blobs == (blob,)
    assert manifest.sessions[0].key == KEY
    assert merge.manifest(session(forgotten={"reason": "r"})).forgotten == {"reason": "r"}


def test_sources_are_pairs_of_checkpoint_and_stored_id() -> None:
    def checkpoint(identifier: str, *stored: str) -> dict[str, Any]:
        return links.checkpoint(identifier, session_ids=stored, root={}, sessions=[{}])

    one = session(state(header(), [checkpoint("a", "x"), checkpoint("b", "x", "y"), vcs(1)]))
    assert merge.sources(one) == {("a", "x"), ("b", "x"), ("b", "y")}


@pytest.mark.parametrize(
    "version", [None, "claude-code", "claude-code/x", "claude-code/²", "claude-code/9999999999"]
)
def test_a_version_that_is_none_counts_as_0(version: object) -> None:
    assert merge.converter_version({"producer": {"version": version}}) == 0
    assert merge.converter_version({}) == 0
    assert merge.through({}) == merge.through({"capture": {"through": "x"}}) == 0


HEADERS = st.builds(
    header,
    st.sampled_from(["opaque/1", "claude-code/1", "claude-code/2"]),
    st.integers(1, 3),
    st.sampled_from(["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"]),
)
LINKS = st.lists(st.builds(vcs, st.integers(1, 5), st.sampled_from("ab")), max_size=5)
STREAMS = st.builds(
    lambda head, records, stream, data: state(head, records, stream=stream, data=data),
    HEADERS,
    LINKS,
    st.sampled_from(["s", "s@b", "s@c"]),
    st.sampled_from([b"1", b"2", b"3"]),
)


UNKNOWN = st.dictionaries(
    st.sampled_from("xyz"),
    st.one_of(
        st.integers(0, 2),
        st.lists(st.sampled_from("ab"), max_size=2),
        st.dictionaries(st.sampled_from("pq"), st.booleans()),
    ),
    max_size=2,
)
NATIVE = st.lists(
    st.builds(
        lambda name, data: file_entry(f"native/{name}", data),
        st.sampled_from("mn"),
        st.sampled_from([b"1", b"2"]),
    ),
    max_size=2,
    unique_by=lambda one: one.path,
)
BESIDE = st.builds(
    lambda known, native, *fields: Manifest(
        (Session(KEY, (), *fields[:2]),) if known else (),
        meta=fields[2],
        other=fields[3],
        native=tuple(sorted(native, key=lambda one: one.path)),
    ),
    st.booleans(),
    NATIVE,
    *[UNKNOWN] * 4,
)


def holding(streams: list[StreamState], named: list[str], media: str, *beside: Manifest) -> SessionState:
    """A session whose streams name some blobs; the same transcript names the same ones."""
    own = [
        replace(
            one,
            entry=replace(
                one.entry, blobs=dict.fromkeys(sorted(named), media), other={"named": sorted(named)}
            ),
        )
        for one in streams
    ]
    blobs = {sha: large.Blob(sha, 1, media) for sha in named} if own else {}
    return SessionState(KEY, {one.entry.stream: one for one in own}, blobs, None, *beside)


SESSIONS = st.one_of(
    st.builds(
        holding,
        st.lists(STREAMS, max_size=3),
        st.lists(st.sampled_from("pqr"), unique=True, max_size=2),
        st.sampled_from(["a/a", "b/b"]),
        BESIDE,
    ),
    st.builds(lambda word: session(forgotten={"reason": word}), st.sampled_from("xy")),
)


def lent(stream: str, named: list[str], media: str) -> SessionState:
    return holding([state(header(), [], stream=stream, data=b"1")], named, media)


@example(lent("s@b", [], "a/a"), lent("s", ["p"], "b/b"), lent("s@b", ["p"], "a/a"))
@given(SESSIONS, SESSIONS, SESSIONS)
def test_merging_is_commutative_associative_idempotent(
    a: SessionState, b: SessionState, c: SessionState
) -> None:
    def seen(one: SessionState) -> bytes:
        return merge.manifest(one).dump() + b"".join(
            merge.made(stream)[links_path(name)] for name, stream in sorted(one.streams.items())
        )

    assert seen(merge.merge(a, b)) == seen(merge.merge(b, a))
    assert seen(merge.merge(merge.merge(a, b), c)) == seen(merge.merge(a, merge.merge(b, c)))
    once = merge.merge(a, a)
    assert seen(merge.merge(once, once)) == seen(once)
    held = [{links.checkpoint_of(record) for record in one.links} for one in a.streams.values()]
    if sum(map(len, held)) == len(set().union(*held)):  # each checkpoint in one stream, as a sync writes it
        assert seen(once) == seen(a)
    assert seen(merge.merge(a, merge.merge(a, b))) == seen(merge.merge(a, b))


def test_the_records_of_a_checkpoint_stand_in_one_stream_the_fork_if_there_is_one() -> None:
    """One clone has a copy in the plain line, another, which has more checkpoints, knows that it leaves that."""
    plain = session(state(header("claude-code/1", 1), [vcs(1)], stream="s"))
    fork = session(
        state(header("claude-code/1", 3), [], stream="s"),
        state(header("claude-code/1", 3), [vcs(1), vcs(2)], stream="s@f"),
    )
    for one in (merge.merge(plain, fork), merge.merge(fork, plain)):
        assert {name: len(stream.links) for name, stream in one.streams.items()} == {"s": 0, "s@f": 2}
