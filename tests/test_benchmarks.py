"""The benchmarks run, and what they print is well-formed. How fast anything is, no test says."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import orjson
import pytest

from benchmarks import lines, many_refs, report
from benchmarks.generate import PROFILE, Shape, generate
from benchmarks.measure import Figure
from benchmarks.prepare import read, transcripts
from git_asr.converters.versions import VERSIONS
from tests.support.run import PROJECT, run_cli

TINY = ("--sessions=4", "--checkpoints=7", "--commits=9", "--scale=0.05", "--rounds=1")
PAGE = PROJECT / "docs" / "performance.md"
NUMBER = re.compile(r"-?\d+(\.\d+)?")


def bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
    return subprocess.run(
        [sys.executable, "-m", "benchmarks", *arguments],
        cwd=PROJECT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def git(repository: Path, *arguments: str) -> str:
    ended = subprocess.run(["git", *arguments], cwd=repository, capture_output=True, text=True, check=True)
    return ended.stdout


def rows(text: str) -> list[list[str]]:
    """The cells of a table's rows, without its two head lines."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def check_rows(found: list[list[str]]) -> None:
    assert found
    for name, unit, aim, low, middle, high, met in found:
        assert name
        assert unit
        assert all(NUMBER.fullmatch(one) for one in (low, middle, high))
        assert float(low) <= float(middle) <= float(high)
        assert met in (("yes", "no") if aim else ("",))
        assert not aim or re.fullmatch(r"≤ [0-9.]+", aim)


def test_a_tiny_run_measures_everything(tmp_path: Path) -> None:
    ended = bench(*TINY, "--unchanged-sessions=3", "--large-mb=1", "--json", str(tmp_path / "run.json"))
    assert ended.returncode == 0, ended.stderr
    run: dict[str, Any] = json.loads((tmp_path / "run.json").read_text("utf-8"))
    figures = run["figures"]
    printed = rows(ended.stdout)
    check_rows(printed)
    assert [row[:2] for row in printed] == [[one["name"], one["unit"]] for one in figures]
    assert len({(one["name"], one["unit"]) for one in figures}) == len(figures)
    for one in figures:
        assert one["min"] <= one["median"] <= one["max"]
        assert one["min"] > 0 or one["unit"].startswith("s beyond")
        assert one["met"] == (None if one["aim"] is None else one["median"] <= one["aim"])
    assert {one["aim"] for one in figures} >= {1.2, 2.2, 2.5, 10.0, 0.3, 0.25, 6.0}
    held = run["repository"]
    assert (held["sessions"], held["checkpoints"], held["commits"]) == (4, 7, 9)
    assert 0 < held["largest"] <= held["read"] <= held["stored"]
    assert held["metadata"] == 14
    assert held["written"] > held["read"] / 2  # what stands on every line is written when it changes
    assert str(tmp_path) not in ended.stdout


@pytest.mark.parametrize("form", ["sha1", "sha256"])
def test_a_given_repository_is_left_alone(form: str, tmp_path: Path) -> None:
    generate(tmp_path / "own", Shape(sessions=2, checkpoints=3, commits=4, scale=0.05, format=form))
    before = (git(tmp_path / "own", "for-each-ref"), sorted((tmp_path / "own").rglob("*")))
    ended = bench("--repo", str(tmp_path / "own"), "--only", "full", "--rounds=1")
    assert ended.returncode == 0, ended.stderr
    check_rows(rows(ended.stdout))
    assert "after one commit" in ended.stdout
    assert "--repo PATH" in ended.stdout
    assert (git(tmp_path / "own", "for-each-ref"), sorted((tmp_path / "own").rglob("*"))) == before


def test_lines_of_a_given_repository(tmp_path: Path) -> None:
    generate(tmp_path / "own", Shape(sessions=2, checkpoints=3, commits=4, scale=0.05))
    found = [*read(tmp_path / "own", transcripts(tmp_path / "own"))]
    wanted = lines.of(tmp_path / "own")
    assert (len(found), len(wanted)) == (3, 2)  # one session has two checkpoints
    assert all(any(longer.startswith(one) for longer in wanted) for one in found)
    ended = bench("--repo", str(tmp_path / "own"), "--only", "lines", "--rounds=2")
    assert ended.returncode == 0, ended.stderr
    check_rows(rows(ended.stdout))


def test_the_test_cases_of_every_agent_are_measured() -> None:
    assert lines.by_agent(lines.fixtures()).keys() == VERSIONS.keys() - {"opaque"}
    ended = bench("--only", "agents", "--rounds=1")
    assert ended.returncode == 0, ended.stderr
    check_rows(rows(ended.stdout))


def test_generated_lines_are_of_all_kinds() -> None:
    """Reference native-transcripts, section 2.1: the shares of the kinds of lines."""
    kinds = Counter(orjson.loads(line)["type"] for text in lines.made() for line in text.splitlines())
    shares = {kind: count / kinds.total() for kind, count in kinds.items()}
    for kind, share in {"assistant": 0.40, "progress": 0.24, "user": 0.23}.items():
        assert shares[kind] == pytest.approx(share, abs=0.03)
    assert all(shares[kind] > 0.005 for kind in ("attachment", "system", "file-history-snapshot"))


def test_a_repository_without_sessions_is_one_line(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    ended = bench("--repo", str(tmp_path), "--only", "full", "--rounds=1")
    assert ended.returncode == 1
    assert ended.stderr.splitlines()[-1].startswith("error: ")
    assert "Traceback" not in ended.stderr


def test_many_refs_are_measured_when_asked_for(tmp_path: Path) -> None:
    ended = bench("--only", "refs", "--refs=30", "--refs-commits=65", "--rounds=1")
    assert ended.returncode == 0, ended.stderr
    check_rows(rows(ended.stdout))
    assert "no-change sync, 30 per-checkpoint refs, 65 commits" in ended.stdout


def test_commits_with_hooks_are_measured_when_asked_for() -> None:
    ended = bench("--only", "hooks", "--rounds=1")
    assert ended.returncode == 0, ended.stderr
    found = rows(ended.stdout)
    check_rows(found)
    assert [row[2] for row in found if row[1] == "ms added"] == ["≤ 5", "≤ 10", "≤ 10"]


def test_searches_are_measured_when_asked_for() -> None:
    ended = bench(*TINY, "--only", "search")
    assert ended.returncode == 0, ended.stderr
    found = rows(ended.stdout)
    check_rows(found)
    assert [row[3] for row in found if "--no-index" in row[0] and row[1].startswith("×")] == ["1.00"]


def test_what_grows_is_measured_when_asked_for() -> None:
    small = ("--growing-mb=1", "--growing-commits=3", "--chunked-mb=1", "--wide", "3", "4", "5")
    ended = bench(*TINY, "--only", "scale", "growing", "packed", "chunked", *small)
    assert ended.returncode == 0, ended.stderr
    check_rows(rows(ended.stdout))


def test_a_large_transcript_lies_in_chunks(tmp_path: Path) -> None:
    """Reference entire-checkpoints, 3.5."""
    whole, cut = (
        Shape(sessions=1, checkpoints=1, commits=1, size=90_000, chunk=chunk) for chunk in (0, 20_000)
    )
    texts = []
    for name, shape in (("whole", whole), ("cut", cut)):
        generate(tmp_path / name, shape)
        assert run_cli(["sync", "--strict"], tmp_path / name).status == 0
        texts.append(run_cli(["show", "--whole", "--full"], tmp_path / name).out)
    listed = git(tmp_path / "cut", "ls-tree", "-r", "--name-only", "entire/checkpoints/v1").split()
    assert sum("full.jsonl" in one for one in listed) >= 5
    assert len(texts[0]) > 10_000
    assert texts[0].partition("checkpoint")[2] == texts[1].partition("checkpoint")[2]


def test_many_refs_are_checkpoints(tmp_path: Path) -> None:
    many_refs.generate(tmp_path / "r", 30, 65)
    git(tmp_path / "r", "fsck", "--strict")
    assert len(git(tmp_path / "r", "rev-list", "main").splitlines()) == 60
    synced = run_cli(["sync", "--strict"], tmp_path / "r")
    assert (synced.status, synced.out) == (0, "2 sessions (2 new), 30 links to commits\n")
    many_refs.add(tmp_path / "r", 30, 1)
    assert run_cli(["sync"], tmp_path / "r").out == "2 sessions (1 changed), 31 links to commits\n"


@pytest.mark.parametrize("wrong", ["--rounds=0", "--checkpoints=3", "--only=nothing", "--refs=100001"])
def test_wrong_numbers_are_wrong_usage(wrong: str) -> None:
    assert bench(wrong).returncode == 2


def test_what_is_generated_is_the_same_each_time_and_synced_without_a_finding(tmp_path: Path) -> None:
    shape = Shape(sessions=5, checkpoints=9, commits=12, scale=0.1)
    for name in ("one", "two"):
        generate(tmp_path / name, shape)
    assert git(tmp_path / "one", "for-each-ref") == git(tmp_path / "two", "for-each-ref")
    git(tmp_path / "one", "fsck", "--strict")
    synced = run_cli(["sync", "--strict", "--json"], tmp_path / "one")
    assert (synced.status, synced.err) == (0, "")
    listed = json.loads(run_cli(["sessions", "--json"], tmp_path / "one").out)
    assert len(listed["sessions"]) == shape.sessions
    assert {one["harness"] for one in listed["sessions"]} == {"claude-code"}


def test_sizes_follow_the_profile() -> None:
    sizes = sorted(Shape(sessions=10_000, checkpoints=10_000, commits=10_000).sizes())
    for part, size in PROFILE[1:-1]:
        assert sizes[int(part * 10_000)] == pytest.approx(size, rel=0.1)
    assert max(sizes) <= PROFILE[-1][1]


def test_only_what_stands_between_the_marks_is_rewritten(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- figures: a -->\nold\n<!-- end of figures: a -->\nafter\n", "utf-8")
    for _ in range(2):
        report.rewrite(page, "a", ["new"])
    assert page.read_text("utf-8") == (
        "before\n<!-- figures: a -->\n\nnew\n\n<!-- end of figures: a -->\nafter\n"
    )
    with pytest.raises(ValueError, match="no place"):
        report.rewrite(page, "b", ["new"])


def test_a_missed_aim_is_said() -> None:
    late, early = Figure("late", "s", (1.0, 3.0, 9.0), 2.0), Figure("early", "s", (1.0, 2.0, 9.0), 2.0)
    assert [row[-1] for row in rows("\n".join(report.table([late, early])))] == ["no", "yes"]
    assert [late.median, early.median] == [3.0, 2.0]


@pytest.mark.parametrize("name", ["default", "large", "scale", "kept", "refs", "hooks", "log"])
def test_the_page_has_every_run(name: str) -> None:
    text = PAGE.read_text("utf-8").partition(f"<!-- figures: {name} -->")[2]
    check_rows(rows(text.partition(f"<!-- end of figures: {name} -->")[0]))
