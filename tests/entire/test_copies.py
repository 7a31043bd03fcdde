from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_asr.entire.copies import ContentReader, UnreadableBlob, extent
from tests.entire.transcripts import SESSION, Blobs, chain, families_of, text

ABCDEF = chain("a", "b", "c", "d", "e", "f")


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_copies_that_grow_are_one_family_and_only_the_longest_is_read(object_format: str) -> None:
    blobs = Blobs(object_format)
    copies = [blobs.copy_of(f"cp{n}", n, text(ABCDEF[:n])) for n in (2, 4, 6, 3)]
    (family,) = families_of(blobs, copies)
    assert family.root == copies[2]
    assert set(family.copies) == set(copies)
    assert family.session == SESSION
    assert family.native is not None
    assert family.native.harness == "claude-code"
    assert set(blobs.reads) == set(copies[2].content)


def test_a_copy_without_its_last_newline_or_cut_in_its_last_line_is_a_beginning_too() -> None:
    blobs = Blobs()
    whole = text(ABCDEF)
    copies = [
        blobs.copy_of("open", 1, text(ABCDEF[:3], final=b"")),
        blobs.copy_of("cut", 2, whole[: len(text(ABCDEF[:4])) + 20]),
        blobs.copy_of("all", 3, whole),
    ]
    (family,) = families_of(blobs, copies)
    reader = blobs.reader()
    assert [extent(copy, family, reader) for copy in copies] == [3, 5, 6]


def test_copies_that_differ_are_families_of_their_own() -> None:
    blobs = Blobs()
    copies = [blobs.copy_of("x", 1, text(ABCDEF[:4])), blobs.copy_of("y", 2, text(ABCDEF[:2] + ABCDEF[3:]))]
    assert [family.root for family in families_of(blobs, copies)] == [copies[1], copies[0]]


def test_equal_bytes_in_several_checkpoints_are_read_once() -> None:
    blobs = Blobs()
    copies = [blobs.copy_of(name, 1, text(ABCDEF)) for name in "pqr"]
    (family,) = families_of(blobs, copies)
    assert len(family.copies) == 3
    assert blobs.reads == [copies[0].content[0]]


def test_chunks_are_compared_chunk_by_chunk() -> None:
    blobs = Blobs()
    first, second = text(ABCDEF[:3], final=b""), text(ABCDEF[3:])
    copies = [
        blobs.copy_of("one", 1, text(ABCDEF[:2])),
        blobs.copy_of("two", 2, first),
        blobs.copy_of("three", 3, first, text(ABCDEF[3:5])),
        blobs.copy_of("four", 4, first, second),
        blobs.copy_of("other", 5, text(ABCDEF[:2]), text(ABCDEF[4:5])),
    ]
    large, small = families_of(blobs, copies)
    assert {copy.checkpoint for copy in large.copies} == {"one", "two", "three", "four"}
    assert small.root == copies[4]
    assert [extent(copy, large, blobs.reader()) for copy in copies[:4]] == [2, 3, 5, 6]


def test_the_extent_of_a_document_is_its_array() -> None:
    blobs = Blobs()
    document = b'{"sessionId":"s","projectHash":"h","messages":[{"id":"1"},{"id":"2"}]}'
    (family,) = families_of(blobs, [blobs.copy_of("d", 1, document)])
    assert family.native is not None
    assert family.native.array == "messages"
    assert family.session == "s"
    assert extent(family.root, family, blobs.reader()) == 2


def test_a_transcript_of_no_known_format_has_no_session_id() -> None:
    blobs = Blobs()
    (family,) = families_of(blobs, [blobs.copy_of("u", 1, b'{"strange":1}\n')])
    assert (family.native, family.session) == (None, None)


def test_the_reader_keeps_no_more_than_it_may() -> None:
    data = {"a": b"x" * 60, "b": b"y" * 60, "c": b"z" * 20}
    asked: list[str] = []

    def read(oid: str) -> bytes | None:
        asked.append(oid)
        return data.get(oid)

    reader = ContentReader(read, "sha1", kept=100)
    for oid in ("a", "c", "a", "b", "c", "a"):
        assert reader.blob(oid) == data[oid]
    assert asked == ["a", "c", "b", "a"]
    reader.forget()
    reader.blob("a")
    assert asked[4:] == ["a"]
    with pytest.raises(UnreadableBlob, match="missing cannot be read"):
        reader.blob("missing")


@given(
    st.lists(st.binary(max_size=30), min_size=1, max_size=4),
    st.lists(st.binary(max_size=30), min_size=1, max_size=4),
)
def test_beginning_by_hash_is_beginning_by_bytes(short: list[bytes], whole: list[bytes]) -> None:
    blobs = Blobs()
    one, other = blobs.copy_of("a", 1, *short), blobs.copy_of("b", 2, *whole)
    n = len(short)
    expected = n <= len(whole) and short[:-1] == whole[: n - 1] and whole[n - 1].startswith(short[-1])
    assert blobs.reader().begins(one, other) is expected
