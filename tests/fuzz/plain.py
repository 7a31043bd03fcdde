"""The engine that needs nothing: rounds of damage, each known by the seed and its number."""

from __future__ import annotations

import time
from collections.abc import Callable

from tests.fuzz.base import Failure, Target, run

_MEASURED = 50
"""Of so many rounds one counts what Python holds."""


def fuzz(
    target: Target, seed: int, seconds: float, tell: Callable[[Failure, str], object], rounds: int = 0
) -> int:
    """Rounds until the time is over, or so many; how many there were. ``tell``: takes a failure and its round."""
    end = time.monotonic() + seconds
    number = 0
    while number < rounds or (not rounds and time.monotonic() < end):
        failure = run(target, target.made(seed, number), measured=number % _MEASURED == _MEASURED - 1)
        if failure is not None:
            tell(failure, f"--seed {seed} --round {number}")
        number += 1
    return number
