"""Which part of a unit each record of an imported line takes (profile section 3, *part*).

The table is append-only: a slot is never moved or used for something else, because it is part of a record's ID. A call
stands at the block of its place in the fragment of a message that has it.
"""

from __future__ import annotations

STATE = 0
"""``state`` of an event, and whatever else a line is."""
PROMPT = 1
"""``message`` with which a turn begins, behind the state."""
RESPONSE = 0
"""``message`` with which a turn ends, before the state."""
IDLE = 1
"""``state`` behind the response."""
INFERENCE = 0

TOMBSTONES = 40
"""First of the slots for what a record withdraws."""
MAX_TOMBSTONES = 30

REST = 79
"""Vendor record for what exceeds the range."""
