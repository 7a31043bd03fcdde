"""What is drawn beside a timeline: branches that were left, and rewinds."""

from __future__ import annotations

from git_asr.cli.folding import Folding
from git_asr.cli.timeline import item_lines
from git_asr.views.items import Event, Item, Message, Part, Reasoning, Turn


def message(said: str, *, aside: bool = True) -> Message:
    return Message(
        record=said,
        position=1,
        aside=aside,
        role="user",
        author="human",
        parts=(Part(type="text", text=said),),
    )


def event() -> Event:
    return Event(record=None, position=1, label="title", text="T")


def branch(count: int) -> Turn:
    return Turn(record=None, position=1, what="branch", to="x", count=count)


def rewind(to: str) -> Turn:
    return Turn(record=to, position=1, what="rewind", to=to)


def drawn(*items: Item) -> list[str]:
    return [line[9:] for line in item_lines(items, Folding())]


OPENED = "╭╌ a branch that was left: {}; the conversation went on from x"


def test_a_branch_ends_with_its_last_entry() -> None:
    assert drawn(branch(2), message("a"), event(), message("b"), event(), message("c", aside=False)) == [
        OPENED.format("2 entries"),
        *("╎ human", "╎   a", "╎ title  T", "╎ human", "╎   b", "╰╌"),
        *("title  T", "human", "  c"),
    ]


def test_a_rewind_ends_what_it_took_back() -> None:
    assert drawn(branch(2), message("a"), rewind("y"), message("b"), event(), rewind("x"), rewind("z")) == [
        OPENED.format("2 entries"),
        *("╎ human", "╎   a", "├╌ the conversation went back to y", "╎ human", "╎   b", "╎ title  T"),
        "╰╌ the conversation went back to x",
        "── the conversation went back to z ──",
    ]


def test_a_branch_that_ends_with_a_thought_of_which_nothing_is_left() -> None:
    thought = Reasoning(record="t", position=1, aside=True, capture="omitted: encrypted")
    folding = Folding()
    lines = list(item_lines((branch(2), message("a"), thought), folding))
    assert [line[9:] for line in lines] == [OPENED.format("2 entries"), "╎ human", "╎   a", "╰╌"]
    assert folding.thoughts == 1


def test_a_branch_of_which_less_is_here_than_is_said() -> None:
    assert drawn(branch(5), message("a"))[-2:] == ["╎   a", "╰╌"]
    assert drawn(branch(5)) == [OPENED.format("5 entries")]
