"""Which part of a unit each record of Kiro takes (profile section 3, *part*).

The table is append-only: a slot is never moved or used for something else, because it is part of a record's ID. Each
thing that a unit says has a block: results, then what was typed, then what was thought, said and called. Records
*about* the unit (80–99) stand at its last block.
"""

from __future__ import annotations

CONTEXT = 80
"""What the conversation says of itself, and its folder, when they change."""
TITLE = 81
"""The title of a conversation of the IDE."""
INFERENCE = 83
MORE = 90
"""Vendor record for what exceeds the range."""
