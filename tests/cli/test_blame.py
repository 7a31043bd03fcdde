"""``git asr blame``: the sessions behind the lines of a file."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.cli.golden import is_golden
from tests.cli.test_usage import answers
from tests.e2e.sample_repos import checkpoint, session
from tests.e2e.terminal import run_on_terminal
from tests.support.companion import replace, tree_files
from tests.support.corpus import needs_corpus, synced_sample
from tests.support.entire_repo import MAIN, EntireRepo, Stored
from tests.support.printed import of_command
from tests.support.repo_builder import git
from tests.support.run import PROJECT, Result, run_cli

NOTE = "sessions by the links of the commits: an association, not proof of who wrote a line\n"


def blame(path: Path, *args: str) -> Result:
    return run_cli(["blame", *args], path)


def told(path: Path, *args: str) -> dict[str, Any]:
    ended = blame(path, "--json", *args)
    assert (ended.status, ended.err) == (0, "")
    assert ended.out.isascii()
    found: dict[str, Any] = json.loads(ended.out)
    of_command("blame").validate(found)
    return found


def trailer(*checkpoints: str) -> str:
    return "".join(f"\nEntire-Checkpoint: {one}" for one in checkpoints) + "\n"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Lines of a commit before checkpoints, a linked one, one whose checkpoint is missing, and one of two commits."""
    repo = EntireRepo(tmp_path_factory.mktemp("blame") / "r")
    commit = repo.builder.commit
    commit(MAIN, "start\n", {"a": "one\n", "b:3": "odd\n"})
    name = session(1)
    asked = json.dumps(
        {
            "type": "user",
            "uuid": "p",
            "sessionId": name,
            "timestamp": "2026-01-01T00:00:00Z",
            "message": {"role": "user", "content": "do \x1b[31m\u202e it\nplease"},
        }
    )
    repo.checkpoint(checkpoint(1), Stored(name, asked.encode() + b"\n" + answers(name, range(1, 3))))
    commit(MAIN, f"add \x1b[31m two\n{trailer(checkpoint(1))}", {"a": "one\ntwo \x1b]0;x\x07\tand\n"})
    commit(MAIN, f"add three\n{trailer('bbbb00000001')}", {"a": "one\ntwo \x1b]0;x\x07\tand\nthree\n"})
    repo.checkpoint(checkpoint(2), Stored(session(2), answers(session(2), range(3, 4)), prompt="go on"))
    commit(MAIN, f"four\n{trailer(checkpoint(2))}", {"a": "one\ntwo \x1b]0;x\x07\tand\nthree\nfour\r\n"})
    commit(
        MAIN, f"again\n{trailer(checkpoint(2))}", {"a": "0\none\ntwo \x1b]0;x\x07\tand\nthree\nfour\r\n0\n"}
    )
    path = repo.builder.build(checkout=True)
    assert run_cli(["sync"], path).status == 0
    return path


def test_the_blocks(path: Path) -> None:
    ended = blame(path, "a")
    assert (ended.status, ended.err) == (0, "")
    ids = [git(path, "rev-parse", f"main~{number}").strip()[:12] for number in range(5)]
    day = "2026-01-01 Ann Author"
    assert ended.out == (
        f"{NOTE}\n"
        f"{ids[0]} {day} again\n"
        "  claude-code 00000002 · opus · of the session: “go on”\n"
        f"  ambiguous: commit {ids[1]} names the same checkpoint\n"
        "1  0\n"
        "\n"
        f"{ids[4]} {day} start\n"
        "  no session: older than the first commit that names a checkpoint\n"
        "2  one\n"
        "\n"
        f"{ids[3]} {day} add ^[[31m two\n"
        "  claude-code 00000001 · opus · “do ^[[31m<U+202E> it”\n"
        "3  two ^[]0;x^G      and\n"
        "\n"
        f"{ids[2]} {day} add three\n"
        "  no session: never written, or never pushed by its author\n"
        "4  three\n"
        "\n"
        f"{ids[1]} {day} four\n"
        "  claude-code 00000002 · opus · of the session: “go on”\n"
        f"  ambiguous: commit {ids[0]} names the same checkpoint\n"
        "5  four\n"
        "\n"
        f"{ids[0]} {day} claude-code 00000002\n"
        "6  0\n"
    )


def test_ranges_revisions_and_names(path: Path) -> None:
    def numbers(*args: str) -> list[int]:
        return [one["line"] for one in told(path, *args)["lines"]]

    assert numbers("a:2") == [2]
    assert numbers("a:2,3") == numbers("a:2-3") == numbers("a:2,+2") == numbers("-L", "2,3", "a") == [2, 3]
    assert numbers("-L", "1,1", "a:3") == [1, 3]
    assert numbers("main~4", "a") == [1]
    assert [one["text"] for one in told(path, "b:3")["lines"]] == ["odd"]
    assert told(path, "a:3")["lines"][0]["text"] == "two \x1b]0;x\x07\tand"
    for words in (["--", "--contents=/etc/passwd"], ["x", "y", "a"], ["--", "-x", "a"], ["a:900"], []):
        assert blame(path, *words).status == 2, words


def test_all_that_is_known(path: Path) -> None:
    found = told(path, "a")
    oid = git(path, "rev-parse", "main~3").strip()
    assert found["commits"][oid] == {
        "author": "Ann Author",
        "date": "2026-01-01",
        "subject": "add \x1b[31m two",
        "boundary": False,
        "state": "linked",
        "reason": None,
        "command": None,
        "sessions": [
            {
                "harness": "claude-code",
                "session": session(1),
                "agent": "claude-code",
                "models": ["opus"],
                "checkpoints": [checkpoint(1)],
                "evidence": ["reported"],
                "prompt": "do \x1b[31m\u202e it\nplease",
                "promptFrom": "slice",
            }
        ],
    }
    page = (PROJECT / "docs" / "json.md").read_text("utf-8")
    documented = set(re.findall(r"`([A-Za-z_-]+)`", page))
    one = found["commits"][oid]
    assert {*found, *one, *one["sessions"][0], *found["lines"][0], "uncommitted"} <= documented


def test_where_history_ends_that_was_looked_at_lines_may_be_older(path: Path, tmp_path: Path) -> None:
    said = "  or an earlier commit: nothing before this one was looked at\n"

    def edges(where: Path, *args: str) -> dict[str, bool]:
        return {one["subject"]: one["boundary"] for one in told(where, *args)["commits"].values()}

    assert edges(path, "a") == dict.fromkeys(
        ("again", "start", "add \x1b[31m two", "add three", "four"), False
    )
    assert edges(path, "main~2..main", "a") == {"again": False, "four": False, "add three": True}
    assert blame(path, "main~2..main", "a").out.count(said) == 1
    assert edges(path, "--since=2100-01-01", "a") == {"again": True}
    git(tmp_path, "clone", "-q", "--depth", "2", f"file://{path}", "s")
    assert run_cli(["sync"], tmp_path / "s").status == 0
    assert edges(tmp_path / "s", "a") == {"again": False, "four": True}


def test_options_of_git_that_say_which_commit_a_line_is_traced_to(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    long = "".join(f"a line that is long enough to be found again, {number}\n" for number in range(4))
    repo.builder.commit(MAIN, "one\n", {"a": long, "b": "b\n"})
    repo.builder.commit(MAIN, "two\n", {"a": long.replace("a line", "  a  line"), "b": "b\n"})
    path = repo.builder.build(checkout=True)
    assert run_cli(["sync"], path).status == 0

    def subjects(*args: str) -> list[str]:
        return [one["subject"] for one in told(path, *args)["commits"].values()]

    assert subjects("a") == ["two"]
    assert subjects("-w", "a") == subjects("--ignore-rev=HEAD", "a") == subjects("a", "-w") == ["one"]
    (path / "ignored").write_text(git(path, "rev-parse", "HEAD"))
    assert subjects("--ignore-revs-file=ignored", "a") == ["one"]
    (path / "c").write_text((path / "a").read_text())
    git(path, "rm", "-q", "--cached", "a")
    git(path, "add", "c")
    git(path, "-c", "user.name=A", "-c", "user.email=a", "commit", "-q", "-m", "three")
    (path / "d").write_text((path / "b").read_text() + (path / "c").read_text())
    git(path, "add", "c", "d")
    git(path, "-c", "user.name=A", "-c", "user.email=a", "commit", "-q", "-m", "four")
    assert subjects("d") == ["four"]
    assert subjects("-C", "-C", "-w", "d") == ["four", "one"]
    said = blame(path, "-C", "-C", "-w", "d").out
    assert " Ann Author d four\n" in said
    assert " Ann Author a one\n" in said
    assert " Ann Author two\n" in blame(path, "main~2", "a").out
    assert subjects("-C20", "-C", "--minimal", "--first-parent", "--diff-algorithm=patience", "d:2") == [
        "two"
    ]
    for words in (
        ["--reverse", "d"],
        ["-Mx", "d"],
        ["--ignore-rev=x", "d"],
        ["--ignore-revs-file=x", "d"],
        ["-C"],
    ):
        assert blame(path, *words).status == 2, words
    assert blame(path, "--diff-algorithm=x", "d").status == 2
    assert blame(path, "--", "-w").status == 2


def test_what_is_not_committed_and_an_empty_file(path: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--mirror", str(path), str(tmp_path / "r" / ".git"))
    clone = tmp_path / "r"
    git(clone, "config", "core.bare", "false")
    git(clone, "reset", "-q", "--hard", "main")
    (clone / "a").write_text("new\n")
    (clone / "e").write_text("")
    git(clone, "add", "e")
    assert run_cli(["sync"], clone).status == 0
    assert blame(clone, "a").out == f"{NOTE}\nnot committed yet\n1  new\n"
    assert told(clone, "a")["commits"] == {"0" * 40: {"state": "uncommitted", "sessions": []}}
    assert blame(clone, "e").out == ""


def test_an_accepted_link_is_told(path: Path, tmp_path: Path) -> None:
    clone = tmp_path / "r.git"
    git(tmp_path, "clone", "-q", "--mirror", str(path), str(clone))
    assert run_cli(["link", "accept", "main~4", checkpoint(1)], clone).status == 0
    assert "\n  claude-code 00000001 · opus · link: hand · “do ^[[31m<U+202E> it”\n" in blame(clone, "a").out


def test_colours_are_as_git_has_them(path: Path) -> None:
    status, shown = run_on_terminal(["blame", "a:3"], path)
    assert status == 0
    assert "\x1b[33m" in shown
    config = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "color.ui", "GIT_CONFIG_VALUE_0": "never"}
    assert "\x1b" not in run_on_terminal(["blame", "a:3"], path, env=config)[1]


def test_before_any_sync(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.commit("bbbb00000001")
    repo.builder.build(checkout=True)
    git(repo.path, "config", "asr.autosync", "false")
    ended = blame(repo.path, "work.txt")
    assert (ended.status, ended.out) == (1, "")
    assert ended.err.splitlines()[-2:] == ["error: nothing is synced yet", "hint: git asr sync"]


def test_a_branch_without_a_commit(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "r")
    ended = blame(tmp_path / "r", "a")
    assert (ended.status, ended.err) == (2, "error: no such ref: HEAD\n")


def test_a_session_that_cannot_be_opened_is_told(path: Path, tmp_path: Path) -> None:
    clone = tmp_path / "r.git"
    git(tmp_path, "clone", "-q", "--mirror", str(path), str(clone))
    git(clone, "config", "asr.autosync", "false")
    assert run_cli(["sync"], clone).status == 0
    files = tree_files(clone)
    replace(clone, {one.replace(f"/{session(1)}/", "/elsewhere/"): data for one, data in files.items()})
    ended = blame(clone, "a")
    assert ended.status == 0
    assert f"warning: session {session(1)}: no session {session(1)} in the companion ref\n" in ended.err
    assert "claude-code 00000002" in ended.out
    (links,) = [one for one in files if one.endswith("links.jsonl") and session(1) in one]
    replace(clone, {**files, links: b""})
    ended = blame(clone, "a")
    assert (ended.status, "claude-code 00000001" in ended.out) == (0, False)


def test_many_sessions_of_one_commit_are_not_all_named(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    named = [Stored(session(number), answers(session(number), range(1, 2)), number) for number in range(1, 9)]
    repo.checkpoint(checkpoint(1), *named)
    repo.commit(checkpoint(1))
    repo.builder.build(checkout=True)
    assert run_cli(["sync"], repo.path).status == 0
    ended = blame(repo.path, "work.txt")
    assert ended.out.count("  claude-code 0000000") == 5
    assert "\n  and 3 more sessions: --json lists them\n" in ended.out
    (one,) = told(repo.path, "work.txt")["commits"].values()
    assert len(one["sessions"]) == 8


def golden(repo: Path, *words: str) -> str:
    git(repo, "config", "asr.autosync", "false")
    status, said = run_on_terminal(["blame", *words], repo, env={"NO_COLOR": "1"})
    assert status == 0
    return said


def test_the_demo(tmp_path: Path) -> None:
    assert run_cli(["demo", "weather"], tmp_path).status == 0
    assert is_golden("blame/weather.txt", golden(tmp_path / "weather", "weather.py"))
    assert is_golden("blame/weather.json", blame(tmp_path / "weather", "--json", "weather.py:11-16").out)


@needs_corpus
@pytest.mark.parametrize("name", ["claude-pi-growing", "own-refs-beside-v1"])
def test_a_sample(name: str, tmp_path: Path) -> None:
    repo = synced_sample(name, tmp_path)
    file = git(repo, "ls-tree", "-r", "--name-only", "HEAD").splitlines()[-1]
    assert is_golden(f"blame/{name}.txt", golden(repo, file))
