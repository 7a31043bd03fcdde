"""What rules find, and what they leave."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_asr.redaction import assignments, entropy, library, registry
from git_asr.redaction.base import Rule
from git_asr.redaction.scanning import Scanner, folded
from tests.redaction.planted import SECRETS, WITH_CONTEXT, core

EVERY = Scanner(registry.rules(set(registry.NAMES) - {"entropy", "network", "phones", "paths"}))


def found(text: str, scanner: Scanner = EVERY) -> list[str]:
    return [text[span.start : span.end] for span in scanner.spans(text)]


@pytest.mark.parametrize("name", SECRETS)
def test_a_secret_is_found_between_words(name: str) -> None:
    for text in (
        SECRETS[name],
        f"is it {SECRETS[name]} or not",
        f'("{SECRETS[name]}")',
        f"a\n{SECRETS[name]}\nb",
    ):
        assert any(core(name) in one for one in found(text)) or any(
            one in core(name) for one in found(text)
        ), text


@pytest.mark.parametrize(
    "text",
    [
        'password = os.environ["DB_PASSWORD"]',
        "password: str",
        "token: Optional[str] = None",
        "const token = await getToken(session)",
        "secret: ${{ secrets.DEPLOY_KEY }}",
        'api_key = "<your-api-key>"',
        'password: "********"',
        "max_tokens: 4096, total_tokens=12345678",
        "tokens: 123456789012",
        '"cacheReadTokens": "1234567890"',
        "the password is checked in auth.py:120",
        "self.password = password",
        "tokenizer = AutoTokenizer.from_pretrained('bert-base-uncased-v2')",
        "git@github.com:acme/app.git",
        "https://github.com/acme/app/pull/12#discussion_r123456789",
        "Co-Authored-By: Claude <noreply@anthropic.com>",
        "someone@example.com and other@test.example.org",
        "npm install left-pad@1.3.0 @types/node@20.1.2",
        "/home/user/app /Users/runner/work /home/ubuntu",
        "~/projects/app and ~ alone",
        "commit 55a37169aeeec39bd3082a429dc184f6b7bd4964",
        "session 5d0c8f52-3b7a-4e19-9c64-2f8e1a7b6d03",
        "toolu_012z1vpyaMaKLqBgtEJetSEN",
        "1764553200000 2026-04-21T08:55:02.123Z 4503599627370496",
        "settings.local.json .env.local config.internal.ts self.internal",
        "sk-loading-spinner-for-the-main-content-area",
        "task-list-of-the-whole-big-project-is-here",
        "const x = 'pre-commit run --all-files'",
        "password=REDACTED token=[REDACTED_TOKEN] https://x:REDACTED@h.io/",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ",
        "public_key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI'",
        "Basic usage: see below; basic authentication works",
    ],
)
def test_ordinary_text_is_left(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize("name", WITH_CONTEXT)
def test_a_name_tells_a_secret(name: str) -> None:
    before, secret = WITH_CONTEXT[name]
    wanted = secret.split(" ")[0].strip('"}')
    assert any(wanted in one for one in found(before + secret))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("password", "q"),
        ("DB_PASS", "postgres"),
        ("clientSecret", "abc"),
        ("api-key", "a1b2c3d4"),
        ("X-Auth-Token", "0123456789"),
        ("privateKey", "k"),
        ("connectionString", "Server=x;Pwd1=y"),
    ],
)
def test_a_key_tells_a_secret(key: str, value: str) -> None:
    assert assignments.is_secret_name(key)
    assert assignments.is_secret_value(key, value)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("totalTokens", "12345678"),
        ("max_tokens", "12345678"),
        ("token_count", "12345678"),
        ("tokenizer", "a1b2c3d4e5"),
        ("apiKeySource", "ANTHROPIC_API_KEY1"),
        ("publicKey", "a1b2c3d4e5"),
        ("passwordField", "a1b2c3d4e5"),
        ("secretName", "prod/db1"),
        ("author", "a1b2c3d4e5"),
        ("password", "<hidden>"),
        ("password", "null"),
        ("token", "identifier"),
        ("x" * 200 + "password", "abc"),
    ],
)
def test_a_key_that_tells_none(key: str, value: str) -> None:
    assert not (assignments.is_secret_name(key) and assignments.is_secret_value(key, value))


def test_entropy_finds_what_is_random_and_leaves_ids() -> None:
    scanner = Scanner(list(entropy.RULES))
    assert found("x Zk3vQ9tLm2XcR7bNw4HsYd8PfJ1aGu6E y", scanner) == ["Zk3vQ9tLm2XcR7bNw4HsYd8PfJ1aGu6E"]
    assert found("55a37169aeeec39bd3082a429dc184f6b7bd4964", scanner) == []
    assert found("toolu_01RYxCgCv4zBVJsocuEbjYWLQp7", scanner) == []
    assert found("src/Components/Button2/IndexOfAllThings", scanner) == []


@pytest.mark.parametrize(
    ("group", "text"),
    [
        ("network", "from 203.0.113.77 to"),
        ("network", "addr 2001:db8:0:1:1:1:1:1 x"),
        ("network", "ether 3c:22:fb:9a:10:7e x"),
        ("phones", "call +49 170 1234567 now"),
        ("phones", "call (415) 555-2671 now"),
        ("paths", "see /srv/app/releases/7/x.py there"),
        ("paths", "see C:\\work\\secret-project\\x.py there"),
    ],
)
def test_what_strict_finds_beside(group: str, text: str) -> None:
    one, two = text.split(" ", maxsplit=1)[0], text.rsplit(" ", maxsplit=1)[-1]
    (hit,) = set(found(text, Scanner(registry.rules([group]))))
    assert hit == text.removeprefix(one).removesuffix(two).strip()


@pytest.mark.parametrize(
    "text", ["version 1.2.3.4.5", "127.0.0.1:8080", "12:30:45", "2026-04-21", "std::vec::Vec"]
)
def test_what_strict_leaves(text: str) -> None:
    assert found(text, Scanner(registry.rules(["network", "phones"]))) == []


LIBRARY = [rule for rule in library.rules() if rule.literals and "telegram" not in rule.name]


@pytest.mark.parametrize("rule", LIBRARY, ids=lambda rule: f"{rule.name} {rule.pattern.pattern[:20]}")
@pytest.mark.no_cover  # it takes long, measured twice as long
def test_the_literals_hide_no_match_of_the_library(rule: Rule) -> None:
    pattern = rule.pattern

    @given(st.from_regex(pattern))  # type: ignore[arg-type]
    def look(text: str) -> None:
        start, end = pattern.search(text).span()  # type: ignore[attr-defined]
        at = [folded(text).find(one, start) for one in rule.literals]
        at = [one for one in at if 0 <= one < end]
        assert at
        if (
            not text.isascii()
        ):  # what Python counts among letters and digits beyond ASCII has other rules of case
            return
        assert min(at) - start <= rule.before
        found = Scanner([rule]).spans(text)
        assert found

    look()


def test_every_plugin_of_the_library_is_known() -> None:
    assert library.version() >= "1.5"
    assert all(rule.literals or rule.pattern.pattern[0] not in ".(" for rule in library.rules())  # type: ignore[attr-defined]
    assert {rule.name for rule in library.rules()} == {
        "detect-secrets/" + one.module.replace("_", "-") for one in library.PLUGINS
    }


def test_a_token_is_taken_to_its_end_however_long_it_is() -> None:
    token = "ghp" + "_" + "aB3dE5fG7hJ9" * 4000
    assert found(f"x {token} y")[0] == token
    key = (
        "-----BEGIN " + "PRIVATE KEY-----\n" + "aB3dE5fG7hJ9kL2m\n" * 3000 + "-----END " + "PRIVATE KEY-----"
    )
    assert key in found(f"x {key} y")
    assert found(json.dumps(f"x {key} y"))[0].startswith("-----BEGIN")


def test_texts_that_change_their_length_in_small_letters_keep_their_places() -> None:
    text = "İİİ PASSWORD='x9x9x9x9' ẞ"
    assert folded(text)[4:12] == "password"
    assert "x9x9x9x9" in found(text)
