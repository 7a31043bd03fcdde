"""``git asr usage``: the figures of the samples, which commits count, and what is printed."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from git_asr.asr.usage import normal, total
from git_asr.cli.used import as_record, left_out, table, values
from git_asr.views import text
from git_asr.views.session import overview
from git_asr.views.told import tell
from git_asr.views.usage import By, Commit, Ledger
from tests.asr.streams import checkpoint as checkpoint_record
from tests.asr.streams import stream, vcs
from tests.cli.golden import is_golden
from tests.e2e.sample_repos import checkpoint, session
from tests.e2e.terminal import run_on_terminal
from tests.support.companion import bundles, replace, tree_files
from tests.support.corpus import expected, needs_corpus, samples, synced_sample
from tests.support.entire_repo import EntireRepo, Stored
from tests.support.printed import of_command, schemas
from tests.support.repo_builder import git
from tests.support.run import PROJECT, Result, run_cli
from tests.views.test_usage import session as session_view

BY = ("session", "commit", "day", "author", "agent", "model")
TOKENS = ("input", "cache_read", "cache_write", "output")


def usage(path: Path, *args: str) -> Result:
    return run_cli(["usage", *args], path)


def counted(path: Path, *args: str) -> dict[str, Any]:
    ended = usage(path, "--json", *args)
    assert (ended.status, ended.err) == (0, "")
    assert ended.out.isascii()
    found: dict[str, Any] = json.loads(ended.out)
    of_command("usage").validate(found)
    return found


def reasons(found: dict[str, Any]) -> dict[str, int]:
    told: Counter[str] = Counter()
    for one in found["excluded"]:
        told[one["reason"]] += one["records"]
    return told


def answers(name: str, numbers: range, **fields: Any) -> bytes:
    """Answers of a model, each a call that used as many tokens of output as its number is."""
    lines = []
    for number in numbers:
        message = {
            "role": "assistant",
            "id": f"msg_{number}",
            "model": "opus",
            "content": [{"type": "text", "text": "so"}],
            "usage": {"input_tokens": 1, "output_tokens": number},
        }
        line = {
            "parentUuid": f"u{number - 1}" if number > 1 else None,
            "sessionId": name,
            "type": "assistant",
            "message": message,
            "requestId": f"req_{number}",
            "uuid": f"u{number}",
            "timestamp": f"2026-01-0{number}T00:00:00.000Z",
            "version": "2.1.100",
        }
        lines.append(json.dumps({**line, **fields}))
    return ("\n".join(lines) + "\n").encode()


TALK, OTHER = session(1), session(2)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A session of three checkpoints, of which two have commits, and another that has a call of the first."""
    repo = EntireRepo(tmp_path_factory.mktemp("usage") / "r")
    for number, end in ((1, 1), (2, 2), (3, 4)):
        lines = answers(TALK, range(1, end + 1))
        repo.checkpoint(
            checkpoint(number), Stored(TALK, lines, number, start=number - 1, prompt="a \x1b[31m")
        )
    repo.commit(checkpoint(1), message="one", author="=Ann <a@example.com>")
    repo.commit(checkpoint(2), message="two \u202e", author="Bob <b@example.com>")
    repo.commit(checkpoint(2), message="two again", author="Cyd <c@example.com>", ref="refs/heads/side")
    repo.checkpoint(checkpoint(4), Stored(OTHER, answers(OTHER, range(4, 7)), 9))
    repo.commit(checkpoint(4), message="four", ref="refs/heads/side")
    path = repo.build()
    assert run_cli(["sync", "--orphans"], path).status == 0
    return path


def outputs(found: dict[str, Any], key: str) -> dict[str | None, int | None]:
    return {one[key]: one["usage"].get("output", {}).get("total") for one in found["rows"]}


def test_each_call_counts_once_in_the_session_that_started_first(path: Path) -> None:
    found = counted(path, "--explain")
    assert outputs(found, "session") == {TALK: 10, OTHER: 11}
    assert (found["total"]["calls"], found["total"]["cost"], reasons(found)) == (6, None, {"repeated": 1})


def test_the_other_groupings(path: Path) -> None:
    oids = {one: git(path, "rev-parse", one).strip() for one in ("main", "main~1", "side", "side~1")}
    assert outputs(counted(path, "--by", "commit"), "commit") == {
        oids["side"]: 11, oids["main"]: 2, oids["main~1"]: 1, None: 7,
    }  # fmt: skip
    assert outputs(counted(path, "--by", "author"), "author") == {
        "Ann Author": 11, "Bob": 2, "=Ann": 1, None: 7,
    }  # fmt: skip
    assert outputs(counted(path, "--by", "day"), "day") == {
        f"2026-01-0{number}": number for number in range(1, 7)
    }
    assert outputs(counted(path, "--by", "agent"), "agent") == {"claude-code": 21}
    assert outputs(counted(path, "--by", "model"), "model") == {"opus": 21}


def test_a_range(path: Path) -> None:
    found = counted(path, "--explain", "main~1..main")
    assert (outputs(found, "session"), reasons(found)) == ({TALK: 2}, {"outside": 5, "repeated": 1})
    assert outputs(counted(path, "--by", "author", "side"), "author") == {"Ann Author": 11, "Cyd": 2}
    assert counted(path, "main..main")["rows"] == []
    assert usage(path, "nowhere").status == 2
    for words in (["--", "--all"], ["--json", "--csv"], ["--csv", "--explain"], ["--every-commit", "main"]):
        assert usage(path, *words).status == 2, words


def test_commits_that_no_ref_leads_to(path: Path, tmp_path: Path) -> None:
    mirror = tmp_path / "m.git"
    git(tmp_path, "clone", "-q", "--mirror", str(path), str(mirror))
    gone = git(mirror, "rev-parse", "side").strip()
    git(mirror, "update-ref", "-d", "refs/heads/side")
    found = counted(mirror, "--explain")
    assert (outputs(found, "session"), reasons(found)) == ({TALK: 10}, {"repeated": 1, "unreachable": 2})
    assert (
        "\nleft out: 2 records: of commits on no branch, tag or other ref: --every-commit"
        in usage(mirror).out
    )
    every = counted(mirror, "--every-commit", "--by", "author")
    assert outputs(every, "author") == {"Ann Author": 11, "Bob": 2, "=Ann": 1, None: 7}
    git(mirror, "tag", "kept", gone)
    assert outputs(counted(mirror), "session") == {TALK: 10, OTHER: 11}
    git(mirror, "tag", "-d", "kept")
    git(mirror, "repack", "-adq")
    git(mirror, "prune", "--expire=now")
    found = counted(mirror, "--every-commit", "--by", "commit")
    assert outputs(found, "commit")[gone] == 11
    assert next(one for one in found["rows"] if one["commit"] == gone)["author"] is None
    assert f"{gone[:12]}  unknown" in usage(mirror, "--every-commit", "--by", "commit").out


def test_the_table_is_neutral(path: Path) -> None:
    shown = usage(path, "--explain")
    assert (shown.status, shown.err) == (0, "")
    assert shown.out == (
        "agent        session   calls  input  cached  written  output  first prompt\n"
        "claude-code  00000002      2      2       -        -      11\n"
        "claude-code  00000001      4      4       -        -      10  a ^[[31m\n"
        "total                      6      6       -        -      21\n"
        "left out: 1 record: of calls that another stream or an earlier session has, where they count (5 tokens)\n"
        "  claude-code 00000002: 1 record (5 tokens)\n"
    )
    commits = usage(path, "--by", "commit").out
    assert "two <U+202E>\n" in commits
    assert "\nno commit " in commits
    assert "\nno commit " in usage(path, "--by", "author").out
    assert "subject" not in run_on_terminal(["usage", "--by", "commit"], path, 60)[1]


def test_the_session_that_started_first_counts_whatever_its_id(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    for number, calls in ((9, range(1, 3)), (1, range(2, 4))):
        repo.checkpoint(checkpoint(number), Stored(session(number), answers(session(number), calls), number))
        repo.commit(checkpoint(number))
    path = repo.build()
    assert run_cli(["sync"], path).status == 0
    assert outputs(counted(path), "session") == {session(9): 3, session(1): 3}


HOSTILE = "\x1b]0;x\x07\u202e<script>\ud800" + "a\u0301" * 30 + "\u0301" * 5_000 + "b" * 5_000_000


@pytest.mark.parametrize("by", BY)
def test_hostile_names_are_neutral_and_short(by: By) -> None:
    commit = Commit("a" * 40, HOSTILE, 5, HOSTILE, HOSTILE)
    ledger = Ledger(by, {commit.oid: commit})
    calls = [
        {
            "type": "inference",
            "id": "x",
            "inferenceId": "i",
            "model": HOSTILE,
            "usage": {"output": {"total": 1}},
        }
    ]
    links = [checkpoint_record("c", 1), vcs("c", commit.oid)]
    hostile = session_view(HOSTILE, agent=HOSTILE, prompt=HOSTILE)
    ledger.add(hostile.key, overview(hostile), tell([stream(*calls, links=links)]))
    found = ledger.usage()
    for cells in (None, 80):
        for line in [*table(found, cells), *left_out(found, explain=True)]:
            assert line.isprintable()
            assert not set("\x1b\x07\u202e\ud800") & set(line)
            assert text.width(line) <= (cells or 300)
            assert len(line) < 20_000
    for line in values(found):
        assert not set("\x1b\x07\u202e\ud800") & set(line)
    (row,) = as_record(found, explain=False)["rows"]
    if by not in ("day", "commit"):
        assert row[by] == HOSTILE


def test_the_values(path: Path) -> None:
    shown = usage(path, "--csv", "--by", "author")
    assert shown.status == 0
    rows = list(csv.DictReader(shown.out.splitlines()))
    assert [(row["author"], row["output"], row["cacheRead"], row["cost"]) for row in rows] == [
        ("Ann Author", "11", "", ""), ("Bob", "2", "", ""), ("'=Ann", "1", "", ""), ("", "7", "", ""),
    ]  # fmt: skip
    assert next(csv.DictReader(usage(path, "--csv").out.splitlines()))["session"] == OTHER
    head = usage(path, "--csv", "--by", "commit").out.splitlines()[0]
    assert head == (
        "commit,author,committedAt,calls,unknown,covered,summaries,input,cacheRead,cacheWrite,output,reasoning,"
        "tokens,cost"
    )


@pytest.mark.parametrize("by", BY)
def test_values_and_json_have_the_same_figures(path: Path, by: str) -> None:
    lines = csv.DictReader(usage(path, "--csv", "--by", by).out.splitlines())
    for line, row in zip(lines, counted(path, "--by", by)["rows"], strict=True):
        for name in ("calls", "unknown", "covered", "summaries", "input", "tokens"):
            assert line[name] == ("" if row[name] is None else str(row[name]))


def test_before_any_session(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "r")
    shown = usage(tmp_path / "r")
    assert (shown.status, shown.out) == (0, "nothing recorded\n")
    assert shown.err == "hint: no sessions here yet: git asr sync\n"
    assert counted_quietly(tmp_path / "r")["total"]["tokens"] is None


def counted_quietly(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(usage(path, "--json").out)
    return found


def test_a_damaged_session_is_told_and_the_rest_counts(path: Path, tmp_path: Path) -> None:
    mirror = tmp_path / "m.git"
    git(tmp_path, "clone", "-q", "--mirror", str(path), str(mirror))
    files = tree_files(mirror)
    (part,) = [one for one in files if one.endswith("000001.jsonl") and OTHER in one]
    replace(mirror, {**files, part: files[part].replace(b'"total":6', b'"total":9')})
    git(mirror, "config", "asr.autosync", "false")
    ended = usage(mirror, "--json")
    assert ended.status == 0
    assert "is not the file that bundle.json lists" in ended.err
    manifest = next(one for one in files if one.endswith("bundle.json") and OTHER in one)
    replace(mirror, {**files, manifest: b"{"})
    ended = usage(mirror, "--json")
    assert (ended.status, outputs(json.loads(ended.out), "session")) == (0, {TALK: 10})
    replace(mirror, {one: data for one, data in files.items() if one != part})
    ended = usage(mirror, "--json")
    assert (ended.status, outputs(json.loads(ended.out), "session")) == (0, {TALK: 10})
    assert "warning: " in ended.err
    misplaced = {one.replace(f"/{OTHER}/", "/elsewhere/"): data for one, data in files.items()}
    replace(mirror, misplaced)
    ended = usage(mirror, "--json")
    assert (ended.status, outputs(json.loads(ended.out), "session")) == (0, {TALK: 10})
    assert f"warning: session {OTHER}: no session {OTHER} in the companion ref\n" in ended.err


def test_every_key_is_documented(path: Path) -> None:
    page = (PROJECT / "docs" / "json.md").read_text("utf-8")
    documented = set(re.findall(r"`([A-Za-z_-]+)`", page))
    for by in BY:
        found = counted(path, "--by", by, "--explain")
        assert {*found, *found["rows"][0], *found["total"], *found["excluded"][0]} <= documented
    reason = schemas()["usage"]["properties"]["excluded"]["items"]["properties"]["reason"]["enum"]
    assert set(reason) <= documented


FIRST_CHUNK_MISSING = ("made-chunks", "019f5cfd-b70b-73a1-ad47-32159be95bba")
"""Of its counters only the growth is known; the figures of the samples take the first one for what was used."""


@needs_corpus
@pytest.mark.no_cover
@pytest.mark.parametrize("name", samples())
def test_a_sample(name: str, tmp_path: Path) -> None:
    """The figures are those of ``expected.json``, with what the session's subagents used, which that leaves out."""
    repo = synced_sample(name, tmp_path)
    git(repo, "config", "asr.autosync", "false")
    found = {by: counted_quietly_by(repo, by) for by in BY}
    assert all(one["total"] == found["session"]["total"] for one in found.values())
    rows = {one["session"]: one for one in found["session"]["rows"]}
    below = subagents(repo)
    compared = 0
    for one in expected()["samples"][name].get("sessions", []):
        wanted = one.get("union") or one.get("newest")
        identifier = re.sub(r"^\d{4}-\d\d-\d\d-", "", one["session_id"])
        if not wanted or identifier not in rows or (name, identifier) == FIRST_CHUNK_MISSING:
            continue
        row, (calls, used) = rows[identifier], below.get(identifier, (0, {}))
        assert row["calls"] == wanted["model_calls"] + calls
        both = zip(tokens(row["usage"]), wanted["tokens"].values(), tokens(used), strict=True)
        for ours, theirs, more in both:
            assert ours == (None if theirs is None and more is None else (theirs or 0) + (more or 0))
        compared += 1
    listed = [one for one in expected()["samples"][name].get("sessions", []) if one.get("newest")]
    assert compared or not any(one["newest"]["model_calls"] for one in listed)


def counted_quietly_by(path: Path, by: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(usage(path, "--json", "--by", by).out)
    return found


def tokens(used: dict[str, Any]) -> list[int | None]:
    read, written = used.get("input", {}), used.get("output", {})
    return [read.get("uncached"), used.get("cacheRead"), used.get("cacheWrite"), written.get("total")]


def subagents(repo: Path) -> dict[str, tuple[int, dict[str, Any]]]:
    """Calls and usage of the subagents' streams of each session, by the summaries of the manifest."""
    found: dict[str, tuple[int, dict[str, Any]]] = {}
    for bundle in bundles(repo):
        for one in bundle.manifest["sessions"]:
            told = [
                stream["summary"]
                for stream in one["streams"]
                if stream["stream"].startswith(f"{one['session']['id']}.")
            ]
            calls = sum(each.get("counts", {}).get("inferences", 0) for each in told)
            found[one["session"]["id"]] = calls, total(normal(each.get("usage")) for each in told)
    return found


@needs_corpus
@pytest.mark.parametrize("name", ["claude-pi-growing", "copilot-codex-squash", "migrated-delta"])
def test_goldens(name: str, tmp_path: Path) -> None:
    repo = synced_sample(name, tmp_path)
    git(repo, "config", "asr.autosync", "false")
    for by in ("session", "commit"):
        status, said = run_on_terminal(["usage", "--explain", "--by", by], repo, env={"NO_COLOR": "1"})
        assert status == 0
        assert is_golden(f"usage/{name}.{by}.txt", said)
    assert is_golden(f"usage/{name}.json", usage(repo, "--json", "--explain", "--by", "commit").out)
