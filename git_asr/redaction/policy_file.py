"""Policies in TOML files (docs/redaction.md has every key)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from typing import Any, cast

from git_asr.errors import UsageError
from git_asr.redaction import own_patterns, registry
from git_asr.redaction.base import Rule
from git_asr.redaction.policy import BUILT_IN, Policy, When, own_version

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_KIND = re.compile(r"[A-Z]{1,20}(?:_[A-Z]{1,20})?")
_KEYS = ("name", "version", "extends", "rules", "content", "replacement", "allow", "words", "pattern")
_PATTERN_KEYS = ("name", "regex", "kind")
_CONTENT = {
    "meta": ("redact", "drop"),
    "vendor": ("redact", "drop"),
    "binary": ("keep", "drop"),
    "sources": ("keep", "drop"),
}
_WHEN: dict[object, When] = {True: "always", False: "never", "unredacted": "unredacted"}
_MOST = 10_000


def parse(text: str) -> Policy:
    """Read a policy.

    Raises:
        UsageError: it is no TOML, a key is unknown, or a value is none that the key can have; in one line.
    """
    try:
        said = tomllib.loads(text)
    except RecursionError:
        raise UsageError("no TOML: nested too deeply") from None
    except ValueError as error:  # also a number of more digits than Python reads, or a day that there is not
        raise UsageError(f"no TOML: {error}".replace("\n", " ")) from error
    _known("", said, _KEYS)
    name, version = _text(said, "name"), _text(said, "version")
    if not _NAME.fullmatch(name) or name in BUILT_IN:
        raise UsageError(
            f"name: {name!r} is none: small letters, digits, '.', '_', '-', and not {_or(BUILT_IN)}"
        )
    base = said.get("extends", "default")
    if not isinstance(base, str) or base not in BUILT_IN:
        raise UsageError(f"extends: {base!r} is not {_or(BUILT_IN)}")
    start = BUILT_IN[base]()
    content = {**_content(start), **_choices(said)}
    return Policy(
        name,
        f"{version} ({base} {own_version()})",
        {**start.groups, **_groups(said)},
        form=_replacement(said),
        allowed=_texts(said, "allow"),
        words=_texts(said, "words"),
        patterns=tuple(_patterns(said)),
        **content,
    )


def _content(policy: Policy) -> dict[str, Any]:
    return {key: getattr(policy, key) for key in _CONTENT}


def _groups(said: Mapping[str, Any]) -> dict[str, When]:
    table = _table(said, "rules")
    _known("rules.", table, registry.NAMES)
    for key, value in table.items():
        if not isinstance(value, bool | str) or value not in _WHEN:
            raise UsageError(f'rules.{key}: {value!r} is not true, false or "unredacted"')
    return {key: _WHEN[value] for key, value in table.items()}


def _choices(said: Mapping[str, Any]) -> dict[str, Any]:
    table = _table(said, "content")
    _known("content.", table, _CONTENT)
    for key, value in table.items():
        if value not in _CONTENT[key]:
            raise UsageError(f"content.{key}: {value!r} is not {_or(_CONTENT[key])}")
    return dict(table)


def _replacement(said: Mapping[str, Any]) -> Any:
    table = _table(said, "replacement")
    _known("replacement.", table, ("form",))
    form = table.get("form", "numbered")
    if form not in ("numbered", "plain"):
        raise UsageError(f"replacement.form: {form!r} is not numbered or plain")
    return form


def _texts(said: Mapping[str, Any], key: str) -> tuple[str, ...]:
    values = said.get(key, [])
    if not isinstance(values, list) or not all(
        isinstance(one, str) and len(one.strip()) >= 3 for one in values
    ):
        raise UsageError(f"{key}: a list of texts of at least three characters")
    if len(values) > _MOST:
        raise UsageError(f"{key}: more than {_MOST} values")
    return tuple(values)


def _patterns(said: Mapping[str, Any]) -> Iterable[Rule]:
    found = said.get("pattern", [])
    if not isinstance(found, list):
        raise UsageError("pattern: write [[pattern]] for each one")
    for number, table in enumerate(found, start=1):
        where = f"pattern {number}"
        if not isinstance(table, dict):
            raise UsageError(f"{where}: no table")
        _known(f"{where}: ", table, _PATTERN_KEYS)
        name, kind = _text(table, "name", where), table.get("kind", "WORD")
        if not _NAME.fullmatch(name):
            raise UsageError(f"{where}: name: {name!r} is none: small letters, digits, '.', '_', '-'")
        if not isinstance(kind, str) or not _KIND.fullmatch(kind):
            raise UsageError(f"{where}: kind: {kind!r} is no word, or two with '_', of capital letters")
        yield own_patterns.rule(name, _text(table, "regex", where), kind)


def _table(said: Mapping[str, Any], key: str) -> dict[str, Any]:
    found = said.get(key, {})
    if not isinstance(found, dict):
        raise UsageError(f"{key}: no table; write [{key}]")
    return cast("dict[str, Any]", found)


def _text(table: Mapping[str, Any], key: str, where: str = "") -> str:
    found = table.get(key)
    if not isinstance(found, str) or not found:
        raise UsageError(f"{where}{': ' if where else ''}{key}: a text is needed")
    return found


def _known(where: str, table: Mapping[str, Any], keys: Iterable[str]) -> None:
    for key in table:
        if key not in keys:
            raise UsageError(f"{where}{key}: no such key; there are {', '.join(keys)}")


def _or(choices: Iterable[str]) -> str:
    return " or ".join(choices)


def named(name: str) -> Policy | None:
    """The built-in policy of that name; None where there is none."""
    return BUILT_IN[name]() if name in BUILT_IN else None
