"""Which part of a message each record of OpenCode takes (profile section 3, *part*).

The table is append-only: a slot is never moved or used for something else, because it is part of a record's ID. What a
user said has its slot as part, a record of part ``b`` of a message has 100·(b+1) + slot. Records *about* the message
(80–99) stand after its content, at its last part; so the first record, which bears the message's ID, is what it says.
"""

from __future__ import annotations

REQUEST = 1
"""``input_request`` of a call."""
SUBAGENT = 2
"""``subagent`` that a call starts."""
RESULT = 3
"""``tool_result``, which stands in the same part as its call; of a person's own command the output."""
RESPONSE = 4
"""``input_response`` of a result."""
PLAN = 5
"""``plan`` that a call makes."""
ENDED = 6
"""``subagent`` that a result ends."""
STEP = 7
"""``inference`` of a step, where a message has several."""
TITLE = 8
"""The session's title."""
TREE = 9
"""File snapshot with which a step begins or ends."""

TOMBSTONES = 40
"""First of the slots for what a message no longer says when it comes again."""
MAX_TOMBSTONES = 30

REST = 79
"""Vendor record for parts, or tombstones, that exceed the range."""

SNAPSHOT = 80
"""The file snapshot with which a message begins."""
CONTEXT = 81
AGENT = 82
MODE = 83
VARIANT = 84
INFERENCE = 85
ERROR = 86
COMPACTION = 87
"""``compaction`` that now has its summary."""
SUMMARY = 88
"""Vendor record with what a message's turn changed."""

PRUNED = 95
"""``compaction`` of the results that were cleared before this message."""
PRUNED_LAST = 96
"""The same behind the last message."""
REWIND = 97
"""``rewind`` of what was undone when the session was exported."""
