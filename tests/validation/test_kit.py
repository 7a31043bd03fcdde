"""The conformance kit: it is what its cases say, and no check can go without a case that notices."""

from __future__ import annotations

import json

import pytest

from git_asr.cli.cases import kit_folder, own, read
from git_asr.errors import AsrError
from git_asr.validation import conformance
from git_asr.validation.base import Check
from git_asr.validation.registry import CHECKS, FAMILIES
from tests.support.kit import cases_of_archives, cases_of_bundles, cases_of_streams, writing

CASES = read(kit_folder(str(writing.KIT)))
BESIDE = {"shareable-major": {"unknown-major"}}
"""What a case cannot help to break too."""


def test_the_kit_is_as_its_cases_say() -> None:
    there = {
        file.relative_to(writing.KIT).as_posix(): file.read_bytes()
        for file in writing.KIT.rglob("*")
        if file.is_file() and file.name not in ("README.md", ".gitattributes")
    }
    made = writing.kit()
    assert there.keys() == made.keys(), "run `make kit`"
    assert [path for path in made if made[path] != there[path]] == [], "run `make kit`"


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
def test_each_check_has_sound_and_unsound_cases_that_break_nothing_else(check: Check) -> None:
    cases = [case for case in CASES if case.check == check.name]
    assert {case.path.partition("/")[0] for case in cases} == {"valid", "invalid"}
    for case in cases:
        broken = {one for one, *_ in case.findings}
        wanted = {check.name} if case.path.startswith("invalid/") else set()
        assert broken - BESIDE.get(check.name, set()) == wanted, case.path


def test_every_case_is_as_expected() -> None:
    assert {case.name: wrong for case in CASES if (wrong := own(writing.KIT, case))} == {}


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
def test_a_check_that_is_taken_out_is_missed(check: Check) -> None:
    left = [one for one in CHECKS if one is not check]
    unsound = [one for one in CASES if one.check == check.name and one.path.startswith("invalid/")]
    missed = [own(writing.KIT, case, left) for case in unsound]
    assert unsound
    assert all(wrong is not None and wrong.startswith(f"lacks {check.name}") for wrong in missed)


def test_names_are_unique_and_short() -> None:
    names = [check.name for check in CHECKS]
    assert len(set(names)) == len(names)
    assert all(name == name.lower() and len(name) <= 24 for name in names)
    assert all(check.summary.endswith(".") and check.source for check in CHECKS)
    assert sum(map(len, FAMILIES.values())) == len(CHECKS)


def test_there_are_no_cases_of_checks_that_are_none() -> None:
    cases = (cases_of_streams.CASES, cases_of_bundles.CASES, cases_of_archives.CASES)
    assert {name for one in cases for name in one} <= {check.name for check in CHECKS}


@pytest.mark.parametrize("data", [b"", b"[]", b'{"check": 1}', b'{"check": "x", "cases": [{}]}'])
def test_what_is_no_kit_is_told(data: bytes) -> None:
    with pytest.raises(AsrError, match=r"^no expected\.json of a conformance kit"):
        conformance.cases(data)


def test_the_kit_says_of_each_check_what_the_registry_says() -> None:
    for check in CHECKS:
        told = json.loads((writing.KIT / check.name / "expected.json").read_bytes())
        assert (told["level"], told["summary"], told["source"]) == (check.level, check.summary, check.source)
