"""What stands around a secret, or within it, and what else tells one: none of it hides a secret."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

import pytest

from git_asr.redaction import policy
from git_asr.redaction.placeholders import Placeholders
from git_asr.redaction.redactor import Redactor
from git_asr.redaction.values import Walker
from tests.redaction.planted import SECRETS, core

DEFAULT = Redactor(policy.default())
STRICT = Redactor(policy.strict())
ESC = "\x1b"
PASSWORD = "hunter2!xyz"

AROUND = {
    "colours": f"x {ESC}[1;32m%s{ESC}[0m y",
    "spelled colours": "x \\u001b[32m%s\\u001b[0m y",
    "columns": f"x{ESC}[20G%s{ESC}[40Gy",
    "no width": "a\u200b%s\u200bb",
    "scripts": "鍵%sです",
    "emphasis": "_%s_",
    "removed line": "-%s",
    "sentence": "It is %s.",
}


@pytest.mark.parametrize("around", AROUND)
def test_no_surroundings_hide_a_secret(around: str) -> None:
    survived = [
        name for name in SECRETS if core(name) in DEFAULT.text(AROUND[around].replace("%s", SECRETS[name]))
    ]
    assert survived == []


@pytest.mark.parametrize("name", SECRETS)
def test_no_control_character_before_a_secret_hides_it(name: str) -> None:
    secret, gone = SECRETS[name], core(name)
    for text, left in (
        (json.dumps(f"a\n{secret}\tb"), json.dumps(gone)[1:-1]),
        (json.dumps(json.dumps(f"a\n{secret}\tb")), json.dumps(json.dumps(gone)[1:-1])[1:-1]),
        (f"a\\u000a{secret}\\x0ab", gone),
        (f"a%0A{quote(secret, safe='')}%0d", quote(gone, safe="")),
    ):
        assert left not in DEFAULT.text(text), text


@pytest.mark.parametrize("name", SECRETS)
def test_nothing_within_a_secret_that_nobody_sees_hides_it(name: str) -> None:
    secret, gone = SECRETS[name], core(name)
    start = secret.index(gone) + 3
    grep = f"x {secret[:start]}{ESC}[01;31m{ESC}[K{secret[start:]}{ESC}[m{ESC}[K y"
    assert gone[3:] not in DEFAULT.text(grep)
    wide = "".join(f"{one}\0" for one in f"x {secret} y")
    assert "\0".join(gone) not in DEFAULT.text(wide)
    walked = Walker(DEFAULT.masker(), names=True).value(json.dumps([wide]))
    assert "\0".join(gone) not in json.loads(walked)[0]


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("<password>%s</password>", PASSWORD),
        ('<add key="Password" value="%s"/>', PASSWORD),
        ("<db:Passwort><![CDATA[%s]]></db:Passwort>", PASSWORD),
        ("CREATE USER x IDENTIFIED BY '%s';", PASSWORD),
        ("ALTER ROLE x WITH PASSWORD '%s';", PASSWORD),
        ("docker login -u maria -p %s registry", PASSWORD),
        ("redis-cli -a %s ping", PASSWORD),
        ("db.host:5432:app:maria:%s\n", PASSWORD),
        ("| password | %s |", PASSWORD),
        ("the password is %s, by the way", PASSWORD),
        ("Password is: %s", PASSWORD),
        ("Passwort: %s", PASSWORD),
        ("contraseña=%s", PASSWORD),
        ("パスワード：%s", PASSWORD),
        (f"DB_PASSWORD={ESC}[33m%s{ESC}[0m", PASSWORD),
        ('{"passwords": ["x", "%s"]}', PASSWORD),
        ('[{"name": "DB_PASSWORD", "value": "%s"}]', PASSWORD),
        ("---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nComment: x\n%s\n---- END SSH2", "aB3dE5fG7hJ9kL2m"),
        ("%s", "mária.lopez@acme-corp.io"),
        ("%s", "maria.lopez@müller-corp.de"),
        ("%s", "мария@почта.рф"),
        ("\\\\wsl$\\Ubuntu\\home\\%s\\x", "mlopez77"),
        ("ssh は%s:~$ ls", "maria@build-7"),
    ],
)
def test_what_else_tells_a_secret(text: str, gone: str) -> None:
    masked = Walker(DEFAULT.masker(), names=True).value(text.replace("%s", gone))
    assert gone not in masked
    assert gone.split("@", maxsplit=1)[0] not in masked
    assert Walker(DEFAULT.masker(), names=True).value(masked) == masked


@pytest.mark.parametrize(
    "text",
    [
        "the password is required and the token is invalid",
        "| password | varchar(255) |",
        "<password>string</password>",
        "docker run -p 8080:80 app",
        "C:\\new\\table\\for 100%d and 5%02d",
        "regex \\bfoo\\d+\\n",
        '{"tokens": [1, 2], "passwords": ["none"], "password": null}',
        "call_4012888888881881x and v4012888888881881",
    ],
)
def test_what_tells_none(text: str) -> None:
    assert Walker(DEFAULT.masker(), names=True).value(text) == text


@pytest.mark.parametrize(
    "text",
    ["-192.168.7.21", "call 212-555-0199.", "-+49 171 1234567", "-I /x:/home/maria/y", "-/srv/app/key"],
)
def test_strict_finds_in_a_diff_and_at_the_end_of_a_sentence(text: str) -> None:
    assert "REDACTED" in STRICT.text(text)


@pytest.mark.parametrize(
    ("value", "masked"),
    [
        ({"card": 4012888888881881}, {"card": "[REDACTED_CARD_1]"}),
        ({"n": -40128888, "x": 1.5, "b": True}, {"n": -40128888, "x": 1.5, "b": True}),
        (
            {"passwords": [["hunter2!xyz"], {"a": 1}]},
            {"passwords": [["[REDACTED_SECRET_1]"], {"a": 1}]},
        ),
        (
            ["curl", "-u", "maria:hunter2!xyz", "-o", "x"],
            ["curl", "-u", "[REDACTED_SECRET_1]", "-o", "x"],
        ),
        (["-x", "a@b.io c"], ["-x", "[REDACTED_EMAIL_1] c"]),
        (["-" * 50, "a@b.io", "--", "x"], ["-" * 50, "[REDACTED_EMAIL_1]", "--", "x"]),
        (["-a@b.io", "x"], ["-[REDACTED_EMAIL_1]", "x"]),
        (["{", '{"count": NaN}', '[{"count": 1'], None),
    ],
)
def test_values(value: Any, masked: Any) -> None:
    assert Walker(DEFAULT.masker(), names=True).value(value) == (value if masked is None else masked)


def test_a_number_that_is_a_known_secret_goes_too() -> None:
    masker = DEFAULT.masker()
    walker = Walker(masker, names=True)
    assert walker.value({"pin_password": 8675309812}) == {"pin_password": "[REDACTED_SECRET_1]"}
    masker.learn()
    assert walker.value([8675309812, 8675309813]) == ["[REDACTED_SECRET_1]", 8675309813]


def test_json_text_stays_as_it_is_written_where_its_values_need_no_look() -> None:
    text = '{\n  "cwd": "/home/mlopez77/x"\n}'
    assert Walker(DEFAULT.masker(), names=True).value(text) == '{\n  "cwd": "/home/[REDACTED_USER_1]/x"\n}'
    assert Placeholders().of("USER", "x") == "[REDACTED_USER_1]"
