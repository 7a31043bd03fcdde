"""Git as a child: environment, deadline, errors, pipes."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from git_asr.errors import AsrError
from git_asr.git.base import Repository
from git_asr.git.process import LOCAL_VARIABLES, Child, environment, run_git, try_git
from git_asr.git.repository import open_repository
from tests.git.conftest import Sample, git_children
from tests.support.repo_builder import RepoBuilder, git


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    builder = RepoBuilder(tmp_path / "r")
    builder.commit("refs/heads/main", "one\n", {"a": "1\n"})
    return open_repository(builder.build())


def test_what_belongs_to_another_repository_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    listed = git(Path.cwd(), "rev-parse", "--local-env-vars").split()
    assert set(listed) <= LOCAL_VARIABLES
    dropped = [
        *LOCAL_VARIABLES - {"GIT_NO_REPLACE_OBJECTS"},
        "GIT_AUTHOR_NAME",
        "GIT_COMMITTER_DATE",
        "GIT_CONFIG_KEY_0",
        "GIT_CONFIG_VALUE_0",
        "GIT_TRACE",
        "GIT_TRACE2_EVENT",
    ]
    kept = ["GIT_SSH_COMMAND", "GIT_ASKPASS", "GIT_PROTOCOL_FROM_USER", "https_proxy", "GIT_CONFIG_GLOBAL"]
    for name in [*dropped, *kept]:
        monkeypatch.setenv(name, "set")
    found = environment({"EXTRA": "1"})
    assert [name for name in dropped if name in found] == []
    assert [found.get(name) for name in kept] == ["set"] * len(kept)
    fixed = (
        "GIT_OPTIONAL_LOCKS",
        "GIT_NO_LAZY_FETCH",
        "GIT_TERMINAL_PROMPT",
        "LC_ALL",
        "GIT_NO_REPLACE_OBJECTS",
        "EXTRA",
    )
    assert [found[name] for name in fixed] == ["0", "1", "0", "C", "1", "1"]


def test_transports_are_for_those_who_ask(repo: Repository) -> None:
    remote = f"file://{repo.work_tree}"
    with pytest.raises(AsrError, match="transport 'file' not allowed"):
        run_git(repo, "ls-remote", remote)
    assert b"refs/heads/main" in run_git(repo, "ls-remote", remote, network=True)


def test_the_caller_cannot_redirect_a_child(
    repo: Repository, sha1: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", str(sha1.path))
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(sha1.path / "objects"))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.abbrev")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "nonsense")
    assert run_git(repo, "log", "--format=%s", "main") == b"one\n"
    assert run_git(repo, "rev-parse", "--absolute-git-dir").decode().strip() == str(repo.git_dir)


def test_replacements_are_not_followed(repo: Repository) -> None:
    assert repo.work_tree is not None
    other = git(repo.work_tree, "commit-tree", "-m", "other", "main^{tree}")
    git(repo.work_tree, "replace", "main", other)
    assert git(repo.work_tree, "log", "--format=%s", "main") == "other"
    assert run_git(repo, "log", "--format=%s", "main") == b"one\n"


def test_input_output_and_settings(repo: Repository, tmp_path: Path) -> None:
    data = b"x" * 1_000_000
    oid = run_git(repo, "hash-object", "-w", "--stdin", stdin=data)
    assert run_git(repo, "cat-file", "blob", oid.decode().strip()) == data
    with (tmp_path / "f").open("w+b") as file:
        file.write(b"from a file\n")
        file.seek(0)
        assert run_git(repo, "hash-object", "--stdin", stdin=file) == run_git(
            repo, "hash-object", "--stdin", stdin=b"from a file\n"
        )
    assert run_git(repo, "config", "asr.x", config={"asr.x": "a=b c"}) == b"a=b c\n"
    assert run_git(None, "--version").startswith(b"git version")
    assert run_git(None, "rev-parse", "--show-toplevel", cwd=repo.work_tree).decode().strip() == str(
        repo.work_tree
    )
    assert run_git(repo, "hash-object", "--stdin", stdin=b"") == run_git(repo, "hash-object", "--stdin")


def test_input_that_nobody_reads(repo: Repository) -> None:
    assert run_git(repo, "rev-parse", "--git-dir", stdin=b"x" * 1_000_000)


def test_failures_are_one_line(repo: Repository) -> None:
    with pytest.raises(AsrError) as caught:
        run_git(repo, "rev-parse", "--verify", "nothing")
    assert caught.value.message == "git rev-parse: Needed a single revision"
    with pytest.raises(AsrError, match="git frobnicate: git: 'frobnicate' is not a git command"):
        run_git(repo, "frobnicate", config={"a.b": "c"})
    with pytest.raises(AsrError, match="an argument holds a NUL byte"):
        run_git(repo, "log", "a\0b")
    finished = try_git(repo, "merge-base", "--is-ancestor", "main", "main")
    assert (finished.status, finished.out, finished.err, finished.verb) == (0, b"", b"", "merge-base")


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("echo first >&2; echo second >&2; exit 3", "git log: first"),
        ("echo warning: w >&2; echo error: e >&2; echo fatal: f >&2; exit 128", "git log: f"),
        ("echo warning: w >&2; echo error: e >&2; exit 1", "git log: e"),
        ("printf '\\377\\n' >&2; exit 1", "git log: \ufffd"),
        ("exit 7", "git log: ended with status 7"),
        ("kill -9 $$", "git log: ended by signal 9"),
    ],
)
def test_what_a_failure_says(repo: Repository, fake_git: Path, script: str, message: str) -> None:
    fake_git.write_text(f"#!/bin/sh\n{script}\n")
    with pytest.raises(AsrError) as caught:
        run_git(repo, "log")
    assert caught.value.message == message
    with pytest.raises(AsrError) as caught, Child(repo, "log") as child:
        child.line()
    assert caught.value.message == message


def test_no_git(repo: Repository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(AsrError, match="git is not on PATH") as caught:
        run_git(repo, "log")
    assert caught.value.hint
    with pytest.raises(AsrError, match="git is not on PATH"):
        Child(repo, "log")


def test_no_folder(repo: Repository, tmp_path: Path) -> None:
    with pytest.raises(AsrError, match="cannot start git: No such file or directory"):
        run_git(repo, "log", cwd=tmp_path / "none")


def test_deadline(repo: Repository, fake_git: Path) -> None:
    fake_git.write_text("#!/bin/sh\nexec sleep 600\n")
    with pytest.raises(AsrError, match=r"git log gave no answer within 0\.2 seconds"):
        run_git(repo, "log", deadline=0.2)
    with (
        pytest.raises(AsrError, match=r"git log gave no answer within 0\.2 seconds"),
        Child(repo, "log", deadline=0.2) as child,
    ):
        child.line()
    with pytest.raises(AsrError, match="gave no answer"), Child(repo, "log", deadline=0.2) as child:
        child.exactly(1)
    with pytest.raises(AsrError, match="gave no answer"), Child(repo, "log", deadline=0.2) as child:
        child.ask(b"x" * 10_000_000)
    with pytest.raises(AsrError, match="gave no answer"), Child(repo, "log", deadline=0.2) as child:
        list(child.chunks())
    assert git_children() == []


def test_time_in_which_nobody_waits_does_not_count(repo: Repository) -> None:
    with Child(repo, "cat-file", "--batch-check", deadline=0.4) as child:
        assert not child._closed.wait(0.8)
        child.ask(b"main^{tree}\n")
        assert b" tree " in child.line()


def test_child_is_asked_and_closed(repo: Repository) -> None:
    child = Child(repo, "cat-file", "--batch", env={"X": "y"})
    child.ask(b"main:a\nnothing\n")
    assert child.line().endswith(b" blob 2")
    assert child.exactly(3) == b"1\n\n"
    assert child.line() == b"nothing missing"
    assert child.complaints() == b""
    child.close()
    child.close()
    assert git_children() == []


def test_child_reads_a_file_and_streams(repo: Repository) -> None:
    with tempfile.TemporaryFile() as asked:
        asked.write(b"main\n")
        asked.seek(0)
        with Child(
            repo, "log", "--format=%s", "--stdin", stdin=asked, config={"log.showSignature": "false"}
        ) as child:
            assert b"".join(child.chunks()) == b"one\n"
    with (
        pytest.raises(AsrError, match="git log: ambiguous argument 'nope'"),
        Child(repo, "log", "nope") as child,
    ):
        list(child.chunks())


@pytest.mark.parametrize("size", [1 << 62, 1 << 70])
def test_more_than_memory_holds(repo: Repository, size: int) -> None:
    with (
        pytest.raises(AsrError, match=f"git cat-file: no memory for {size} bytes"),
        Child(repo, "cat-file", "--batch") as child,
    ):
        child.exactly(size)
    assert git_children() == []


def test_child_that_ends_in_the_middle(repo: Repository, fake_git: Path) -> None:
    fake_git.write_text("#!/bin/sh\nprintf half\necho fatal: broke >&2\nexit 1\n")
    with pytest.raises(AsrError, match="git log: broke"), Child(repo, "log") as child:
        child.line()
    with pytest.raises(AsrError, match="git log: broke"), Child(repo, "log") as child:
        child.exactly(100)
    with pytest.raises(AsrError, match="git log: broke"), Child(repo, "log") as child:
        child.exactly(4)
        while True:
            child.ask(b"x" * 100_000)


def test_child_that_is_busy_is_stopped(repo: Repository, fake_git: Path) -> None:
    fake_git.write_text("#!/bin/sh\nexec yes\n")
    child = Child(repo, "log")
    assert child.line() == b"y"
    child.close()
    assert [name for name in git_children() if name.startswith("git")] == []
    with pytest.raises(ValueError, match="closed file"):
        child.line()
