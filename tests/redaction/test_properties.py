"""What holds for every text, value and bundle."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from git_asr.asr import codec
from git_asr.redaction import policy
from git_asr.redaction.masking import Masker
from git_asr.redaction.placeholders import Placeholders
from git_asr.redaction.redactor import Redactor
from git_asr.redaction.values import Walker
from tests.redaction.bundles import made, places, redacted
from tests.redaction.planted import FIELDS, SECRETS, core, spellings

POLICIES = {name: Redactor(make()) for name, make in policy.BUILT_IN.items()}
SLOW = settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=30)

surrogates = st.sampled_from(["\ud800", "\udfff", "\udc80"])
pieces = st.sampled_from(
    [
        *SECRETS.values(),
        *(
            "password=",
            "token: ",
            '"secret": "',
            "Authorization: Bearer ",
            "https://u:",
            "@",
            "/home/",
            "maria",
            ".internal",
        ),
        *(
            "\\u0070",
            "%40",
            "\\",
            '"',
            "'",
            "REDACTED",
            "[REDACTED_EMAIL]",
            "[REDACTED_SECRET_1]",
            "redacted-1",
            "=",
        ),
        *(
            "eyJ",
            "sk-",
            "-----BEGIN ",
            "PRIVATE KEY-----",
            "ghp_",
            "\n",
            " ",
            ":",
            "/",
            "-",
            "_",
            "\0",
            "é",
            "İ",
            "ẞ",
        ),
    ]
)
texts = st.lists(pieces | st.text(max_size=12) | surrogates, max_size=12).map("".join)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)


def shape(value: Any) -> Any:
    """A value with its texts, and its numbers under names, taken out."""
    if isinstance(value, dict):
        return [shape(one) for one in value.values()]
    if isinstance(value, list):
        return [shape(one) for one in value]
    return type(value).__name__ if not isinstance(value, str) else "str"


@SLOW
@given(texts, st.sampled_from(sorted(POLICIES)), st.booleans())
@example("Cookie: a=[REDACTED_EMAIL]; b=aB3dE5fG7hJ9", "default", True)
def test_a_second_pass_changes_no_text(text: str, which: str, was_redacted: bool) -> None:
    redactor = POLICIES[which]
    masked = redactor.text(text, redacted=was_redacted)
    assert redactor.text(masked, redacted=was_redacted) == masked
    assert len(masked) <= 24 * len(text) + 40


@SLOW
@given(st.sampled_from(sorted(SECRETS)), texts, texts, st.sampled_from(sorted(spellings("x" * 20))))
def test_no_secret_survives_whatever_stands_around_it(
    name: str, before: str, after: str, spelling: str
) -> None:
    spelled = spellings(SECRETS[name])[spelling][4:-6]
    masked = POLICIES["default"].text(f"{before}\n {spelled} \n{after}")
    hidden = spellings(core(name))[spelling][4:-6]
    assert hidden not in masked.replace(before, "").replace(after, "") or hidden in before + after
    assert core(name) not in masked or core(name) in before + after


@SLOW
@given(values, st.sampled_from(sorted(POLICIES)))
def test_a_value_keeps_its_shape_and_a_second_pass_changes_nothing(value: Any, which: str) -> None:
    masker = POLICIES[which].masker()
    masked = Walker(masker, names=False).value(value)
    assert shape(masked) == shape(value)
    again = Walker(POLICIES[which].masker(), names=False).value(masked)
    assert again is masked
    named = Walker(POLICIES[which].masker(), names=True)
    once = named.value(value)
    assert Walker(POLICIES[which].masker(), names=True).value(once) is once
    assert codec.encode(once)


@SLOW
@given(st.lists(values, max_size=4), values, st.sampled_from(sorted(POLICIES)))
def test_a_second_pass_changes_no_bundle(outputs: list[Any], meta: Any, which: str) -> None:
    records = [
        {"type": "tool_result", "callId": "c", "status": "ok", "content": [], "output": one}
        for one in outputs
    ]
    records.append({"type": "state", "state": "idle", "_meta": {"com.example/x": meta}})
    chosen = POLICIES[which].policy
    once, _ = redacted(made(records), chosen)
    twice, told = redacted(once, chosen)
    assert twice == once
    assert told.total == {}


@SLOW
@given(
    st.lists(
        st.tuples(st.sampled_from(sorted(FIELDS)), st.sampled_from(sorted(SECRETS))), min_size=1, max_size=6
    ),
    st.sampled_from(["plain", "json", "escapes", "percent", "base64", "hex"]),
)
def test_no_planted_secret_survives_in_a_bundle(planted: list[tuple[str, str]], spelling: str) -> None:
    records = [FIELDS[field](spellings(SECRETS[name])[spelling]) for field, name in planted]
    twin, _ = redacted(made(records), POLICIES["default"].policy)
    assert [name for _, name in planted if places(twin, core(name))] == []


def test_hostile_values_are_kept() -> None:
    deep: Any = ["x"]
    for _ in range(200):
        deep = [deep, {"k": 1}]
    value = {
        "a": deep,
        "n": [2**63 - 1, 2**64 - 1, -(2**63), 1e308, codec.NumberText("1" * 40)],
        "s": "\ud800 x",
    }
    record = {"type": "tool_result", "callId": "c", "status": "ok", "content": [], "output": value}
    twin, _ = redacted(made([record]), POLICIES["default"].policy)
    line = twin["sessions/s~000001.jsonl"]
    assert line == made([record])["sessions/s~000001.jsonl"]


def test_what_is_nested_deep_is_masked() -> None:
    deep: Any = SECRETS["npm-token"]
    for number in range(900):
        deep = [deep] if number % 2 else {"k": deep}
    masked = POLICIES["default"].masker()
    found = Walker(masked, names=True).value({"x": deep})
    assert SECRETS["npm-token"] not in codec.encode(found).decode()
    assert b"[REDACTED_SECRET_1]" in codec.encode(found)


def test_json_that_is_cut_by_a_finding_becomes_text() -> None:
    deep: Any = {"password=": ["abc9 " * 20]}
    for _ in range(150):
        deep = [deep]
    assert codec.encode(Walker(POLICIES["default"].masker(), names=True).value(deep))


def test_keys_stay_apart() -> None:
    plain = Masker(POLICIES["default"].policy.rules(), Placeholders("plain"))
    one, two = SECRETS["npm-token"], SECRETS["github-token"]
    value = {one: 1, two: 2, "[REDACTED_SECRET]": 3, "x": 4}
    masked = Walker(plain, names=True).value(value)
    assert list(masked.values()) == [1, 2, 3, 4]
    assert json.dumps(masked).count("REDACTED") == 3


@pytest.mark.no_cover  # it takes long, measured twice as long
@pytest.mark.parametrize(
    "text",
    [
        "@",
        "[REDACTED_EMAIL_1] https://u:p9@x.io/ ",
        "eyJ",
        "-----BEGIN PRIVATE KEY-----",
        "PuTTY-User-Key-File-2: ",
        "%25",
        "QUFB",
        "password=",
        'password="',
        "https://u:p9",
        "4 ",
        "a:",
        "\\",
        "/home/",
        "mysql ",
        "authorization: ",
        "a.",
    ],
)
def test_texts_made_to_take_long_do_not(text: str) -> None:
    """Each would take minutes if the time grew with the square of the text."""
    long = text * (200_000 // len(text))
    masked = POLICIES["strict"].text(long, redacted=False)
    assert len(masked) <= 24 * len(long)
