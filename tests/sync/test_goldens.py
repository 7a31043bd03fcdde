from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.companion import bundles
from tests.support.repo_builder import fsck
from tests.sync.goldens import cases, result


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_the_companion_ref_is_the_golden_one(case: Path, tmp_path: Path) -> None:
    files, refs = result(case, tmp_path / "r")
    folder = case / "companion"
    golden = {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }
    assert sorted(files) == sorted(golden)
    for path, data in golden.items():
        assert files[path] == data, path
    assert refs == json.loads((case / "refs.json").read_text("utf-8"))
    assert bundles(tmp_path / "r")
    fsck(tmp_path / "r")


def test_there_are_cases() -> None:
    assert len(cases()) >= 8
