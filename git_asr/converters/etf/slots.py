"""Which part of a unit each record of an Entire transcript takes (profile section 3, *part*).

The table is append-only: a slot is never moved or used for something else, because it is part of a record's ID. What
somebody said stands at the block with which it begins, a call at its own. Records *about* a line (80–99) stand at its
last block.
"""

from __future__ import annotations

RESULT = 1
"""``tool_result``, which stands in the same block as its call."""

REST = 79
"""Vendor record for the blocks that exceed the range."""

INFERENCE = 83
