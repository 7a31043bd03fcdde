"""Values that no agent would write: lines of fixtures in which something is something else, small worlds of lines whose
IDs meet, and damage between lines.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import orjson
from hypothesis import strategies as st

from git_asr.asr import codec

_OTHERS = [
    *(None, 0, -1, 2.5, True, "", "REDACTED", "~1.0", [], {}, ["x"], {"x": "y"}, "tool_result"),
    "x" * 70_000,
]
odd = st.sampled_from(
    [None, 0, 1, True, 1.0, -1, 2.5, 1 << 60, "", "x", [], {}, ["x"], {"x": 1}, {"x": True}],
)
"""Values of all kinds, some of which are equal though they are not the same."""


def strict_objects(lines: Iterable[bytes]) -> list[dict[str, Any]]:
    """The objects among lines that are strict JSON, but for very long ones."""
    found = (_strict(text) for text in lines if len(text) < 20_000)
    return [value for value in found if isinstance(value, dict)]


def _strict(text: bytes) -> Any:
    try:
        return orjson.loads(text)
    except ValueError:
        return None


def as_lines(values: Iterable[Any]) -> bytes:
    """Values one a line, lone surrogates too."""
    return b"".join(codec.encode(value) + b"\n" for value in values)


def replaced(value: Any, choose: random.Random) -> Any:
    """A value in which something is something else."""
    if isinstance(value, dict) and value and choose.random() < 0.9:
        key = choose.choice(list(value))
        if choose.random() < 0.15:
            return {name: item for name, item in value.items() if name != key}
        return {**value, key: replaced(value[key], choose)}
    if isinstance(value, list) and value and choose.random() < 0.9:
        at = choose.randrange(len(value))
        if choose.random() < 0.2:
            return value + value
        return [*value[:at], replaced(value[at], choose), *value[at + 1 :]]
    return choose.choice(_OTHERS)


@st.composite
def mutated(draw: st.DrawFn, values: Sequence[Any]) -> Any:
    """One of some values, as it is or mutated up to three times."""
    value = draw(st.sampled_from(values))
    choose = draw(st.randoms())
    for _ in range(draw(st.integers(0, 3))):
        value = replaced(value, choose)
    return value


def varied(values: Sequence[Any], picked: Iterable[tuple[int, int]], choose: random.Random) -> list[Any]:
    """Some of the values, by index, each changed so many times."""
    found = []
    for index, times in picked:
        value = values[index]
        for _ in range(times):
            value = replaced(value, choose)
        found.append(value)
    return found


def fixed(**fields: Any) -> dict[str, st.SearchStrategy[Any]]:
    """Strategies as they are, other values as such that give just these."""
    return {
        key: value if isinstance(value, st.SearchStrategy) else st.just(value)
        for key, value in fields.items()
    }


def some(**fields: Any) -> st.SearchStrategy[dict[str, Any]]:
    """Objects with some of these keys."""
    return st.fixed_dictionaries({}, optional=fixed(**fields))


def every(**fields: Any) -> st.SearchStrategy[dict[str, Any]]:
    """Objects with all of these keys."""
    return st.fixed_dictionaries(fixed(**fields))


def worlds(
    envelopes: st.SearchStrategy[dict[str, Any]], bodies: st.SearchStrategy[dict[str, Any]]
) -> st.SearchStrategy[bytes]:
    """Lines of an envelope and a body, some glued to the next, some followed by a damaged one."""
    ends = st.sampled_from([b"\n", b"\n", b"\n", b"", b"{\n"])
    return st.lists(st.tuples(envelopes, bodies, ends), max_size=10).map(
        lambda world: b"".join(codec.encode({**envelope, **body}) + end for envelope, body, end in world)
    )


damage = st.binary(max_size=40).filter(lambda data: b"\n" not in data)
"""What makes no JSON of a line that begins with a brace, or hardly ever."""


def check_damage(convert: Callable[[bytes], list[dict[str, Any]]], around: Sequence[Any], bad: bytes) -> None:
    """See that a damaged line between two costs nothing of these."""
    before, after = (as_lines([value]) for value in around)
    kept = [
        one["seq"] for one in convert(before + b"{" + bad + b"\n" + after) if one["seq"] // 1_000_000 != 2
    ]
    assert kept == [one["seq"] for one in convert(before + b"\n" + after)]
