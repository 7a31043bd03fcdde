"""What is looked for: which lines match, and which texts surely have none."""

from __future__ import annotations

import sys

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from git_asr.errors import UsageError
from git_asr.views.matching import Matcher, Query, fold, split, words
from git_asr.views.signatures import Sieve, Signer

LETTERS = st.sampled_from("abkKsSiI\u0130\u0131\u017f\u212aéÉßσςΣ \t\r\n.(\"'0\ud800\ufffd")
TEXTS = st.text(LETTERS, max_size=60)
PIECES = st.sampled_from(
    [
        *(
            "ab",
            "k",
            "is",
            "S",
            "é",
            r"\.",
            r"\(",
            r"\s",
            r"\w+",
            ".",
            "[a-k]",
            "[]a]",
            "[^]b]",
            "(?:ab)",
            "(s|k)",
        ),
        *(
            "|",
            "*",
            "+",
            "?",
            "{2}",
            "{0,2}",
            "^",
            "$",
            r"\b",
            "(?i)",
            " ",
            "0",
            "(a(b)?)*",
            "[[:alpha:]]",
            r"\x61b",
        ),
        *(r"\Qa.b\E", r"\pL", "{", "}", "]"),
    ]
)
PATTERNS = st.lists(PIECES, min_size=1, max_size=6).map("".join)


def signature(*texts: str) -> bytes:
    signer = Signer()
    for text in texts:
        signer.add(text)
    return signer.signature()


@pytest.fixture(params=["re2", "re"], scope="module")
def engine(request: pytest.FixtureRequest) -> object:
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "re":
            patch.setitem(sys.modules, "re2", None)
        yield request.param


def plainly(query: Query, text: str) -> list[int]:
    """The numbers of the lines that match, by the engine alone."""
    matcher = Matcher(query)
    matcher.literals = None
    return [line.number for line in matcher.lines(text)]


@pytest.mark.parametrize(
    ("query", "text", "found"),
    [
        (Query("b"), "a\nb\r\nabb", [(2, "b", ((0, 1),)), (3, "abb", ((1, 2), (2, 3)))]),
        (Query("a.c"), "a\nc\nabc", [(3, "abc", ((0, 3),))]),
        (Query("a.c", fixed=True), "abc\na.c", [(2, "a.c", ((0, 3),))]),
        (Query("^b$"), "ab\nb\nbb", [(2, "b", ((0, 1),))]),
        (Query("K", ignore_case=True), "ok\nno", [(1, "ok", ((1, 2),))]),
        (Query("x*"), "ab", [(1, "ab", ((0, 0), (1, 1), (2, 2)))]),
        (Query("é+"), "caféé", [(1, "caféé", ((3, 5),))]),
        (Query("a\\sb"), "a\nb", []),
    ],
)
def test_lines(engine: object, query: Query, text: str, found: list[object]) -> None:
    assert [(line.number, line.text, line.spans) for line in Matcher(query).lines(text)] == found


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("", "nothing"),
        ("a\nb", "one line"),
        ("a" * 1001, "more than"),
        ("a(", "no regular"),
        ("*", "no regular"),
    ],
)
def test_what_is_no_query(engine: object, query: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        Matcher(Query(query))


def test_any_text_is_a_query_with_fixed() -> None:
    assert [line.number for line in Matcher(Query("a(*", fixed=True)).lines("x\na(*")] == [2]


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("abc", [["abc"]]),
        ("abc|def", [["abc"], ["def"]]),
        ("abc|.", None),
        ("ab+c", [["ab", "c"]]),
        ("abc?d", [["ab", "d"]]),
        ("abc{0}d", [["ab", "d"]]),
        (r"a\.b\sc", [["a.b", "c"]]),
        ("ab(cd|ef)gh", [["ab", "gh"]]),
        ("ab(?:c)gh", [["ab", "gh"]]),
        (r"ab([)]|\))gh", [["ab", "gh"]]),
        ("ab[]x]gh", [["ab", "gh"]]),
        ("ab[^]x]gh", [["ab", "gh"]]),
        ("(?i)ab", [["ab"]]),
        ("k(?i)*", None),
        ("(?x)a b", None),
        ("ab[[:alpha:]]gh", None),
        (r"\x61bc", None),
        (r"\Qa|b\E", None),
        ("(ab", None),
        ("[ab", None),
        ("a([b)", None),
        ("ab\\", [["ab"]]),
        ("a.*", [["a"]]),
        (".*", None),
    ],
)
def test_words_that_a_pattern_needs(pattern: str, found: object) -> None:
    assert words(pattern) == found


@given(PATTERNS, TEXTS, st.booleans(), st.booleans())
@example("ſK", "sk", False, True)
@example("a{,3}b", "a{,3}b", False, False)
@example("k(?i)*", "", False, False)
def test_nothing_that_matches_is_left_out(
    engine: object, pattern: str, text: str, fixed: bool, ignore_case: bool
) -> None:
    query = Query(pattern, fixed, ignore_case)
    try:
        matcher = Matcher(query)
    except UsageError:
        return
    expected = plainly(query, text)
    assert [line.number for line in matcher.lines(text)] == expected
    assert not expected or Sieve(matcher.literals).passes(signature(text))


@given(TEXTS, TEXTS, st.booleans())
def test_a_text_is_found_where_it_stands(before: str, text: str, ignore_case: bool) -> None:
    lines = [line for line in text.split("\n") if line]
    for line in lines[:1]:
        whole = f"{before}{line}\n"
        found = Matcher(Query(line, fixed=True, ignore_case=ignore_case)).lines(whole)
        assert found or line.endswith("\r")


@pytest.mark.parametrize("first", ["k", "s", "i", "a", "Z"])
def test_what_the_engines_hold_for_alike_is_folded_alike(engine: object, first: str) -> None:
    matcher = Matcher(Query(f"^[{first}]$", ignore_case=True))
    alike = [chr(code) for code in range(0x11000) if matcher.lines(chr(code)) and chr(code) not in "\r\n"]
    assert first.swapcase() in alike
    assert {fold(one) for one in alike} == {first.lower()}


def test_lines_are_split_at_line_feeds_alone() -> None:
    assert split("a\r\nb\x0bc\u2028d\r") == ["a", "b\x0bc\u2028d"]


@given(st.lists(st.text(LETTERS, max_size=300), max_size=5), st.text(LETTERS, min_size=1, max_size=8))
def test_a_signature_passes_what_stands_in_a_line(texts: list[str], word: str) -> None:
    if any(word in line for text in texts for line in text.split("\n")):
        assert Sieve(((fold(word),),)).passes(signature(*texts))


def test_a_signature_tells_texts_apart() -> None:
    text = "\n".join(f"line {number} of a text that goes on" for number in range(3000))
    found = signature(text)
    assert len(found) < len(text) / 3
    assert Sieve((("text that goes",),)).passes(found)
    assert not Sieve((("nothing of it",),)).passes(found)
    assert not Sieve((("nothing of it",), ("text it",))).passes(found)
    assert Sieve((("nothing of it",), ("line 2999",))).passes(found)
    assert not Sieve(()).passes(found)
    assert Sieve(None).passes(found)
    assert Sieve((("no",),)).passes(found), "nothing is known of two characters"


@pytest.mark.parametrize("length", [1, 3, 1023, 1024, 1025, 16384, 70000, 200_000])
def test_lines_of_any_length(length: int) -> None:
    line = ("abcdefghij0123456789" * (length // 20 + 1))[: length - 1] + "!"
    assert Sieve(((fold(line),),)).passes(signature(line, "and another"))


def test_what_a_pattern_of_python_takes_is_bounded_by_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "re2", raising=False)
    assert Matcher(Query("(a+)+$")).bounded
    monkeypatch.setitem(sys.modules, "re2", None)
    assert not Matcher(Query("(a+)+$")).bounded
    assert Matcher(Query("a+", fixed=True)).bounded
    assert Matcher(Query("plain")).bounded
