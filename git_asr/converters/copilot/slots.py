"""Which part of a unit each record of Copilot CLI takes (profile section 3, *part*).

The table is append-only: a slot is never moved or used for something else, because it is part of a record's ID. A
response of the model has a block for what it thought, one for its text, and one for each tool that it asks for; a
person's message has one for each attachment, the end of a process one for each model. The model call stands at the
last block.
"""

from __future__ import annotations

EXCHANGE = 1
"""``input_request`` beside a plan that is to be approved."""
ADDED = 2
"""What the harness put around a text that a person typed."""
COMPACTION = 3
"""``compaction`` behind the message with its summary."""
NOTICE = 4
"""``git-asr/notice`` of a process that ended with an error."""
CONTEXT = 5
"""``git-asr/context`` of a session that goes on."""

REST = 79
"""Vendor record for what exceeds the range."""

MODE = 80
INFERENCE = 81
