"""Signed companions, with real keys."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from git_asr.companion.arrivals import merged
from git_asr.companion.signatures import Verdict, Verifier
from git_asr.errors import AsrError
from git_asr.git import signing
from git_asr.git.backend import open_objects
from git_asr.git.repository import open_repository
from git_asr.git.writing import ObjectWriter
from tests.companion.test_merging import gathered
from tests.support.repo_builder import fsck, git
from tests.support.signing import needs_gpg, needs_ssh, sign_with, ssh_key

pytestmark = needs_ssh

CARL = "Carl Committer <carl@example.com>"


class Hub:
    """A repository that fetched the companions of two clones."""

    def __init__(self, folder: Path) -> None:
        self.path, self.tips = gathered(folder, [(0, "plain", 3)], [(1, "other", 4)])

    def ask(self, *revisions: str) -> dict[str, Verdict]:
        repo = open_repository(self.path)
        with open_objects(repo) as objects, ObjectWriter(repo, objects) as writer:
            return {one.commit: one for one in Verifier(repo, objects, writer).verdicts(revisions)}

    def seal(self, commit: str) -> str:
        repo = open_repository(self.path)
        with open_objects(repo) as objects, ObjectWriter(repo, objects) as writer:
            return Verifier(repo, objects, writer).sealed(commit)

    def merge(self, *tips: str) -> str:
        repo = open_repository(self.path)
        with open_objects(repo) as objects, ObjectWriter(repo, objects) as writer:
            return str(merged(repo, objects, writer, tips, pytest.fail).commit)

    def refusal(self, tip: str, *accepted: str) -> Verdict | None:
        repo = open_repository(self.path)
        with open_objects(repo) as objects, ObjectWriter(repo, objects) as writer:
            return Verifier(repo, objects, writer).refusal(tip, accepted)


@pytest.fixture
def hub(tmp_path: Path) -> Hub:
    return Hub(tmp_path)


def header(commit: str) -> str:
    """What stands in a commit but its signature."""
    head, _, message = commit.partition("\n\n")
    kept: list[str] = []
    inside = False
    for line in head.split("\n"):
        inside = line.startswith("gpgsig") or (inside and line.startswith(" "))
        kept += [] if inside else [line]
    return "\n".join([*kept, "", message])


def test_a_signed_commit_says_the_same_as_the_one_before(hub: Hub, tmp_path: Path) -> None:
    sign_with(hub.path, ssh_key(tmp_path))
    sealed = hub.seal(hub.tips[0])
    assert sealed != hub.tips[0]
    was, now = (git(hub.path, "cat-file", "commit", one) for one in (hub.tips[0], sealed))
    assert header(now) == was
    fsck(hub.path)
    assert hub.ask(sealed) == {sealed: Verdict(sealed, "signed", "ann@example.com")}


def test_a_merge_needs_no_signature(hub: Hub, tmp_path: Path) -> None:
    sign_with(hub.path, ssh_key(tmp_path))
    tips = [hub.seal(tip) for tip in hub.tips]
    union = hub.merge(*tips)
    assert hub.seal(union) == union
    found = hub.ask(union)
    assert {one.commit: one.state for one in found.values()} == {
        union: "merge",
        tips[0]: "signed",
        tips[1]: "signed",
    }
    assert hub.refusal(union) is None


def test_a_merge_that_adds_something_is_none(hub: Hub, tmp_path: Path) -> None:
    sign_with(hub.path, ssh_key(tmp_path))
    tips = [hub.seal(tip) for tip in hub.tips]
    parents = [word for tip in sorted(tips) for word in ("-p", tip)]
    lying = git(hub.path, "commit-tree", *parents, "-m", "Agent sessions", f"{tips[0]}^{{tree}}").strip()
    assert hub.ask(lying)[lying] == Verdict(lying, "unsigned", why="it is not signed")
    assert hub.refusal(lying) == Verdict(lying, "unsigned", why="it is not signed")
    assert hub.seal(lying) != lying


def test_only_what_is_not_accepted_yet_is_looked_at(hub: Hub, tmp_path: Path) -> None:
    sign_with(hub.path, ssh_key(tmp_path))
    signed = hub.seal(hub.tips[0])
    union = hub.merge(signed, hub.tips[1])
    assert hub.refusal(union) == Verdict(hub.tips[1], "unsigned", why="it is not signed")
    assert hub.refusal(union, hub.tips[1]) is None
    assert hub.refusal(hub.tips[1], union) is None


def test_a_key_that_nobody_trusts(hub: Hub, tmp_path: Path) -> None:
    ann, bob = ssh_key(tmp_path), ssh_key(tmp_path, "bob")
    sign_with(hub.path, bob)
    sealed = hub.seal(hub.tips[0])
    sign_with(hub.path, ann)
    found = hub.ask(sealed)[sealed]
    assert found.state == "doubtful"
    assert not found.holds


def test_a_signature_of_another_commit(hub: Hub, tmp_path: Path) -> None:
    sign_with(hub.path, ssh_key(tmp_path))
    sealed = hub.seal(hub.tips[0])
    text = git(hub.path, "cat-file", "commit", sealed).replace("Agent sessions", "Other sessions")
    moved = subprocess.run(
        ["git", "hash-object", "-t", "commit", "-w", "--stdin"],
        cwd=hub.path, input=text.encode(), capture_output=True, check=True,
    ).stdout.decode().strip()  # fmt: skip
    assert hub.ask(moved)[moved].state == "bad"


def test_git_that_cannot_sign(hub: Hub, tmp_path: Path) -> None:
    git(hub.path, "config", "gpg.format", "ssh")
    git(hub.path, "config", "user.signingKey", str(tmp_path / "no such key"))
    with pytest.raises(AsrError) as caught:
        hub.seal(hub.tips[0])
    assert caught.value.message.startswith("cannot sign the companion ref: ")
    assert str(caught.value.hint).startswith("see whether Git itself can sign: git commit -S")


@needs_gpg
def test_the_key_of_the_users_own_identity(hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without ``user.signingKey`` GnuPG would look for a key of git-asr's."""
    home = Path("/tmp") / f"gnupg-{os.getpid()}"  # the socket of its agent must have a short name
    home.mkdir(mode=0o700)
    monkeypatch.setenv("GNUPGHOME", str(home))
    try:
        subprocess.run(
            ["gpg", "--batch", "--quiet", "--passphrase", "", "--quick-generate-key", CARL],
            check=True, capture_output=True,
        )  # fmt: skip
        git(hub.path, "config", "user.name", "Carl Committer")
        git(hub.path, "config", "user.email", "carl@example.com")
        sealed = hub.seal(hub.tips[0])
        assert hub.ask(sealed)[sealed] == Verdict(sealed, "signed", CARL)
    finally:
        subprocess.run(["gpgconf", "--kill", "all"], check=False, capture_output=True)
        subprocess.run(["rm", "-rf", str(home)], check=True)


def test_what_is_not_here_is_left_out(hub: Hub) -> None:
    assert list(signing.signatures(open_repository(hub.path), [])) == []
    assert list(signing.signatures(open_repository(hub.path), ["1" * 40])) == []
