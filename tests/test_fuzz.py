"""The fuzzer: its rounds are what they say, and a fault is told with the way to it."""

from __future__ import annotations

import random

import pytest

from tests import fuzz


def test_a_few_rounds_find_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(60):
        assert fuzz.run(7, number) is None, f"--seed 7 --round {number}"
    assert fuzz.main(["--seconds", "0.5", "--seed", "7"]) == 0
    assert capsys.readouterr().out.endswith(" rounds of seed 7: no failures\n")


def test_a_round_is_known_by_its_seed_and_number() -> None:
    assert fuzz.made(1, 2) == fuzz.made(1, 2)
    assert len({b"".join(fuzz.made(1, number)) for number in range(50)}) == 50


@pytest.mark.parametrize("mutation", fuzz.MUTATIONS, ids=lambda one: one.__name__)
def test_every_mutation_changes_what_it_can(mutation: fuzz.Mutation) -> None:
    choose = random.Random(1)  # noqa: S311 - it chooses damage
    text = b'{"a":1}\n{"b":[2,3]}\n{"c":"d"}\n'
    assert len({mutation(text, choose) for _ in range(20)}) > 5
    for short in (b"x", b"\n", b"{}"):
        for _ in range(20):
            assert isinstance(mutation(short, choose), bytes)


def test_a_fault_is_told_once_with_the_way_to_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object) -> None:
        raise KeyError("x")

    monkeypatch.setattr(fuzz, "check", broken)
    assert fuzz.main(["--seconds", "0.2", "--seed", "3"]) == 1
    found = capsys.readouterr().out.splitlines()
    assert found[0].startswith("--seed 3 --round 0: ")
    assert "KeyError at" in found[0]
    assert len({line.partition(", KeyError")[0].partition(": ")[2] for line in found[:-1]}) == len(found) - 1
    assert fuzz.main(["--seed", "3", "--round", "0"]) == 1
    monkeypatch.undo()
    assert fuzz.main(["--seed", "3", "--round", "0"]) == 0
