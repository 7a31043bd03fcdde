"""The first look of the hook takes whatever git_asr.entire.links takes, and is no more than a first look."""

from __future__ import annotations

import os
import shutil
import subprocess
import zlib
from hashlib import sha1
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from git_asr.entire.links import checkpoint_ids
from tests.hooks.files.hooked import SHELLS, TRAILER, Ended, Hooked

IDS = (b"a1b2c3d4e5f6", b"01KXDM08H2V0SZREV3NDG2R38M")
BYTES = st.sampled_from(
    [bytes([one]) for one in (0, 1, 8, 9, 10, 13, 27, 32, *range(0x80, 0x90), 0xE3, 0xFF)]
)
PIECES = st.one_of(
    st.sampled_from(
        [b"Entire-Checkpoint:", b"Entire-Checkpoint", b"entire-checkpoint:", b"Entire-", b": ", b"\n\n", *IDS]
    ),
    st.sampled_from(
        [b"*", b"?", b"[", b"\\", b"'", b'"', b"$(x)", b"`x`", b")", b";;", b"# ", b"> ", b"    ", b"\r\n"]
    ),
    BYTES,
    st.binary(max_size=4),
)
BLANKS = st.lists(st.sampled_from([b" ", b"\t"]), max_size=3).map(b"".join)
NAMED = st.builds(
    lambda before, blanks, checkpoint, after: before + b"Entire-Checkpoint:" + blanks + checkpoint + after,
    *(
        st.lists(PIECES, max_size=4).map(b"".join),
        BLANKS,
        st.sampled_from(IDS),
        st.sampled_from([b"", b"\n", b" x", b"\x0b", b"\r"]),
    ),
)
MESSAGES = st.lists(st.one_of(PIECES, NAMED), max_size=8).map(b"".join)
LISTED = (
    b"subject\n\nEntire-Checkpoint: a1b2c3d4e5f6\n",
    b"subject\nEntire-Checkpoint: a1b2c3d4e5f6",
    b"Entire-Checkpoint:a1b2c3d4e5f6",
    b"subject\n\n    Entire-Checkpoint:\t \ta1b2c3d4e5f6\r\n",
    b"see `Entire-Checkpoint: a1b2c3d4e5f6 `",
    b"\x83Entire-Checkpoint: a1b2c3d4e5f6",
    b"\x81\x81\x81Entire-Checkpoint: a1b2c3d4e5f6 \x81",
    b"\x00Entire-Checkpoint: a1b2c3d4e5f6\n\x00",
    b"Entire-Checkpoint: no\n* x * Entire-Checkpoint: 01KXDM08H2V0SZREV3NDG2R38M\n\n\n\n",
    b"-n Entire-Checkpoint: a1b2c3d4e5f6 \\c",
)


@pytest.fixture(scope="module", params=SHELLS)
def looking(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Hooked:
    hooked = Hooked(tmp_path_factory.mktemp("looking"), request.param)
    hooked.tree()
    return hooked


def check_out(git_dir: Path, message: bytes) -> str:
    """Make a commit that holds just these bytes and detach HEAD at it."""
    head = b"tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\n"
    data = b"commit %d\0" % len(head + message) + head + message
    name = sha1(data, usedforsecurity=False).hexdigest()
    path = git_dir / "objects" / name[:2] / name[2:]
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(zlib.compress(data))
    (git_dir / "HEAD").write_text(name + "\n")
    return name


def notes(hooked: Hooked, message: bytes, **env: str) -> bool:
    """Whether the hook notes a commit with this message."""
    name = check_out(hooked.repo / ".git", message)
    assert hooked.run(hooked.hooks / "post-commit", env={"CI": "true", **env}) == Ended(0, "", "")
    noted = hooked.queue if (hooked.asr / "queue").exists() else []
    hooked.forget()
    assert noted in ([], [name])
    return bool(noted)


@pytest.mark.parametrize("message", LISTED)
@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
def test_what_names_a_checkpoint_is_noted(looking: Hooked, message: bytes, locale: str) -> None:
    assert checkpoint_ids(message)
    assert notes(looking, message, LC_ALL=locale)


def test_no_locale_makes_one_character_of_a_letter_and_what_stands_before(
    looking: Hooked, tmp_path: Path
) -> None:
    if not (localedef := shutil.which("localedef")):
        pytest.skip("there is no localedef here")
    made = [localedef, "--no-warnings=ascii", "-i", "ja_JP", "-f", "SHIFT_JIS", str(tmp_path / "ja_JP.SJIS")]
    if subprocess.run(made, capture_output=True, check=False).returncode:
        pytest.skip("there is no Japanese locale here")
    assert notes(looking, b"\x83" + TRAILER.encode(), LC_ALL="ja_JP.SJIS", LOCPATH=str(tmp_path))


@given(message=MESSAGES)
@example(message=b"")
@settings(max_examples=int(os.environ.get("GIT_ASR_EXAMPLES", "60")))
def test_whatever_names_a_checkpoint_is_noted(looking: Hooked, message: bytes) -> None:
    noted = notes(looking, message)
    assert noted or not checkpoint_ids(message)
    assert not noted or b"Entire-Checkpoint:" in message.replace(b"\0", b"")


def test_what_names_none_is_not_noted(looking: Hooked) -> None:
    for message in (
        b"subject",
        b"entire-checkpoint: a1b2c3d4e5f6",
        b"Entire-Checkpoint a1b2c3d4e5f6",
        b"*",
        b"Entire-Session: x",
    ):
        assert not checkpoint_ids(message)
        assert not notes(looking, message)
    assert notes(looking, TRAILER.encode())
