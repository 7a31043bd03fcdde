"""The walk over commits."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path

import pytest

from git_asr.errors import AsrError, UsageError
from git_asr.git.base import Commit, Repository
from git_asr.git.history import resolve, walk
from git_asr.git.repository import open_repository
from tests.git.conftest import put
from tests.support.corpus import expected, needs_corpus, sample, samples
from tests.support.repo_builder import RepoBuilder, git

NEEDLE = b"Entire-Checkpoint"
STORES = [
    "refs/entire/*",
    "refs/heads/entire/*",
    "refs/remotes/*/entire/*",
    "refs/asr/*",
    "refs/notes/*",
    "refs/stash",
]


@pytest.fixture
def builder(tmp_path: Path) -> RepoBuilder:
    return RepoBuilder(tmp_path / "r")


def oids(
    repo: Repository, revisions: list[str] | None = None, needle: bytes = b"", **options: list[str]
) -> list[str]:
    return [commit.oid for commit in walk(repo, revisions=revisions, needle=needle, **options)]


def test_only_commits_with_the_needle(builder: RepoBuilder) -> None:
    builder.commit("refs/heads/main", "one\n\nother: 1\n")
    two = builder.commit(
        "refs/heads/main", "two\n\nEntire-Checkpoint: 0123456789ab\n", when=1_700_000_000, offset="+0530"
    )
    builder.commit("refs/heads/main", "entire-checkpoint in lower case\n")
    four = builder.commit("refs/heads/side", "four Entire-Checkpoint: x", when=1_600_000_000, offset="-0000")
    repo = open_repository(builder.build())
    assert list(walk(repo, revisions=None, needle=NEEDLE)) == [
        Commit(
            builder.oid(two),
            "2023-11-15T03:43:20+05:30",
            1_700_000_000,
            b"two\n\nEntire-Checkpoint: 0123456789ab\n",
        ),
        Commit(builder.oid(four), "2020-09-13T12:26:40+00:00", 1_600_000_000, b"four Entire-Checkpoint: x"),
    ]
    with_hash = builder.oid(two)[:20].encode()
    assert oids(repo, needle=with_hash) == []  # it stands before the message, not in it


def test_every_ref_but_those_excluded_and_every_head(builder: RepoBuilder, tmp_path: Path) -> None:
    main = builder.commit("refs/heads/main", "main\n")
    for ref in (
        "refs/heads/entire/checkpoints/v1",
        "refs/entire/checkpoints/ab/x",
        "refs/notes/n",
        "refs/stash",
    ):
        builder.commit(ref, "store\n")
    pull = builder.commit("refs/pull/1/head", "pull\n")
    remote = builder.commit("refs/remotes/origin/topic", "remote\n")
    builder.commit("refs/remotes/origin/entire/checkpoints/v1", "store\n")
    tagged = builder.commit("refs/tags/light", "tagged\n")
    path = builder.build(checkout=True)
    git(path, "worktree", "add", "-q", "--detach", str(tmp_path / "linked"))
    git(tmp_path / "linked", "commit", "-q", "--allow-empty", "-m", "detached")
    detached = git(tmp_path / "linked", "rev-parse", "HEAD")
    repo = open_repository(path)
    found = oids(repo, exclude_refs=STORES)
    assert sorted(found) == sorted([*map(builder.oid, [main, pull, remote, tagged]), detached])
    assert len(oids(repo)) == len(found) + 5
    assert builder.oid(main) in oids(repo, exclude_refs=["refs/heads/main"])  # HEAD is there


def test_hidden_and_heads(builder: RepoBuilder) -> None:
    marks = [builder.commit("refs/heads/main", f"{number}\n") for number in range(5)]
    path = builder.build()
    repo = open_repository(path)
    commits = [builder.oid(mark) for mark in marks]
    assert oids(repo, hidden=[commits[2]]) == [commits[4], commits[3]]
    assert oids(repo, hidden=[commits[4]]) == []
    gone = "1" * 40
    assert oids(repo, hidden=[gone, commits[3], gone], heads=[gone]) == [commits[4]]
    assert oids(repo, hidden=[git(path, "rev-parse", "main^{tree}")]) == commits[::-1]
    git(path, "update-ref", "-d", "refs/heads/main")
    assert oids(repo) == []
    assert oids(repo, heads=[commits[1], commits[3]], hidden=[commits[0]]) == [
        commits[3],
        commits[2],
        commits[1],
    ]


def test_hidden_commit_whose_history_is_partly_gone(builder: RepoBuilder) -> None:
    marks = [builder.commit("refs/heads/old", f"{number}\n") for number in range(3)]
    kept = builder.commit("refs/heads/main", "kept\n", {"a": "1"})
    path = builder.build()
    first = builder.oid(marks[0])
    git(path, "update-ref", "-d", "refs/heads/old")
    (path / ".git" / "objects" / first[:2] / first[2:]).unlink()
    assert oids(open_repository(path), hidden=[builder.oid(marks[2])]) == [builder.oid(kept)]


def test_revisions_of_the_user(builder: RepoBuilder) -> None:
    marks = [builder.commit("refs/heads/main", f"{number}\n") for number in range(4)]
    side = builder.commit("refs/heads/side", "side\n", parents=[marks[1]])
    builder.tag("v1", marks[2])
    path = builder.build(checkout=True)
    repo = open_repository(path)
    zero, one, two, three = map(builder.oid, marks)
    assert oids(repo, ["main"]) == [three, two, one, zero]
    assert oids(repo, ["side..main"]) == [three, two]
    assert oids(repo, ["main", "^v1"]) == [three]
    assert sorted(oids(repo, ["main...side"])) == sorted([three, two, builder.oid(side)])
    assert oids(repo, ["HEAD~2^!"]) == [one]
    assert oids(repo, [":/^1"]) == [one, zero]
    assert oids(repo, [zero[:8]]) == [zero]
    assert oids(repo, []) == []
    assert oids(repo, ["^main"]) == []
    assert oids(repo, ["main^{tree}", "main"]) == [three, two, one, zero]


@pytest.mark.parametrize(
    "revision",
    [
        "nothing",
        "nothing..main",
        "main..nothing",
        "^nothing",
        "1" * 40,
        "deadbeef",
        "main^{/nothing}",
        "a b",
        "ä",
        "\udcff",
        "main~99",
        "",
        "main\nmain",
        "x\0",
    ],
)
def test_unknown_revisions(builder: RepoBuilder, revision: str) -> None:
    builder.commit("refs/heads/main", "one\n")
    repo = open_repository(builder.build())
    with pytest.raises(UsageError, match="unknown revision") as caught:
        oids(repo, ["main", revision])
    shown = revision.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    assert caught.value.message in (f"unknown revision '{revision}'", f"unknown revision '{shown}'")
    assert caught.value.hint
    with pytest.raises(UsageError, match="unknown revision"):
        resolve(repo, revision)


@pytest.mark.parametrize("revision", ["-1", "--all", "--output=/tmp/x", "--since=yesterday", "--", "-"])
def test_options_are_no_revisions(builder: RepoBuilder, revision: str) -> None:
    builder.commit("refs/heads/main", "one\n")
    repo = open_repository(builder.build())
    for ask in (lambda: oids(repo, [revision]), lambda: resolve(repo, revision)):
        with pytest.raises(UsageError, match="is no revision") as caught:
            ask()
        assert caught.value.hint


@pytest.mark.parametrize(
    ("revision", "message"),
    [
        ("@{upstream}", "no upstream configured for branch 'main'"),
        ("nothing@{u}", "no such branch: 'nothing'"),
        ("main@{99}", "log for 'main' only has 1 entries"),
    ],
)
def test_revisions_about_which_git_knows_more(builder: RepoBuilder, revision: str, message: str) -> None:
    builder.commit("refs/heads/main", "one\n")
    repo = open_repository(builder.build(checkout=True))
    with pytest.raises(UsageError) as caught:
        oids(repo, [revision])
    assert caught.value.message == message


def test_resolve(builder: RepoBuilder) -> None:
    one = builder.commit("refs/heads/main", "one\n", {"a": "1"})
    builder.tag("v1", one)
    path = builder.build()
    repo = open_repository(path)
    for revision in ("main", "v1", "HEAD", "@", builder.oid(one)[:7], "main^{}"):
        assert resolve(repo, revision) == builder.oid(one)
    for revision in ("main:a", "main^{tree}", "main^", "main..main"):
        with pytest.raises(UsageError, match="unknown revision"):
            resolve(repo, revision)


def test_empty_and_unborn(tmp_path: Path) -> None:
    repo = open_repository(RepoBuilder(tmp_path / "r").build())
    assert oids(repo) == []
    assert oids(repo, exclude_refs=STORES, hidden=["1" * 40], heads=["1" * 40]) == []
    with pytest.raises(UsageError, match="HEAD leads to no commit"):
        oids(repo, ["HEAD"])
    with pytest.raises(UsageError, match="HEAD leads to no commit"):
        resolve(repo, "HEAD")


def test_refs_to_other_things(builder: RepoBuilder) -> None:
    one = builder.commit("refs/heads/main", "one\n", {"a": "1"})
    path = builder.build()
    tree, blob = git(path, "rev-parse", "main^{tree}"), git(path, "rev-parse", "main:a")
    git(path, "update-ref", "refs/tags/tree", tree)
    git(path, "update-ref", "refs/tags/blob", blob)
    git(path, "tag", "-a", "-m", "x", "tree-tag", tree)
    folder = path / ".git" / "refs" / "heads"
    (folder / "absent").write_text("1" * 40 + "\n")
    (folder / "garbage").write_text("garbage\n")
    (folder / "dangling").write_text("ref: refs/heads/nowhere\n")
    repo = open_repository(path)
    assert oids(repo) == [builder.oid(one)]
    assert oids(repo, ["tree", "blob", "tree-tag"]) == []
    with pytest.raises(UsageError, match="unknown revision 'absent'"):
        oids(repo, ["absent"])


def commit_body(path: Path, committer: bytes, message: bytes, headers: bytes = b"") -> bytes:
    tree = git(path, "hash-object", "-w", "-t", "tree", "--stdin").encode()
    return b"tree %s\nauthor A <a@b> 1 +0000\n%s\n%s\n%s" % (tree, committer, headers, message)


@pytest.mark.parametrize(
    ("committer", "committed", "written"),
    [
        (b"committer C <c@d> 1700000000 -0330", 1_700_000_000, "2023-11-14T18:43:20-03:30"),
        (b"committer C <c@d> 1700000000 +9900", 1_700_000_000, "2023-11-14T22:13:20+00:00"),
        (b"committer C <c@d> 99999999999999 +0000", 253402300799, "9999-12-31T23:59:59+00:00"),
        (b"committer C <c@d> soon +0000", 0, "1970-01-01T00:00:00+00:00"),
        (b"committer nobody", 0, "1970-01-01T00:00:00+00:00"),
    ],
)
def test_odd_times(builder: RepoBuilder, committer: bytes, committed: int, written: str) -> None:
    path = builder.build()
    git(path, "update-ref", "refs/heads/main", put(path, "commit", commit_body(path, committer, b"m\n")))
    (commit,) = walk(open_repository(path), revisions=None, needle=b"")
    assert (commit.committed, commit.committed_at) == (committed, written)
    assert datetime.fromisoformat(commit.committed_at).timestamp() == committed


@pytest.mark.parametrize(
    ("message", "headers", "found"),
    [
        (b"caf\xe9 NEEDLE\n", b"encoding ISO-8859-1\n", b"caf\xc3\xa9 NEEDLE\n"),
        (b"caf\xe9 NEEDLE \xff\r\n", b"", b"caf\xe9 NEEDLE \xff\r\n"),
        (b"caf\xe9 NEEDLE\n", b"encoding nonsense\n", b"caf\xe9 NEEDLE\n"),
        (b"before NEEDLE\0after\n", b"", b"before NEEDLE"),
        (b"before\0NEEDLE\n", b"", None),
        (b"\n\nNEEDLE\x1f\x01\x1b[31m\n\n\n", b"", b"\n\nNEEDLE\x1f\x01\x1b[31m\n\n\n"),
        (
            b"NEEDLE",
            b"gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n",
            b"NEEDLE",
        ),
        (b"", b"", None),
        (b"NEEDLE" * 100_000, b"", b"NEEDLE" * 100_000),
    ],
    ids=["latin1", "bytes", "unknown-encoding", "nul", "after-nul", "control", "signed", "empty", "long"],
)
def test_odd_messages(builder: RepoBuilder, message: bytes, headers: bytes, found: bytes | None) -> None:
    path = builder.build()
    body = commit_body(path, b"committer C <c@d> 1 +0000", message, headers)
    git(path, "update-ref", "refs/heads/main", put(path, "commit", body))
    git(path, "config", "log.showSignature", "true")
    commits = list(walk(open_repository(path), revisions=None, needle=b"NEEDLE"))
    assert [commit.message for commit in commits] == ([] if found is None else [found])


def test_settings_of_the_user_change_nothing(builder: RepoBuilder) -> None:
    builder.commit("refs/heads/main", "one\n", {"a": "1\n"})
    path = builder.build()
    repo = open_repository(path)
    plain = list(walk(repo, revisions=None, needle=b"one"))
    git(path, "notes", "add", "-m", "one note", "main")
    for key, value in [
        ("color.ui", "always"),
        ("log.showSignature", "true"),
        ("format.pretty", "raw"),
        ("i18n.logOutputEncoding", "UTF-16"),
        ("log.date", "relative"),
        ("notes.displayRef", "refs/notes/*"),
        ("log.follow", "true"),
        ("log.decorate", "full"),
        ("diff.renames", "copies"),
        ("core.pager", "false"),
    ]:
        git(path, "config", key, value)
    assert list(walk(repo, revisions=None, exclude_refs=["refs/notes/*"], needle=b"one")) == plain
    assert len(plain) == 1


def test_damaged_history_is_an_error(builder: RepoBuilder) -> None:
    marks = [builder.commit("refs/heads/main", f"{number}\n") for number in range(3)]
    path = builder.build()
    gone = builder.oid(marks[0])
    (path / ".git" / "objects" / gone[:2] / gone[2:]).unlink()
    with pytest.raises(AsrError, match="git log: ") as caught:
        oids(open_repository(path))
    assert not isinstance(caught.value, UsageError)


def test_shallow(builder: RepoBuilder, tmp_path: Path) -> None:
    for number in range(5):
        builder.commit("refs/heads/main", f"{number}\n")
    path = builder.build()
    git(tmp_path, "clone", "-q", "--bare", "--depth=2", f"file://{path}", "shallow")
    repo = open_repository(tmp_path / "shallow")
    assert [commit.message for commit in walk(repo, revisions=None, needle=b"")] == [b"4\n", b"3\n"]


def test_walks_are_streamed_and_may_be_left(builder: RepoBuilder) -> None:
    for number in range(300):
        builder.commit("refs/heads/main", f"{number}\n" + "x" * 2000)
    repo = open_repository(builder.build())
    commits = walk(repo, revisions=None, needle=b"x")
    assert next(commits).message.startswith(b"299\n")
    commits.close()  # type: ignore[attr-defined]
    assert len(oids(repo)) == 300


@needs_corpus
@pytest.mark.parametrize("name", samples())
def test_samples(name: str, tmp_path: Path) -> None:
    repo = open_repository(sample(name, tmp_path))
    figures = expected()["samples"][name]["git"]
    exclude = [*STORES, "refs/remotes/*/entire/sessions*"]
    assert len(oids(repo, exclude_refs=exclude)) == figures["commits"]
    found = list(walk(repo, revisions=None, exclude_refs=exclude, needle=NEEDLE))
    assert (
        len([one for one in found if re.search(rb"^Entire-Checkpoint:", one.message, re.MULTILINE)])
        == figures["commits_with_trailer"]
    )
