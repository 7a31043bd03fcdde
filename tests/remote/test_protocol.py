"""Lines of the protocol, one by one, without Git."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest

from git_asr.errors import UsageError
from git_asr.remote.address import Address, parse
from git_asr.remote.options import Options, answered
from git_asr.remote.protocol import LONGEST, Push, Unintelligible, Wire, fetch_of, plain, push_of, unquoted

OID = "0123456789abcdef0123456789abcdef01234567"


def wire(data: bytes) -> Wire:
    return Wire(io.BytesIO(data), io.BytesIO())


def test_lines_end_with_the_input() -> None:
    one = wire(b"capabilities\n\nlist \xff\n")
    assert [one.line() for _ in range(4)] == ["capabilities", "", "list \udcff", None]


@pytest.mark.parametrize(
    ("data", "said"), [(b"lis", "half a line"), (b"x" * (LONGEST + 1) + b"\n", "a line too long")]
)
def test_what_is_no_line(data: bytes, said: str) -> None:
    with pytest.raises(Unintelligible, match=said):
        wire(data).line()


def test_a_batch_ends_with_a_blank_line() -> None:
    one = wire(b"push a:b\npush c:d\n\nlist\n")
    assert one.batch(one.line() or "") == ["push a:b", "push c:d"]
    assert one.line() == "list"


@pytest.mark.parametrize("data", [b"push a:b\n", b"push a:b\nlist\n\n", b"push a:b\npu"])
def test_a_batch_that_breaks_off_is_none(data: bytes) -> None:
    one = wire(data)
    with pytest.raises(Unintelligible):
        one.batch(one.line() or "")


@pytest.mark.parametrize(
    ("line", "push"),
    [
        ("push refs/a:refs/b", Push("refs/a", "refs/b", force=False)),
        ("push +refs/a:refs/b", Push("refs/a", "refs/b", force=True)),
        ("push :refs/b", Push("", "refs/b", force=False)),
        ("push HEAD:a b:refs/b", Push("HEAD:a b", "refs/b", force=False)),
    ],
)
def test_a_push(line: str, push: Push) -> None:
    assert push_of(line) == push


@pytest.mark.parametrize("line", ["push ", "push refs/a", "push refs/a:", "push +"])
def test_what_is_no_push(line: str) -> None:
    with pytest.raises(Unintelligible):
        push_of(line)


def test_a_fetch() -> None:
    assert fetch_of(f"fetch {OID} refs/asr/sessions") == (OID, "refs/asr/sessions")
    assert fetch_of(f"fetch {'ab' * 32} x y")[1] == "x y"


@pytest.mark.parametrize(
    "line",
    ["fetch ", f"fetch {OID}", f"fetch {OID[1:]} refs/x", "fetch --upload-pack=x refs/x", f"fetch {OID} "],
)
def test_what_is_no_fetch(line: str) -> None:
    with pytest.raises(Unintelligible):
        fetch_of(line)


@pytest.mark.parametrize(
    ("quoted", "value"),
    [
        ("plain", "plain"),
        ("", ""),
        ('"a\\tb\\nc\\\\ \\"d\\""', 'a\tb\nc\\ "d"'),
        ('"\\303\\251"', "é"),
        ('"\\777"', "\udcff"),
        ('a"b', 'a"b'),
    ],
)
def test_quoted_values(quoted: str, value: str) -> None:
    assert unquoted(quoted) == value


def test_reasons_are_one_plain_line() -> None:
    assert plain("two\nlines\tof  text") == "two lines of text"
    assert plain("\x1b[31mred\udcff") == "^[[31mred<U+DCFF>"
    assert plain('"quoted" text') == 'quoted" text'
    assert plain("up to date") == "up to date."
    assert plain("no match") == "no match."
    assert plain("\n") == "failed"


ANSWERS = {
    "verbosity 0": "ok",
    "verbosity 2": "ok",
    "verbosity loud": "error the value of verbosity cannot be read",
    "progress true": "ok",
    "progress false": "ok",
    "cloning true": "ok",
    "followtags true": "ok",
    "check-connectivity true": "unsupported",
    "object-format": "ok",
    "object-format true": "ok",
    "depth 1": "unsupported",
    "deepen-since 2026-01-01": "unsupported",
    "deepen-not main": "unsupported",
    "deepen-relative true": "unsupported",
    "update-shallow true": "unsupported",
    "filter blob:none": "ok",
    "refetch true": "ok",
    "refetch yes": "ok",
    "from-promisor 1": "ok",
    "no-dependents true": "ok",
    "family ipv4": "ok",
    "family ipv6": "ok",
    "family ipx": "error the value of family cannot be read",
    "dry-run true": "ok",
    "atomic true": "ok",
    "push-option asr.as-is": "ok",
    'push-option "asr': "error the value of push-option cannot be read",
    "pushcert true": "unsupported",
    "pushcert if-asked": "unsupported",
    f"cas refs/asr/sessions:{OID}": "ok",
    "cas nonsense": "error the value of cas cannot be read",
    "force true": "ok",
    "force-if-includes true": "unsupported",
    "servpath git-upload-pack": "ok",
    "teleport": "unsupported",
    "": "unsupported",
}


@pytest.mark.parametrize("option", ANSWERS)
def test_every_option_is_answered(option: str) -> None:
    assert answered(Options(), f"option {option}")[1] == ANSWERS[option]


def test_what_options_say_is_kept() -> None:
    options = Options()
    for line in (
        *("verbosity 2", "progress true", "object-format", "refetch yes", "family ipv6", "dry-run true"),
        *(
            "atomic true",
            "force true",
            "push-option a=b",
            'push-option "c\\td"',
            f"cas refs/x:{OID}",
            "cas refs/y:",
        ),
    ):
        options, _ = answered(options, f"option {line}")
    assert options == Options(
        verbosity=2,
        progress=True,
        object_format=True,
        refetch=True,
        family="ipv6",
        dry_run=True,
        atomic=True,
        force=True,
        push_options=("a=b", "c\td"),
        leases={"refs/x": OID, "refs/y": ""},
    )
    assert not answered(options, "option dry-run false")[0].dry_run
    assert answered(options, "option family all")[0].family == ""


def test_addresses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    here = os.path.realpath(tmp_path)
    assert parse("https://host/org/repo") == Address("https://host/org/repo")
    assert parse("git@host:org/repo") == Address("git@host:org/repo")
    assert parse("asr:path") == Address("asr:path")  # a host of that name
    assert parse("a/b/../c") == Address(f"{here}/a/c")
    assert parse("./a:b") == Address(f"{here}/a:b")
    assert parse("/a/b") == Address("/a/b")
    assert parse("convert+https://host/r") == Address("https://host/r", convert=True)
    assert parse("convert+../r") == Address(os.path.realpath(f"{here}/../r"), convert=True)
    assert parse("ext::sh -c x") == Address("ext::sh -c x")  # Git refuses it, unless the user allows it


@pytest.mark.parametrize(
    "text",
    [
        *("", "convert+", "-x", "--upload-pack=x", "convert+-x", "asr://host/r", "asr::x", "convert+asr::x"),
        *("a\nb", "convert+asr://x"),
    ],
)
def test_what_is_no_address(text: str) -> None:
    with pytest.raises(UsageError):
        parse(text)
