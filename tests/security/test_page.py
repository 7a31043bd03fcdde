"""docs/security.md promises what is tried, and what is tried is promised."""

from __future__ import annotations

import ast
import re

import pytest

from tests.support.run import PROJECT

PAGE = (PROJECT / "docs" / "security.md").read_text("utf-8")
PROMISES = re.findall(r"^([0-9]+)\. (.*\n(?: {3,}.*\n)*)", PAGE, re.MULTILINE)
TEST = re.compile(r"`(tests/[a-z_/0-9]+\.py)::(test_\w+)`")


def names_in(path: str) -> set[str]:
    """The tests of a module, those in classes too."""
    tree = ast.parse((PROJECT / path).read_text("utf-8"))
    return {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }


@pytest.mark.parametrize(("number", "text"), PROMISES, ids=[number for number, _ in PROMISES])
def test_every_promise_names_tests_that_are_there(number: str, text: str) -> None:
    named = TEST.findall(text)
    assert named, f"promise {number} names no test"
    assert [f"{path}::{name}" for path, name in named if name not in names_in(path)] == []


def test_the_promises_are_numbered_without_a_gap() -> None:
    assert [int(number) for number, _ in PROMISES] == [*range(1, len(PROMISES) + 1)]
    assert len(TEST.findall(PAGE)) == sum(len(TEST.findall(text)) for _, text in PROMISES)


def test_no_attack_is_tried_without_a_promise() -> None:
    path = "tests/security/test_attacks.py"
    assert names_in(path) - {name for file, name in TEST.findall(PAGE) if file == path} == set()
