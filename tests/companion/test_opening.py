"""Finding and opening what the companion ref holds."""

from __future__ import annotations
