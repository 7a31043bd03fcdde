"""Short records, for what reads them."""

from __future__ import annotations

from typing import Any


def record(identifier: str, kind: str = "message", **other: Any) -> dict[str, Any]:
    return {"type": kind, "id": identifier, **other}
