"""The fixtures of all formats of external agents, and their transcripts in the sample repositories."""

from __future__ import annotations

from pathlib import Path

import pytest

from git_asr.converters.registry import by_name, converter_for
from tests.converters import goldens
from tests.converters.external.conversion import CASES, ROGER
from tests.converters.samples import transcripts
from tests.support.beginnings import broken
from tests.support.converted import figures
from tests.support.converting import units_of
from tests.support.corpus import needs_corpus


@pytest.mark.parametrize("case", CASES)
def test_every_rule_holds(case: str) -> None:
    CASES[case].check_case(case)


@pytest.mark.parametrize("case", CASES)
def test_a_damaged_line_costs_only_itself(case: str) -> None:
    CASES[case].check_damage(case)


@pytest.mark.parametrize("case", CASES)
def test_the_registry_has_the_converter(case: str) -> None:
    native, units = goldens.units(goldens.chunks(case))
    assert native is not None
    converter = converter_for(by_name(native.name))
    assert (converter.name, converter.lossy) == (CASES[case].make().name, CASES[case].make().lossy)
    assert converter.format_version is None
    assert list(converter.convert(iter(units), native))


def test_every_fixture_of_these_formats_is_here() -> None:
    harnesses = {case.split("/", maxsplit=1)[0] for case in CASES} - {"gemini-cli"}
    assert {case for case in goldens.cases() if case.split("/", maxsplit=1)[0] in harnesses} <= CASES.keys()


def test_a_malformed_line_is_held_back() -> None:
    for case, converting in CASES.items():
        units = units_of(case)
        if units[-1].kind == "malformed":
            assert converting.of(units) == converting.of(units[:-1])


@needs_corpus
def test_the_sample(tmp_path: Path) -> None:
    found = transcripts("external-agent-lines", tmp_path)
    assert found
    for one in found:
        ROGER.check(one.units)
        assert broken(ROGER.make, one.units, "stream") == []
        told = figures(ROGER.of(one.units))
        assert told["counts"] == {"prompts": one.figures["prompts"]}
        assert [one.figures[key] for key in ("tool_calls", "tool_results", "model_calls", "tokens")] == [
            0,
            0,
            0,
            None,
        ]
