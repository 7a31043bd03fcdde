from __future__ import annotations

from typing import Any

import pytest

from git_asr.views.gist import gist


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("text", "text"),
        (None, ""),
        ({}, ""),
        ([], ""),
        (0, "0"),
        (False, "false"),
        ({"command": "ls", "description": "list"}, "ls"),
        ({"command": ["git", "log"]}, "git log"),
        ({"command": [1], "path": "", "url": "u"}, "u"),
        ({"toolSummary": "look", "CommandLine": "ls"}, "ls"),
        ({"other": 1}, '{"other":1}'),
        ([1, "\x1b"], '[1,"\\u001b"]'),
    ],
)
def test_what_a_value_is_about(value: Any, said: str) -> None:
    assert gist(value) == said


def test_a_long_value_is_cut() -> None:
    assert len(gist({"other": "x" * 1000})) == 300
