"""Policies in files."""

from __future__ import annotations

import hashlib
import sys

import pytest

from git_asr.errors import UsageError
from git_asr.redaction import policy, registry
from git_asr.redaction.policy_file import parse
from git_asr.redaction.redactor import Redactor

HEAD = 'name = "acme"\nversion = "3"\n'


def test_a_policy_starts_from_a_built_in_one() -> None:
    found = parse(HEAD)
    assert found.record() == {"name": "acme", "version": f"3 (default {policy.own_version()})"}
    assert found.groups == policy.default().groups
    strict = parse(HEAD + 'extends = "strict"\n')
    assert (strict.meta, strict.sources, strict.uses("phones")) == ("drop", "drop", True)


def test_everything_that_a_policy_can_say() -> None:
    found = parse(
        HEAD
        + """
allow = ["*@acme.io"]
words = ["Zeus"]
[rules]
emails = false
phones = true
entropy = "unredacted"
[content]
meta = "drop"
vendor = "drop"
binary = "keep"
sources = "drop"
[replacement]
form = "plain"
[[pattern]]
name = "ticket"
regex = 'ACME-(\\d{2,})'
kind = "TICKET"
"""
    )
    assert not found.uses("emails") and found.uses("phones")
    assert found.uses("entropy", redacted=False) and not found.uses("entropy")
    assert (found.meta, found.vendor, found.binary, found.sources, found.form) == (
        "drop",
        "drop",
        "keep",
        "drop",
        "plain",
    )
    assert (
        Redactor(found).text("see ACME-123 by x@y.io, Zeus")
        == "see ACME-[REDACTED_TICKET] by x@y.io, [REDACTED_WORD]"
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name = ", "no TOML: "),
        ("x = " + "[" * 5000, "no TOML: nested too deeply"),
        ("x = " + "{a=" * 5000, "no TOML: nested too deeply"),
        ("x = " + "1" * 5000, "no TOML: Exceeds the limit"),
        ("", "name: a text is needed"),
        ('name = "Acme"\nversion = "1"', "name: 'Acme' is none"),
        ('name = "default"\nversion = "1"', "name: 'default' is none"),
        ('name = "x"', "version: a text is needed"),
        (HEAD + "exteds = 1", "exteds: no such key; there are name, version"),
        (HEAD + 'extends = "none"', "extends: 'none' is not default or strict"),
        (HEAD + "rules = 1", "rules: no table; write [rules]"),
        (HEAD + "[rules]\nmails = true", "rules.mails: no such key; there are secrets,"),
        (HEAD + "[rules]\nemails = 1", "rules.emails: 1 is not true"),
        (HEAD + "[rules]\nemails = [1]", "rules.emails: [1] is not true"),
        (HEAD + '[content]\nmeta = "keep"', "content.meta: 'keep' is not redact or drop"),
        (HEAD + "[content]\nmeta = []", "content.meta: [] is not redact or drop"),
        (HEAD + "[content]\nblobs = 1", "content.blobs: no such key"),
        (HEAD + '[replacement]\nform = "hash"', "replacement.form: 'hash' is not"),
        (HEAD + 'allow = "x"', "allow: a list of texts"),
        (HEAD + 'words = ["a"]', "words: a list of texts"),
        (HEAD + "words = [" + '"abc",' * 10_001 + "]", "words: more than 10000 values"),
        (HEAD + "[pattern]\nname='x'", "pattern: write [[pattern]]"),
        (HEAD + "pattern = [1]", "pattern 1: no table"),
        (HEAD + "[[pattern]]\nname='x'\nregexp='a'", "pattern 1: regexp: no such key"),
        (HEAD + "[[pattern]]\nname='X'\nregex='a'", "pattern 1: name: 'X' is none"),
        (HEAD + "[[pattern]]\nname='x'\nregex='a'\nkind='k'", "pattern 1: kind: 'k' is no word"),
        (HEAD + "[[pattern]]\nname='x'", "pattern 1: regex: a text is needed"),
        (HEAD + "[[pattern]]\nname='x'\nregex='('", "pattern x: missing )"),
        (HEAD + "[[pattern]]\nname='x'\nregex='(?<=a)b'", "pattern x: invalid perl operator"),
        (HEAD + "[[pattern]]\nname='x'\nregex='a*'", "pattern x: it matches where nothing stands"),
        (HEAD + f"[[pattern]]\nname='x'\nregex='{'a' * 1001}'", "pattern x: longer than 1000"),
    ],
)
def test_a_wrong_file_is_told_in_one_line(text: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse(text)
    assert caught.value.message.startswith(said)
    assert "\n" not in caught.value.message


def test_a_pattern_that_hangs_other_engines_does_not() -> None:
    found = parse(HEAD + "[[pattern]]\nname='x'\nregex='(?:a+)+b|(?:x+x+)+y'\n")
    text = "a" * 50_000 + " " + "x" * 50_000 + "\ud800"
    assert Redactor(found).text(text) == text
    assert Redactor(found).text("\ud800 aab \ud800") == "\ud800 [REDACTED_WORD_1] \ud800"


def test_own_patterns_need_a_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "re2", None)
    with pytest.raises(UsageError, match="patterns of one's own need google-re2"):
        parse(HEAD + "[[pattern]]\nname='x'\nregex='a'\n")


RULES = "6fdcfde33251c16d"


def test_other_rules_are_another_version() -> None:
    """Whoever changes a rule or a built-in policy raises ``policy.REVISION``, and writes the new digest here."""
    told = [
        (rule.name, rule.kind, str(getattr(rule.pattern, "pattern", "")), rule.literals)
        for rule in registry.rules(set(registry.NAMES))
        if not rule.name.startswith("detect-secrets/")
    ]
    built_in = [
        (one().groups, one().meta, one().vendor, one().binary, one().sources, one().form)
        for one in (policy.default, policy.strict)
    ]
    digest = hashlib.sha256(repr((told, built_in)).encode()).hexdigest()[:16]
    assert (policy.REVISION, digest) == (2, RULES)
