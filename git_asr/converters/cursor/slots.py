"""Which part of a unit each record of Cursor takes (profile section 3, *part*).

The table is append-only: a slot is never moved or used for something else, because it is part of a record's ID. Each
block of a message has records of its own; of a text each section has, at its last line.
"""

from __future__ import annotations

ADDED = 1
"""What the program put around a text that a person typed."""
REQUEST = 2
"""``input_request`` of a call."""
PLAN = 3
SUBAGENT = 4

REST = 79
"""Vendor record for what exceeds the range."""
