"""Puts the cases together as the kit has them: files by path, and what is expected of each check."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from git_asr.validation import conformance
from git_asr.validation.registry import CHECKS
from tests.support.kit import cases_of_bundles, cases_of_streams

KIT = Path(__file__).parents[3] / "fixtures" / "conformance"
LONG = {
    "valid": {"limit": [['{"type":"header"', 1], [" ", 33_554_410], ["}\n", 1]]},
    "invalid": {"longer": [['{"type":"header"', 1], [" ", 33_554_420], ["}\n", 1]]},
}
