"""Lines of ours in files of others: put in, found again, and taken out to the byte."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_asr.hooks.blocks import blocks, with_block, without_blocks

LINES = st.lists(
    st.sampled_from(
        [
            b"#!/bin/sh",
            b"x",
            b"",
            b"# git-asr block",
            b"# end of git-asr block post-commit",
            b"\r",
            b"\xff\x00",
        ]
    )
).map(b"\n".join)
DATA = st.one_of(st.binary(max_size=200), LINES)
BODY = st.sampled_from([b"", b"one\n", b"one\ntwo\n", b"\n"])
NAMES = st.lists(st.sampled_from(["post-commit", "pre-push", "hooks"]), min_size=1, max_size=3, unique=True)


@given(DATA, BODY, NAMES, st.booleans())
def test_what_was_put_in_comes_out(data: bytes, body: bytes, names: list[str], first: bool) -> None:
    new = data
    for name in names:
        new = with_block(new, name, body, first=first)
    found = [one for one in blocks(new) if one.intact]
    assert {one.name for one in found} == set(names)
    assert without_blocks(new) == data


@given(DATA, BODY, BODY)
def test_a_block_is_replaced_where_it_stands(data: bytes, old: bytes, new: bytes) -> None:
    both = with_block(with_block(data, "hooks", old) + b"after\n", "hooks", new)
    assert both == with_block(data, "hooks", new) + b"after\n"
    assert with_block(both, "hooks", new) == both


@given(BODY)
def test_a_file_that_was_made_goes(body: bytes) -> None:
    made = with_block(with_block(None, "post-commit", body), "pre-push", body)
    assert without_blocks(made) is None
    assert without_blocks(made + b"more\n") == b"more\n"


@given(DATA, st.data())
def test_lines_that_were_changed_stay(data: bytes, more: st.DataObject) -> None:
    """Whatever single byte of the block is another, nothing but the block as it was is taken for ours."""
    new = with_block(data, "hooks", b"one\ntwo\n")
    at = more.draw(st.integers(len(data) + (not data.endswith(b"\n") and data != b""), len(new) - 1))
    changed = new[:at] + bytes([new[at] ^ 1]) + new[at + 1 :]
    assert without_blocks(changed) == changed


def test_something_came_after_a_block_that_began_with_a_line_feed() -> None:
    new = with_block(b"last", "hooks", b"one\n") + b"more\n"
    assert without_blocks(new) == b"last\nmore\n"


@pytest.mark.parametrize("first", [True, False])
def test_where_it_stands(first: bool) -> None:
    new = with_block(b"#!/bin/sh\nx\n", "hooks", b"one\n", first=first)
    assert new.startswith(
        b"#!/bin/sh\n# git-asr block 1 hooks kept " if first else b"#!/bin/sh\nx\n# git-asr block 1 "
    )


def test_a_file_full_of_beginnings() -> None:
    """Takes no longer than reading it a hundred times."""
    begin = with_block(None, "hooks", b"").split(b"\n")[0] + b"\n"
    data = begin * (1 << 13)
    assert blocks(data) == []
    assert without_blocks(data) == data
