"""The policy that a command line names."""

from __future__ import annotations

from pathlib import Path

from git_asr.errors import UsageError
from git_asr.redaction.policy import BUILT_IN, Policy
from git_asr.redaction.policy_file import parse

_MOST = 1 << 20
"""Bytes of a policy file."""


def policy(name: str) -> Policy:
    """The built-in policy of that name, else the one in that file.

    Raises:
        UsageError: there is none, or the file holds no policy; in one line.
    """
    if name in BUILT_IN:
        return BUILT_IN[name]()
    path = Path(name)
    try:
        with path.open("rb") as file:
            data = file.read(_MOST + 1)
        text = data.decode("utf-8")
    except FileNotFoundError as error:
        raise UsageError(
            f"no policy is called '{name}', and no file",
            hint=f"--policy {' or '.join(BUILT_IN)}, or a TOML file",
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"policy {name}: {error}") from error
    if len(data) > _MOST:
        raise UsageError(f"policy {name}: larger than {_MOST >> 20} MiB")
    try:
        return parse(text)
    except UsageError as error:
        raise UsageError(f"policy {name}: {error.message}", hint=error.hint) from error
