"""The compiled schemas give the verdicts of jsonschema."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from git_asr.asr.codec import NumberText
from git_asr.validation import shapes
from tests.support.kit import cases_of_bundles, cases_of_streams
from tests.support.mutations import varied

SLOW = {name: Draft202012Validator(shapes.schema(name)) for name in ("header", "record", "bundle")}
FAST = {"header": shapes.header(), "record": shapes.record(), "bundle": shapes.manifest()}
RECORDS = [one for pair in cases_of_streams.SHAPES.values() for listed in pair for one in listed]
HEADERS = [
    json.loads(data.split(b"\n")[0])
    for kinds in cases_of_streams.CASES["header-shape"].values()
    for data in kinds.values()
]
MANIFESTS = [
    json.loads(files["bundle.json"])
    for kinds in cases_of_bundles.CASES["manifest-shape"].values()
    for files in kinds.values()
]
VALUES = {"header": HEADERS, "record": RECORDS, "bundle": MANIFESTS}
ODD: list[Any] = [
    None,
    True,
    0,
    -1,
    1.0,
    1.5,
    2**60,
    "",
    "x",
    "~1.0",
    [],
    {},
    [{}],
    {"type": "text"},
    "a" * 64,
]


@pytest.mark.parametrize("name", VALUES)
def test_known_values(name: str) -> None:
    for value in VALUES[name]:
        assert (FAST[name](value) is None) == SLOW[name].is_valid(value), value


@given(st.data(), st.randoms(use_true_random=False))
def test_any_value(data: st.DataObject, choose: random.Random) -> None:
    name = data.draw(st.sampled_from(sorted(VALUES)))
    value = copy.deepcopy(data.draw(st.sampled_from(VALUES[name])))
    for _ in range(data.draw(st.integers(1, 3))):
        _change(value, choose)
    fault = FAST[name](value)
    assert (fault is None) == SLOW[name].is_valid(value), (value, fault)


def _change(value: Any, choose: random.Random) -> None:
    """Put something odd somewhere into a value."""
    places: list[tuple[Any, Any]] = []
    todo = [value]
    while todo:
        one = todo.pop()
        keys = list(one) if isinstance(one, dict) else list(range(len(one)))
        places += [(one, key) for key in keys]
        todo += [one[key] for key in keys if isinstance(one[key], dict | list)]
    if not places:
        return
    holder, key = choose.choice(places)
    if choose.random() < 0.2:
        del holder[key]
    else:
        holder[key] = copy.deepcopy(choose.choice(ODD))


@pytest.mark.parametrize(
    ("schema", "value", "fault"),
    [
        ({"type": "integer"}, True, ": must be an integer"),
        ({"type": ["object", "null"]}, 1, ": must be an object or a null"),
        ({"properties": {"a": {"items": {"const": 1}}}}, {"a": [1, 2]}, ".a[1]: must be 1"),
        ({"pattern": "^a$"}, "a\n", ": must match ^a$"),
        ({"enum": [1, "x"]}, True, ': must be one of [1, "x"]'),
        ({"minLength": 1}, "", ": must not be empty"),
        ({"minItems": 2}, [1], ": has less than 2 items"),
        ({"maxLength": 1}, "ab", ": has more than 1 characters"),
        ({"minimum": 0}, NumberText("-" + "9" * 30), ": is less than 0"),
        ({"exclusiveMaximum": 3}, 3, ": is not less than 3"),
        ({"uniqueItems": True}, [1, 1], ": has an item twice"),
        ({"required": ["a"]}, {}, ": lacks a"),
        ({"dependentRequired": {"a": ["b"]}}, {"a": 1}, ": has a and lacks b"),
        ({"propertyNames": {"maxLength": 1}}, {"ab": 1}, ".ab: is a name that is not allowed"),
        ({"additionalProperties": False}, {"a": 1}, ".a: must not be there"),
        ({"not": {"const": "x"}}, "x", ': must not be "x"'),
        ({"not": {"type": "string"}}, "x", ": must not be what stands there"),
        ({"anyOf": [{"type": "string"}]}, 1, ": has none of the forms that are allowed here"),
        ({"oneOf": [True, True]}, 1, ": has none of the forms that are allowed here"),
        ({"prefixItems": [{"const": 1}], "items": False}, [1, 2], "[1]: must not be there"),
        ({"patternProperties": {"B$": {"type": "null"}}}, {"aB": 1}, ".aB: must be a null"),
    ],
)
def test_faults_are_told(schema: Any, value: Any, fault: str) -> None:
    assert shapes.compiled(schema)(value) == fault


def test_an_unknown_keyword_is_an_error() -> None:
    with pytest.raises(ValueError, match="unknown keywords"):
        shapes.compiled({"contains": True})


def test_varied_values_of_records() -> None:
    for value in varied(RECORDS, [(number, 2) for number in range(len(RECORDS))], random.Random(3)):  # noqa: S311
        assert (FAST["record"](value) is None) == SLOW["record"].is_valid(value), value
