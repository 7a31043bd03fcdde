"""Golden outputs of commands on the samples, in ``goldens/``.

A run with GIT_ASR_WRITE_GOLDENS=1 writes them anew; read the difference before you commit it.
"""

from __future__ import annotations

import os
from pathlib import Path

FOLDER = Path(__file__).parent / "goldens"


def is_golden(name: str, said: str) -> bool:
    """Whether a command said what the file of that name holds."""
    file = FOLDER / name
    if os.environ.get("GIT_ASR_WRITE_GOLDENS"):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(said, encoding="utf-8")
    return file.read_text(encoding="utf-8") == said
