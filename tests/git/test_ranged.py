"""The commits of a range: who made them and when, whatever stands in them and in the configuration."""

from __future__ import annotations

from pathlib import Path

import pytest

from git_asr.git.changes import removals
from git_asr.git.graph import reached
from git_asr.git.ranged import Ranged, commits, listed
from git_asr.git.repository import open_repository
from tests.git.conftest import put
from tests.support.repo_builder import RepoBuilder, git

AT = "1767225600 +0000"
DAY = "2026-01-01T00:00:00+00:00"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    builder = RepoBuilder(tmp_path / "r")
    builder.commit("refs/heads/main", "one\n", {".mailmap": "Good Name <ann@example.com>\n"})
    return builder.build(checkout=True)


def of(path: Path, *revisions: str) -> list[Ranged]:
    return list(commits(open_repository(path), revisions or ("main",)))


def test_without_revisions_no_commits(path: Path) -> None:
    assert list(commits(open_repository(path), ())) == []


@pytest.mark.parametrize(
    ("author", "committer", "who", "committed_at"),
    [
        (f"author A <a> {AT}", f"committer A <a> {AT}", "A", DAY),
        (f"author A <a> {AT}", "committer A <a> 0 +0000", "A", "1970-01-01T00:00:00+00:00"),
        (f"author A <a> {AT}", "committer A <a> -62167219200 +0000", "A", "1970-01-01T00:00:00+00:00"),
        (f"author A <a> {AT}", "committer A <a> 253402300799 +0000", "A", "9999-12-31T23:59:59+00:00"),
        (f"author A <a> {AT}", "committer A <a> 253402300800 +0000", "A", "9999-12-31T23:59:59+00:00"),
        (f"author A <a> {AT}", f"committer A <a> {'9' * 20} +0000", "A", "1970-01-01T00:00:00+00:00"),
        (f"author A <a> {AT}", "committer A <a> 1767225600 -0000", "A", DAY),
        (f"author A <a> {AT}", "committer A <a> 1767225600 +9999", "A", DAY),
        (f"author A <a> {AT}", "committer A <a>", "A", "1970-01-01T00:00:00+00:00"),
        ("author", "committer", "", "1970-01-01T00:00:00+00:00"),
        ("author <> 5 +0000", f"committer <> {AT}", "", DAY),
        (f"author A\r\x1b[31m <a> {AT}", f"committer A <a> {AT}", "A\r\x1b[31m", DAY),
        (f"author \xe9 <a> {AT}", f"committer A <a> {AT}", "\udce9", DAY),
        (f"author \xe9 <a> {AT}", f"committer A <a> {AT}\nencoding latin-1", "é", DAY),
        (f"author \xe9 <a> {AT}", f"committer A <a> {AT}\nencoding nowhere", "\udce9", DAY),
    ],
)
def test_headers_of_every_kind(path: Path, author: str, committer: str, who: str, committed_at: str) -> None:
    tree = git(path, "rev-parse", "main^{tree}")
    oid = put(path, "commit", f"tree {tree}\n{author}\n{committer}\n\ns\n\nbody\n".encode("latin-1"))
    (one,) = of(path, oid)
    assert (one.oid, one.author, one.committed_at, one.subject) == (oid, who, committed_at, "s")
    assert one.message == b"s\n\nbody\n"


def test_the_mailmap_of_the_work_tree(path: Path, tmp_path: Path) -> None:
    assert of(path)[0].author == "Good Name"
    git(tmp_path, "clone", "-q", "--bare", str(path), "bare")
    assert of(tmp_path / "bare")[0].author == "Good Name"
    (path / ".mailmap").unlink()
    assert of(path)[0].author == "Ann Author"
    (tmp_path / "elsewhere").write_text("Other Name <ann@example.com>\n")
    (path / ".mailmap").symlink_to(tmp_path / "elsewhere")
    assert of(path)[0].author == "Ann Author", "Git follows no link there"
    git(path, "config", "mailmap.file", str(tmp_path / "elsewhere"))
    assert of(path)[0].author == "Other Name"


@pytest.mark.parametrize("filtered", ["blob:none", "tree:0"])
def test_a_partial_clone_without_the_mailmap(path: Path, tmp_path: Path, filtered: str) -> None:
    git(path, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "-q", "--bare", f"--filter={filtered}", f"file://{path}", "part")
    part = tmp_path / "part"
    before = git(part, "count-objects", "-v")
    assert of(part)[0].author == "Ann Author"
    assert git(part, "count-objects", "-v") == before
    git(part, "cat-file", "-e", "HEAD:.mailmap")  # Git fetches it
    assert of(part)[0].author == "Good Name"


CONFIGURED = {
    "log.showSignature": "true",
    "log.follow": "true",
    "log.mailmap": "true",
    "log.date": "relative",
    "log.decorate": "full",
    "log.diffMerges": "on",
    "log.abbrevCommit": "true",
    "format.pretty": "%x00evil",
    "format.notes": "*",
    "color.ui": "always",
    "i18n.logOutputEncoding": "UTF-16",
    "i18n.commitEncoding": "latin-1",
    "diff.external": "/bin/false",
    "diff.relative": "true",
    "diff.renames": "copies",
    "diff.orderFile": "/nowhere",
    "diff.noprefix": "true",
}


def test_no_configuration_changes_what_is_read(tmp_path: Path) -> None:
    builder = RepoBuilder(tmp_path / "r")
    builder.commit("refs/heads/store", "all\n", {"ab/c/0/x": "1", "ab/c/y\nz": "2", "cd/e/x": "3"})
    gone = builder.commit("refs/heads/store", "gone\n", {"ab/c": None})
    path = builder.build()
    plain = of(path, "store")
    for name, value in CONFIGURED.items():
        git(path, "config", name, value)
    assert of(path, "store") == plain
    found = list(removals(open_repository(path), git(path, "rev-parse", "store"), ["ab/c"]))
    assert found == [(builder.oid(gone), "ab/c")] * 2


def test_commits_by_their_ids(path: Path) -> None:
    oid = git(path, "rev-parse", "main").strip()
    found = list(listed(open_repository(path), [oid, "1" * 40]))
    assert [(one.oid, one.author, one.subject) for one in found] == [(oid, "Good Name", "one")]
    assert list(listed(open_repository(path), [])) == []


def test_what_heads_reach(tmp_path: Path) -> None:
    builder = RepoBuilder(tmp_path / "r")
    for number in range(2000):
        builder.commit("refs/heads/main", f"{number}\n")
    builder.commit("refs/heads/side", "side\n")
    path = builder.build()
    repo = open_repository(path)
    oids = git(path, "rev-list", "main").split()
    side = git(path, "rev-parse", "side").strip()
    some = [oids[0], oids[1500], oids[-1], side, "1" * 40]
    assert reached(repo, [oids[0], "2" * 40], some) == set(some[:3])
    assert reached(repo, [oids[0]], oids[:2]) == set(oids[:2])
    assert reached(repo, [oids[0]], []) == reached(repo, [], some) == frozenset()
