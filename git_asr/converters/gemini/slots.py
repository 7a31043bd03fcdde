"""Which part of a unit each record of Gemini CLI takes (profile section 3, *part*).

The table is append-only: a slot is never moved or used for something else, because it is part of a record's ID. A
message has a block for each thought, one for its content, and one for each tool call, in this order; a rebuilt history
has those of its messages, one after the other. Records *about* a message (80–99) stand at its last block.
"""

from __future__ import annotations

REQUEST = 1
"""``input_request`` of a call."""
SUBAGENT = 2
"""``subagent`` that a call starts."""
RESULT = 3
"""``tool_result``, which stands in the same object as its call."""
RESPONSE = 4
"""``input_response`` of a result."""
PLAN = 5
"""``plan`` that a call makes."""
ENDED = 6
"""``subagent`` that a result ends."""
MODE = 7
"""Mode into which a call brings the agent."""
EXPANDED = 8
"""What the harness added to a text that a person typed."""
TITLE = 9
"""The session's title."""
CONTEXT = 10
"""What the session says of itself, when it changes."""
SAID = 11
"""What somebody said beside results that a message repeats."""

TOMBSTONES = 40
"""First of the slots for what a message no longer says when it comes again."""
MAX_TOMBSTONES = 30

REST = 79
"""Vendor record for what of a message exceeds the range."""

INFERENCE = 83

MORE = 90
"""Vendor record for what of a rebuilt history is no message, or exceeds the range, with all that follows."""
COMPACTION = 91
"""``compaction`` that a rebuilt history is."""
