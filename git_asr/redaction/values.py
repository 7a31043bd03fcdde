"""Masks JSON values: every text in them, their keys too, and what a key says is secret."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from git_asr.asr import codec
from git_asr.redaction.assignments import is_secret_name, is_secret_value
from git_asr.redaction.masking import Masker

_LEVELS = 120
"""Levels that are gone into one by one; what lies deeper is masked as JSON text."""
_NAMES = ("name", "key", "header", "Name", "Key")
_FLAG = "--"
_MOST_FLAG = 40
_MOST_KEYS = 50_000
_LARGE = 10_000_000
"""Integers from here on are looked at as text, for one may be the number of a card, or a secret that is known."""
_DIGITS = 4
"""Digits at least of a number that may be secret."""

Path = list["str | int"]


class Walker:
    """Masks values. ``path`` is where in the record the walk is: keys (masked) and places in lists.

    A value in which nothing is found is returned as it is, the same object.
    """

    def __init__(self, masker: Masker, *, names: bool) -> None:
        """``names``: whether what stands under the name of a secret is one."""
        self._masker = masker
        self._names = names
        self._secret: dict[str, bool] = {}
        self.path: Path = []

    def value(self, value: Any) -> Any:
        """A value without what the rules find."""
        return self._value(value, 0)

    def json(self, text: str, level: int = 0) -> str | None:
        """JSON text masked as the value that it is; the same text where nothing is found, None where it is none."""
        found = structured(text)
        if found is None:
            return None
        masked = self._value(found, level)
        return text if masked is found else codec.encode(masked).decode("utf-8", "surrogatepass")

    def under(self, key: str, value: Any) -> Any:
        """A value that stands under a key."""
        return self._under(key, value, 0)

    def _value(self, value: Any, level: int) -> Any:
        if isinstance(value, str):
            return self._text(value, level)
        if type(value) is int and abs(value) >= _LARGE:
            text = str(value)
            masked = self._masker.text(text)
            return value if masked is text else masked
        if not isinstance(value, dict | list) or not value:
            return value
        if level >= _LEVELS:
            return self._deep(value)
        return self._object(value, level) if isinstance(value, dict) else self._list(value, level)

    def _text(self, text: str, level: int) -> str:
        """A text. Where it is JSON, names in it may tell of more; it is written anew only then."""
        masked = self._masker.text(text)
        found = self.json(masked, level + 1) if level < _LEVELS else None
        return masked if found is None or found is masked else self._masker.text(found)

    def _under(self, key: str, value: Any, level: int) -> Any:
        self.path.append(key)
        found = self._named(key, value, level)
        self.path.pop()
        return found

    def _named(self, key: str, value: Any, level: int) -> Any:
        if self._names and self._is_secret(key, value):
            return self._masker.whole("secret-name", _as_text(value))
        if isinstance(value, list) and level < _LEVELS and self._names and self._is_name(key):
            return self._list(value, level, key)
        return self._value(value, level)

    def _object(self, value: dict[str, Any], level: int) -> dict[str, Any]:
        changed: dict[str, Any] | None = None
        named = self._names and self._pair(value)
        for key, item in value.items():
            name = self._masker.text(key)
            masked = (
                self._under(named, item, level + 1)
                if named and key == "value"
                else self._under(name, item, level + 1)
            )
            if changed is None and (masked is not item or name is not key):
                changed = {known: value[known] for known in _before(value, key)}
            if changed is not None:
                changed[_free(name, changed, value) if name is not key else key] = masked
        return value if changed is None else changed

    def _pair(self, value: dict[str, Any]) -> str:
        """The name in ``{"name": …, "value": …}``; empty where it is none."""
        if "value" in value:
            for key in _NAMES:
                if isinstance(value.get(key), str):
                    return str(value[key])
        return ""

    def _list(self, value: list[Any], level: int, under: str | None = None) -> list[Any]:
        """A list; ``under``: the name of a secret, which all of it is."""
        changed: list[Any] | None = None
        before: Any = None
        for place, item in enumerate(value):
            if isinstance(before, str) and before.startswith("-") and isinstance(item, str):
                masked = self._argument(before, item, level + 1)  # ["--password", "…"]
            else:
                self.path.append(place)
                masked = (
                    self._value(item, level + 1) if under is None else self._named(under, item, level + 1)
                )
                self.path.pop()
            if changed is None and masked is not item:
                changed = value[:place]
            if changed is not None:
                changed.append(masked)
            before = item
        return value if changed is None else changed

    def _argument(self, flag: str, item: str, level: int) -> Any:
        """What stands behind a flag in a list of arguments."""
        if flag.startswith(_FLAG) and len(flag) > len(_FLAG):
            found = self._under(flag, item, level)
            if found is not item:
                return found
        line = f"{flag} {item}"
        masked = self._masker.text(line) if len(flag) <= _MOST_FLAG else line
        if masked is line or not masked.startswith(f"{flag} "):
            return self._text(item, level)
        return masked[len(flag) + 1 :]

    def _is_secret(self, key: str, value: Any) -> bool:
        if not isinstance(value, str | int | float) or isinstance(value, bool):
            return False
        if not self._is_name(key):
            return False
        text = _as_text(value)
        if not isinstance(value, str) and len(text) < _DIGITS:
            return False
        return is_secret_value(key, text) and not self._masker.allows(text)

    def _is_name(self, key: str) -> bool:
        secret = self._secret.get(key)
        if secret is None:
            secret = is_secret_name(key)
            if len(self._secret) < _MOST_KEYS:
                self._secret[key] = secret
        return secret

    def _deep(self, value: Any) -> Any:
        """What is nested deeper than one goes: as text, and a value again if it still is one."""
        text = codec.encode(value).decode("utf-8", "surrogatepass")
        masked = self._masker.text(text)
        if masked is text:
            return value
        try:
            return codec.decode(masked.encode("utf-8", "surrogatepass")).value
        except ValueError:
            return masked


def _as_text(value: str | float) -> str:
    return value if isinstance(value, str) else codec.encode(value).decode()


def _before(value: dict[str, Any], key: str) -> Iterator[str]:
    for known in value:
        if known == key:
            return
        yield known


def _free(name: str, taken: dict[str, Any], known: dict[str, Any]) -> str:
    """A key that no other member has."""
    found, number = name, 1
    while found in taken or found in known:
        number += 1
        found = f"{name}~{number}"
    return found


def structured(text: str) -> dict[str, Any] | list[Any] | None:
    """The value of JSON text that is an object or an array and is read without loss; None for any other text."""
    if text[:1] not in ("{", "["):
        return None
    try:
        decoded = codec.decode(text.encode("utf-8", "surrogatepass"))
    except ValueError:
        return None
    return decoded.value if decoded.exact and isinstance(decoded.value, dict | list) else None
