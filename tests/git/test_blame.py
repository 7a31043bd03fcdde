"""The commits behind lines, whatever stands in the file, in its name and in the commits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from git_asr.errors import AsrError, UsageError
from git_asr.git.blame import Line, Origin, _parsed, blame
from git_asr.git.repository import open_repository
from tests.git.conftest import put
from tests.support.repo_builder import RepoBuilder, git

MAIN = "refs/heads/main"


@pytest.fixture(params=["sha1", "sha256"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    builder = RepoBuilder(tmp_path / "r", request.param)
    builder.commit(MAIN, "one\n", {"d/a": "1\n2\n3\n", "d/-x": "dash\n", "d/ü:7": "odd\n", "d/e": ""})
    builder.commit(MAIN, "two \x1b[31m\n", {"d/a": "1\nzw\u20281\r\t\n3\nno end"}, author="Böb <b@x>")
    return builder.build(checkout=True)


def lines(path: Path, file: str, **how: Any) -> list[Line]:
    how.setdefault("cwd", path / "d")
    return list(blame(open_repository(path), file, **how))


def test_each_line_with_its_commit(path: Path) -> None:
    found = lines(path, "a")
    assert [(one.number, one.original, one.text) for one in found] == [
        (1, 1, "1"), (2, 2, "zw\u20281\r\t"), (3, 3, "3"), (4, 4, "no end"),
    ]  # fmt: skip
    assert [one.origin.subject for one in found] == ["one", "two \x1b[31m", "one", "two \x1b[31m"]
    assert found[1].origin is found[3].origin
    origin = found[1].origin
    assert (origin.oid, origin.author, origin.path) == (git(path, "rev-parse", "main").strip(), "Böb", "d/a")
    assert origin.date == "2026-01-01"
    assert lines(path, "e") == []


def test_what_is_not_committed_and_what_a_range_leaves_out(path: Path) -> None:
    (path / "d" / "a").write_bytes(b"1\nnew\xff\n3\n")
    found = lines(path, "a", ranges=["2,+1"])
    assert [(one.number, one.text) for one in found] == [(2, "new\udcff")]
    assert set(found[0].origin.oid) == {"0"}
    assert [one.number for one in lines(path, "a", ranges=["1,1", "3,3"])] == [1, 3]
    assert [one.text for one in lines(path, "a", revision="main~1")] == ["1", "2", "3"]
    assert {one.origin.subject for one in lines(path, "a", revision="main~1..main")} == {
        "one",
        "two \x1b[31m",
    }


@pytest.mark.parametrize("name", ["ü x", 'q"\\', "\t\n\r\a\x01\x7f", '"', "\udcff", "\\101"])
def test_names_are_as_they_are(tmp_path: Path, name: str) -> None:
    git(tmp_path, "init", "-q", "-b", "main", "r")
    path = tmp_path / "r"
    (path / name).write_text("x\n")
    git(path, "add", "-A")
    git(path, "commit", "-qm", "s")
    (found,) = lines(path, name, cwd=path)
    assert found.origin.path == name


def test_names_are_only_names(path: Path) -> None:
    assert [one.text for one in lines(path, "-x")] == ["dash"]
    assert [one.text for one in lines(path, "ü:7")] == ["odd"]
    for wrong in (
        {"file": "nothing"},
        {"file": "../../elsewhere"},
        {"file": "--contents=/etc/passwd"},
        {"file": "a", "revision": "--contents=/etc/passwd"},
        {"file": "a", "revision": "nowhere"},
        {"file": "a", "revision": "main..nowhere"},
        {"file": "a", "ranges": ["900,901"]},
        {"file": "a", "ranges": ["--contents=/etc/passwd"]},
        {"file": "a", "ranges": ["1,x"]},
        {"file": "a", "ranges": [":("]},
    ):
        with pytest.raises(UsageError):
            lines(path, **wrong)


def test_in_a_bare_repository(path: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(path), "bare.git")
    found = lines(tmp_path / "bare.git", "d/a", cwd=tmp_path)
    assert [one.text for one in found] == ["1", "zw\u20281\r\t", "3", "no end"]


def test_dates_of_every_kind(path: Path) -> None:
    tree = git(path, "rev-parse", "main^{tree}")
    for when, day in (
        ("-62167219200 +0000", None),
        ("9" * 17 + " +0000", None),
        ("0 +0000", "1970-01-01"),
        ("", None),
    ):
        author = f"author A <a> {when}".rstrip()
        oid = put(path, "commit", f"tree {tree}\n{author}\ncommitter A <a> 5 +0000\n\ns\n".encode())
        found = lines(path, "a", revision=oid)
        assert len(found) == 4
        assert day is None or found[0].origin.date == day


def test_a_history_that_is_not_whole(path: Path) -> None:
    gone = git(path, "rev-parse", "main~1:d/a").strip()
    packs = path / ".git" / "objects" / "pack"
    moved = packs.rename(path / "moved")
    packs.mkdir()
    for pack in moved.glob("*.pack"):
        git(path, "unpack-objects", "-q", stdin=pack.read_bytes())
    (path / ".git" / "objects" / gone[:2] / gone[2:]).unlink()
    with pytest.raises(AsrError) as caught:
        lines(path, "a")
    assert not isinstance(caught.value, UsageError)


def test_what_git_says_is_taken_as_far_as_it_goes() -> None:
    assert list(_parsed(iter(["a 1 1 1", "author A", "\tx", "a 2 2"]))) == [
        Line(1, 1, Origin("a", "A", "", "", ""), "x")
    ]
