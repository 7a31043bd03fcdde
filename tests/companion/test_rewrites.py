"""Which commits were rewritten into which: kept once, bounded, and followed without end or circle."""

from __future__ import annotations

from pathlib import Path

import pytest

from git_asr.companion.rewrites import FARTHEST, FILE_NAME, MAX_BYTES, Pair, Rewrites, add, pairs


def oid(number: int) -> str:
    return f"{number:040x}"


def pair(old: int, new: int, kind: str = "rebase", when: int = 1_700_000_000) -> Pair:
    return Pair(oid(old), oid(new), kind, when)


def test_pairs_are_kept_once_in_the_order_in_which_they_came(tmp_path: Path) -> None:
    assert pairs(tmp_path) == []
    add(tmp_path, [])
    assert list(tmp_path.iterdir()) == []
    add(tmp_path, [pair(1, 2, "amend"), pair(3, 3), pair(2, 4)])
    add(tmp_path, [pair(2, 4), pair(5, 4), pair(1, 2, "amend", 1_700_000_001)])
    kept = [pair(1, 2, "amend"), pair(2, 4), pair(5, 4), pair(1, 2, "amend", 1_700_000_001)]
    assert pairs(tmp_path) == kept
    assert (tmp_path / FILE_NAME).read_text() == "".join(f"{one}\n" for one in kept)
    assert str(kept[0]) == f"{oid(1)} {oid(2)} amend 1700000000"
    before = (tmp_path / FILE_NAME).stat()
    add(tmp_path, kept)
    assert (tmp_path / FILE_NAME).stat() == before
    assert [one.name for one in tmp_path.iterdir()] == [FILE_NAME]


def test_the_older_half_goes_when_there_is_too_much(tmp_path: Path) -> None:
    size = len(str(pair(0, 1))) + 1
    most = MAX_BYTES // size
    add(tmp_path, [pair(number, number + 1) for number in range(most)])
    assert len(pairs(tmp_path)) == most
    add(tmp_path, [pair(most, most + 1)])
    found = pairs(tmp_path)
    assert (len(found), found[-1]) == ((most + 1) // 2, pair(most, most + 1))
    add(tmp_path, [pair(number, number + 1) for number in range(5 * most)])
    found = pairs(tmp_path)
    assert found[-1] == pair(5 * most - 1, 5 * most)
    assert most // 2 < len(found) <= most


@pytest.mark.parametrize(
    "junk",
    [
        b"\xff\xfe\x00",
        f"{oid(1)} {oid(2)} filter 1".encode(),
        f"{oid(1)} {oid(2)} amend -1".encode(),
        f"{oid(1)} {oid(2)} amend 1 more".encode(),
        f"{oid(1)} {oid(2)} amend".encode(),
        f"{oid(1)}".encode(),
        b"x" * 3 * MAX_BYTES,
    ],
)
def test_what_is_no_pair_is_passed_over_and_goes_with_the_next_one(tmp_path: Path, junk: bytes) -> None:
    (tmp_path / FILE_NAME).write_bytes(junk + b"\n" + f"{pair(1, 2)}\n".encode())
    assert pairs(tmp_path) == [pair(1, 2)]
    add(tmp_path, [pair(3, 4)])
    assert (tmp_path / FILE_NAME).read_text() == f"{pair(1, 2)}\n{pair(3, 4)}\n"


def test_a_file_that_cannot_be_read_holds_none(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).mkdir()
    assert pairs(tmp_path) == []
    with pytest.raises(OSError, match="directory"):
        add(tmp_path, [pair(1, 2)])


def graph(*edges: tuple[int, int]) -> Rewrites:
    return Rewrites(pair(*one) for one in edges)


def known(*numbers: int) -> set[str]:
    return set(map(oid, numbers))


def test_chains_are_followed_to_the_nearest_that_is_wanted() -> None:
    found = graph((1, 2), (2, 3), (3, 4), (5, 4), (6, 5))
    assert found.origins(oid(4), known(1, 6).__contains__) == [oid(6), oid(1)]
    assert found.origins(oid(4), known(1, 2, 3).__contains__) == [oid(3)]
    assert found.origins(oid(4), known(4).__contains__) == []
    assert found.origins(oid(9), known(1).__contains__) == []
    assert found.outcomes(oid(1), known(4).__contains__) == [oid(4)]
    assert found.outcomes(oid(6), known(2, 3).__contains__) == []
    assert sorted(found.olds(oid(1)[:39])) == [oid(1), oid(2), oid(3), oid(5), oid(6)]
    assert found.olds(oid(4)) == []


def test_circles_and_chains_without_end_come_to_one() -> None:
    circle = graph((1, 2), (2, 3), (3, 1), (1, 1))
    assert circle.origins(oid(1), known(9).__contains__) == []
    assert circle.outcomes(oid(1), known(1, 9).__contains__) == []
    chain = graph(*((number, number + 1) for number in range(3 * FARTHEST)))
    assert chain.outcomes(oid(0), known(FARTHEST).__contains__) == [oid(FARTHEST)]
    assert chain.outcomes(oid(0), known(FARTHEST + 1).__contains__) == []
    star = graph(*((number, 10**6) for number in range(3 * FARTHEST)))
    assert len(star.origins(oid(10**6), lambda _: True)) == FARTHEST
