"""How much one run of the tests tries: a part each time, all of it with ``GIT_ASR_THOROUGH=1`` (``make torture``)."""

from __future__ import annotations

import os

THOROUGH = os.environ.get("GIT_ASR_THOROUGH", "") not in ("", "0")

EXAMPLES = 1000 if THOROUGH else 25
"""Examples of a property, unless its test names a number of its own."""

STRIDE = 1 if THOROUGH else 5
"""From one write at which a process is killed to the next."""

CUTS = 0 if THOROUGH else 12
"""After how many of its lines a transcript is cut, about; 0: after each."""
