"""What a policy says, and the two that come with git-asr."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Literal

from git_asr.redaction import library, registry
from git_asr.redaction.base import Rule
from git_asr.redaction.placeholders import Form
from git_asr.values import dataclass

REVISION = 2
"""Raised whenever the rules or the built-in policies find something else than before; a test holds it to them."""

Content = Literal["redact", "drop"]
When = Literal["always", "unredacted", "never"]


@dataclass(frozen=True, slots=True)
class Policy:
    """What is looked for, and what becomes of it.

    ``name``, ``version``: as derived streams record them. ``groups``: of each group of rules, when it is used; always,
    never, or for data that nothing redacted when it was stored. ``meta``, ``vendor``: ``_meta`` and records of
    vendors' types are masked or left out. ``binary``: blobs that are no text stay or are left out. ``sources``:
    whether a header still names the native transcripts, with their digests. ``allowed``: values that stay, ``*`` for
    any characters. ``words``: words that go. ``patterns``: rules of its own.
    """

    name: str
    version: str
    groups: Mapping[str, When]
    meta: Content = "redact"
    vendor: Content = "redact"
    binary: Literal["keep", "drop"] = "drop"
    sources: Literal["keep", "drop"] = "keep"
    form: Form = "numbered"
    allowed: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    patterns: Sequence[Rule] = field(default=())

    def record(self) -> dict[str, str]:
        """How a derived stream names it (profile section 2, ``derivedFrom``)."""
        return {"name": self.name, "version": self.version}

    def uses(self, group: str, *, redacted: bool = True) -> bool:
        """Tell whether a group of rules is used; ``redacted``: for data that was redacted when it was stored."""
        when = self.groups.get(group, "never")
        return when == "always" or (when == "unredacted" and not redacted)

    def rules(self, *, redacted: bool = True) -> list[Rule]:
        """Its rules, in the order in which they give a place its name."""
        groups = [name for name in registry.NAMES if self.uses(name, redacted=redacted)]
        return [*self.patterns, *registry.rules(groups)]


def own_version() -> str:
    """The version of the built-in rules, with that of the library whose rules are among them."""
    return f"{REVISION}+detect-secrets-{library.version()}"


def default() -> Policy:
    """Secrets, and what tells who worked on which machine; the text stays readable."""
    rarely: dict[str, When] = {
        "entropy": "unredacted",
        "network": "never",
        "phones": "never",
        "paths": "never",
    }
    return Policy("default", own_version(), {name: rarely.get(name, "always") for name in registry.NAMES})


def strict() -> Policy:
    """Every rule, nothing of ``_meta`` and vendors' records, no native source."""
    return Policy(
        "strict",
        own_version(),
        dict.fromkeys(registry.NAMES, "always"),
        meta="drop",
        vendor="drop",
        binary="drop",
        sources="drop",
    )


BUILT_IN = {"default": default, "strict": strict}
