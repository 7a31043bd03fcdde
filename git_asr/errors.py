"""Every error and warning that a user can meet: one line, and a hint with a command to paste."""

from __future__ import annotations

from collections.abc import Callable

from git_asr.values import dataclass

DONE = 0
INCOMPLETE = 1  # findings, or not complete under --strict
USAGE = 2
FAULT = 3
INTERRUPTED = 130


class AsrError(Exception):
    """Something that stops a command.

    ``message`` is one line without a full stop, in Git's manner; ``hint`` is a command or a way out, or None.
    ``status`` is the exit status of the process (design: 1 not complete, 2 wrong usage).
    """

    status = INCOMPLETE

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(AsrError):
    """What the user typed cannot be meant: unknown revision, no repository, wrong option."""

    status = USAGE


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """Something that does not stop a command: work goes on, the user is told once.

    ``code`` is a short stable name (``absent-blob``); ``where`` names the thing (``checkpoint 5f0af6f2363f``);
    ``message`` is one line and may quote untrusted text: whoever prints it neutralises control characters.
    """

    code: str
    where: str
    message: str
    hint: str | None = None


Report = Callable[[Diagnostic], None]
"""Takes each diagnostic when it is found."""
