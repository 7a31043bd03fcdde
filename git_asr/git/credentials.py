"""What is left out of a URL that is shown: whatever would let somebody else in."""

from __future__ import annotations

import re

_USERINFO = re.compile(r"(?<=://)[^/\s]*@")
"""Up to the last at sign: a password may hold one."""
_IN_QUERY = re.compile(
    r"(?<=[?&])([^=&\s]*(?:token|key|secret|pass|sig|auth)[^=&\s]*=)[^&\s'\"]+", re.IGNORECASE
)


def without_credentials(text: str) -> str:
    """Leave out the user and the password of every URL in a text, and the secrets that stand behind its ``?``."""
    return _IN_QUERY.sub(r"\1...", _USERINFO.sub("", text))
