"""A converter with another version: what is made anew, when, and what never is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from git_asr.companion.state_file import write_state
from git_asr.converters.claude.converter import Claude
from git_asr.converters.versions import VERSIONS
from git_asr.sync import flow
from git_asr.sync.outcome import Tally
from git_asr.sync.reconversion import is_outdated
from tests.support.companion import StoredStream, bundles, tip
from tests.support.entire_repo import EntireRepo, Stored, claude
from tests.support.repo_builder import fsck, git
from tests.support.run import run_cli
from tests.sync.syncing import run

IDS = [f"{number:08d}-2222-3333-4444-555555555555" for number in range(5)]
UNKNOWN = b'{"what": "ever"}\n'


@pytest.fixture
def repo(tmp_path: Path) -> EntireRepo:
    """Four sessions of Claude Code, and one that nobody knows."""
    repo = EntireRepo(tmp_path / "r")
    for number, identifier in enumerate(IDS):
        data = claude(identifier, ["a", "b"]) if number < 4 else UNKNOWN
        repo.checkpoint(f"{number:012x}", Stored(identifier, data))
        repo.commit(f"{number:012x}")
    repo.build()
    run(repo.path)
    return repo


def raised(patch: pytest.MonkeyPatch, to: int = 2) -> None:
    """Give Claude Code's converter another version."""
    patch.setitem(VERSIONS, "claude-code", to)
    patch.setattr(Claude, "version", to)


def producers(path: Path) -> list[str]:
    """By which converters the streams were made."""
    return sorted(stream.header["producer"]["version"] for _, stream in streams(path))


def streams(path: Path) -> list[tuple[str, StoredStream]]:
    return [(name, stream) for bundle in bundles(path) for name, stream in bundle.streams.items()]


def ids(path: Path) -> dict[str, list[tuple[str, int]]]:
    return {name: [(one["id"], one["seq"]) for one in stream.records] for name, stream in streams(path)}


def test_what_is_new_comes_first_and_the_rest_keeps_its_ids(
    repo: EntireRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = ids(repo.path)
    assert producers(repo.path) == ["claude-code/1"] * 4 + ["opaque/1"]
    raised(monkeypatch)
    repo.checkpoint("f" * 12, Stored("new", claude("new", ["x"])))
    repo.commit("f" * 12)
    repo.build()
    outcome, _ = run(repo.path)
    assert (outcome.tally.new, outcome.tally.changed, outcome.outdated) == (1, 0, 4)
    assert producers(repo.path) == ["claude-code/1"] * 4 + ["claude-code/2", "opaque/1"]
    before = tip(repo.path)
    assert run(repo.path)[0].outdated == 4
    assert tip(repo.path) == before
    outcome, _ = run(repo.path, reconvert=True)
    assert (outcome.tally.new, outcome.tally.changed, outcome.outdated) == (0, 4, 0)
    assert producers(repo.path) == ["claude-code/2"] * 5 + ["opaque/1"]
    assert ids(repo.path).items() > known.items()
    assert run(repo.path, reconvert=True)[0].tally == Tally()
    fsck(repo.path)


def test_what_was_converted_before_an_interruption_stays(
    repo: EntireRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    raised(monkeypatch)
    monkeypatch.setattr(flow, "AT_ONCE", 3)
    convert, calls = Claude.convert, iter(range(10))

    def interrupted(self: Claude, *args: object) -> object:
        if next(calls) == 3:
            raise KeyboardInterrupt
        return convert(self, *args)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(Claude, "convert", interrupted)
        with pytest.raises(KeyboardInterrupt):
            run(repo.path, reconvert=True)
    assert producers(repo.path) == ["claude-code/1", *["claude-code/2"] * 3, "opaque/1"]
    outcome, _ = run(repo.path, reconvert=True)
    assert (outcome.tally.changed, outcome.outdated) == (1, 0)
    assert producers(repo.path) == ["claude-code/2"] * 4 + ["opaque/1"]


def test_a_new_converter_looks_at_what_none_knew(repo: EntireRepo, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.delitem(VERSIONS, "codex")
        run(repo.path)
    outcome, _ = run(repo.path)
    assert outcome.outdated == 1
    outcome, _ = run(repo.path, reconvert=True)
    assert (outcome.tally, outcome.outdated) == (Tally(), 0)


@pytest.mark.parametrize("full", [False, True])
def test_a_stream_of_a_higher_version_is_never_replaced(
    repo: EntireRepo, monkeypatch: pytest.MonkeyPatch, full: bool
) -> None:
    with monkeypatch.context() as patch:
        raised(patch, 7)
        run(repo.path, reconvert=True)
        before = tip(repo.path)
    assert run(repo.path, full=full, reconvert=True)[0].outdated == 0
    assert tip(repo.path) == before
    repo.checkpoint("e" * 12, Stored(IDS[0], claude(IDS[0], ["a", "b", "c"]), created=60))
    commit = repo.commit("e" * 12)
    repo.build()
    run(repo.path, full=full, reconvert=True)
    assert producers(repo.path) == ["claude-code/7"] * 4 + ["opaque/1"]
    (stream,) = [stream for name, stream in streams(repo.path) if name == IDS[0]]
    assert stream.units == ["a", "b"]
    assert repo.oid(commit) in {record.get("commit") for record in stream.links}
    with monkeypatch.context() as patch:
        raised(patch, 8)
        run(repo.path, full=full, reconvert=True)
    assert producers(repo.path) == ["claude-code/8"] * 4 + ["opaque/1"]
    fsck(repo.path)


def test_a_stream_of_a_converter_that_is_not_known_here_stays(
    repo: EntireRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = tip(repo.path)
    monkeypatch.delitem(VERSIONS, "claude-code")
    run(repo.path, full=True)
    assert tip(repo.path) == before


def test_the_setting_and_the_option(repo: EntireRepo) -> None:
    path = repo.path
    with write_state(path / ".git" / "asr") as state:
        state.mark_outdated([("claude-code", IDS[0]), ("claude-code", IDS[1])])
    git(path, "config", "asr.reconvert", "manual")
    ended = run_cli(["sync"], path)
    assert ended.err.endswith("hint: 2 sessions as an earlier version converted: git asr sync --reconvert\n")
    assert json.loads(run_cli(["sync", "--json"], path).out)["outdated"] == 2
    assert "reconvert" not in run_cli(["sync", "--reconvert"], path).err
    assert json.loads(run_cli(["sync", "--json"], path).out)["outdated"] == 0
    with write_state(path / ".git" / "asr") as state:
        state.mark_outdated([("claude-code", IDS[0])])
    git(path, "config", "asr.reconvert", "auto")
    assert "reconvert" not in run_cli(["sync"], path).err
    git(path, "config", "asr.reconvert", "never")
    ended = run_cli(["sync"], path)
    assert (ended.status, ended.err.splitlines()) == (
        2,
        ["error: asr.reconvert is 'never'", "hint: git config asr.reconvert auto   (or manual)"],
    )


@pytest.mark.parametrize(
    ("made", "new", "outdated"),
    [
        ("claude-code/1", False, False),
        ("claude-code/0 opaque/1", False, True),
        ("claude-code/9", False, False),
        ("opaque/1", False, False),
        ("claude-code/1 opaque/1", True, True),
        ("none/1", True, False),
        ("someone-else/1", True, False),
        ("claude-code/x", False, True),
        ("", True, False),
    ],
)
def test_what_is_outdated(made: str, new: bool, outdated: bool) -> None:
    assert is_outdated(made, new=new) is outdated
