"""``git asr show --html``: one page of what a commit, a checkpoint or a session is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.exporters import exporting
from tests.support.companion import replace, tree_files
from tests.support.entire_repo import EntireRepo, Stored, claude
from tests.support.repo_builder import git
from tests.support.run import Result, run_cli

ONE, TWO = "11111111-2222-3333-4444-555555555555", "66666666-7777-8888-9999-000000000000"
A, B = "0a1b2c3d4e50", "0b1b2c3d4e51"
SECRET = "ghp_" + "Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3hJ6"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A session over two commits, and another one, which tells a secret, with the second."""
    repo = EntireRepo(tmp_path_factory.mktemp("pages") / "r")
    told = claude(TWO, ["v1"]).replace(b"text of v1", f"my token is {SECRET}".encode())
    repo.checkpoint(A, Stored(ONE, claude(ONE, ["u1", "u2"])))
    repo.commit(A)
    repo.checkpoint(B, Stored(ONE, claude(ONE, ["u1", "u2", "u3"]), start=2), Stored(TWO, told))
    repo.commit(B)
    assert run_cli(["sync"], repo.build()).status == 0
    return repo.path


def show(path: Path, *args: str) -> Result:
    ended = run_cli(["show", *args], path)
    assert "Traceback" not in ended.err
    return ended


def test_a_commit_is_a_page_of_what_came_in_with_it(path: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    ended = show(path, "HEAD", "--html", str(page), "--private")
    assert (ended.status, ended.out, ended.err) == (0, f"written to {page}\n", "")
    data = page.read_bytes()
    exporting.check("html", {"page.html": data})
    said = data.decode()
    assert "text of u3" in said and "text of u1" not in said and SECRET in said
    assert f"<h1>Commit {git(path, 'rev-parse', 'HEAD').strip()}</h1>" in said
    assert "Ann Author" in said
    assert "text of u1" in show(path, "HEAD", "--html", "-", "--private", "--whole").out
    again = show(path, "HEAD", "--html", str(page), "--private")
    assert (again.status, again.err) == (2, f"error: '{page}' is there already\nhint: --force replaces it\n")
    assert show(path, ONE[:8], "--html", str(page), "--private", "--force").status == 0
    assert f"<h1>Session {ONE}</h1>" in page.read_text()
    assert [one.name for one in tmp_path.iterdir()] == ["page.html"]


def test_a_page_that_is_redacted(path: Path) -> None:
    ended = show(path, B, "--html", "-", "--policy", "default")
    assert (ended.status, ended.err) == (0, "")
    assert SECRET not in ended.out and "text of u3" in ended.out and "text of u1" not in ended.out
    assert ">redacted by policy default " in ended.out
    of_commit = show(path, "HEAD", "--html", "-", "--policy", "default").out
    assert "Ann Author" not in of_commit and "text of u3" in of_commit


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--html", "x"], "error: html files are redacted by a policy, or say that they are NOT REDACTED"),
        (
            ["--html", "x", "--private", "--policy", "default"],
            "error: --policy and --private exclude each other",
        ),
        (["--html", "x", "--private", "--json"], "error: --html excludes --json"),
        (["--html", "x", "--private", "--record", "r"], "error: --html excludes --record"),
        (["--html", "x", "--policy", "nothing"], "error: no policy is called 'nothing', and no file"),
        (["--html", "no/where/x", "--private"], "error: "),
        (["--private"], "error: --private is for --html"),
        (["--policy", "default"], "error: --policy is for --html"),
        (["--force"], "error: --force is for --html"),
        (["nothing", "--html", "x", "--private"], "error: "),
    ],
)
def test_what_cannot_be_meant(path: Path, args: list[str], said: str) -> None:
    ended = show(path, *args)
    assert ended.status in (1, 2)
    assert ended.err.startswith(said)
    assert not (path / "x").exists()


def test_where_nothing_was_synced(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.commit()
    ended = show(repo.build(), "HEAD", "--html", "-", "--private")
    assert ended.status != 0
    assert ended.out == ""


def test_a_stream_that_cannot_be_read_is_told(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    git(tmp_path, "clone", "-q", "--mirror", str(path), str(copy))
    git(copy, "config", "asr.autosync", "false")
    here = tree_files(copy)
    (header,) = [name for name in here if name.endswith(f"sessions/{TWO}.jsonl")]
    replace(copy, {**here, header: b"no header\n"})
    ended = show(copy, "HEAD", "--html", "-", "--private")
    assert ended.status == 0
    assert "warning: " in ended.err
    assert "text of u3" in ended.out
