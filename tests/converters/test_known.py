"""What converters know is what their fixtures have, and what fixtures say is invented is all that drifts there."""

from __future__ import annotations

import pytest

from git_asr.converters.known import known
from tests.converters.known import FOLDER, cases, converter_of, drift, files, invented, names, stored, streams

OWN = [case for case in cases() if converter_of(case) is not None]


def test_the_files_are_current() -> None:
    found = {file.name: file.read_text("utf-8") for file in FOLDER.iterdir()}
    assert found == files(), "run `python -m tests.converters.known`"


@pytest.mark.parametrize("name", names())
def test_every_converter_knows_kinds(name: str) -> None:
    assert known(name) is not None
    assert stored(name)["kinds"] or name == "roger-roger"  # whose records hold all that its lines say
    assert all(kind.endswith((".*", " *")) for kind in stored(name)["data"])


@pytest.mark.parametrize("name", ["opaque", "nobody", "../kinds/codex", "codex.json\0", ""])
def test_what_is_no_converter_of_an_agent_knows_none(name: str) -> None:
    assert known(name) is None


@pytest.mark.parametrize("case", OWN)
def test_what_drifts_in_a_fixture_is_invented(case: str) -> None:
    own = known(str(converter_of(case)))
    assert own is not None
    assert sorted(drift(streams(case), own)) == invented(case)
