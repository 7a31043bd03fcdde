"""Clones that sign what they add, and that take only what is signed; with real keys."""

from __future__ import annotations

from pathlib import Path

import pytest

from git_asr.errors import AsrError
from tests.support.companion import bundles, tip
from tests.support.repo_builder import fsck, git
from tests.support.run import run_cli
from tests.support.signing import needs_ssh, sign_with, ssh_key
from tests.sync.syncing import ONE, TWO, run, run_codes
from tests.sync.test_arriving import Clone

pytestmark = needs_ssh


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Clone, Clone]:
    """Two who know each other's keys and sign."""
    ann, bob = ssh_key(tmp_path), ssh_key(tmp_path, "bob")
    a, b = Clone(tmp_path, "a"), Clone(tmp_path, "b")
    sign_with(a.path, ann, bob)
    sign_with(b.path, bob, ann)
    for one in (a, b):
        git(one.path, "config", "asr.sign", "true")
    return a, b


def states(clone: Clone, *revisions: str) -> list[str]:
    ended = run_cli(["verify", *revisions], clone.path)
    assert ended.err == ""
    return sorted(line.partition(" ")[2] for line in ended.out.splitlines())


def test_what_is_added_is_signed_once(pair: tuple[Clone, Clone]) -> None:
    a, _ = pair
    a.work(0)
    a.sync()
    first = a.tip
    assert states(a) == ["signed by ann@example.com"]
    a.sync()
    run(a.path, full=True)
    assert a.tip == first
    a.work(1)
    a.sync()
    assert a.tip != first
    assert states(a) == ["signed by ann@example.com"]
    fsck(a.path)


def test_what_was_there_is_signed_when_it_is_switched_on(pair: tuple[Clone, Clone]) -> None:
    a, _ = pair
    git(a.path, "config", "asr.sign", "false")
    a.work(0)
    a.sync()
    assert states(a) == ["unsigned: it is not signed"]
    git(a.path, "config", "asr.sign", "true")
    a.sync()
    assert states(a) == ["signed by ann@example.com"]


def test_two_who_sign_end_with_the_same_commit(pair: tuple[Clone, Clone]) -> None:
    a, b = pair
    a.work(0, session=ONE)
    b.work(1, session=TWO)
    a.exchange()
    b.exchange()
    a.exchange()
    assert a.tip == b.tip == tip(a.hub)
    assert {one.manifest["sessions"][0]["session"]["id"] for one in bundles(a.path)} == {ONE, TWO}
    assert states(a) == states(b)
    assert run_cli(["verify"], a.path).status == 0
    a.sync()
    assert a.tip == b.tip


def test_only_what_is_signed_is_merged(pair: tuple[Clone, Clone]) -> None:
    a, b = pair
    git(a.path, "config", "asr.requireSigned", "true")
    git(b.path, "config", "asr.sign", "false")
    b.work(1, session=TWO)
    b.sync()
    b.push()
    a.work(0, session=ONE)
    a.fetch()
    assert run_codes(a.path)[1] == ["unsigned-companion"]
    assert len(bundles(a.path)) == 1
    assert states(a, "asr/remotes/origin/sessions") == ["unsigned: it is not signed"]

    git(a.path, "config", "asr.requireSigned", "false")
    a.sync()
    assert len(bundles(a.path)) == 2


@pytest.mark.parametrize("option", [[], ["--compact"]])
def test_nobody_signs_what_others_did_not(pair: tuple[Clone, Clone], option: list[str]) -> None:
    a, b = pair
    git(a.path, "config", "asr.requireSigned", "true")
    git(b.path, "config", "asr.sign", "false")
    b.work(1, session=TWO)
    b.sync()
    b.push()
    a.work(0, session=ONE)
    a.sync()
    git(a.path, "remote", "add", "origin", str(a.hub))
    git(a.path, "push", "-q", "origin", "main", "refs/heads/entire/*:refs/heads/entire/*")
    ended = run_cli(["push", *option, "origin"], a.path)
    assert ended.status == 1
    assert "there does not hold: commit " in ended.err
    assert tip(a.hub) == b.tip
    ended = run_cli(["fetch", "origin"], a.path)
    assert (ended.status, "it is not signed" in ended.err) == (1, True)
    git(a.path, "config", "asr.requireSigned", "false")
    assert run_cli(["push", *option, "origin"], a.path).status == 0


def test_it_is_merged_when_it_is_signed_later(pair: tuple[Clone, Clone]) -> None:
    a, b = pair
    git(a.path, "config", "asr.requireSigned", "true")
    git(b.path, "config", "asr.sign", "false")
    b.work(1, session=TWO)
    b.sync()
    a.fetch(b.path)
    a.sync()
    assert a.tip is None
    git(b.path, "config", "asr.sign", "true")
    b.sync()
    a.fetch(b.path)
    a.sync()
    assert len(bundles(a.path)) == 1


def test_a_sync_that_cannot_sign_changes_nothing(pair: tuple[Clone, Clone], tmp_path: Path) -> None:
    a, _ = pair
    git(a.path, "config", "user.signingKey", str(tmp_path / "gone"))
    a.work(0)
    with pytest.raises(AsrError, match="cannot sign the companion ref"):
        a.sync()
    assert a.tip is None


def test_what_is_pushed_is_signed(pair: tuple[Clone, Clone]) -> None:
    """The commit that goes stands on what the remote has, and not on what is here."""
    a, b = pair
    b.work(1, session=TWO)
    b.exchange()
    a.work(0, session=ONE)
    git(a.path, "remote", "add", "origin", str(a.hub))
    git(a.path, "push", "-q", "origin", "main", "refs/heads/entire/*:refs/heads/entire/*")
    assert run_cli(["push", "origin"], a.path).status == 0
    a.fetch()
    assert states(a, "asr/remotes/origin/sessions") == [
        "signed by ann@example.com",
        "signed by bob@example.com",
    ]
    assert len(bundles(a.hub)) == 2
