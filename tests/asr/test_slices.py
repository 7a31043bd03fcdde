from __future__ import annotations

from git_asr.asr.slices import Slice, commits_at, holding, slices
from tests.asr.streams import checkpoint, stream, vcs


def test_a_slice_ends_before_the_next_greater_start_or_with_the_stream() -> None:
    links = [
        checkpoint("b", 5, "2026-01-01T00:00:02Z"),
        checkpoint("a", 1, "2026-01-01T00:00:01Z"),
        checkpoint("c", 5, "2026-01-01T00:00:03Z"),
        vcs("a", "2" * 40),
        vcs("a", "1" * 40),
        vcs("a", "1" * 40),
    ]
    assert slices(stream(links=links, through=9)) == [
        Slice("a", 1, 4, ("1" * 40, "2" * 40), "2026-01-01T00:00:01Z"),
        Slice("b", 5, 9, (), "2026-01-01T00:00:02Z"),
        Slice("c", 5, 9, (), "2026-01-01T00:00:03Z"),
    ]


def test_a_start_behind_the_end_holds_nothing() -> None:
    (found,) = slices(stream(links=[checkpoint("a", 12)], through=9))
    assert (found.first, found.last) == (12, 11)
    assert not any(found.holds(at) for at in range(20))


def test_what_tells_no_start_has_no_slice() -> None:
    links = [checkpoint("a"), checkpoint("b", 0), checkpoint("c", True), vcs("d", "1" * 40)]
    assert slices(stream(links=links, through=9)) == []


def test_position_nought_is_of_no_slice() -> None:
    (found,) = slices(stream(links=[checkpoint("a", 1)], through=9))
    assert [at for at in range(12) if found.holds(at)] == list(range(1, 10))


def test_which_positions_some_slices_hold() -> None:
    one = stream(
        links=[checkpoint("a", 1), checkpoint("b", 3), checkpoint("c", 3), checkpoint("d", 9)], through=9
    )
    a, b, c, d = slices(one)
    held = holding([d, a])
    assert [position for position in range(-1, 12) if held(position)] == [1, 2, 9]
    assert [position for position in range(12) if holding([c, b])(position)] == [3, 4, 5, 6, 7, 8]
    assert holding(None)(-1)
    assert not holding([])(1)


def test_the_commits_with_which_a_position_came_in() -> None:
    links = [checkpoint(*one) for one in (("a", 2), ("b", 5), ("c", 5), ("d", 9))]
    one, two = "1" * 40, "2" * 40
    named = [vcs("a", one), vcs("b", two), vcs("c", one), vcs("c", two), vcs("d", two)]
    commits = commits_at(slices(stream(links=[*links, *named], through=7)))
    assert [commits(at) for at in (0, 1, 2, 4, 5, 7, 8, 9)] == [
        (), (), (one,), (one,), (one, two), (one, two), (one, two), (),
    ]  # fmt: skip
    assert commits_at([])(5) == ()
