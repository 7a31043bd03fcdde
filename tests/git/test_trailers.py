from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from git_asr.git.trailers import Trailer, find

MESSAGES = Path(__file__).resolve().parents[2] / "fixtures" / "messages"
KEY = "Entire-Checkpoint"
VALUE = re.compile(rb"[0-9a-f]{12}|[0-7][0-9A-HJKMNP-TV-Z]{25}")

ids = st.one_of(
    st.text("0123456789abcdef", min_size=12, max_size=12),
    st.text("0123456789ABCDEFGHJKMNPQRSTVWXYZ", min_size=25, max_size=25).map(lambda tail: f"0{tail}"),
)
lines = st.sampled_from(
    [
        "",
        "",
        " ",
        "\r",
        "prose",
        "some more prose: with a colon",
        "#comment",
        "# comment: with a colon",
        " indented",
        "\tindented: too",
        "Key: value",
        "Key : value",
        "-: value",
        ": value",
        "Ключ: value",
        "Signed-off-by: Dev One <dev1@example.com>",
        "(cherry picked from commit 1111111111111111111111111111111111111111)",
        "---",
        f"{KEY}: 0123456789ab",
        f"{KEY}: 0123456789ab\r",
        f"{KEY}: fedcba987654 \t",
        f"{KEY}:aaaaaaaaaaaa",
        f" {KEY}: bbbbbbbbbbbb",
        f"see {KEY}: cccccccccccc",
    ]
)


@pytest.mark.parametrize("name", sorted(path.stem for path in MESSAGES.glob("*.txt")))
def test_every_shape_of_message(name: str) -> None:
    expected = json.loads((MESSAGES / f"{name}.json").read_text())
    found = find((MESSAGES / f"{name}.txt").read_bytes(), KEY, VALUE)
    assert found == tuple(Trailer(one["checkpoint"], one["place"]) for one in expected)


@given(st.binary(), ids, st.binary())
def test_a_trailer_anywhere_is_found(before: bytes, identifier: str, after: bytes) -> None:
    message = before + f"{KEY}: {identifier}\n".encode() + after
    assert identifier in [found.value for found in find(message, KEY, VALUE)]


@given(st.lists(lines, min_size=1, max_size=12).map("\n".join))
def test_order_and_doubles(message: str) -> None:
    found = [trailer.value for trailer in find(message.encode(), KEY, VALUE)]
    assert found == list(dict.fromkeys(re.findall(f"{KEY}:[ \t]*([0-9a-f]{{12}})(?!\\S)", message)))


def git_reads(message: bytes) -> list[str]:
    """What Git takes for the values of the key in its trailer block, as %(trailers) does: '---' is no end."""
    printed = subprocess.run(
        [
            "git",
            "-c",
            "core.commentChar=#",
            "interpret-trailers",
            "--only-trailers",
            "--only-input",
            "--no-divider",
        ],
        input=message,
        capture_output=True,
        check=True,
    ).stdout
    return re.findall(rf"^{KEY}: ([0-9a-f]{{12}})[ \t\r]*$", printed.decode(), re.M)


@settings(max_examples=400, deadline=None)
@given(st.lists(lines, max_size=9).map(lambda rest: "\n".join(["subject", *rest]).encode()))
@example(b"subject\n\n# comment\n\nEntire-Checkpoint: 0123456789ab\n\n# comment\n")
@example(b"subject\n\n indented\nEntire-Checkpoint: 0123456789ab\n")
@example(b"subject\n\nprose\n\tindented\nEntire-Checkpoint: 0123456789ab\nSigned-off-by: Dev One <d@e.f>\n")
def test_the_last_block_is_git_s_own(message: bytes) -> None:
    ours = {trailer.value for trailer in find(message, KEY, VALUE) if trailer.place == "last-block"}
    assert ours == set(git_reads(message))


@pytest.mark.parametrize(
    "message",
    [
        f"{KEY}: ".encode() * 300_000,
        f"{KEY}: 0123456789ab ".encode() * 200_000,
        f"{KEY}: 0123456789ab\n".encode() * 200_000,
        f"{KEY}:".encode() + b" " * 5_000_000,
        (f"{KEY}: 0123456789ab" + " " * 500).encode() * 20_000,
        b"\n" * 5_000_000 + f"{KEY}: 0123456789ab".encode(),
        f"{KEY}: 0123456789ab\n".encode() + b"Key: value\n" * 300_000,
    ],
    ids=["keys", "one line", "lines", "blanks", "blanks between", "empty lines", "long block"],
)
def test_long_messages_are_read_in_one_pass(message: bytes) -> None:
    """Anything worse than linear would not come back from these."""
    expected = {"0123456789ab"} if b"0123" in message else set()
    assert {trailer.value for trailer in find(message, KEY, VALUE)} == expected


def test_another_key_and_value() -> None:
    message = b"subject\n\nEntire-Strategy: manual-commit\nEntire-Agent: Claude Code\n"
    assert find(message, "Entire-Strategy", re.compile(rb"[a-z-]+")) == (
        Trailer("manual-commit", "last-block"),
    )
    assert (
        find(message, "Entire-Strategy", re.compile(rb"[A-Z-]+", re.IGNORECASE))[0].value == "manual-commit"
    )
    assert find(b"K.y: \xff", "K.y", re.compile(rb"\xff"))[0].value == "\udcff"
    assert find(b"Kxy: a", "K.y", re.compile(rb"a")) == ()
