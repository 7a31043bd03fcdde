"""The JSON Schemas of this package, made into Python functions (docs/decisions/0015-schema-checks.md).

Each function tells the first fault of a value as ``<place>: <what>``, or None. Known are the keywords that the schemas
use; another one is an error when they are read, and a test compares the verdicts with those of jsonschema.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import Any

from git_asr.asr import codec
from git_asr.asr.codec import NumberText

Test = Callable[[Any], str | None]
"""Gives the first fault of a value: its place below the value, a colon, and what is wrong."""

_IGNORED = frozenset({"$schema", "$id", "$defs", "title", "description", "examples"})
_CONDITION = frozenset({"if", "then", "description"})


@cache
def schema(name: str) -> dict[str, Any]:
    """One of the package's schemas: ``header``, ``record`` or ``bundle``."""
    text = files("git_asr").joinpath("schemas", f"{name}.schema.json").read_text("utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


@cache
def header() -> Test:
    """Tests a header."""
    return compiled(schema("header"))


@cache
def record() -> Test:
    """Tests a record."""
    return compiled(schema("record"))


@cache
def manifest() -> Test:
    """Tests a manifest."""
    return compiled(schema("bundle"))


@cache
def part(name: str, *path: str) -> Test:
    """Tests a part of what a schema describes, which stands in the schema under these keys."""
    root = schema(name)
    node: Any = root
    for key in path:
        node = node[key]
    return _Compiler(root).test(node)


@cache
def record_types() -> frozenset[str]:
    """The types of records that the schema knows."""
    return frozenset(kind for one in schema("record")["allOf"] if (kind := _one_type(one)) is not None)


def compiled(root: dict[str, Any]) -> Test:
    """Make a function of a schema.

    Raises:
        ValueError: it has a keyword that is not known here.
    """
    return _Compiler(root).test(root)


class _Compiler:
    """Makes functions of the parts of one schema; a reference is followed once."""

    def __init__(self, root: dict[str, Any]) -> None:
        self._root = root
        self._references: dict[str, Test] = {}

    def test(self, node: Any) -> Test:
        """The function of a part."""
        if node is True:
            return _anything
        if node is False:
            return _nothing
        tests = [made for key in _ORDER if key in node and (made := self._keyword(key, node)) is not None]
        unknown = node.keys() - _IGNORED - set(_ORDER) - {"then"}
        if unknown:
            raise ValueError(f"unknown keywords: {sorted(unknown)}")
        return tests[0] if len(tests) == 1 else _all(tests)

    def _keyword(self, key: str, node: dict[str, Any]) -> Test | None:
        """The function of a keyword; None where another keyword's does its work too."""
        value = node[key]
        if key in _SIMPLE:
            return _SIMPLE[key](value)
        if key in _MEMBERS:
            return self._members(node) if key == next(one for one in _MEMBERS if one in node) else None
        if key in _ELEMENTS:
            return self._elements(node) if key == next(one for one in _ELEMENTS if one in node) else None
        made: dict[str, Callable[[], Test]] = {
            "$ref": lambda: self._reference(value),
            "propertyNames": lambda: _named(self.test(value)),
            "allOf": lambda: self._every(value),
            "anyOf": lambda: _count([self.test(one) for one in value], exactly=False),
            "oneOf": lambda: _count([self.test(one) for one in value], exactly=True),
            "not": lambda: _unless(self.test(value), value),
            "if": lambda: _condition(self.test(value), self.test(node["then"])),
        }
        return made[key]()

    def _reference(self, name: str) -> Test:
        if name not in self._references:
            self._references[name] = self.test(self._root["$defs"][name.removeprefix("#/$defs/")])
        return self._references[name]

    def _members(self, node: dict[str, Any]) -> Test:
        known = {name: self.test(one) for name, one in node.get("properties", {}).items()}
        patterns = [
            (_pattern(one), self.test(test)) for one, test in node.get("patternProperties", {}).items()
        ]
        other = self.test(node.get("additionalProperties", True))
        if not patterns and other is _anything:
            return _properties({name: one for name, one in known.items() if one is not _anything})

        def test(value: Any) -> str | None:
            for name, item in value.items() if isinstance(value, dict) else ():
                own = known.get(name)
                matching = [one for pattern, one in patterns if pattern.search(name)]
                tests = [*matching, own] if own else matching or [other]
                fault = next((found for one in tests if (found := one(item)) is not None), None)
                if fault is not None:
                    return _inside(name, fault)
            return None

        return test

    def _elements(self, node: dict[str, Any]) -> Test:
        first = [self.test(one) for one in node.get("prefixItems", ())]
        other = self.test(node.get("items", True))

        def test(value: Any) -> str | None:
            for number, item in enumerate(value) if isinstance(value, list) else ():
                fault = (first[number] if number < len(first) else other)(item)
                if fault is not None:
                    return f"[{number}]{fault}"
            return None

        return test

    def _every(self, parts: list[dict[str, Any]]) -> Test:
        """All of several; those for one ``type`` each are looked up by it."""
        by_type: dict[str, list[Test]] = {}
        rest: list[Test] = []
        for one in parts:
            kind = _one_type(one)
            if kind is None:
                rest.append(self.test(one))
            else:
                by_type.setdefault(kind, []).append(self.test(one["then"]))
        if not by_type:
            return _all(rest)
        tests = {kind: _all(own) for kind, own in by_type.items()}

        def test(value: Any) -> str | None:
            kind = value.get("type") if isinstance(value, dict) else None
            own = tests.get(kind) if isinstance(kind, str) else None
            return None if own is None else own(value)

        return _all([*rest, test])


def _one_type(part: dict[str, Any]) -> str | None:
    """The type for which alone a part asks for something; None where it asks for other things."""
    condition = part.get("if", {})
    kind = condition.get("properties", {}).get("type", {}).get("const")
    plain = {"properties": {"type": {"const": kind}}, "required": ["type"]}
    return kind if part.keys() <= _CONDITION and condition == plain else None


def _inside(name: str, fault: str) -> str:
    return f".{name[:100]}{fault}"


def _anything(_: Any) -> str | None:
    return None


def _nothing(_: Any) -> str | None:
    return ": must not be there"


def _all(tests: list[Test]) -> Test:
    def test(value: Any) -> str | None:
        for one in tests:
            if (fault := one(value)) is not None:
                return fault
        return None

    return tests[0] if len(tests) == 1 else test


def _properties(known: dict[str, Test]) -> Test:
    listed = list(known.items())

    def test(value: Any) -> str | None:
        if isinstance(value, dict):
            for name, one in listed:
                if name in value and (fault := one(value[name])) is not None:
                    return _inside(name, fault)
        return None

    return test


def _named(name_test: Test) -> Test:
    def test(value: Any) -> str | None:
        for name in value if isinstance(value, dict) else ():
            if name_test(name) is not None:
                return _inside(name, ": is a name that is not allowed")
        return None

    return test


def _count(tests: list[Test], *, exactly: bool) -> Test:
    def test(value: Any) -> str | None:
        passed = 0
        for one in tests:
            if one(value) is None:
                passed += 1
                if not exactly:
                    return None
        return None if passed == 1 else ": has none of the forms that are allowed here"

    return test


def _unless(unwanted: Test, node: dict[str, Any]) -> Test:
    text = json.dumps(node["const"]) if "const" in node else "what stands there"

    def test(value: Any) -> str | None:
        return f": must not be {text}" if unwanted(value) is None else None

    return test


def _condition(condition: Test, then: Test) -> Test:
    def test(value: Any) -> str | None:
        return then(value) if condition(value) is None else None

    return test


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | NumberText) and not isinstance(value, bool)


def _is_integer(value: Any) -> bool:
    return (isinstance(value, int) and not isinstance(value, bool)) or (
        isinstance(value, float) and value.is_integer()
    )


_TYPES: dict[str, Callable[[Any], bool]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "number": _is_number,
    "integer": _is_integer,
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
}


def _type(names: str | list[str]) -> Test:
    wanted = [names] if isinstance(names, str) else names
    tests = [_TYPES[one] for one in wanted]
    told = ": must be " + " or ".join(f"{'an' if one[0] in 'aeiou' else 'a'} {one}" for one in wanted)
    if len(tests) == 1:
        only = tests[0]
        return lambda value: None if only(value) else told
    return lambda value: None if any(one(value) for one in tests) else told


def _equal(value: Any, other: Any) -> bool:
    return codec.identity(value) == codec.identity(other)


def _const(wanted: Any) -> Test:
    told = f": must be {json.dumps(wanted)}"
    if isinstance(wanted, str):
        return lambda value: None if value == wanted else told
    return lambda value: None if _equal(value, wanted) else told


def _enum(wanted: list[Any]) -> Test:
    told = f": must be one of {json.dumps(wanted)}"
    return lambda value: None if any(_equal(value, one) for one in wanted) else told


def _pattern(text: str) -> re.Pattern[str]:
    """A pattern; ``$`` is the end, and not also what stands before a last line feed."""
    return re.compile(text.removesuffix("$") + r"\Z" if text.endswith("$") else text)


def _matches(text: str) -> Test:
    pattern = _pattern(text)
    told = f": must match {text}"
    return lambda value: None if not isinstance(value, str) or pattern.search(value) else told


def _required(names: list[str]) -> Test:
    def test(value: Any) -> str | None:
        if isinstance(value, dict):
            for name in names:
                if name not in value:
                    return f": lacks {name}"
        return None

    return test


def _dependent(names: dict[str, list[str]]) -> Test:
    def test(value: Any) -> str | None:
        for name, wanted in names.items() if isinstance(value, dict) else ():
            missing = [one for one in wanted if name in value and one not in value]
            if missing:
                return f": has {name} and lacks {missing[0]}"
        return None

    return test


def _length(kind: type, most: int | None, least: int | None, word: str) -> Test:
    def test(value: Any) -> str | None:
        if not isinstance(value, kind):
            return None
        length = len(value)  # type: ignore[arg-type]
        if least is not None and length < least:
            return ": must not be empty" if least == 1 else f": has less than {least} {word}"
        return f": has more than {most} {word}" if most is not None and length > most else None

    return test


def _bound(wrong: Callable[[float], bool], told: str) -> Test:
    def test(value: Any) -> str | None:
        number = float(value.text) if isinstance(value, NumberText) else value
        return told if _is_number(value) and wrong(number) else None

    return test


def _unique(wanted: bool) -> Test:
    def test(value: Any) -> str | None:
        repeated = isinstance(value, list) and len({codec.identity(one) for one in value}) < len(value)
        return ": has an item twice" if wanted and repeated else None

    return test


_SIMPLE: dict[str, Callable[[Any], Test]] = {
    "type": _type,
    "const": _const,
    "enum": _enum,
    "pattern": _matches,
    "minLength": lambda least: _length(str, None, least, "characters"),
    "maxLength": lambda most: _length(str, most, None, "characters"),
    "minItems": lambda least: _length(list, None, least, "items"),
    "minProperties": lambda least: _length(dict, None, least, "fields"),
    "minimum": lambda least: _bound(lambda number: number < least, f": is less than {least}"),
    "exclusiveMaximum": lambda most: _bound(lambda number: number >= most, f": is not less than {most}"),
    "required": _required,
    "dependentRequired": _dependent,
    "uniqueItems": _unique,
}
_MEMBERS = ("properties", "patternProperties", "additionalProperties")
_ELEMENTS = ("items", "prefixItems")
_ORDER = (*_SIMPLE, *_MEMBERS, *_ELEMENTS, "$ref", "propertyNames", "allOf", "anyOf", "oneOf", "not", "if")
