from __future__ import annotations

from typing import Any

import pytest

from git_asr.asr.bundle import Session, StreamEntry
from git_asr.asr.header import SessionKey
from git_asr.views.session import Overview, figures, log_line, overview, short_id


def entry(stream: str, **summary: Any) -> StreamEntry:
    return StreamEntry(
        stream, (), 1, "redacted", "0.1", {"agent": "codex", "models": [], "commits": [], **summary}
    )


def view(*entries: StreamEntry) -> Overview:
    return overview(Session(SessionKey("codex", "019f1f9d-3f06-7550-bd6f-5592a5313d51"), entries))


def test_streams_are_summed_and_the_first_in_time_speaks_first() -> None:
    found = view(
        entry(
            "b",
            startedAt="2026-01-02T00:00:00Z",
            endedAt="2026-01-02T01:00:00Z",
            firstPrompt="later",
            counts={"prompts": 1, "toolCalls": 2},
            usage={"output": {"total": 5}},
            models=["m2", "m1"],
            commits=["b", "a"],
        ),
        entry(
            "a",
            startedAt="2026-01-01T00:00:00Z",
            endedAt="2026-01-01T02:00:00Z",
            firstPrompt="first",
            counts={"prompts": 3},
            usage={"output": {"total": 7}, "cacheRead": 1},
            models=["m1"],
            commits=["a"],
        ),
    )
    assert (found.started_at, found.ended_at) == ("2026-01-01T00:00:00Z", "2026-01-02T01:00:00Z")
    assert found.first_prompt == "first"
    assert found.counts == {"prompts": 4, "toolCalls": 2}
    assert found.usage == {"cacheRead": 1, "output": {"total": 12}}
    assert (found.models, found.commits, found.streams) == (("m1", "m2"), ("a", "b"), 2)
    assert figures(found) == ["4 prompts", "2 calls", "13 tokens", "1d01h"]


def test_unknown_is_not_shown_as_0() -> None:
    found = view(entry("a"))
    assert (found.seconds, found.tokens, found.first_prompt) == (None, None, None)
    assert figures(found) == []
    assert log_line(found) == "codex 019f1f9d-3f06"


@pytest.mark.parametrize(
    ("start", "end", "seconds"),
    [
        ("2026-01-01T00:00:00.5Z", "2026-01-01T00:00:02Z", 1.5),
        ("2026-01-01T00:00:02Z", "2026-01-01T00:00:00Z", 0.0),
        ("2026-01-01T00:00:00Z", "soon", None),
        ("2026-01-01T00:00:00", "2026-01-01T00:00:00Z", None),
    ],
)
def test_seconds(start: str, end: str, seconds: float | None) -> None:
    assert view(entry("a", startedAt=start, endedAt=end)).seconds == seconds


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ({"input": {"uncached": 1}, "cacheRead": 10, "cacheWrite": 100, "output": {"total": 1000}}, 1111),
        ({"input": {"total": 11, "includesCache": True}, "cacheRead": 10, "output": {"total": 1000}}, 1011),
        ({"input": {"total": 1, "includesCache": False}, "cacheRead": 10}, 11),
        ({"input": {"total": 5, "includesCache": None}, "cacheRead": 10}, 5),
    ],
)
def test_tokens(usage: dict[str, Any], tokens: int) -> None:
    assert view(entry("a", usage=usage)).tokens == tokens


def test_a_log_line_is_one_neutral_line() -> None:
    line = log_line(
        view(
            entry(
                "a", models=["m\x1b]0;x\x07"], counts={"units": 1}, firstPrompt="\n\nDo it\u202e\nthen that"
            )
        )
    )
    assert line == "codex 019f1f9d-3f06 · m^[]0;x^G · 1 unit · “Do it<U+202E>”"
    assert len(log_line(view(entry("a", firstPrompt="x" * 500)))) <= 100


@pytest.mark.parametrize(
    ("identifier", "short"),
    [
        ("9b138c7e-bf80-4a5d-af75-e52fc19a2db5", "9b138c7e"),
        ("019f1f9d-3f06-7550-bd6f-5592a5313d51", "019f1f9d-3f06"),
        ("ses_3a4b5c6d7e8f9a0b", "ses_3a4b5c6d7"),
        ("main", "main"),
    ],
)
def test_a_short_id_tells_sessions_of_one_hour_apart(identifier: str, short: str) -> None:
    assert short_id(identifier) == short
