"""Start-up is a feature: what is imported, read from ``-X importtime``."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.entire_repo import EntireRepo, Stored, claude
from tests.support.run import PROJECT, run_cli

HEAVY = {"click", "subprocess", "sqlite3", "json", "dataclasses", "typing", "tempfile"}
"""What takes its time of the standard library, and click."""
LIBRARIES = frozenset(
    {
        *(
            "pygit2",
            "git",
            "orjson",
            "filelock",
            "ahocorasick",
            "detect_secrets",
            "requests",
            "re2",
            "pyarrow",
        ),
        *("jinja2", "markupsafe"),
    }
)

STARTS: dict[tuple[str, ...], frozenset[str]] = {
    ("--version",): LIBRARIES | {"click", "dataclasses", "json", "subprocess"},
    ("--help",): LIBRARIES | {"subprocess"},
    ("-h",): LIBRARIES | {"subprocess"},
    ("snyc",): LIBRARIES,
    ("sync", "--help"): LIBRARIES | {"sqlite3", "subprocess"},
    ("log", "--help"): LIBRARIES | {"sqlite3", "subprocess"},
    ("sessions", "--help"): LIBRARIES | {"sqlite3", "subprocess"},
    ("show", "--help"): LIBRARIES | {"sqlite3"},
    ("search", "--help"): LIBRARIES | {"sqlite3", "subprocess"},
    ("fetch", "--help"): LIBRARIES | {"sqlite3", "subprocess"},
    ("push", "--help"): LIBRARIES | {"sqlite3", "subprocess"},
    ("setup", "--help"): LIBRARIES | {"sqlite3", "subprocess"},
    ("link", "--help"): LIBRARIES | {"sqlite3", "subprocess"},
    ("blame", "--help"): LIBRARIES | {"sqlite3", "subprocess"},
    ("usage", "--help"): LIBRARIES | {"sqlite3", "subprocess"},
    ("coverage", "--help"): LIBRARIES | {"sqlite3", "subprocess"},
    ("drift", "--help"): LIBRARIES | {"sqlite3", "subprocess"},
    ("status", "--help"): LIBRARIES | {"sqlite3", "subprocess"},
    ("install", "--help"): LIBRARIES | {"sqlite3", "subprocess"},
    ("uninstall", "--help"): LIBRARIES | {"sqlite3", "subprocess"},
    ("demo", "--help"): LIBRARIES,
    ("completion", "--help"): LIBRARIES | {"sqlite3", "subprocess"},
    ("completion", "bash"): LIBRARIES | {"sqlite3"},
    ("help", "--help"): LIBRARIES | {"sqlite3", "subprocess"},
    ("help", "sync"): LIBRARIES | {"sqlite3"},
    ("redact", "--help"): LIBRARIES | {"sqlite3", "subprocess"},
    ("export", "--help"): LIBRARIES | {"sqlite3", "subprocess", "zipfile"},
    ("import", "--help"): LIBRARIES | {"sqlite3", "subprocess", "zipfile"},
    ("validate", "--help"): LIBRARIES | {"sqlite3", "subprocess"},
    ("verify", "--help"): LIBRARIES | {"sqlite3", "subprocess"},
    ("conformance", "--help"): LIBRARIES | {"sqlite3", "subprocess"},
}
"""A command line, and what must not be imported for it: top-level names (``git`` is GitPython)."""


def imports(*arguments: str, module: str = "git_asr", said: bytes = b"") -> set[str]:
    """Every module that is imported by one command line; a measured process would import coverage's too."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
    ended = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", module, *arguments],
        cwd=PROJECT,
        env=environment,
        input=said,
        capture_output=True,
        check=False,
    )
    lines = [line for line in ended.stderr.decode().splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip() for line in lines}


@pytest.mark.parametrize("arguments", STARTS, ids=" ".join)
def test_start(arguments: tuple[str, ...]) -> None:
    found = imports(*arguments)
    assert "git_asr.cli.main" in found
    assert {name.partition(".")[0] for name in found} & STARTS[arguments] == set()


@pytest.mark.parametrize("arguments", ["--version", "--help", "snyc"])
def test_no_command_is_imported(arguments: str) -> None:
    own = {name for name in imports(arguments) if name.startswith("git_asr.cli.")}
    assert own <= {f"git_asr.cli.{name}" for name in ("main", "group", "render", "unknown")}


def test_a_sync_with_nothing_to_do_imports_nothing_that_converts(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.checkpoint("5f0af6f2363f", Stored("ses-1", claude("ses-1", ["a"])))
    repo.commit("5f0af6f2363f")
    path = repo.build()
    assert run_cli(["sync"], path).status == 0
    found = {name.partition(".")[0] for name in imports("-C", str(path), "sync")}
    assert found & LIBRARIES == set()
    assert "sqlite3" in found


def test_a_sync_after_one_commit_imports_what_that_needs(tmp_path: Path) -> None:
    """Not libgit2, which takes longer to begin than Git, nor what converts other agents, lists or searches."""
    repo = EntireRepo(tmp_path / "r")
    repo.checkpoint("5f0af6f2363f", Stored("ses-1", claude("ses-1", ["a"])))
    repo.commit("5f0af6f2363f")
    path = repo.build()
    assert run_cli(["sync"], path).status == 0
    repo.checkpoint("5f0af6f23640", Stored("ses-2", claude("ses-2", ["b"])))
    repo.commit("5f0af6f23640")
    repo.build()
    found = imports("-C", str(path), "sync")
    assert "git_asr.converters.claude.assistant" in found
    own = [name.removeprefix("git_asr.") for name in found if name.startswith("git_asr.")]
    converters = [name for name in own if name.startswith("converters.") and name.count(".") == 2]
    agents = {name.split(".")[1] for name in converters if not name.endswith(".format")}
    assert agents <= {"claude", "etf"}, "etf holds what others need of it"
    unneeded = ("processes", "taking", "importing", "fetch", "searching", "usage_file", "summaries")
    assert [name for name in own if name.endswith(unneeded)] == []
    assert {name.partition(".")[0] for name in found} & {"pygit2", "git", "multiprocessing"} == set()


def test_a_worker_with_nothing_to_do_imports_next_to_nothing(tmp_path: Path) -> None:
    path = EntireRepo(tmp_path / "r").build()
    (path / ".git" / "asr" / "queue").mkdir(parents=True)
    found = {name.partition(".")[0] for name in imports("worker", str(path / ".git" / "asr"))}
    assert found & (LIBRARIES | HEAVY | {"pathlib"}) == set()


@pytest.mark.parametrize("format_", ["sha1", "sha256"])
def test_a_worker_at_work_needs_neither_the_command_line_nor_filelock(tmp_path: Path, format_: str) -> None:
    repo = EntireRepo(tmp_path / "r", format_)  # type: ignore[arg-type]
    repo.checkpoint("5f0af6f2363f", Stored("ses-1", claude("ses-1", ["a"])))
    repo.commit("5f0af6f2363f")
    queue = repo.build() / ".git" / "asr" / "queue"
    queue.mkdir(parents=True)
    (queue / "scan").touch()
    found = {name.partition(".")[0] for name in imports("worker", str(queue.parent))}
    assert found & {"click", "filelock", "git"} == set()
    assert ("pygit2" in found) == (format_ == "sha1")
    assert list(queue.iterdir()) == []


def test_the_handshake_of_the_remote_helper_imports_next_to_nothing() -> None:
    said = b"capabilities\n\n"
    found = {name.partition(".")[0] for name in imports("r", "/r", module="git_asr.remote", said=said)}
    assert "git_asr" in found
    assert found & (LIBRARIES | HEAVY | {"pathlib"}) == set()
    said = b"capabilities\noption progress true\noption verbosity 1\noption object-format true\n\n"
    found = {name.partition(".")[0] for name in imports("r", "/r", module="git_asr.remote", said=said)}
    assert "git_asr" in found
    assert found & (LIBRARIES | {"click", "subprocess", "sqlite3", "json", "tempfile", "pathlib"}) == set()


def test_the_remote_helper_lists_without_a_library(tmp_path: Path) -> None:
    path = EntireRepo(tmp_path / "r").build()
    found = {
        name.partition(".")[0] for name in imports("r", str(path), module="git_asr.remote", said=b"list\n\n")
    }
    assert "subprocess" in found
    assert found & (LIBRARIES | {"click", "sqlite3"}) == set()
