"""What a record says that its usage cost: only what the agent recorded, never a price of ours."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from git_asr.asr.codec import NumberText

_FREE, _DEAREST, _FINEST = Decimal(0), Decimal(10) ** 9, Decimal(10) ** -15
"""Bounds of a sum of money, so that any number of them adds up exactly."""


def recorded_cost(record: Mapping[str, Any]) -> Decimal | None:
    """What a record says that its usage cost, in the agent's currency; None where it says nothing.

    It stands in the record, or with what the agent tells beside tokens: ``cost``, or ``usage.cost``, of its ``_meta``.
    """
    meta = record.get("_meta")
    told = [one for one in meta.values() if isinstance(one, dict)] if isinstance(meta, dict) else []
    usages = [one.get("usage") for one in told]
    places = [record, *told, *(one for one in usages if isinstance(one, dict))]
    return next((found for found in (_amount(one.get("cost")) for one in places) if found is not None), None)


def _amount(value: Any) -> Decimal | None:
    """A sum of money: a number, or the ``total`` of several."""
    value = value.get("total") if isinstance(value, dict) else value
    if isinstance(value, bool) or not isinstance(value, int | float | NumberText):
        return None
    text = value.text if isinstance(value, NumberText) else repr(value)
    try:
        found = Decimal(text)
        return found.quantize(_FINEST) if _FREE <= found < _DEAREST else None
    except ArithmeticError:
        return None
