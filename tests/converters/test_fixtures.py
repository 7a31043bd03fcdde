from __future__ import annotations

import orjson
import pytest

from git_asr.asr.codec import decode
from git_asr.converters.detect import detect
from git_asr.converters.registry import FORMATS
from tests.converters import goldens


@pytest.mark.parametrize("case", goldens.cases())
def test_units_and_facts(case: str) -> None:
    expected = (goldens.FIXTURES / case / "units.jsonl").read_bytes()
    assert b"".join(goldens.describe(goldens.chunks(case))) == expected


@pytest.mark.parametrize("case", goldens.cases())
def test_opaque_records(case: str) -> None:
    expected = (goldens.FIXTURES / case / "opaque.jsonl").read_bytes()
    assert b"".join(goldens.opaque(goldens.chunks(case))) == expected


@pytest.mark.parametrize("case", goldens.cases())
def test_records(case: str) -> None:
    found = {file.name: file.read_bytes() for file in (goldens.FIXTURES / case).glob("records*.jsonl")}
    assert goldens.converted(goldens.chunks(case)) == found


@pytest.mark.parametrize("case", goldens.cases())
def test_the_folder_names_the_harness(case: str) -> None:
    native = detect(goldens.chunks(case))
    assert case.split("/", maxsplit=1)[0] == (native.harness if native else "unknown")


@pytest.mark.parametrize("case", goldens.cases())
def test_records_are_json(case: str) -> None:
    for line in goldens.opaque(goldens.chunks(case)):
        assert b"\n" not in line[:-1]
        assert decode(line).flags == ()


def test_every_folder_is_a_case() -> None:
    folders = {str(folder.relative_to(goldens.FIXTURES)) for folder in goldens.FIXTURES.glob("*/*/")}
    assert folders == set(goldens.cases())


def test_every_format_has_a_case() -> None:
    found = {orjson.loads(next(goldens.describe(goldens.chunks(case))))["format"] for case in goldens.cases()}
    assert found == {native.name for native in FORMATS} | {None}
