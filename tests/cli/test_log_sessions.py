"""``git asr log`` with options of our own: which commits are chosen, and the lines under them."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.golden import is_golden
from tests.cli.test_log import log
from tests.e2e.sample_repos import checkpoint, refs, session
from tests.e2e.soundness import check
from tests.e2e.terminal import run_on_terminal
from tests.support.corpus import needs_corpus, synced_sample
from tests.support.entire_repo import EntireRepo, Stored
from tests.support.repo_builder import git
from tests.support.run import run_cli

PROJECT = "/home/ann/project"


def edit(number: int, path: str, status: str = "done", model: str = "claude-opus-4-8") -> bytes:
    """Two lines of Claude Code: an edit, and its result."""
    when = f"2026-01-01T00:00:{number:02}Z"
    call = {"type": "tool_use", "id": f"t{number}", "name": "Edit"}
    call |= {"input": {"file_path": path, "old_string": "a", "new_string": "b"}}
    result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": status}
    failed = {"is_error": True} if status == "failed" else {}
    usage = {
        "input_tokens": 10,
        "cache_read_input_tokens": 5,
        "cache_creation_input_tokens": 2,
        "output_tokens": 3,
    }
    told: list[dict[str, Any]] = [
        {"type": "assistant", "message": {"id": f"m{number}", "role": "assistant", "model": model, "content": [call],
                                          "usage": usage}},
        {"type": "user", "message": {"role": "user", "content": [{**result, **failed}]}},
    ]  # fmt: skip
    parents = ["p" if number == 1 else f"u{number - 1}.1", f"u{number}.0"]
    lines = [
        line(f"u{number}.{at}", parent, when, **one)
        for at, (one, parent) in enumerate(zip(told, parents, strict=True))
    ]
    return b"".join(lines)


def line(uuid: str, parent: str | None, when: str, **other: Any) -> bytes:
    known = {
        "parentUuid": parent,
        "sessionId": session(1),
        "uuid": uuid,
        "timestamp": when,
        "version": "2.1.100",
    }
    return json.dumps({**known, **other}).encode() + b"\n"


def prompt(text: str) -> bytes:
    return line("p", None, "2026-01-01T00:00:00Z", type="user", message={"role": "user", "content": text})


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A session with two slices on main, one of another agent on a side branch, a merge, and commits without."""
    folder = tmp_path_factory.mktemp("log")
    repo = EntireRepo(folder / "r")
    first = (
        prompt("tidy up\nplease")
        + edit(1, f"{PROJECT}/src/a.py")
        + edit(2, f"{PROJECT}/src/bad.py", "failed")
    )
    second = first + edit(3, f"{PROJECT}/docs/b.md")
    repo.checkpoint(checkpoint(1), Stored(session(1), first))
    repo.checkpoint(checkpoint(2), Stored(session(1), second, start=first.count(b"\n"), created=60))
    repo.checkpoint(
        checkpoint(3), Stored(session(3), None, agent="Codex", created=120, metadata={"model": "gpt-5"})
    )
    one = repo.commit(checkpoint(1), message="one")
    repo.commit(message="plain")
    two = repo.commit(checkpoint(2), message="two")
    side = repo.builder.commit(
        "refs/heads/side", f"side\n\nEntire-Checkpoint: {checkpoint(3)}\n", {"side.txt": "x\n"}, parents=[one]
    )
    repo.builder.commit("refs/heads/main", "merge\n", {}, parents=[two, side])
    repo.builder.build(checkout=True)
    assert run_cli(["sync"], repo.path).status == 0
    yield repo.path
    check(folder)


def subjects(path: Path, *args: str, **env: str) -> list[str]:
    """The subjects of the commits that are shown, if all goes well."""
    ended = log(path, "--no-notes", "--format=%s", *args, **env)
    assert (ended.status, ended.err) == (0, "")
    return ended.out.splitlines()


ALL = ["merge", "side", "two", "plain", "one"]


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        ([], ALL),
        (["--sessions"], ["side", "two", "one"]),
        (["--no-sessions"], ["merge", "plain"]),
        (["--no-sessions", "--sessions"], ["side", "two", "one"]),
        (["--agent", "claude-code"], ["two", "one"]),
        (["--agent=Claude Code"], ["two", "one"]),
        (["--agent", "CODEX"], ["side"]),
        (["--agent", "nobody"], []),
        (["--model", "opus"], ["two", "one"]),
        (["--model=CLAUDE-*-8"], ["two", "one"]),
        (["--model=claude"], ["two", "one"]),
        (["--model=claude-?"], []),
        (["--model", "[g]pt*"], ["side"]),
        (["--session", session(3)], ["side"]),
        (["--session", session(1)[:8]], ["two", "one"]),
        (["--agent", "codex", "--model", "opus"], []),
        (["--touched", "src/a.py"], ["one"]),
        (["--touched", "docs"], ["two"]),
        (["--touched", "docs/b.md", "--agent", "claude-code"], ["two"]),
        (["--touched", "*.md"], ["two"]),
        (["--touched=src/*"], ["one"]),
        (["--touched", "src/bad.py"], []),
        (["--touched", "rc/a.py"], []),
        (["--touched", "."], ["two", "one"]),
        (["--touched", f"{PROJECT}/src"], ["one"]),
        (["--touched", "src", "--agent", "codex"], []),
        (["--sessions", "-n", "1"], ["side"]),
        (["--sessions", "-n1", "--skip=1"], ["two"]),
        (["--sessions", "--reverse"], ["one", "two", "side"]),
        (["--sessions", "main~2..main"], ["side", "two"]),
        (["--sessions", "--first-parent"], ["two", "one"]),
        (["--sessions", "side", "--", "side.txt"], ["side"]),
        (["--sessions", "--author=nobody"], []),
        (["--sessions", "--grep", "two"], ["two"]),
        (["--sessions", "--grep=TWO", "-i", "-P"], ["two"]),
        (["--sessions", "--grep=t", "--grep=w", "--all-match"], ["two"]),
        (["--sessions", "--grep=[0-9a-f]x"], []),
        (["--sessions", "-F", "--grep=e"], ["side", "two", "one"]),
        (["--no-sessions", "--grep=merge", "--invert-grep"], ["plain"]),
        (["--no-sessions", "--no-walk", "main", "side"], ["merge"]),
    ],
    ids=" ".join,
)  # fmt: skip
def test_which_commits(path: Path, arguments: list[str], wanted: list[str]) -> None:
    assert subjects(path, "--topo-order", *arguments) == wanted


def test_a_path_counts_from_here(path: Path) -> None:
    (path / "src").mkdir(exist_ok=True)
    assert subjects(path / "src", "--touched", "a.py") == ["one"]
    assert subjects(path / "src", "--touched", "../docs") == ["two"]
    assert subjects(path / "src", "--touched", "docs") == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--agent"], "--agent needs a value"),
        (["--session="], "--session needs a value"),
        (["--touched", ""], "--touched needs a value"),
        (["--session", "none"], "no session begins with 'none'"),
        (["--session=--output=x"], "no session begins with '--output=x'"),
        (["--no-sessions", "--agent", "x"], "--no-sessions goes with no other filter for sessions"),
        (["--sessions", "--grep=a", "--grep=b"], "several --grep, of which one is enough,"),
        (["--sessions", "--grep=a", "--invert-grep"], "--invert-grep does not go with a filter for sessions"),
        (["--no-sessions", "--grep=a"], "--grep does not go with --no-sessions"),
        (["--sessions", "--output=x"], "--output does not go with our own options"),
        (["--sessions", "--format=%<(9)%N"], "a width for %N does not go with our own options"),
        (["--asr-format", "%(agents)"], "--asr-format has no '%(agents)'"),
        (["--asr-format", "%q"], "--asr-format has no '%q'"),
        (["--asr-format", "%<(9)"], "--asr-format: a padding stands before a field"),
        (["--asr-format", "%C(loud)"], "--asr-format has no colour 'loud'"),
        (["--asr-format", "x", "--no-notes"], "--no-notes leaves no room for --asr-format"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)  # fmt: skip
def test_what_cannot_be(path: Path, arguments: list[str], message: str) -> None:
    ended = log(path, *arguments)
    assert (ended.status, ended.out) == (2, "")
    assert ended.err.startswith(f"error: {message}")


def test_values_are_never_options(path: Path, tmp_path: Path) -> None:
    """What stands in a value, or behind ``--``, stays that."""
    target = tmp_path / "written"
    for name in ("--agent", "--model", "--touched"):
        assert subjects(path, name, f"--output={target}") == []
        assert subjects(path, f"{name}=--output={target}") == []
    assert subjects(path, "--", "--sessions") == []
    assert not target.exists()
    shown = log(path, "-1", f"--output={target}", "--format=%s")
    assert (shown.status, shown.out) == (0, "")
    assert target.read_text().startswith("merge")


def lines(path: Path, form: str, *args: str) -> list[str]:
    """What stands for ``%N``, commit by commit."""
    ended = log(path, "--asr-format", form, "--format=%N", *args)
    assert (ended.status, ended.err) == (0, "")
    return [one for one in ended.out.splitlines() if one]


@pytest.mark.parametrize(
    ("form", "wanted"),
    [
        ("%(agent)", "claude-code"),
        ("%(harness)", "claude-code"),
        ("%(model)", "claude-opus-4-8"),
        ("%(session)", session(1)),
        ("%(session:short)", session(1)[:8]),
        ("%(checkpoint)", checkpoint(2)),
        ("%(evidence)", "reported"),
        ("%(started)", "2026-01-01T00:00:00Z"),
        ("%(ended)", "2026-01-01T00:00:03Z"),
        ("%(duration)", "3s"),
        ("%(prompts)", "1"),
        ("%(calls)", "3"),
        ("%(tokens)", "60"),
        ("%(input)", "30"),
        ("%(output)", "9"),
        ("%(cache-read)", "15"),
        ("%(cache-write)", "6"),
        ("%(commits)", "2"),
        ("%(prompt)", "tidy up"),
        ("100%% %(calls)", "100% 3"),
        ("plain", "plain"),
        ("<%<(13)%(agent)>", "<claude-code  >"),
        ("<%>(13)%(agent)>", "<  claude-code>"),
        ("<%<(7,trunc)%(agent)>", "<claude…>"),
        ("%C(red)%(calls)%C(reset)", "3"),
    ],
)
def test_fields(path: Path, form: str, wanted: str) -> None:
    assert lines(path, form, "-1", "main~1") == [wanted]


def test_what_is_not_recorded(path: Path) -> None:
    form = "|".join(f"%({one})" for one in ("agent", "model", "started", "duration", "calls", "tokens", "input",
                                            "output", "cache-read", "prompt", "prompts", "ended"))  # fmt: skip
    assert lines(path, form, "-1", "side") == ["Codex|gpt-5|-|-|-|-|-|-|-|-|-|-"]


def test_lines_in_graphs(path: Path) -> None:
    """Every line stands behind what Git draws before it, as its own lines do."""
    (path / "note").write_text("a\nb\nc\n")
    commits = git(path, "log", "--format=%H", "--grep=Entire-Checkpoint").split()
    for one in commits:
        git(path, "notes", "--ref=own", "add", "-f", "-F", "note", one)
    for how in (["--graph", "--oneline"], ["--graph"], ["--graph", "-p"]):
        drawn = git(path, "log", "--notes=own", *how).replace("Notes (own)", "Notes (asr)")
        assert log(path, *how, "--no-standard-notes", "--asr-format", "a%nb\nc").out == drawn + "\n"
    git(path, "update-ref", "-d", "refs/notes/own")


def test_as_without_notes(path: Path) -> None:
    """Where the user wants no notes, what is left is what Git prints of these commits by itself."""
    author = "--grep=Entire-Checkpoint"  # the same commits, by a filter of Git's own
    for how in ([], ["--oneline"], ["--graph"], ["--oneline", "--graph"], ["--stat"], ["-p", "--oneline"],
                ["--format=%s|"], ["--format=raw"], ["--oneline", "--graph", "--stat"]):  # fmt: skip
        assert (
            log(path, "--no-notes", "--sessions", *how).out
            == git(path, "log", "--no-notes", author, *how) + "\n"
        )


def test_same_as_the_notes(path: Path) -> None:
    """Chosen commits look as Git shows them with the notes, and so does everything by plain `git log --notes=asr`."""
    for how in ([], ["--oneline"], ["--graph"], ["--oneline", "--graph", "-p"], ["--format=%h %N"], ["-z"]):
        chosen = log(path, "--sessions", *how).out
        assert chosen == log(path, "--grep=Entire-Checkpoint", *how).out
        assert chosen.rstrip("\n") == git(
            path, "log", "--notes=asr", "--grep=Entire-Checkpoint", *how
        ).rstrip("\n")
        assert log(path, *how).out.rstrip("\n") == git(path, "log", "--notes=asr", *how).rstrip("\n")


def test_colour(path: Path) -> None:
    plain = log(path, "--color=never").out
    painted = log(path, "--color=always").out
    assert "\x1b[36mclaude-code" in painted
    assert re.sub("\x1b\\[[0-9;]*m", "", painted) == plain
    assert "\x1b" not in log(path, "--color=auto", "--sessions").out
    for options in (["--grep=one"], ["--no-notes"], ["--format=%<(9)%N"]):  # Git alone
        assert "\x1b[36mclaude" not in log(path, "--color=always", *options).out
    form = "%C(bold blue)%(agent)%C(reset) x"
    assert "\x1b[1;34mclaude-code\x1b[m x\x1b[m" in log(path, "--color=always", "--asr-format", form).out
    assert "\x1b" not in log(path, "--no-color", "--asr-format", form).out


def test_on_a_terminal(path: Path) -> None:
    status, out = run_on_terminal(["log", "-1", "--stat", "main~1"], path, env={"GIT_PAGER": "sed 's/^/> /'"})
    assert status == 0
    assert re.search("> +\x1b\\[36mclaude-code", out)
    for value, wanted in (("false", "    "), ("sed 's/^/# /'", "#     "), ("true", ">     ")):
        env = {"GIT_PAGER": "sed 's/^/> /'", "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "pager.log"}
        status, out = run_on_terminal(["log", "-1", "main~1"], path, env={**env, "GIT_CONFIG_VALUE_0": value})
        assert (status, f"\n{wanted}\x1b[36mclaude-code" in out) == (0, True)
    status, out = run_on_terminal(["log"], path, env={"GIT_PAGER": "head -1"})
    assert (status, out.count("\n")) == (0, 1)
    # more than a pipe holds, so that the reader has surely gone: nothing is asked once more then
    long = ["log", "--color=always", "--format=commit %<(100000)%s"]
    assert run_on_terminal(long, path, env={"GIT_PAGER": "head -c 6"}) == (0, "commit")


def test_gits_own_errors(path: Path) -> None:
    ended = log(path, "--sessions", "--nonsense")
    assert (ended.status, ended.out) == (128, "")
    assert ended.err.startswith("fatal: unrecognized argument: --nonsense\n")


def test_notes_that_git_shows_by_itself_stand_once(path: Path, tmp_path: Path) -> None:
    for value in ("refs/notes/asr", "refs/notes/*"):
        config = {
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": "notes.displayRef",
            "GIT_CONFIG_VALUE_0": value,
        }
        assert log(path, "--sessions", **config).out.count("Notes (asr)") == 3
        assert log(path, **config).out.count("Notes (asr)") == 3
        assert log(path, "--sessions", GIT_NOTES_DISPLAY_REF=value).out.count("Notes (asr)") == 3
    assert log(path, "--sessions", "--notes=asr").out.count("Notes (asr)") == 3
    assert log(path, "--sessions", "--show-notes=refs/notes/asr").out.count("Notes (asr)") == 3


@pytest.mark.parametrize(
    ("name", "letter"), [("ISO-8859-1", "\N{REPLACEMENT CHARACTER}"), ("nonsense", "\xe9"), ("", "\xe9")]
)
def test_the_encoding_of_the_log(path: Path, name: str, letter: str) -> None:
    """Lines come in the encoding that Git writes the rest in; one that Python does not know is taken for UTF-8."""
    chosen = [f"--encoding={name}"] if name else []
    ended = log(path, "-1", "--format=%N", *chosen, "--asr-format", "\xe9%(agent)", "main~1")
    assert ended.out.strip() == f"{letter}claude-code"


def test_nothing_is_written_but_what_is_kept(path: Path) -> None:
    before = refs(path), sorted(os.walk(path / ".git" / "objects"))
    assert subjects(path, "--sessions", "--touched", "src")
    assert (refs(path), sorted(os.walk(path / ".git" / "objects"))) == before


def test_before_the_first_sync(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.commit(message="alone")
    path = repo.build()
    assert subjects(path, "--sessions") == []
    assert subjects(path, "--touched", "x") == []
    assert subjects(path, "--no-sessions") == ["alone"]
    assert log(path, "--asr-format", "x", "--format=%s").out == "alone\n"


def test_hostile_sessions_are_harmless(tmp_path: Path) -> None:
    hostile = "\x1b]0;owned\x07\x1b[2J\x9b31m now\u202eevil\u2066\r\nsecond\u200b line"
    repo = EntireRepo(tmp_path / "r")
    odd = {"model": "m\x1b[5m\nNotes:\u2028x"}
    repo.checkpoint(
        checkpoint(1),
        Stored("s\x1b[31m\n--output=x", None, agent="A\x1b[31m\nB", metadata=odd, prompt=hostile),
    )
    repo.checkpoint(checkpoint(2), Stored(session(2), prompt(hostile), agent="A\x1b[31m\nB", metadata=odd))
    repo.commit(checkpoint(1), checkpoint(2))
    path = repo.build()
    form = "%(agent)|%(harness)|%(model)|%(session)|%(session:short)|%(prompt)|%(checkpoint)|%(started)"
    for arguments in (["--asr-format", form], ["--sessions"], ["--graph", "--oneline", "--asr-format", form]):
        out = log(path, *arguments).out
        assert not set("\x1b\x07\x9b\u202e\u2066\r\u2028\u200b") & set(out)
        assert "^[" in out
    check(tmp_path)


@needs_corpus
@pytest.mark.parametrize("name", ["mixed-agents", "claude-pi-growing", "made-sha256"])
def test_goldens(name: str, tmp_path: Path) -> None:
    repo = synced_sample(name, tmp_path)
    env = {"COLUMNS": "80", "TZ": "UTC", "LC_ALL": "C.UTF-8"}
    commands = {
        "log": ["-n", "6"],
        "graph": ["--oneline", "--graph", "-n", "12"],
        "sessions": ["--sessions", "--oneline", "-n", "5"],
        "none": ["--no-sessions", "--oneline", "-n", "5"],
        "model": ["--model", "opus", "--oneline", "-n", "5"],
        "format": [
            *("--oneline", "-n", "8", "--asr-format"),
            "%<(12)%(agent) %<(13)%(session:short) %>(8)%(tokens) %>(4)%(calls) %(checkpoint) %<(30,trunc)%(prompt)",
        ],
    }
    for kind, arguments in commands.items():
        ended = log(repo, *arguments, **env)
        assert (ended.status, ended.err) == (0, "")
        assert is_golden(f"log/{name}.{kind}.txt", ended.out)
