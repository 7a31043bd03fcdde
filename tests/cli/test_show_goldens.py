"""Golden outputs of ``git asr show``: 80 columns, no colour, and JSON, for each agent of the samples."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.golden import is_golden
from tests.converters import goldens
from tests.e2e.terminal import run_on_terminal
from tests.support.corpus import needs_corpus, synced_sample
from tests.support.entire_repo import EntireRepo, Stored
from tests.support.repo_builder import git
from tests.support.run import run_cli

CODEX = "019e0000-0000-7000-8000-000000000001"
SUBAGENT = "e5c0f8a0-0000-4000-8000-000000000006.call_b"


def is_shown(name: str, repo: Path, *args: str) -> bool:
    """Whether ``git asr show`` says on a terminal what the golden file of that name holds; in JSON for ``.json``."""
    git(repo, "config", "asr.autosync", "false")
    if name.endswith(".json"):
        ended = run_cli(["show", "--json", *args], repo)
        status, said = ended.status, ended.out
    else:
        status, said = run_on_terminal(["show", *args], repo, env={"NO_COLOR": "1"})
    return status == 0 and is_golden(f"show/{name}", said)


def test_the_demo(tmp_path: Path) -> None:
    """A commit with a slice and an idle question, and a whole session of Codex."""
    assert run_cli(["demo", "weather"], tmp_path).status == 0
    repo = tmp_path / "weather"
    assert is_shown("commit.txt", repo, "main~2")
    assert is_shown("commit.json", repo, "main~2")
    assert is_shown("commit-ascii.txt", repo, "--ascii", "--width", "60", "main~2")
    assert is_shown("codex.txt", repo, "019dafc3")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sessions with subagents, with rewinds, with branches, and with compactions."""
    repo = EntireRepo(tmp_path_factory.mktemp("goldens") / "r")
    cases = (
        "copilot-cli/subagents",
        "codex/rolled-back",
        "pi/branches",
        "claude-code/compaction-with-a-tail-and-another",
    )
    for number, case in enumerate(cases):
        repo.checkpoint(f"aaaa0000000{number}", Stored(f"ses-{number}", goldens.chunks(case)[0]))
        repo.commit(f"aaaa0000000{number}", message=case)
    assert run_cli(["sync"], repo.build()).status == 0
    return repo.path


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("subagents.txt", ["main~3"]),
        ("subagent.txt", [SUBAGENT]),
        ("subagent.json", [SUBAGENT]),
        ("rewinds.txt", ["main~2"]),
        ("branches.txt", ["main~1"]),
        ("compactions.txt", ["main"]),
        ("context.txt", ["--context", "main"]),
        ("context.json", ["--context", "main"]),
        ("context-at.txt", ["--context", "--at", "~16.0", CODEX]),
    ],
)
def test_the_course_of_sessions(made: Path, name: str, args: list[str]) -> None:
    assert is_shown(name, made, *args)


@needs_corpus
@pytest.mark.parametrize(
    ("sample", "shown"),
    [
        (
            "v2-many-agents",
            {
                "claude.txt": "ffce91fa",
                "claude.json": "ffce91fa",
                "copilot.txt": "b4257b63",
                "cursor.txt": "fcab959a",
                "droid.txt": "a31fbbb0",
                "gemini.txt": "94feec1f",
                "gemini.json": "94feec1f",
                "kiro.txt": "85611a98",
                "kiro.json": "85611a98",
            },
        ),
        ("opencode-early", {"opencode.txt": "push-session", "opencode.json": "push-session"}),
        ("external-agent-lines", {"roger-roger.txt": "5a6feadb", "roger-roger.json": "5a6feadb"}),
    ],
)
def test_the_agents_of_samples(tmp_path: Path, sample: str, shown: dict[str, str]) -> None:
    repo = synced_sample(sample, tmp_path)
    assert [name for name, what in shown.items() if not is_shown(name, repo, what)] == []
