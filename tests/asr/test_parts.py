from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from git_asr.asr.parts import PART_BYTES, cut

LINES = st.lists(
    st.one_of(
        st.integers(1, 2000), st.sampled_from([PART_BYTES - 1, PART_BYTES, PART_BYTES + 1, 3 * PART_BYTES])
    ),
    max_size=30,
).map(lambda sizes: [b"x" * (size - 1) + b"\n" for size in sizes])


@given(LINES)
def test_parts_joined_are_the_lines_and_none_is_too_long(lines: list[bytes]) -> None:
    parts = list(cut(lines))
    assert b"".join(parts) == b"".join(lines)
    for part in parts:
        assert part.endswith(b"\n")
        assert len(part) <= PART_BYTES or part.count(b"\n") == 1


@given(LINES, LINES)
def test_growing_leaves_every_full_part_as_it_was(lines: list[bytes], more: list[bytes]) -> None:
    before, after = list(cut(lines)), list(cut(lines + more))
    full = max(len(before) - 1, 0)
    assert after[:full] == before[:full]
    assert all(part.startswith(before[-1]) for part in after[full : len(before)])


def test_the_cut_is_greedy() -> None:
    line = b"y" * (PART_BYTES // 2 - 1) + b"\n"
    assert [len(part) for part in cut([line, line, line])] == [PART_BYTES, PART_BYTES // 2]
