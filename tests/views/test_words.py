"""What is said of an item, where samples say little."""

from __future__ import annotations

from typing import Any

import pytest

from git_asr.views import words
from git_asr.views.items import Call, Compaction, Gap, Mark, Message, Part, Subagent, Turn

AT: dict[str, Any] = {"record": "r", "position": 1}


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        (words.who(Message(**AT, role="user", author="unknown")), "user, author unknown"),
        (
            words.notes(
                Message(**AT, role="user", author="human", sender="Ann", pending=True, capture="omitted")
            ),
            ["from Ann", "queued, not known to be delivered", "omitted"],
        ),
        (words.tool(Call(**AT, call_id="c", name="Bash", earlier=True)), "Bash (called before)"),
        (words.tool(Call(**AT, call_id="c", name=None)), "result of a call that is not recorded"),
        (words.tool(Call(**AT, call_id="c", name=None, ambiguous=True)), "result whose call cannot be told"),
        (words.outcome(Call(**AT, call_id="c", name="x")), "no result recorded: outcome unknown"),
        (
            words.outcome(Call(**AT, call_id="c", name="x", ambiguous=True)),
            "outcome unknown: several calls or results have its ID",
        ),
        (words.absent(Part(type="text", bytes=5)), "[text, 5 bytes: not in the bundle]"),
        (
            words.absent(Part(type="image", bytes=2048, media_type="image/png")),
            "[image, 2k bytes, image/png]",
        ),
        (
            words.subagent(Subagent(agent_type=None, state=None, status=None)),
            "subagent: subagent, its end is not recorded, what it did is not recorded here",
        ),
        (
            words.subagent(Subagent(agent_type="Explore", state="ended", status="ok", stream="s.x")),
            "subagent: Explore, ok, its stream s.x is not shown",
        ),
        (
            words.compaction(Compaction(**AT, unknown=True)),
            "context compacted: what it replaced is not known, no summary recorded",
        ),
        (
            words.compaction(Compaction(**AT, trigger="auto", calls=2)),
            "context compacted (auto): the results of 2 calls were cleared",
        ),
        (
            words.compaction(Compaction(**AT, summary="s", kept=1)),
            "context compacted: what stands above was replaced, 1 record kept",
        ),
        (words.turn(Turn(**AT, what="rewind")), "the conversation went back to its start"),
        (words.turn(Turn(**AT, what="rewind", to="x")), "the conversation went back to x"),
        (words.turn(Turn(**AT, what="break", to="x")), "what came before is not recorded (it follows x)"),
        (words.mark(Mark(**AT, checkpoint="c")), "checkpoint c, which no commit names"),
        (
            words.mark(Mark(**AT, checkpoint="c", commits=("a" * 40, "b" * 40))),
            f"checkpoint c, commits {'a' * 12}, {'b' * 12}",
        ),
        (words.gap(Gap(**AT, line=3, reason="no JSON")), "line 3 of the stream cannot be read: no JSON"),
        (
            words.gap(Gap(**AT, line=3, lines=2, reason="no JSON")),
            "lines 3–4 of the stream cannot be read: no JSON",
        ),
        (words.no_transcript({"capture": {}}), "no transcript: the reason is unknown"),
        (words.hidden({"state": 1, "com.example/x": 2}), "1 change of state, 2 other records"),
    ],
)
def test_words(said: object, wanted: object) -> None:
    assert said == wanted
