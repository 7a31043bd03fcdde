"""Every group of rules: what a policy turns on or off."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from git_asr.redaction import assignments, entropy, library, personal, tokens
from git_asr.redaction.base import Rule
from git_asr.values import dataclass


@dataclass(frozen=True, slots=True)
class Group:
    """A group of rules. ``says``: what it finds, for the documentation."""

    name: str
    says: str
    rules: Callable[[], Iterable[Rule]]


GROUPS = (
    Group(
        "secrets",
        "keys and tokens that tell by their form what they are",
        lambda: (*tokens.RULES, *library.rules()),
    ),
    Group("urls", "credentials in URLs", lambda: personal.URLS),
    Group(
        "assignments",
        "values beside names such as `password`: settings, headers, cookies, arguments",
        lambda: assignments.RULES,
    ),
    Group("entropy", "long random strings", lambda: entropy.RULES),
    Group("emails", "e-mail addresses", lambda: personal.EMAILS),
    Group(
        "users",
        "the user's name: in home folders, and wherever it stands once a working folder told it",
        lambda: personal.USERS,
    ),
    Group("hosts", "names of machines: prompts, private domains", lambda: personal.HOSTS),
    Group("cards", "numbers of payment cards", lambda: personal.CARDS),
    Group("network", "IP and MAC addresses", lambda: personal.NETWORK),
    Group("phones", "telephone numbers", lambda: personal.PHONES),
    Group("paths", "whole paths of files, not only the user's name in them", lambda: personal.PATHS),
)
"""In the order in which they give a place its name."""

NAMES = tuple(group.name for group in GROUPS)


def rules(wanted: Iterable[str]) -> list[Rule]:
    """The rules of some groups, in the order of the registry."""
    names = set(wanted)
    return [rule for group in GROUPS if group.name in names for rule in group.rules()]
