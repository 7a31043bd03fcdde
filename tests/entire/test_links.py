from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_asr.entire.links import WALK_EXCLUDES, Mention, checkpoint_ids, minted
from tests.support.repo_builder import RepoBuilder, git

LEFT_OUT = [
    "refs/entire/checkpoints/8M/01KXDM08H2V0SZREV3NDG2R38M",
    "refs/entire/checkpoints/v2/full/current",
    "refs/heads/entire/checkpoints/v1",
    "refs/heads/entire/039dfc5-e3b0c4",
    "refs/heads/entire/sessions",
    "refs/remotes/origin/entire/checkpoints/v1",
    "refs/remotes/team/upstream/entire/sessions/v1",
    "refs/remotes/origin/feature/entire/x",  # a remote may be named origin/feature
    "refs/asr/sessions",
    "refs/asr/remotes/origin/sessions",
    "refs/notes/commits",
    "refs/notes/team/asr",
    "refs/stash",
    "refs/prefetch/remotes/origin/main",
    "refs/bisect/bad",
    "refs/original/refs/heads/main",
]
WALKED = [
    "refs/heads/main",
    "refs/heads/entirely",
    "refs/heads/entire-x/y",
    "refs/heads/feature/entire/x",
    "refs/heads/stash",
    "refs/heads/asr/x",
    "refs/remotes/origin/main",
    "refs/remotes/origin/entirely",
    "refs/remotes/a/b/entire-x",
    "refs/remotes/a/c/entire-x/y",
    "refs/remotes/a/my-entire/x",
    "refs/remotes/other/entire",
    "refs/tags/entire/x",
    "refs/pull/12/head",
    "refs/stash-of-mine",
    "refs/notesx",
    "refs/asrx/y",
    "refs/original-x/y",
]


def test_the_walk_leaves_out_what_is_not_the_users(tmp_path: Path) -> None:
    builder = RepoBuilder(tmp_path / "repo", bare=True)
    for ref in LEFT_OUT + WALKED:
        builder.commit(ref, ref)
    path = builder.build()
    excludes = [f"--exclude={glob}" for glob in WALK_EXCLUDES]
    assert sorted(git(path, "log", "--format=%s", "--all").splitlines()) == sorted(LEFT_OUT + WALKED)
    assert sorted(git(path, "log", "--format=%s", *excludes, "--all").splitlines()) == sorted(WALKED)


def test_a_branch_named_entire_is_walked(tmp_path: Path) -> None:
    builder = RepoBuilder(tmp_path / "repo", bare=True)
    builder.commit("refs/heads/entire", "mine")
    path = builder.build()
    assert (
        git(path, "log", "--format=%s", *(f"--exclude={glob}" for glob in WALK_EXCLUDES), "--all") == "mine"
    )


def named(text: str) -> list[str]:
    """The checkpoints that a message with this trailer names."""
    return [one.checkpoint for one in checkpoint_ids(f"subject\n\nEntire-Checkpoint: {text}\n".encode())]


def test_ids_of_a_message() -> None:
    message = (
        b"Read archives (#12)\n\n* tar\n\nEntire-Checkpoint: 0123456789ab\n\n* zip\n\n"
        b"Entire-Checkpoint: 01KXDM08H2V0SZREV3NDG2R38M\nEntire-Checkpoint: 0123456789ab\n"
    )
    assert checkpoint_ids(message) == (
        Mention("0123456789ab", "last-block"),
        Mention("01KXDM08H2V0SZREV3NDG2R38M", "last-block"),
    )
    assert checkpoint_ids(b"subject\n\nentire-checkpoint: 0123456789ab\n") == ()


@pytest.mark.parametrize(
    "text", ["0123456789ab", "d60164698930", "01KXDM08H2V0SZREV3NDG2R38M", "7ZZZZZZZZZZZZZZZZZZZZZZZZZ"]
)
def test_checkpoint_ids(text: str) -> None:
    assert named(text) == [text]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "0123456789a",
        "0123456789abc",
        "0123456789AB",
        "01kxdm08h2v0szrev3ndg2r38m",
        "81KXDM08H2V0SZREV3NDG2R38M",
        "01KXDM08H2V0SZREV3NDG2R38I",
        "01KXDM08H2V0SZREV3NDG2R38",
        "०123456789ab",
    ],
)
def test_no_checkpoint_ids(text: str) -> None:
    assert named(text) == []
    assert minted(text) is None


def test_when_an_id_was_minted() -> None:
    assert minted("01KXDM08H2V0SZREV3NDG2R38M") == 1783942357538  # 2026-07-13T11:32:37.538Z, reference 1.1
    assert minted("00000000000000000000000000") == 0
    assert minted("7ZZZZZZZZZZZZZZZZZZZZZZZZZ") == 2**48 - 1
    assert minted("0123456789ab") is None
    assert minted("01KXDM08H2V0SZREV3NDG2R38M\n") is None


@given(st.integers(0, 2**48 - 1), st.integers(0, 2**80 - 1))
def test_the_time_of_any_ulid(milliseconds: int, chance: int) -> None:
    alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
    number = milliseconds << 80 | chance
    ulid = "".join(alphabet[number >> shift & 31] for shift in range(125, -5, -5))
    assert named(ulid) == [ulid]
    assert minted(ulid) == milliseconds
