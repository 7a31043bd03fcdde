"""The fuzzer: a short run finds nothing, its rounds are what they say, and a fault is told with the way to it."""

from __future__ import annotations

import random
import time
from contextlib import suppress
from pathlib import Path

import pytest

from git_asr.errors import AsrError
from tests.fuzz import __main__ as fuzz
from tests.fuzz import guided, registry
from tests.fuzz.base import Target, run
from tests.fuzz.damage import MUTATIONS, Mutation, damaged
from tests.fuzz.registry import TARGETS, wanted
from tests.support.effort import THOROUGH

ROUNDS = 200 if THOROUGH else 4
NAMES = [one.name for one in TARGETS]
FOUND = Path(__file__).parents[1] / "fixtures" / "fuzz"
"""Inputs that failed once, each in the folder of its target."""


@pytest.mark.parametrize("name", NAMES)
def test_a_few_rounds_find_nothing(name: str) -> None:
    (target,) = wanted([name])
    for number in range(ROUNDS):
        assert run(target, target.made(7, number)) is None, f"--target {name} --seed 7 --round {number}"


@pytest.mark.parametrize(
    "file", sorted(FOUND.glob("*/*")), ids=lambda file: f"{file.parent.name}-{file.name}"
)
def test_what_was_found_is_mended(file: Path) -> None:
    (target,) = wanted([file.parent.name])
    assert run(target, file.read_bytes(), measured=True) is None


@pytest.mark.parametrize("name", NAMES)
def test_a_target_reads_what_is_sound(name: str) -> None:
    (target,) = wanted([name])
    taken = 0
    for seed in target.seeds()[:4]:
        with suppress(*target.allowed):
            target.run(seed)
            taken += 1
    assert taken
    assert len({target.made(1, number) for number in range(20)}) > 10
    assert target.made(1, 2) == target.made(1, 2)


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda one: one.__name__)
def test_every_mutation_changes_what_it_can(mutation: Mutation) -> None:
    choose = random.Random(1)  # noqa: S311 - it chooses damage
    text = b'{"a":1}\n{"b":[2,3]}\n{"c":"d"}\n'
    assert len({mutation(text, choose) for _ in range(20)}) > 5
    for short in (b"x", b"\n", b"{}"):
        for _ in range(20):
            assert isinstance(mutation(short, choose), bytes)
    for short in (b"", b"x"):
        assert isinstance(damaged(short, choose, [b"y\nz"], [b"w"]), bytes)


def broken(what: str) -> Target:
    """A target that fails in some way with what begins with a digit."""

    def call(data: bytes) -> None:
        if not data[:1].isdigit():
            raise AsrError("no digit")
        if what == "raises":
            raise KeyError("x")
        if what == "never ends":
            with suppress(Exception):
                while time.process_time() >= 0:
                    pass
        if what == "takes memory":
            bytearray(2 << 30)
        if what == "holds memory":
            bytearray(100 << 20)

    return Target("broken", what, call, lambda: [b"1", b"x"])


@pytest.mark.parametrize(
    ("what", "said"), [("raises", "KeyError at"), ("takes memory", "MemoryError at"), ("is sound", None)]
)
def test_what_is_a_failure(what: str, said: str | None) -> None:
    failure = run(broken(what), b"1")
    assert failure is None if said is None else failure is not None and failure.kind.startswith(said)
    assert run(broken(what), b"x") is None


def test_time_and_memory_are_bounded_by_the_length(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.fuzz.base.LEAST_SECONDS", 0.1)
    failure = run(broken("never ends"), b"1")
    assert failure is not None
    assert failure.kind.startswith("Overtime at")
    monkeypatch.undo()
    assert run(broken("holds memory"), b"1") is None
    held = run(broken("holds memory"), b"1", measured=True)
    assert held is not None
    assert "bytes held for an input of 1" in held.message


def test_a_fault_is_told_once_with_the_way_to_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(registry, "TARGETS", (broken("raises"),))
    monkeypatch.setattr(fuzz, "FOLDER", tmp_path)
    assert fuzz.main(["--seed", "3", "--rounds", "30"]) == 1
    told, again, place, count, last = capsys.readouterr().out.splitlines()
    assert told.startswith("broken: KeyError at test_fuzz.py:")
    assert (count, last) == ("broken\tplain\t30", "seed 3: 1 failures")
    words = again.split()[3:]
    assert fuzz.main(words) == 1
    assert fuzz.main(["--target", "broken", "--input", place.split()[-1]]) == 1
    monkeypatch.setattr(registry, "TARGETS", (broken("is sound"),))
    assert fuzz.main(words) == 0
    assert fuzz.main(["--seconds", "0.1", "--engine", "plain"]) == 0


def test_targets_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert [one.name for one in wanted(["manifest", "archive-"])][:2] == ["manifest", "archive-zip"]
    assert fuzz.main(["--target", "archive"]) == 2
    assert fuzz.main(["--list"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(TARGETS) == len(set(NAMES))


def test_atheris_is_used_where_it_is_installed(capsys: pytest.CaptureFixture[str]) -> None:
    if not guided.is_installed():
        pytest.skip("atheris is not installed")
    assert fuzz.main(["--target", "helper-addresses", "--engine", "atheris", "--seconds", "1"]) == 0
    name, engine, executions, edges = capsys.readouterr().out.splitlines()[0].split("\t")
    assert (name, engine) == ("helper-addresses", "atheris")
    assert int(executions) > 0
    assert int(edges.split()[0]) > 0
