"""Remotes as the configuration names them, their refspecs, and URLs in parts."""

from __future__ import annotations

from pathlib import Path

import pytest

from git_asr.git.credentials import without_credentials
from git_asr.git.remotes import (
    Address,
    Refspec,
    parse_refspec,
    parse_url,
    remotes,
    rewritten,
)
from git_asr.git.repository import open_repository
from tests.support.repo_builder import RepoBuilder, git


def test_remotes(tmp_path: Path) -> None:
    path = RepoBuilder(tmp_path / "r").build()
    git(path, "config", "remote.pushDefault", "b.c")
    git(path, "config", "remote.only-a-fetch.fetch", "+refs/*:refs/*")
    git(path, "remote", "add", "b.c", "../b")
    git(path, "remote", "add", "a", "https://example.com/a")
    git(path, "remote", "set-url", "--add", "a", "https://example.com/second")
    git(path, "config", "--add", "remote.a.fetch", "refs/heads/one:refs/heads/one")
    found = remotes(open_repository(path))
    assert [*found] == ["b.c", "a"]
    assert [one.url for one in found.values()] == ["../b", "https://example.com/a"]
    assert found["a"].refspecs == (Refspec("refs/heads/", "refs/remotes/a/", True),)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("+refs/*:refs/*", Refspec("refs/", "refs/", True)),
        ("refs/heads/v1*:refs/x/v1*", Refspec("refs/heads/v1", "refs/x/v1", False)),
        ("refs/heads/main:refs/heads/main", None),
        ("refs/*/main:refs/*/main", None),
        ("^refs/heads/entire/*", None),
        ("refs/heads/*", None),
        ("*:*", Refspec("", "", False)),
        ("", None),
        (":", None),
    ],
)
def test_refspecs(text: str, expected: Refspec | None) -> None:
    assert parse_refspec(text) == expected
    assert expected is None or str(expected) == text


def test_where_a_ref_goes() -> None:
    refspec = Refspec("refs/heads/v1", "refs/x/v1", False)
    assert refspec.mapped("refs/heads/v1.1") == "refs/x/v1.1"
    assert refspec.mapped("refs/heads/v2") is None


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://example.com/a/b.git", Address("https", "", "example.com", "", "a/b.git")),
        ("http://me:pass@example.com:8080/a", Address("http", "me:pass", "example.com", "8080", "a")),
        ("ssh://git@example.com:22/a/b", Address("ssh", "git", "example.com", "22", "a/b")),
        ("git+ssh://example.com/a", Address("ssh", "", "example.com", "", "a")),
        ("git@example.com:a/b.git", Address("scp", "git", "example.com", "", "a/b.git")),
        ("work:a/b", Address("scp", "", "work", "", "a/b")),
        ("work:/a/b", Address("scp", "", "work", "", "/a/b")),
        ("file:///a/b", None),
        ("/a/b:c", None),
        ("../a", None),
        ("ext::sh -c x", Address("scp", "", "ext", "", ":sh -c x")),
        ("https://example.com", None),
        ("", None),
    ],
)
def test_urls(url: str, expected: Address | None) -> None:
    assert parse_url(url) == expected


def test_instead_of(tmp_path: Path) -> None:
    path = RepoBuilder(tmp_path / "r").build()
    git(path, "config", "url.git@github.com:.insteadOf", "gh:")
    git(path, "config", "--add", "url.git@github.com:.insteadOf", "hub:")
    git(path, "config", "url.ssh://work/.insteadOf", "gh:work/")
    git(path, "config", "url.ssh://push/.pushInsteadOf", "gh:")
    git(path, "config", "url.ssh://zzz/.insteadOf", "hub:")
    repo = open_repository(path)
    assert rewritten(repo, "gh:a/b") == "git@github.com:a/b"
    assert rewritten(repo, "hub:a/b") == "git@github.com:a/b"
    assert rewritten(repo, "gh:work/b") == "ssh://work/b"
    assert rewritten(repo, "https://example.com/gh:a") == "https://example.com/gh:a"
    for url in ("gh:a/b", "hub:a/b", "gh:work/b"):
        assert git(path, "ls-remote", "--get-url", url) == rewritten(repo, url)


def test_credentials_are_not_shown() -> None:
    text = (
        "unable to access 'https://me:secret@example.com/a': see https://token@example.org/b and git@host:c"
    )
    assert without_credentials(text) == (
        "unable to access 'https://example.com/a': see https://example.org/b and git@host:c"
    )
