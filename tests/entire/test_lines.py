from __future__ import annotations

from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from git_asr.entire.copies import Copy
from tests.entire.transcripts import SESSION, Blobs, arranged, chain, claude, ids, records, text

LETTERS = [f"u{n}" for n in range(12)]
WHOLE = chain(*LETTERS)


def test_growing_copies_are_the_plain_line_and_the_newest_gives_all_units() -> None:
    blobs = Blobs()
    copies = [blobs.copy_of(f"cp{n}", n, text(WHOLE[:n])) for n in (3, 5, 8)]
    (line,) = arranged(blobs, copies)
    assert line.stream == SESSION
    assert line.relation is None
    assert [segment.copy for segment in line.segments] == [copies[2]]
    assert line.copies == tuple(reversed(copies))
    assert ids(blobs, line) == LETTERS[:8]
    assert list(line.extents(blobs.reader()).values()) == [8, 5, 3]


def test_a_shorter_newer_copy_takes_nothing_away() -> None:
    blobs = Blobs()
    long = [{**one, "seen": "old"} for one in WHOLE[:8]]
    copies = [blobs.copy_of("old", 1, text(long)), blobs.copy_of("new", 2, text(WHOLE[:5]))]
    (line,) = arranged(blobs, copies)
    assert ids(blobs, line) == LETTERS[:8]
    assert [(s.copy.checkpoint, s.first, s.last) for s in line.segments] == [
        ("new", (1, 0), (5, 0)),
        ("old", (6, 0), (8, 0)),
    ]
    assert ["seen" in record["value"] for record in map(plain, records(blobs, line))] == [False] * 5 + [
        True
    ] * 3


def plain(record: dict[str, Any]) -> dict[str, Any]:
    return {**record, "value": orjson.loads(record["value"].data)}


def test_a_newer_copy_with_the_same_bytes_but_shorter_is_named_as_the_source_of_its_part() -> None:
    blobs = Blobs()
    copies = [blobs.copy_of("old", 1, text(WHOLE[:8])), blobs.copy_of("new", 2, text(WHOLE[:5]))]
    (line,) = arranged(blobs, copies)
    assert [segment.copy.checkpoint for segment in line.segments] == ["new", "old"]
    assert ids(blobs, line) == LETTERS[:8]


def test_redaction_key_order_and_dropped_fields_make_no_other_unit() -> None:
    blobs = Blobs()
    older = text(WHOLE[:6])
    newer = b"".join(
        orjson.dumps({**one, "message": {"content": "REDACTED"}}, option=orjson.OPT_SORT_KEYS) + b"\n"
        for one in WHOLE[:7]
    )
    (line,) = arranged(blobs, [blobs.copy_of("a", 1, older), blobs.copy_of("b", 2, newer)])
    assert [segment.copy.checkpoint for segment in line.segments] == ["b"]
    assert ids(blobs, line) == LETTERS[:7]


def test_a_value_glued_onto_the_old_last_line_makes_no_other_unit() -> None:
    blobs = Blobs()
    glued = text(WHOLE[:3], final=b"") + text(WHOLE[3:6])
    (line,) = arranged(blobs, [blobs.copy_of("a", 1, text(WHOLE[:3])), blobs.copy_of("b", 2, glued)])
    found = records(blobs, line)
    assert [one["id"] for one in found] == LETTERS[:6]
    assert [one["seq"] for one in found] == [1_000_000, 2_000_000, 3_000_000, 3_500_000, 4_000_000, 5_000_000]


def test_a_line_cut_in_an_older_copy_is_whole_in_the_newer() -> None:
    blobs = Blobs()
    cut = text(WHOLE[:3])[:-30]
    rewritten = text([{**one, "x": 1} for one in WHOLE[:4]])
    (line,) = arranged(blobs, [blobs.copy_of("a", 1, cut), blobs.copy_of("b", 2, rewritten)])
    assert ids(blobs, line) == LETTERS[:4]


@pytest.mark.parametrize("newest_is_damaged", [True, False])
def test_a_line_that_one_copy_has_damaged_comes_from_the_other(newest_is_damaged: bool) -> None:
    blobs = Blobs()
    whole, damaged = text(WHOLE[:5]), text(WHOLE[:2]) + b'{"broken": REDACTED}\n' + text(WHOLE[3:5])
    data = [whole, damaged] if newest_is_damaged else [damaged, whole]
    (line,) = arranged(blobs, [blobs.copy_of("a", 1, data[0]), blobs.copy_of("b", 2, data[1])])
    assert ids(blobs, line) == LETTERS[:5]


def test_delta_segments_are_streams_that_continue_the_one_before() -> None:
    blobs = Blobs()
    copies = [
        blobs.copy_of("one", 1, text(WHOLE[:4])),
        blobs.copy_of("two", 2, text(WHOLE[4:7])),
        blobs.copy_of("three", 3, text(WHOLE[7:9])),
    ]
    first, second, third = arranged(blobs, copies)
    assert (first.stream, first.relation) == (SESSION, None)
    assert (second.stream, second.relation) == (f"{SESSION}@u4", ("continues", SESSION))
    assert (third.stream, third.relation) == (f"{SESSION}@u7", ("continues", f"{SESSION}@u4"))
    assert ids(blobs, third) == ["u7", "u8"]
    assert first.copied is second.copied is third.copied is None


def test_a_segment_that_overlaps_says_what_it_copies() -> None:
    blobs = Blobs()
    copies = [blobs.copy_of("one", 1, text(WHOLE[:5])), blobs.copy_of("two", 2, text(WHOLE[3:7]))]
    _, second = arranged(blobs, copies)
    assert second.copied == {(1, 0): (SESSION, "u3"), (2, 0): (SESSION, "u4")}


def test_a_segment_whose_parent_is_nowhere_continues_something_unknown() -> None:
    blobs = Blobs()
    (line,) = arranged(blobs, [blobs.copy_of("late", 1, text(WHOLE[4:7]))])
    assert (line.stream, line.relation) == (f"{SESSION}@u4", ("continues", None))


def test_a_copy_that_diverges_forks_where_it_leaves_and_the_oldest_stays_plain() -> None:
    blobs = Blobs()
    other = [*WHOLE[:3], *chain("v1", "v2", parent="u2", start=50)]
    copies = [
        blobs.copy_of("one", 1, text(WHOLE[:4])),
        blobs.copy_of("two", 2, text(other)),
        blobs.copy_of("three", 3, text(WHOLE[:9])),
        blobs.copy_of("four", 4, text([*other, *chain("v3", parent="v2", start=60)])),
    ]
    plain_line, fork = arranged(blobs, copies)
    assert ids(blobs, plain_line) == LETTERS[:9]
    assert (fork.stream, fork.relation) == (f"{SESSION}@v1", ("forkedFrom", SESSION))
    assert ids(blobs, fork) == ["u0", "u1", "u2", "v1", "v2", "v3"]
    assert fork.copied == {(n + 1, 0): (SESSION, f"u{n}") for n in range(3)}
    assert {copy.checkpoint for copy in fork.copies} == {"two", "four"}


def test_names_stay_as_a_session_grows() -> None:
    blobs = Blobs()
    other = [*WHOLE[:2], *chain("v1", "v2", "v3", parent="u1", start=50)]
    early = [blobs.copy_of("one", 1, text(WHOLE[:3])), blobs.copy_of("two", 2, text(other[:3]))]
    later = [*early, blobs.copy_of("three", 3, text(other)), blobs.copy_of("four", 4, text(WHOLE))]
    assert [line.stream for line in arranged(blobs, early)] == [
        line.stream for line in arranged(blobs, later)
    ]


def test_two_copies_that_share_nothing_are_no_fork() -> None:
    blobs = Blobs()
    copies = [blobs.copy_of("one", 1, text(WHOLE[:2])), blobs.copy_of("two", 2, text(chain("w1", "w2")))]
    _, other = arranged(blobs, copies)
    assert (other.stream, other.relation) == (f"{SESSION}@w1", None)


def test_without_a_native_id_the_time_names_a_stream_and_else_the_checkpoint() -> None:
    def lines_of(*stamps: str | None) -> list[dict[str, Any]]:
        return [
            {
                "role": "user",
                "message": {"content": [{"type": "text", "text": f"t{n}"}]},
                **({"type": s} if s else {}),
            }
            for n, s in enumerate(stamps)
        ]

    blobs = Blobs()
    one = text([*lines_of(None), {"type": "turn_ended", "status": "success"}, *lines_of(None)])
    two = text([*lines_of(None), *lines_of(None), *lines_of(None)])
    first, second = arranged(
        blobs, [blobs.copy_of("c1", 1, one), blobs.copy_of("c2", 2, two)], "from-metadata"
    )
    assert (first.stream, second.stream) == ("from-metadata", "from-metadata@c2")


def test_two_forks_at_one_unit_get_different_names() -> None:
    blobs = Blobs()
    base = WHOLE[:2]
    variants = [
        [*base, claude("x", "u1", 10), *chain("p", parent="x", start=20)],
        [*base, claude("x", "u1", 10), *chain("q", parent="x", start=20)],
    ]
    copies = [
        blobs.copy_of("one", 1, text(WHOLE[:4])),
        *(blobs.copy_of(f"v{n}", 2 + n, text(values)) for n, values in enumerate(variants)),
    ]
    names = [line.stream for line in arranged(blobs, copies)]
    assert names == [SESSION, f"{SESSION}@x", f"{SESSION}@x@v1"]


def test_codex_without_its_first_line_starts_in_the_middle() -> None:
    meta = {
        "timestamp": "2026-01-01T00:00:00Z",
        "type": "session_meta",
        "payload": {"id": "th-1", "cwd": "/"},
    }
    events = [
        {"timestamp": f"2026-01-01T00:00:{n:02d}Z", "type": "event_msg", "payload": {"type": "user_message"}}
        for n in range(1, 6)
    ]
    blobs = Blobs()
    copies = [blobs.copy_of("one", 1, text([meta, *events[:2]])), blobs.copy_of("two", 2, text(events[2:]))]
    first, second = arranged(blobs, copies, "th-1")
    assert (first.stream, first.relation) == ("th-1", None)
    assert (second.stream, second.relation) == ("th-1@2026-01-01T00:00:03Z", ("continues", None))


def test_a_claude_copy_of_loose_lines_only_starts_its_session() -> None:
    blobs = Blobs()
    loose = [{"type": "summary", "sessionId": SESSION, "summary": "t", "leafUuid": "x"}]
    (line,) = arranged(blobs, [blobs.copy_of("one", 1, text(loose))])
    assert (line.stream, line.relation) == (SESSION, None)


@settings(deadline=None)
@given(st.data())
def test_whatever_the_order_of_growth_the_lines_are_those_of_all_copies(data: st.DataObject) -> None:
    """Every unit of every copy stands in a line; lines do not depend on the order in which copies are found."""
    blobs = Blobs()
    fork = [*WHOLE[:3], *chain("v1", "v2", "v3", parent="u2", start=50)]
    segment = WHOLE[6:]
    chosen = data.draw(
        st.lists(
            st.tuples(st.sampled_from([WHOLE, fork, segment]), st.integers(1, 12)), min_size=1, max_size=6
        )
    )
    copies = [blobs.copy_of(f"cp{n}", n, text(values[:length])) for n, (values, length) in enumerate(chosen)]
    shuffled: list[Copy] = data.draw(st.permutations(copies))
    one, other = arranged(blobs, copies), arranged(blobs, shuffled)
    assert [line.stream for line in one] == [line.stream for line in other]
    assert [records(blobs, line) for line in one] == [records(blobs, line) for line in other]
    wanted = {value["uuid"] for values, length in chosen for value in values[:length]}
    assert {identifier for line in one for identifier in ids(blobs, line)} == wanted
    assert sorted(c.checkpoint for line in one for c in line.copies) == sorted(c.checkpoint for c in copies)


@settings(deadline=None)
@given(st.lists(st.integers(1, 12), min_size=1, max_size=6), st.data())
def test_a_sync_after_each_growth_equals_one_from_scratch(lengths: list[int], data: st.DataObject) -> None:
    blobs = Blobs()
    rewritten = data.draw(st.lists(st.booleans(), min_size=len(lengths), max_size=len(lengths)))
    copies = []
    for n, (length, changed) in enumerate(zip(lengths, rewritten, strict=True)):
        values = [{**one, "v": n} for one in WHOLE[:length]] if changed else WHOLE[:length]
        copies.append(blobs.copy_of(f"cp{n}", n, text(values)))
    (line,) = arranged(blobs, copies)
    assert ids(blobs, line) == LETTERS[: max(lengths)]
    for place, record in enumerate(records(blobs, line), start=1):
        newest = max(n for n, length in enumerate(lengths) if length >= place)
        assert plain(record)["value"].get("v") == (newest if rewritten[newest] else None)


def test_a_damaged_line_does_not_make_two_different_units_one() -> None:
    """Between two copies that differ stands one, the longest, with a damaged line at that place."""
    blobs = Blobs()
    other = claude("v1", "u0", 30)
    copies = [
        blobs.copy_of("a", 1, text(WHOLE[:2])),
        blobs.copy_of("b", 2, text(WHOLE[:1]) + b'{"broken": \n' + text(WHOLE[2:6])),
        blobs.copy_of("c", 3, text([WHOLE[0], other])),
    ]
    plain_line, fork = arranged(blobs, copies)
    assert ids(blobs, plain_line) == LETTERS[:6]
    assert ids(blobs, fork) == ["u0", "v1"]


def test_the_damaged_last_slice_of_a_document_is_kept_beside_other_copies() -> None:
    def slice_of(*numbers: int) -> bytes:
        messages = ",".join(f'{{"info":{{"id":"m{n}"}},"parts":[]}}' for n in numbers)
        return f'{{"info":{{"id":"ses_1"}},"messages":[{messages}]}}'.encode()

    blobs = Blobs()
    damaged = b'{"info":{"id":"ses_1"},"messages":[{"cut'
    copies = [
        blobs.copy_of("a", 1, slice_of(1, 2, 3), damaged),
        blobs.copy_of("b", 2, slice_of(1, 2)),
    ]
    (line,) = arranged(blobs, copies, "ses_1")
    found = records(blobs, line)
    assert [one["type"] for one in found] == ["git-asr/unit"] * 4 + ["git-asr/notice"]
    assert found[-1]["text"] == '{"cut'


def test_a_document_that_was_cut_takes_nothing_away_and_gives_what_it_has() -> None:
    def upto(number: int, cut: int | None = None) -> bytes:
        messages = ",".join(f'{{"info":{{"id":"m{n}"}},"parts":[]}}' for n in range(number))
        return f'{{"info":{{"id":"ses_1"}},"messages":[{messages}]}}'.encode()[:cut]

    blobs = Blobs()
    copies = [blobs.copy_of("a", 1, upto(4)), blobs.copy_of("b", 2, upto(3, -20))]
    (line,) = arranged(blobs, copies, "ses_1")
    assert ids(blobs, line) == ["~0.0", "m0", "m1", "m2", "m3"]
    copies += [blobs.copy_of("c", 3, upto(7, -20))]
    (line,) = arranged(blobs, copies, "ses_1")
    assert ids(blobs, line) == ["~0.0", *(f"m{n}" for n in range(6)), "~7.0"]
    assert [one["type"] for one in records(blobs, line)] == ["git-asr/unit"] * 7 + ["git-asr/notice"]
