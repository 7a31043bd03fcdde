"""What every format makes of the fixtures (``tests/exporters/goldens.py``), and that it is of its format."""

from __future__ import annotations

from dataclasses import replace

import pytest

from git_asr.asr.header import SessionKey
from git_asr.exporters.base import Exporter
from git_asr.exporters.html import HTML
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
        assert kept[path].decode("latin-1") == data.decode("latin-1"), (
            f"{path}: python -m tests.exporters.goldens"
        )


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


def test_the_index_leads_from_commits_to_their_places() -> None:
    whole = [
        one for case in goldens.CASES[:2] for one in exporting.exported(goldens.made(case), exporting.PRIVATE)
    ]
    keys = [SessionKey("h", "one"), SessionKey("h", "two")]
    sessions = [replace(one, entry=replace(one.entry, key=key)) for one, key in zip(whole, keys, strict=True)]
    files, _ = exporting.written(HTML, [*sessions, exporting.session(identifier="loose")])
    exporting.check("html", files)
    index = files["index.html"].decode()
    assert (
        f'href="h/one.html#c-{goldens.COMMIT}"' in index and f'href="h/two.html#c-{goldens.COMMIT}"' in index
    )
    assert (
        index.index("2026-03-01T13:00:00+01:00")
        < index.index("Tied to no commit")
        < index.index("h/loose.html")
    )
