"""Which part of a unit each record of Claude Code takes (profile section 3, *part*).

The table is append-only: a slot is never moved or used for something else, because it is part of a record's ID. A
record of the line itself has its slot as part, one of content block ``b`` has 100·(b+1) + slot. Records *about* the
line (80–99) stand after its content, at its last block; so the first record, which bears the line's ``uuid``, is what
the line says.
"""

from __future__ import annotations

CONTENT = 0
"""What the line or the block is: message, reasoning, call, result, hook, notice, …"""
EXCHANGE = 1
"""``input_request`` of a call, ``input_response`` of a result."""
PLAN = 2
"""``plan`` that a call or a result makes."""
SUBAGENT = 3
"""``subagent`` that a call starts, or a result or notification ends."""
USAGE = 4
"""``usage_summary`` of a subagent, or its last ``inference`` in the embedded stream."""

TOMBSTONES = 40
"""First of the slots for tombstones of queued texts."""
MAX_TOMBSTONES = 30

REST = 79
"""Vendor record for what exceeds the range."""

CONTEXT = 80
MODE = 81
LINE_PLAN = 82
"""``plan`` that a prompt carries."""
INFERENCE = 83
COMPACTION = 84
"""``compaction`` that now has its summary."""
LINE_REST = 85
"""Vendor record for what exceeds the range, about the line."""
