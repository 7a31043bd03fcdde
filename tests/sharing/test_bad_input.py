"""Remotes that mean no good: one clear line, a status that says so, and nothing has changed."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from git_asr.companion.lock import at_once
from git_asr.errors import AsrError
from git_asr.git import fetching
from git_asr.git.pushing import Move
from git_asr.git.repository import open_repository
from git_asr.sharing import bundle_file, target
from git_asr.sharing.pushing import LostRace, Terms
from tests.e2e.sample_repos import SESSIONS, refs, session
from tests.sharing.sides import pushed
from tests.support.companion import replace, tip, tree_files
from tests.support.repo_builder import git
from tests.support.run import Result, run_cli
from tests.support.serving import silent


@pytest.mark.parametrize(
    "args",
    [
        ["push", "--", "--receive-pack=touch pwned"],
        ["fetch", "--", "--upload-pack=touch pwned"],
        ["sync", "--remote=--upload-pack=touch pwned"],
        ["setup", "--via", "repository", "--", "--upload-pack=touch pwned"],
        ["setup", "--", "-x"],
    ],
)
def test_an_address_that_is_an_option(sides: tuple[Path, Path, Path], args: list[str]) -> None:
    _, a, _ = sides
    before, configured = refs(a), git(a, "config", "--list", "--local")
    ended = run_cli(args, a)
    assert ended.status == 2
    assert ended.err.startswith("error: ")
    assert (refs(a), git(a, "config", "--list", "--local")) == (before, configured)
    assert not list(a.rglob("pwned"))


@pytest.mark.parametrize("command", ["push", "fetch"])
@pytest.mark.parametrize("address", ["ext::sh -c 'touch pwned'", "/no/such/place", "nonsense://x"])
def test_an_address_that_leads_nowhere(sides: tuple[Path, Path, Path], command: str, address: str) -> None:
    _, a, _ = sides
    before = refs(a)
    ended = run_cli([command, address], a)
    assert (ended.status, ended.out) == (1, "")
    assert ended.err.startswith(f"error: cannot fetch from {address}: ")
    assert refs(a) == before
    assert not list(a.rglob("pwned"))


def many(far: Path, number: int) -> None:
    """Refs of single checkpoints, without end."""
    oid = refs(far)["refs/heads/main"]
    names = (f"refs/entire/checkpoints/{one % 256:02x}/{one:010x}{one % 256:02x}" for one in range(number))
    kept = [f"{oid} {name}" for name, oid in refs(far).items()]
    lines = sorted([*kept, *(f"{oid} {name}" for name in names)], key=lambda line: line.partition(" ")[2])
    git(far, "pack-refs", "--all")
    (far / "packed-refs").write_text(
        "# pack-refs with: peeled fully-peeled sorted \n" + "\n".join(lines) + "\n"
    )


def test_refs_without_end(sides: tuple[Path, Path, Path]) -> None:
    far, a, _ = sides
    many(far, fetching.MOST_REFS + 1)
    before = refs(a)
    ended = run_cli(["push"], a)
    assert ended == Result(1, "", "error: origin offers more than 100,000 refs of this kind\n")
    assert refs(a) == before


def test_as_many_refs_as_may_be(sides: tuple[Path, Path, Path]) -> None:
    far, a, _ = sides
    many(far, fetching.MOST_REFS - 10)
    assert pushed(a).new == tip(far)


def test_refs_that_are_none(sides: tuple[Path, Path, Path], tmp_path: Path) -> None:
    """Names with control characters, IDs that are none, and the companion ref under several names."""
    far, a, _ = sides
    oid = refs(far)["refs/heads/main"]
    lines = [
        f"{oid} {SESSIONS}\0",
        f"{oid} refs/entire/checkpoints/\x1b[31m/x",
        f"{oid} refs/heads/entire/checkpoints/v1/../../x",
        f"{oid} {SESSIONS}/../sessions",
        "zz refs/asr/sessions",
    ]
    advertised = "".join(f"{len(line) + 5:04x}{line}\n" for line in lines) + "0000"
    answer = tmp_path / "answer"
    answer.write_bytes(advertised.encode())
    script = tmp_path / "upload-pack"
    script.write_text(f'#!/bin/sh\ncat "{answer}"\n')
    script.chmod(0o755)
    git(a, "config", "remote.origin.uploadpack", str(script))
    before = refs(a)
    for command in ("push", "fetch"):
        ended = run_cli([command], a)
        assert ended.status == 1, ended.out
        assert ended.err.startswith("error: cannot fetch from origin: "), ended.err
        assert "\x1b" not in ended.err
    assert refs(a) == before


def test_lines_that_are_no_refs(sides: tuple[Path, Path, Path]) -> None:
    """What stands beside refs in a listing is passed over."""
    far, _, _ = sides
    oid = refs(far)["refs/heads/main"]
    assert fetching._LISTED.fullmatch(f"{oid}\t{SESSIONS}\n".encode())
    for junk in (
        b"",
        b"\n",
        b"x\ty\n",
        f"{oid}\tHEAD\n".encode(),
        f"{oid}\trefs/a b\n".encode(),
        b"\xff" * 99,
    ):
        assert fetching._LISTED.fullmatch(junk) is None


def test_a_pack_that_is_damaged(sides: tuple[Path, Path, Path]) -> None:
    far, a, b = sides
    pushed(b)
    git(far, "repack", "-q", "-a", "-d")
    (pack,) = (far / "objects" / "pack").glob("*.pack")
    pack.chmod(0o644)
    data = bytearray(pack.read_bytes())
    for at in range(len(data) // 2, len(data) // 2 + 400):
        data[at] ^= 0xFF
    pack.write_bytes(bytes(data))
    before = refs(a), refs(far)
    for command in ("push", "fetch"):
        ended = run_cli([command], a)
        assert (ended.status, ended.out) == (1, "")
        assert ended.err.startswith("error: cannot fetch from origin: ")
    assert (refs(a), refs(far)) == before


def test_a_manifest_that_lies(sides: tuple[Path, Path, Path]) -> None:
    """What fails is left out and named, and the status says so; what is sound comes."""
    far, a, b = sides
    pushed(a)
    pushed(b)
    files = tree_files(far)
    part = next(path for path in files if session(2) in path and path.endswith("~000001.jsonl"))
    replace(far, {**files, part: files[part].replace(b"text", b"lies")})
    before = tree_files(a)
    ended = run_cli(["fetch"], a)
    assert ended.status == 1
    assert ended.err.startswith("warning: companion "), ended.err
    assert (ended.err.count("\n"), session(2) in ended.err) == (1, True)
    assert tree_files(a) == before


def test_a_bundle_file_that_cannot_be_written(sides: tuple[Path, Path, Path], tmp_path: Path) -> None:
    _, a, _ = sides
    repo = open_repository(a)
    where = target.named(repo, str(tmp_path / "x.bundle"))
    assert bundle_file.path_of(repo, target.named(repo, "git@host:x.bundle"), "git@host:x.bundle") is None
    with at_once(tmp_path / ".x.bundle.lock") as mine, pytest.raises(LostRace):
        assert mine
        pushed(a, where.address, Terms(as_is=True, tries=1))
    assert not (tmp_path / "x.bundle").exists()
    left = tmp_path / ".x.bundle.new"  # by a writer that was killed, as the lock file is
    left.mkdir()
    (left / "x.bundle").touch()
    pushed(a, where.address, Terms(as_is=True, tries=1))
    assert sorted(one.name for one in tmp_path.glob("*x.bundle*")) == ["x.bundle"]
    with pytest.raises(AsrError, match="cannot write"):
        pushed(a, str(tmp_path / "nowhere" / "x.bundle"), Terms(as_is=True))
    (tmp_path / "y.bundle").write_text("no bundle")
    with pytest.raises(AsrError, match="cannot fetch from"):
        pushed(a, str(tmp_path / "y.bundle"), Terms(as_is=True))
    assert (tmp_path / "y.bundle").read_text() == "no bundle"
    stale = bundle_file.write(repo, tmp_path / "z.bundle", Move(SESSIONS, "0" * 40, str(tip(a))))
    assert (stale.moved, stale.why) == (False, "stale info")


def test_a_remote_that_says_nothing(sides: tuple[Path, Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    _, a, _ = sides
    monkeypatch.setattr(fetching, "SILENCE", 1.0)
    began = time.monotonic()
    with silent() as address, pytest.raises(AsrError, match="gave no answer within 1 seconds"):
        pushed(a, address)
    assert time.monotonic() - began < 30
