"""Which part of a unit each record of Droid takes (profile section 3, *part*).

The table is append-only: a slot is never moved or used for something else, because it is part of a record's ID. What a
person says in a message is its first record, unless it also holds results; what else a message holds has the block of
where it stands. Records *about* a message (80–99) stand at its last block.
"""

from __future__ import annotations

REASONING = 1
"""``reasoning`` that stands beside the content of a message."""
REQUEST = 2
"""``input_request`` of a call."""
RESPONSE = 3
"""``input_response`` of a result."""
PLAN = 4
"""``plan`` that a call makes."""
SUBAGENT = 5
"""``subagent`` that a call starts, or a result ends."""
INJECTED = 6
"""What the harness put into a message of somebody else."""
TITLE = 7
"""The session's title."""

TOMBSTONES = 40
"""First of the slots for what a message no longer says when it comes again."""
MAX_TOMBSTONES = 30

REST = 79
"""Vendor record for what exceeds the range."""

MODE = 80
EFFORT = 81
INFERENCE = 83
COMPACTION = 84
