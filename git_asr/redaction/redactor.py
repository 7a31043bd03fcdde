"""Makes of a bundle one that may be shared: every stream anew, saying what it is derived from (profile section 2)."""

from __future__ import annotations

from collections.abc import Callable

from git_asr.asr.bundle import Bundle, PutFile
from git_asr.redaction.findings import Finding, Redacted
from git_asr.redaction.masking import Masker, Note, word_rules
from git_asr.redaction.placeholders import Placeholders
from git_asr.redaction.policy import Policy
from git_asr.redaction.twins import Progress, Twins


class Redactor:
    """A policy made ready. It serves for any number of bundles; nothing goes from one to another."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self._rules = {
            redacted: [*policy.rules(redacted=redacted), *word_rules(policy.words)]
            for redacted in (True, False)
        }

    def bundle(
        self,
        source: Bundle,
        put: PutFile,
        tell: Callable[[Finding], None] | None = None,
        progress: Progress | None = None,
    ) -> Redacted:
        """Write the redacted twin of a bundle, its manifest last.

        ``tell``: is given each finding. ``progress``: is told how much is done. Streams of another major version and
        those that cannot be read are left out, and so is every file that is neither of a stream nor a blob.

        Raises:
            AsrError: a listed file is not there.
        """
        return Twins(self.policy, self._rules, source, put, tell).made(progress)

    def text(self, text: str, note: Note | None = None, *, redacted: bool = True) -> str:
        """A text as it would be in a shareable bundle; ``note`` as of :class:`Masker`."""
        return self.masker(note, redacted=redacted).text(text)

    def masker(self, note: Note | None = None, *, redacted: bool = True) -> Masker:
        """What masks single texts and values."""
        return Masker(self._rules[redacted], Placeholders(self.policy.form), self.policy.allowed, note)
