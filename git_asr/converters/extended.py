"""Marks classes that a converter which is not compiled may extend (docs/decisions/0011-compiled-converters.md)."""

from __future__ import annotations

__all__ = ["mypyc_attr"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mypy_extensions import mypyc_attr
else:

    def mypyc_attr(**_):
        """Do nothing: only the compiler reads the mark, and needs ``mypy_extensions`` for it."""
        return lambda marked: marked
