"""Lines that no agent would write: nothing hangs, raises or is lost, and nothing is joined that is not one."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from typing import Any

import pytest

from tests.converters.claude.conversion import convert, lines, losses
from tests.converters.claude.test_converter import assistant, call, result, user


@pytest.fixture(autouse=True)
def _never_hangs() -> Iterator[None]:
    """A loop without an end becomes a failure."""

    def stop(*_: Any) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(30)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


LEAF = [assistant("leaf call", None, call("t"), id="m"), user("leaf", "leaf call", [result("t")])]
"""A result beside the path: whoever comes next looks for its call among its ancestors."""


@pytest.mark.parametrize(
    "circle",
    [
        [user("a", "a", "one")] * 3,
        [user("a", "b", "one"), user("b", "a", "two"), user("a", "b", "one")],
        [user("a", "c", "one"), user("b", "a", "two"), user("c", "b", "three"), user("a", "c", "one")] * 2,
    ],
)
def test_parents_in_a_circle(circle: list[dict[str, Any]]) -> None:
    text = lines(*circle, *LEAF, user("end", "a", "more"))
    records = convert(text)
    assert losses(text) == []
    assert records[-1]["id"] == "end"
    assert all(record["id"] not in record.get("predecessors", []) for record in records)


def test_a_line_that_is_its_own_parent_follows_the_line_before() -> None:
    records = convert(lines(user("a", None, "one"), user("b", "b", "two")))
    two = next(record for record in records if record["id"] == "b")
    assert "predecessors" not in two
    assert two["_meta"]["com.anthropic.claude-code"]["parentUuid"] == "b"
