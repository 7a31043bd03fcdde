"""Which part of a unit each record of a Codex rollout takes (profile section 3, *part*).

The table is append-only: a slot is never moved or used for something else, because it is part of a record's ID. No
unit has blocks with records of their own: what a content list holds are parts of one record.
"""

from __future__ import annotations

CONTENT = 0
"""What the unit is: message, reasoning, call, result, state, context, …"""
RESULT = 1
"""``tool_result`` of a unit that tells of a call and of its end."""
EXCHANGE = 2
"""``input_request`` of a call, ``input_response`` of a result."""
PLAN = 3
SUBAGENT = 4
COMPACTION = 5
"""``compaction`` behind the message with its summary."""
HISTORY = 6
"""Vendor record for what a compaction puts in the place of the items before it."""
NOTICE = 7
"""``git-asr/notice`` of a turn that ended with an error."""

ATTACHED = 8
"""Vendor record for pictures that only an event has."""

TOMBSTONES = 40
"""First of the slots for tombstones of events whose text stands in one later item."""
MAX_TOMBSTONES = 30

REST = 79
"""Vendor record for tombstones that exceed the range."""

CONTEXT = 80
INFERENCE = 81
SETTINGS = 82
"""Vendor record for settings that no mode holds."""
MODES = 83
"""First of the slots for modes, in the order of ``settings.MODES``, which is append-only too."""
