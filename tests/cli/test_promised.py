"""Partial clones: what is listed and shown of a companion without blobs, and what is fetched for that."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.companion import REF, bundles, tip
from tests.support.entire_repo import MAIN, EntireRepo, Stored, claude
from tests.support.repo_builder import git
from tests.support.run import Result, run_cli
from tests.sync.syncing import ONE, TWO, UNITS

CPS = [f"{n:02x}0f6af2363f" for n in range(8)]
ORIGIN = "refs/asr/remotes/origin/sessions"


class Partial:
    """A clone without blobs of a repository with two sessions; it counts how often the far side is asked."""

    def __init__(self, folder: Path) -> None:
        self.far = EntireRepo(folder / "far")
        for number, session in enumerate((ONE, TWO)):
            stored = Stored(session, claude(session, UNITS[:5], note="x" * 300_000), created=number * 60)
            self.far.checkpoint(CPS[number], stored)
            self.far.commit(CPS[number], when=1_767_225_600 + number)
        self.far.build()
        assert run_cli(["sync"], self.far.path).status == 0
        git(self.far.path, "config", "uploadpack.allowFilter", "true")
        git(self.far.path, "config", "uploadpack.allowAnySHA1InWant", "true")
        self.path, self.asked = folder / "part", folder / "asked"
        url = f"file://{self.far.path}"
        options = ("--no-checkout", "--filter=blob:none", "--single-branch", "-b", "main")
        git(folder, "clone", "-q", *options, url, "part")
        git(self.path, "fetch", "-q", "origin", f"{REF}:{ORIGIN}")
        self.count()

    def count(self) -> None:
        """Let Git ask the far side through a script that notes it."""
        script = self.asked.with_suffix(".sh")
        script.write_text(f'#!/bin/sh\necho asked >> "{self.asked}"\nexec git-upload-pack "$@"\n')
        script.chmod(0o755)
        git(self.path, "config", "remote.origin.uploadpack", str(script))

    def run(self, *words: str) -> tuple[Result, int]:
        """Run git asr; how often the far side was asked meanwhile."""
        self.asked.write_text("")
        return run_cli(words, self.path), len(self.asked.read_text().splitlines())

    def absent(self, ref: str = REF) -> list[str]:
        """The paths of a tree whose blobs are not here."""
        listing = git(self.path, "ls-tree", "-r", "--format=%(objectname) %(path)", ref).splitlines()
        named = dict(line.split(" ") for line in listing)
        every = git(self.path, "rev-list", "--objects", "--missing=print", "--no-walk", ref).splitlines()
        return sorted(named[line[1:]] for line in every if line.startswith("?"))


@pytest.fixture
def part(tmp_path: Path) -> Partial:
    return Partial(tmp_path)


def test_a_sync_fetches_once_what_merging_reads_and_no_transcript(part: Partial) -> None:
    before = part.absent(ORIGIN)
    assert len(before) > 6
    ended, fetches = part.run("sync")
    assert (ended.status, fetches) == (0, 1), ended.err
    assert "fetching 6 files of sessions from origin" in ended.err
    assert tip(part.path) == tip(part.far.path)
    assert part.absent() == [one for one in before if "~0" in one or "/blobs/" in one]
    assert part.run("sync")[1] == 0


def test_listing_needs_nothing_more(part: Partial) -> None:
    part.run("sync")
    ended, fetches = part.run("sessions", "--json")
    assert fetches == 0
    assert {one["id"] for one in json.loads(ended.out)["sessions"]} == {ONE, TWO}
    ended, fetches = part.run("log", "--all")
    assert fetches == 0
    assert ended.out.count("claude-code") + ended.out.count("Claude Code") == 2


def test_showing_one_session_fetches_its_files_once_and_no_others(part: Partial) -> None:
    part.run("sync")
    ended, fetches = part.run("show", ONE, "--whole")
    assert (ended.status, fetches) == (0, 1), ended.err
    assert "text of u4" in ended.out
    assert all(TWO in path for path in part.absent())
    assert part.absent() != []
    assert part.run("show", ONE, "--whole")[1] == 0
    assert part.run("export", "--all", "-o", str(part.path / "b.tar"))[1] == 1
    assert part.absent() == []
    bundles(part.path)


def test_neither_what_syncs_in_passing_nor_a_hook_asks_the_network(part: Partial) -> None:
    for words in (["sessions"], ["log", "--all"], ["show", ONE]):
        ended, fetches = part.run(*words)
        assert fetches == 0, ended.err
        assert tip(part.path) is None
    assert part.run("sync")[1] == 1
    assert len(bundles_listed(part)) == 2


def bundles_listed(part: Partial) -> list[str]:
    return [one["id"] for one in json.loads(part.run("sessions", "--json")[0].out)["sessions"]]


def test_what_cannot_be_fetched_is_said_and_tried_again(part: Partial) -> None:
    away = part.far.path.with_name("away")
    part.far.path.rename(away)
    ended, _ = part.run("sync")
    assert ended.status == 0
    assert "cannot fetch from origin" in ended.err
    assert tip(part.path) is None
    away.rename(part.far.path)
    assert part.run("sync")[0].status == 0
    assert tip(part.path) == tip(part.far.path)
    part.far.path.rename(away)
    ended, _ = part.run("show", ONE)
    assert "files of sessions are not here: cannot fetch from origin" in ended.err


def test_a_session_of_both_sides_is_merged_without_its_transcripts(part: Partial) -> None:
    git(
        part.path,
        "fetch",
        "-q",
        "--refetch",
        "--no-filter",
        "origin",
        "refs/heads/entire/*:refs/heads/entire/*",
    )
    ended, fetches = part.run("sync")
    assert (ended.status, fetches) == (0, 1)
    assert tip(part.path) == tip(part.far.path)


def test_a_mirror_without_blobs_lists_after_one_fetch(part: Partial, tmp_path: Path) -> None:
    url = f"file://{part.far.path}"
    git(tmp_path, "clone", "-q", "--mirror", "--filter=blob:none", url, "mirror")
    part.path = tmp_path / "mirror"
    part.count()
    ended, fetches = part.run("sessions", "--json")
    assert fetches == 1, ended.err
    assert {one["id"] for one in json.loads(ended.out)["sessions"]} >= {ONE, TWO}


def test_usage_fetches_records_once_and_counts_nothing_that_is_not_here_as_none(part: Partial) -> None:
    part.run("sync")
    away = part.far.path.with_name("away")
    part.far.path.rename(away)
    ended, _ = part.run("usage", "--json")
    assert "files of sessions are not here: cannot fetch from origin" in ended.err
    assert json.loads(ended.out)["sessionsWithoutRecord"] == 0
    away.rename(part.far.path)
    ended, fetches = part.run("usage", "--json")
    assert (ended.status, fetches) == (0, 1), ended.err
    assert json.loads(ended.out)["sessionsWithoutRecord"] == 2
    assert part.absent() != []
    assert all("/blobs/" in path for path in part.absent())
    assert part.run("usage", "--by", "day")[1] == 0


def test_blame_fetches_as_git_does_and_the_sessions_of_its_lines(tmp_path: Path) -> None:
    far = EntireRepo(tmp_path / "far")
    asked = {"type": "user", "uuid": "p", "sessionId": ONE, "message": {"role": "user", "content": "do it"}}
    far.checkpoint(CPS[0], Stored(ONE, json.dumps(asked).encode() + b"\n" + claude(ONE, UNITS[:2])))
    far.builder.commit(MAIN, "one\n", {"a": "1\n"})
    far.builder.commit(MAIN, f"two\n\nEntire-Checkpoint: {CPS[0]}\n", {"a": "1\n2\n"})
    far.build()
    assert run_cli(["sync"], far.path).status == 0
    git(far.path, "config", "uploadpack.allowFilter", "true")
    git(far.path, "config", "uploadpack.allowAnySHA1InWant", "true")
    git(tmp_path, "clone", "-q", "--filter=blob:none", "-b", "main", f"file://{far.path}", "part")
    git(tmp_path / "part", "fetch", "-q", "origin", f"{REF}:{ORIGIN}")
    assert run_cli(["sync"], tmp_path / "part").status == 0
    ended = run_cli(["blame", "--json", "a"], tmp_path / "part")
    assert ended.status == 0, ended.err
    found = json.loads(ended.out)
    sessions = {one["subject"]: one["sessions"] for one in found["commits"].values()}
    assert sessions["one"] == []
    assert [(one["session"], one["promptFrom"]) for one in sessions["two"]] == [(ONE, "slice")]
