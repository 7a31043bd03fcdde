"""Bundles whose manifests and headers hold anything anywhere: taken in, refused, never a fault."""

from __future__ import annotations

import copy
import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from git_asr.errors import AsrError
from tests.support.repo_builder import fsck
from tests.sync.syncing import ONE, TWO, run
from tests.sync.test_taking import A, C, Files, as_bundle, changed, entry, exported, made, taken

ODD = st.sampled_from(
    [
        None,
        True,
        0,
        -1,
        1.5,
        "",
        "x",
        "\ud800",
        "\x1b[2J",
        "../x",
        "0" * 64,
        [],
        {},
        [[]],
        {"a": [{}]},
        2**70,
        "2.0",
        "0.9",
    ]
)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    path = made(tmp_path_factory.mktemp("odd") / "source", (A, ONE, 3), (C, TWO, 2)).path
    run(path)
    return exported(path)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where something stands in a value, however deep."""
    found = [path] if path else []
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        found += places(item, (*path, key))
    return found


def put(value: Any, path: tuple[Any, ...], odd: Any) -> None:
    *above, last = path
    for key in above:
        value = value[key]
    value[last] = odd


def edited(data: st.DataObject, value: Any) -> Any:
    value = copy.deepcopy(value)
    for _ in range(data.draw(st.integers(1, 2))):
        put(value, data.draw(st.sampled_from(places(value))), data.draw(ODD))
    return value


def tried(files: Files) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = made(Path(folder) / "r", (A, ONE, 2)).path
        run(path)
        try:
            whole = as_bundle(files)
            taken(path, whole)
        except AsrError as error:
            assert "\n" not in error.message
            return
        fsck(path)
        for options in ({}, {"full": True}):
            _, found = run(path, **options)
            assert found == []


@settings(max_examples=15, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_manifest(files: Files, data: st.DataObject) -> None:
    manifest = edited(data, json.loads(files["bundle.json"]))
    tried({**files, "bundle.json": json.dumps(manifest).encode()})


@settings(max_examples=15, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(data=st.data(), part=st.sampled_from(["", "~000001", "~links"]))
def test_records(files: Files, data: st.DataObject, part: str) -> None:
    name = f"sessions/{ONE}{part}.jsonl"
    lines = [json.loads(line) for line in files[name].splitlines()]
    at = data.draw(st.integers(0, len(lines) - 1))
    lines[at] = edited(data, lines[at])
    written = b"".join(json.dumps(line).encode() + b"\n" for line in lines)

    def lists(manifest: Any) -> None:
        stream = manifest["sessions"][0]["streams"][0]
        stream["files"] = [entry(name, written) if one["path"] == name else one for one in stream["files"]]

    tried(changed({**files, name: written}, lists))
