"""What every format makes of the fixtures (``tests/exporters/goldens.py``), and that it is of its format."""

from __future__ import annotations

import pytest

from git_asr.exporters.base import Exporter
from tests.exporters import exporting, goldens


@pytest.mark.parametrize("case", goldens.CASES)
def test_the_files_are_as_they_were(case: str) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    found = goldens.outputs(case)
    kept = {
        str(file.relative_to(goldens.FOLDER)): file.read_bytes()
        for file in goldens.FOLDER.rglob("*")
        if file.is_file()
        and file.is_relative_to(goldens.FOLDER / file.relative_to(goldens.FOLDER).parts[0] / case)
    }
    assert kept.keys() == found.keys()
    for path, data in found.items():
        assert kept[path].decode() == data.decode(), f"{path}: python -m tests.exporters.goldens"


@pytest.mark.parametrize("marking", [exporting.PRIVATE, exporting.POLICY], ids=["private", "policy"])
@pytest.mark.parametrize("exporter", exporting.EXPORTERS)
def test_they_are_of_their_format_and_say_whether_they_were_redacted(
    exporter: Exporter, marking: exporting.Marking
) -> None:
    for case in goldens.CASES:
        files, _ = exporting.of_bundle(exporter, goldens.made(case), marking)
        exporting.check(exporter.name, files, marking)


@pytest.mark.parametrize("exporter", exporting.EXPORTERS)
def test_no_session_is_an_export_too(exporter: Exporter) -> None:
    files, losses = exporting.written(exporter, [])
    exporting.check(exporter.name, files) if files.get("traces.jsonl") != b"" else None
    assert losses.as_json() == []
