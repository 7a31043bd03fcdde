"""Texts without what rules find in them."""

from __future__ import annotations

import pytest

from git_asr.redaction import policy, registry
from git_asr.redaction.markers import highest_number, holds_marker
from git_asr.redaction.masking import Masker, literal_rule, word_rules
from git_asr.redaction.placeholders import Placeholders
from git_asr.redaction.redactor import Redactor
from git_asr.redaction.views import views
from tests.redaction.planted import SECRETS

DEFAULT = Redactor(policy.default())
TOKEN, OTHER = SECRETS["github-token"], SECRETS["npm-token"]


def masker(**more: object) -> Masker:
    return Masker(
        registry.rules(["secrets", "urls", "emails", "users", "assignments"]), Placeholders(), **more
    )  # type: ignore[arg-type]


def test_the_same_secret_has_the_same_placeholder() -> None:
    own = masker()
    assert (
        own.text(f"{TOKEN} {OTHER} {TOKEN}") == "[REDACTED_SECRET_1] [REDACTED_SECRET_2] [REDACTED_SECRET_1]"
    )
    assert own.text(f"x={OTHER}") == "x=[REDACTED_SECRET_2]"
    escaped = "\\u0067" + TOKEN[1:]
    assert own.text(escaped) == "[REDACTED_SECRET_1]"


def test_only_the_secret_goes() -> None:
    own = masker()
    assert own.text("cd /home/maria/app && ls") == "cd /home/[REDACTED_USER_1]/app && ls"
    assert own.text("https://maria:pw9@git.io/x") == "https://[REDACTED_URL_CREDENTIALS_2]@git.io/x"
    assert own.text('{"password": "abc 9"}') == '{"password": "[REDACTED_SECRET_3]"}'
    assert own.text("C:\\Users\\Maria Lopez\\x") == "C:\\Users\\[REDACTED_USER_4]\\x"


def test_a_text_without_findings_is_the_same_object() -> None:
    text = "nothing to see here" * 50
    assert DEFAULT.text(text) is text


def test_ids_become_ids() -> None:
    own = masker()
    assert own.identifier("toolu_1") == "toolu_1"
    assert own.identifier(f"call-{TOKEN}") == "redacted-1"
    assert own.identifier(f"call-{TOKEN}") == "redacted-1"
    assert own.identifier(f"call-{OTHER}") == "redacted-2"
    assert own.identifier("redacted-1") == "redacted-1"


def test_allowed_values_stay() -> None:
    own = masker(allowed=("*@acme.io", TOKEN))
    assert own.text(f"x@acme.io y@acme.com {TOKEN}") == f"x@acme.io [REDACTED_EMAIL_1] {TOKEN}"


def test_words_go_in_any_case_but_not_within_words() -> None:
    own = Masker(word_rules(["Project Zeus", "acme"]), Placeholders())
    assert own.text("ACME's project zeus, acmeology") == "[REDACTED_WORD_1]'s [REDACTED_WORD_2], acmeology"


def test_what_was_learned_is_found_everywhere() -> None:
    own = masker()
    assert own.text("the pw is korrekt-Pferd9") == "the pw is korrekt-Pferd9"
    own.text("DB_PASSWORD='korrekt-Pferd9'")
    own.learn(["maria"])
    assert own.text("the pw is korrekt-Pferd9") == "the pw is [REDACTED_SECRET_1]"
    assert own.text("Maria said: marianne") == "[REDACTED_USER_2] said: marianne"
    assert own.identifier("for-maria") == "redacted-3"


def test_markers_are_left_and_seen() -> None:
    text = 'password="REDACTED" REDACTED [REDACTED_EMAIL] https://u:REDACTED@h.io/ [REDACTED_SECRET_7]'
    assert DEFAULT.text(text) is text
    assert holds_marker("x REDACTED") and not holds_marker("UNREDACTED REDACTEDish")
    assert highest_number(b"[REDACTED_URL_CREDENTIALS_12] redacted-9 [REDACTED_SECRET_99999999999]") == 12


def test_a_marker_within_a_secret_stays_and_the_rest_goes() -> None:
    own = masker()
    assert (
        own.text("password='abcd REDACTED 9'") == "password='[REDACTED_SECRET_1]REDACTED[REDACTED_SECRET_2]'"
    )
    assert own.text("Cookie: a=[REDACTED_EMAIL]; b=aB3dE5fG7hJ9") == (
        "Cookie: [REDACTED_SECRET_3][REDACTED_EMAIL][REDACTED_SECRET_4]"
    )


def test_plain_placeholders_are_not_numbered() -> None:
    plain = Masker(registry.rules(["secrets"]), Placeholders("plain"))
    assert plain.text(f"{TOKEN} {OTHER}") == "[REDACTED_SECRET] [REDACTED_SECRET]"
    assert plain.identifier(f"a-{TOKEN}") == "redacted-1"


def test_numbers_go_on_after_those_that_are_there() -> None:
    assert Placeholders(after=41).of("EMAIL", "x") == "[REDACTED_EMAIL_42]"


def test_data_that_nothing_redacted_is_looked_at_for_random_strings() -> None:
    text = "x Zk3vQ9tLm2XcR7bNw4HsYd8PfJ1aGu6E y"
    assert DEFAULT.text(text) is text
    assert DEFAULT.text(text, redacted=False) == "x [REDACTED_RANDOM_1] y"


def test_a_rule_that_finds_its_own_placeholders_ends() -> None:
    greedy = Masker(
        [literal_rule("r", "REDACTED", "SECRET"), literal_rule("s", "SECRET", "XYZ")], Placeholders()
    )
    assert greedy.text("XYZ") == "[REDACTED_SECRET_1]"


@pytest.mark.parametrize(
    ("text", "within"),
    [
        ("a\\u0062c", "abc"),
        ("a\\\\u0062c", "abc"),
        ("https:\\/\\/x", "https://x"),
        ("a%62c", "abc"),
        ("a&#98;c &amp; &commat;", "abc & @"),
        ("a\\x62c \\u{62}", "abc b"),
        ("&#10;x", "\ufffdx"),
        ("a\\nb\\tc%0Ad\\u0007", "a\nb\tc\nd\x07"),
        ("a\x1b[1;31mb\x1b[K\x1b[mc", "abc"),
        ("a\x1b[20Gb\\e[2Cc\\\\u001b[0m", "a b c"),
        ("x a\x00b\x00c\x00", "x abc"),
        ("\x00a\x00b", "ab"),
        ("a\\u0000b\\u0000c\\u0000", "abc\x00"),
        ("a\u200bb\ufeff", "ab"),
        ("x aGVsbG8gd29ybGQsIGhlcmUgSSBhbQ== y", "hello world, here I am"),
        ("x 68656c6c6f20776f726c642c206865726520 y", "hello world, here "),
        (
            "x " + "aGVsbG8gd29ybGQsIGhlcmUgSSBhbSBhbmQgdGhlcmUgYW0gSSBub3QgYXQgYWxs\nIG5vdA== y",
            "hello world, here I am and there am I not at all not",
        ),
        ("x 5pel5pys6Kqe44Gn44GZ44CC44GT44KM44Gv y", "日本語です。これは"),
    ],
)
def test_texts_within_texts(text: str, within: str) -> None:
    assert within in [one.text for one in views(text)]


@pytest.mark.parametrize(
    "text",
    [
        "abc",
        "x" * 40,
        "A" * 40,
        "x 0000000000000000000000000000 y",
        "100% \\d &x; %02d \\q",
        "abc\x00def",
        "x aGVsbG8gd29ybGQsIGhlcmUgAQ== y",
    ],
)
def test_texts_with_none_within(text: str) -> None:
    assert list(views(text)) == []


def test_places_lead_back() -> None:
    (view,) = views("ab\\u0063d%65f")
    assert view.text == "abcdef"
    assert view.place(0, 2) == (0, 2)
    assert view.place(2, 3) == (2, 8)
    assert view.place(1, 5) == (1, 12)
    assert view.place(3, 6) == (8, 13)
