"""Dataclasses that cost little to define: a command defines fifty before it does anything, a sync two hundred.

To a type checker this is ``dataclasses.dataclass``. At run time the library makes fields, ``__init__`` and slots; what
compares, hashes and shows a value, which it would write and compile for each class anew, is made of closures here. That
takes a third of the time (docs/decisions/0021-values.md). What is frozen is so for the type checker alone.
"""

from __future__ import annotations

import dataclasses
from operator import attrgetter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass  # noqa: PLC0414  (exported)
else:

    def dataclass(*, frozen=False, slots=False, order=False, kw_only=False):
        """As ``dataclasses.dataclass`` with these arguments; a class with an ``order`` is left to that."""

        def made(cls):
            if order:
                return dataclasses.dataclass(cls, frozen=frozen, slots=slots, order=order, kw_only=kw_only)
            own = set(cls.__dict__)
            found = dataclasses.dataclass(cls, eq=False, repr=False, slots=slots, kw_only=kw_only)
            for name, method in _methods(found, hashed=frozen).items():
                if name not in own:
                    setattr(found, name, method)
            return found

        return made

    def _methods(cls, *, hashed):
        """``__eq__``, ``__hash__`` (None for what may change) and ``__repr__`` by the fields of a class."""
        fields = dataclasses.fields(cls)
        compared = [one.name for one in fields if one.compare]
        key = attrgetter(*compared, compared[0]) if compared else bool  # always a tuple: nan is itself in one

        def same(self, other):
            return key(self) == key(other) if other.__class__ is self.__class__ else NotImplemented

        def digest(self):
            return hash(key(self))

        def shown(self):
            members = ", ".join(f"{one.name}={getattr(self, one.name)!r}" for one in fields if one.repr)
            return f"{self.__class__.__qualname__}({members})"

        return {"__eq__": same, "__hash__": digest if hashed else None, "__repr__": shown}
