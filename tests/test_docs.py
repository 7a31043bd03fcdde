"""The documentation says what is so."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from git_asr import __version__
from git_asr.cli import group
from tests.support import command_docs, format_docs
from tests.support.run import PROJECT, run_cli

PAGES = sorted([*PROJECT.glob("*.md"), *(PROJECT / "docs").rglob("*.md"), *(PROJECT / "hooks").glob("*.md")])
README = (PROJECT / "README.md").read_text("utf-8")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
KEY = re.compile(r"asr\.[a-z][A-Za-z0-9-]*")


@pytest.mark.parametrize("name", [None, *group.COMMANDS])
def test_the_page_of_commands_is_their_help(name: str | None) -> None:
    assert command_docs.section(name) in command_docs.PAGE.read_text("utf-8"), "run `make docs`"


def test_the_page_of_commands_holds_nothing_else() -> None:
    titles = re.findall(r"^## (.*)$", command_docs.PAGE.read_text("utf-8"), re.MULTILINE)
    assert titles == ["git asr", *(f"git asr {name}" for name in group.COMMANDS)]


def test_the_page_of_checks_is_the_registry() -> None:
    assert format_docs.CHECKS.read_text("utf-8") == format_docs.checks(), "run `make docs`"


def test_the_tables_of_the_format_are_the_schemas() -> None:
    page = format_docs.FORMAT.read_text("utf-8")
    assert format_docs.made(page) == page, "run `make docs`"
    assert sorted(format_docs.named(page)) == sorted(format_docs.TABLES)


def test_the_evidence_of_the_format_is_that_of_the_schema() -> None:
    page = format_docs.FORMAT.read_text("utf-8")
    listed = re.search(r"\| `evidence` \| what spoke for it \|\n\|[-|]+\|\n((?:\|.*\n)+)", page)
    assert listed
    named = [name for row in listed[1].splitlines() for name in re.findall(r"`([a-z-]+)`", row.split("|")[1])]
    assert named == format_docs.evidence()


@pytest.mark.parametrize("name", [None, "demo"])
def test_the_help_is_what_a_user_sees(name: str | None, tmp_path: Path) -> None:
    shown = run_cli([*([name] if name else []), "--help"], tmp_path, env={"COLUMNS": "80"})
    assert shown.out == command_docs.help_of(name)


def read_keys() -> set[str]:
    """Every ``asr.*`` key that the program names: string constants that are one, as a whole."""
    constants = (
        node.value
        for file in (PROJECT / "git_asr").rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )
    return {value for value in constants if KEY.fullmatch(value)}


def test_every_configuration_key_is_documented_and_read() -> None:
    page = (PROJECT / "docs" / "configuration.md").read_text("utf-8")
    assert set(re.findall(r"^## `(asr\.[^`]+)`", page, re.MULTILINE)) == read_keys()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(PROJECT)))
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    for target in LINK.findall(text):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        assert file.exists(), f"{page.name}: {target}"
        assert not anchor or anchor in anchors(file), f"{page.name}: {target}"


def anchors(file: Path) -> set[str]:
    titles = re.findall(r"^#+ (.*)$", file.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_every_page_is_reached_from_the_readme() -> None:
    reached, left = set(), [PROJECT / "README.md"]
    while left:
        page = left.pop()
        if page in reached or page.suffix != ".md" or not page.exists():
            continue
        reached.add(page)
        links = LINK.findall(page.read_text("utf-8"))
        paths = [link.partition("#")[0] for link in links if not re.match(r"[a-z]+:|#", link)]
        left += [(page.parent / path).resolve() for path in paths]
    assert set(PAGES) <= reached


def test_the_commands_of_the_readme_are_in_the_makefile() -> None:
    makefile = (PROJECT / "Makefile").read_text("utf-8")
    named = set(re.findall(r"\bmake ([a-z-]+)", README))
    assert {"demo", "test"} <= named
    assert named <= set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))


def test_the_commands_of_the_readme_and_the_tutorial_are_there() -> None:
    tutorial = (PROJECT / "docs" / "tutorial.md").read_text("utf-8")
    lines = re.findall(r"^ *(?:\$ )?git asr ([a-z]+)", README + tutorial, re.MULTILINE)
    assert {"sync", "log", "demo"} <= set(lines) <= set(group.COMMANDS)


def test_the_changelog_has_this_version() -> None:
    changelog = (PROJECT / "CHANGELOG.md").read_text("utf-8")
    assert re.search(rf"^## ({re.escape(__version__)}|Unreleased)", changelog, re.MULTILINE)
    assert f'version = "{__version__}"' in (PROJECT / "pyproject.toml").read_text("utf-8")


def test_the_tutorial_runs(tmp_path: Path) -> None:
    page = (PROJECT / "docs" / "tutorial.md").read_text("utf-8")
    own, end, _ = page.partition("When you are done")  # after that it speaks of other repositories
    assert end
    blocks = re.findall(r"^ *```sh\n(.*?)^ *```", own, re.DOTALL | re.MULTILINE)
    lines = [line.strip() for block in blocks for line in block.splitlines()]
    taken = [line for line in lines if not line.startswith(("make ", "export "))]
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "git-asr").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m git_asr "$@"\n')
    (folder / "git-asr").chmod(0o755)
    told = "\n".join(f"{line}\necho $? >> {tmp_path}/told" for line in taken)
    people = {
        f"GIT_{one}_{what}": "ann@example.com"
        for one in ("AUTHOR", "COMMITTER")
        for what in ("NAME", "EMAIL")
    }
    paths = {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(PROJECT)}
    environment = {**os.environ, **people, **paths}
    subprocess.run(["sh", "-c", told], cwd=tmp_path, env=environment, capture_output=True, check=True)
    statuses = dict(zip(enumerate(taken), map(int, (tmp_path / "told").read_text().split()), strict=True))
    failed = [line for (_, line), status in statuses.items() if status]
    assert failed == ["git asr show"]  # the commit has just lost its trailer


def test_the_page_on_reading_runs(tmp_path: Path) -> None:
    page = (PROJECT / "docs" / "reading.md").read_text("utf-8")
    shell, *python = re.findall(r"^```(?:sh|python)\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    assert run_cli(["demo", "weather"], tmp_path).status == 0
    taken = [line for line in shell.splitlines() if not line.startswith("git asr")]
    subprocess.run(["sh", "-ec", "\n".join(taken)], cwd=tmp_path / "weather", check=True)
    ended = subprocess.run(
        [sys.executable, "-c", "\n".join(python)],
        cwd=tmp_path / "weather",
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "'output'" in ended.stdout
    assert "3f1a9c27b604 1 7" in ended.stdout
