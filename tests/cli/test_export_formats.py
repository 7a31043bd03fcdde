"""``git asr export`` to other formats than bundles."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from git_asr.exporters import registry
from tests.exporters import exporting
from tests.support.companion import replace, tree_files
from tests.support.entire_repo import EntireRepo, Stored, claude
from tests.support.repo_builder import git
from tests.support.run import PROJECT, Result, run_cli

ONE, TWO = "11111111-2222-3333-4444-555555555555", "66666666-7777-8888-9999-000000000000"
A, B = "0a1b2c3d4e50", "0b1b2c3d4e51"
SECRET = "ghp_" + "Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3hJ6"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two sessions, one of which tells a secret."""
    repo = EntireRepo(tmp_path_factory.mktemp("formats") / "r")
    told = claude(TWO, ["v1", "v2"]).replace(b"text of v1", f"my token is {SECRET}".encode())
    assert SECRET.encode() in told
    repo.checkpoint(A, Stored(ONE, claude(ONE, ["u1", "u2", "u3"])))
    repo.commit(A)
    repo.checkpoint(B, Stored(TWO, told))
    repo.commit(B)
    assert run_cli(["sync"], repo.build()).status == 0
    return repo.path


def export(path: Path, *args: str) -> Result:
    ended = run_cli(["export", *args], path)
    assert "Traceback" not in ended.err
    return ended


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(one.relative_to(folder)): one.read_bytes() for one in sorted(folder.rglob("*")) if one.is_file()
    }


@pytest.mark.parametrize("name", registry.NAMES)
@pytest.mark.parametrize("option", ["--private", "--policy=default"])
def test_a_folder(path: Path, tmp_path: Path, name: str, option: str) -> None:
    if name == "parquet":
        pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    ended = export(path, "--all", "--format", name, option, "-o", str(tmp_path / "d"), "--json")
    assert (ended.status, ended.err) == (0, "")
    said = json.loads(ended.out)
    found = files(tmp_path / "d")
    assert (said["format"], said["files"]) == (name, len(found))
    assert said["bytes"] == sum(map(len, found.values()))
    mark = json.loads(found.pop("export.json"))
    assert mark["losses"] == said["losses"]
    assert [one["id"] for one in mark["sessions"]] == [ONE, TWO]
    policy = None if option == "--private" else mark["redaction"]
    marking = exporting.Marking(policy)
    assert marking.record() == mark["redaction"]
    exporting.check(name, found, marking)
    readable = found if name != "parquet" else {"records": exporting_rows(found["records.parquet"])}
    assert any(SECRET.encode() in data for data in readable.values()) == (policy is None)
    assert any(b"text of v2" in data for data in readable.values())


def exporting_rows(data: bytes) -> bytes:
    from tests.exporters.goldens import rows

    return rows(data)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (
            [],
            "error: markdown files are redacted by a policy, or say that they are NOT REDACTED: which is wanted?",
        ),
        (["--policy", "default", "--private"], "error: --policy and --private exclude each other"),
        (["--shareable", "--private"], "error: --shareable and --private exclude each other"),
        (["--shareable"], "error: markdown files are redacted by a policy"),
        (["--policy", "nothing"], "error: "),
        (["--private", "--native"], "error: --native is for bundles"),
        (["--private", "--join"], "error: --join is for bundles"),
    ],
)
def test_what_cannot_be_meant(path: Path, tmp_path: Path, args: list[str], said: str) -> None:
    ended = export(path, "--all", "--format", "markdown", *args, "-o", str(tmp_path / "d"))
    assert ended.status == 2
    assert ended.err.startswith(said)
    assert list(tmp_path.iterdir()) == []


def test_shareable_says_nothing_new(path: Path, tmp_path: Path) -> None:
    for name, more in (("a", []), ("b", ["--shareable"])):
        args = ["--all", "--format", "jsonl", "--policy", "default", *more, "-o", str(tmp_path / name)]
        assert export(path, *args).status == 0
    assert files(tmp_path / "a") == files(tmp_path / "b")


def test_what_is_said(path: Path, tmp_path: Path) -> None:
    ended = export(path, "--all", "--format", "atif", "--policy", "default", "-o", str(tmp_path / "d"))
    lines = ended.out.splitlines()
    assert lines[0] == f"2 sessions written to {tmp_path / 'd'}"
    assert lines[1].startswith("redacted by policy default: ")
    assert lines[2].startswith("lost: ")


def test_one_file(path: Path, tmp_path: Path) -> None:
    page = tmp_path / "s.md"
    assert export(path, ONE[:8], "--format", "markdown", "--private", "-o", str(page)).status == 0
    assert page.read_text().startswith(f"# Session `{ONE}`\n\n**NOT REDACTED**\n")
    again = export(path, ONE[:8], "--format", "markdown", "--private", "-o", str(page))
    assert again.err == f"error: '{page}' is there already\nhint: --force replaces it\n"
    assert export(path, TWO[:8], "--format", "markdown", "--private", "-o", str(page), "--force").status == 0
    assert TWO in page.read_text()
    ended = export(path, "--all", "--format", "markdown", "--private", "-o", str(tmp_path / "all.md"))
    assert (ended.status, ended.err) == (
        2,
        "error: several files are to be written\nhint: name a folder: -o DIR\n",
    )
    assert [one.name for one in tmp_path.iterdir()] == ["s.md"]


def test_to_stdout(path: Path, tmp_path: Path) -> None:
    ended = export(path, "--all", "--format", "jsonl", "--private", "-o", "-")
    assert (ended.status, ended.err) == (0, "")
    exporting.check("jsonl", {"records.jsonl": ended.out.encode()})
    assert export(path, "--all", "--format", "jsonl", "--private", "-o", "-", "--json").status == 2
    several = export(path, "--all", "--format", "markdown", "--private", "-o", "-")
    assert (several.status, several.out) == (2, "")


def test_only_an_export_or_an_empty_folder_is_replaced(path: Path, tmp_path: Path) -> None:
    args = ["--all", "--format", "markdown", "--private", "--force", "-o"]
    for name in ("empty", "export"):
        (tmp_path / name).mkdir()
        assert export(path, *args, str(tmp_path / name)).status == 0
    assert export(path, ONE[:8], *args[1:], str(tmp_path / "export")).status == 0
    assert set(files(tmp_path / "export")) == {f"claude-code/{ONE}.md", "export.json"}
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis").write_text("years")
    ended = export(path, *args, str(tmp_path / "mine"))
    assert (ended.status, ended.err) == (
        2,
        f"error: '{tmp_path / 'mine'}' is there and has no export.json, so it is not replaced\n",
    )


def test_a_damaged_stream_is_told_and_the_others_are_written(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    git(tmp_path, "clone", "-q", "--mirror", str(path), str(copy))
    git(copy, "config", "asr.autosync", "false")
    here = tree_files(copy)
    (header,) = [name for name in here if name.endswith(f"sessions/{ONE}.jsonl")]
    replace(copy, {**here, header: b"no header\n"})
    ended = export(copy, "--all", "--format", "jsonl", "--private", "-o", str(tmp_path / "d"))
    assert ended.status == 0
    assert "warning: " in ended.err
    last = json.loads((tmp_path / "d" / "records.jsonl").read_bytes().splitlines()[-1])
    assert {one["feature"] for one in last["losses"]} >= {"other-bytes", "unreadable-stream"}
    assert b"text of v2" in (tmp_path / "d" / "records.jsonl").read_bytes()


def test_a_closed_stdout_is_said(path: Path) -> None:
    command = f'exec "{sys.executable}" -m git_asr export --all --format jsonl --private -o - >&-'
    env = {**os.environ, "PYTHONPATH": str(PROJECT)}
    closed = subprocess.run(["sh", "-c", command], cwd=path, env=env, capture_output=True, check=False)
    assert (closed.returncode, closed.stderr) == (2, b"error: stdout is closed\n")
