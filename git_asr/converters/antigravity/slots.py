"""Which part of a unit each record of Antigravity takes (profile section 3, *part*).

The table is append-only: a slot is never moved or used for something else, because it is part of a record's ID. A step
of the model has a block for what it thought, one for what it said, and one for each call; another step has a block for
each subagent that it started. Records *about* a step (80–99) stand at its last block.
"""

from __future__ import annotations

REQUEST = 1
"""``input_request`` of a call."""
RESPONSE = 2
"""``input_response`` of a result."""
INJECTED = 3
"""What the harness put behind what a person asked for."""
SUBAGENT = 4
"""``subagent`` that a call started."""

TOMBSTONES = 40
"""First of the slots for what a step no longer says when it comes again."""
MAX_TOMBSTONES = 30

REST = 79
"""Vendor record for what exceeds the range."""

MODES = 80
"""First of the slots for settings that changed."""
MAX_MODES = 3
INFERENCE = 83
COMPACTION = 84

SAID = 1
"""Block of what a step of the model said; what it thought stands before."""
CALLS = 2
"""Block of the first of its calls."""
