"""Which part of a unit each record of Pi takes (profile section 3, *part*).

The table is append-only: a slot is never moved or used for something else, because it is part of a record's ID. Of a
model's message each content block has a block; everything else is one record with what belongs to it. Records *about*
an entry (80–99) stand at its last block.
"""

from __future__ import annotations

EXCHANGE = 1
"""``input_request`` of a call, ``input_response`` of a result."""
PLAN = 2
"""``plan`` that a result tells."""
SUBAGENT = 3
"""``subagent`` that a call starts or a result ends."""
USAGE = 4
"""``usage_summary`` of what a tool used."""
OUTPUT = 5
"""What a command of the person printed."""
COMPACTION = 6
"""``compaction``, behind the message with its summary."""
RETAINED = 7
"""Vendor record for the messages that a compaction repeats."""
TITLE = 8
"""The session's title, where its header has one."""

REST = 79
"""Vendor record for what exceeds the range."""

ENDED = 82
"""That a response was interrupted, or failed."""
INFERENCE = 83
