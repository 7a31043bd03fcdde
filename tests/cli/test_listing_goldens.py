"""What lists, searches and coverage of the samples look like: on a terminal of 80 columns without colour, and JSON."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.golden import is_golden
from tests.e2e.terminal import run_on_terminal
from tests.support.corpus import needs_corpus, synced_sample
from tests.support.repo_builder import git
from tests.support.run import run_cli

COMMANDS = {
    "sessions": ["sessions"],
    "coverage": ["coverage", "HEAD"],
    "search": ["search", "-C", "1", "-F", "hxuhdy"],
    "search-count": ["search", "-i", "-c", "SNI"],
}


@needs_corpus
@pytest.mark.parametrize("name", ["claude-early-hooks", "mixed-agents", "made-sha256"])
def test_goldens(name: str, tmp_path: Path) -> None:
    repo = synced_sample(name, tmp_path)
    git(repo, "config", "asr.autosync", "false")
    for what, arguments in COMMANDS.items():
        status, said = run_on_terminal(arguments, repo, env={"NO_COLOR": "1"})
        assert (status, bool(said)) == (0, True)
        assert is_golden(f"{what}/{name}.txt", said)
    assert is_golden(f"sessions/{name}.json", run_cli(["sessions", "--json"], repo).out)
    assert is_golden(f"search/{name}.json", run_cli(["search", "--json", "hxuhdy|koumr"], repo).out)
