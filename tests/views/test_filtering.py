"""Which sessions filters leave: names, globs, times, and paths wherever they were recorded."""

from __future__ import annotations

import pytest

from git_asr.views.filtering import NO_FILTERS, Filters, is_model, touches, within
from git_asr.views.session import Overview


def view(**fields: object) -> Overview:
    known = {"harness": "claude-code", "id": "abc", "agent": "Claude Code", "models": ("opus",)}
    rest = {"started_at": None, "ended_at": None, "first_prompt": None, "counts": {}, "usage": {}}
    return Overview(**{**known, **rest, "commits": (), "streams": 1, "content": True, **fields})  # type: ignore[arg-type]


def test_all_that_is_asked_must_hold() -> None:
    assert not NO_FILTERS
    assert Filters(agent="x")
    assert NO_FILTERS.fits(view())
    assert Filters(agent="CLAUDE-CODE", model="OP", session="ab").fits(view())
    assert Filters(agent="claude code").fits(view())
    assert not Filters(agent="claude").fits(view())
    assert not Filters(agent="claude-code", model="gpt").fits(view())
    assert not Filters(session="b").fits(view())


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        *(("opus", True), ("OPUS-4", True), ("claude-*", True), ("*-8", True), ("claude-opus-4-[89]", True)),
        *(("opus*", False), ("sonnet", False), ("clau.e", False), ("", True)),
    ],
)
def test_models(wanted: str, found: bool) -> None:
    assert is_model(["gpt-5", "Claude-Opus-4-8"], wanted) is found
    assert not is_model([], wanted)


def test_times() -> None:
    early, late = 0, 10**19
    known = view(started_at="2026-01-01T00:00:00Z", ended_at="2026-01-02T00:00:00Z")
    assert within(known, early, late)
    assert not within(known, late, None)
    assert not within(known, None, early)
    assert not within(view(), early, None)
    assert not within(view(), None, late)
    assert within(view(), None, None)
    assert within(view(ended_at="2026-01-02T00:00:00Z"), None, late)


@pytest.mark.parametrize(
    ("wanted", "path", "found"),
    [
        ("src/a.py", "/work/src/a.py", True),
        ("src", "/work/src/a.py", True),
        ("a.py", "/work/src/a.py", False),
        ("*.py", "/work/src/a.py", True),
        ("src/a.py", "/home/x/src/a.py", True),
        ("src", "/home/x/src/deep/a.py", True),
        ("a.py", "/home/x/src/a.py", True),
        ("a.py", "/home/x/src/aa.py", False),
        ("a", "/home/x/src/a.py", False),
        ("src/a.py", "src/a.py", True),
        ("src/a.py", "./src/a.py", True),
        ("src/a.py", r"C:\x\src\a.py", True),
        ("s?c/[ab].py", "/home/x/src/a.py", True),
        (".", "/home/x/a", True),
        (".", "/work/a", True),
        ("a\nb", "/home/a\nb/c", True),
        ("(", "/home/(/c", True),
    ],
)
def test_paths(wanted: str, path: str, found: bool) -> None:
    assert touches(wanted, "/work")(path) is found


def test_paths_without_a_work_tree() -> None:
    assert touches("src", None)("/work/src/a.py")
