"""``git asr drift``, and what ``sync`` and ``show`` say of drift."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.sample_repos import add, checkpoint, session
from tests.e2e.terminal import run_on_terminal
from tests.support.companion import replace, tree_files
from tests.support.corpus import needs_corpus, sample, samples
from tests.support.entire_repo import EntireRepo, Stored
from tests.support.repo_builder import git
from tests.support.run import Result, run_cli

NEW, OLD, OTHER = session(11), session(12), "019e0000-0000-7000-8000-000000000001"
NEWS = "hint: there is more to see: git asr sync\n"
"""What is said where a companion ref is somebody else's and may not be synced."""
SCRAMBLED = {
    "field attached.content.ckobnodGh",
    "field attached.content.scefbc",
    "field jexvivfSufckjaijzUyiyjQainl",
    "type session_meta.sihixh_shqouw_uj",
    "type session_meta.source.vuhogibk",
}
"""Names that whoever made the samples hid: ``blockedBy``, ``blocks``, ``parent_thread_id``, …"""


def lines(name: str, version: str, *values: dict[str, Any]) -> bytes:
    """Lines of Claude Code."""
    common = {"sessionId": name, "version": version, "type": "user"}
    found = [
        {
            "parentUuid": f"u{number - 1}" if number else None,
            **common,
            "message": {"role": "user", "content": f"secret {number}"},
            "uuid": f"u{number}",
            "timestamp": f"2026-01-01T00:00:{number:02}.000Z",
            **value,
        }
        for number, value in enumerate(values)
    ]
    return b"".join(json.dumps(one).encode() + b"\n" for one in found)


def codex(*payloads: dict[str, Any]) -> bytes:
    stamp = "2026-01-01T00:00:00.000Z"
    head = {"id": OTHER, "timestamp": stamp, "cwd": "/w", "cli_version": "0.999.0"}
    values = [("session_meta", head), *(("event_msg", one) for one in payloads)]
    return b"".join(
        json.dumps({"timestamp": stamp, "type": kind, "payload": payload}).encode() + b"\n"
        for kind, payload in values
    )


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two sessions of one agent's new version, one of another agent, and one without news, each behind a commit."""
    repo = EntireRepo(tmp_path_factory.mktemp("drift") / "r")
    add(repo, 1)
    hologram = {"role": "user", "content": [{"type": "hologram", "beam": "secret"}]}
    new = lines(NEW, "9.9.9", {"speed": "secret"}, {"message": hologram, "speed": 2}, {"type": "seance"})
    repo.checkpoint(checkpoint(11), Stored(NEW, new, 1))
    repo.commit(checkpoint(11), message="new")
    repo.checkpoint(checkpoint(12), Stored(OLD, lines(OLD, "9.9.9", {}, {"speed": 3}), 2))
    repo.commit(checkpoint(12), message="again")
    repo.checkpoint(checkpoint(13), Stored(OTHER, codex({"type": "seance"}), 3, agent="Codex"))
    repo.commit(checkpoint(13), message="other")
    ended = run_cli(["sync"], repo.build())
    assert ended.status == 0
    assert ended.err == (
        "hint: 4 kinds in sessions of claude-code 9.9.9 and codex 0.999.0 are new to git-asr: git asr drift\n"
    )
    return repo.path


def drift(path: Path, *args: str) -> Result:
    return run_cli(["drift", *args], path)


def found(path: Path, *args: str) -> list[dict[str, Any]]:
    ended = drift(path, "--json", *args)
    assert (ended.status, ended.err.removeprefix(NEWS)) == (0, "")
    assert ended.out.isascii()
    listed: list[dict[str, Any]] = json.loads(ended.out)["drift"]
    return listed


def test_what_is_new_by_agent_and_version(path: Path) -> None:
    ended = drift(path)
    assert ended.status == 0
    assert ended.out == (
        "claude-code 9.9.9 · 3 kinds in 2 sessions\n"
        "records  sessions  kind            first\n"
        "      1         1  block hologram  0000000b u1\n"
        "      3         2  field speed     0000000b u0\n"
        "      1         1  type seance     0000000b u2\n"
        "\n"
        "codex 0.999.0 · 1 kind in 1 session\n"
        "records  sessions  kind                   first\n"
        "      1         1  type seance/event_msg  019e0000-0000 ~2.0\n"
    )
    assert ended.err == "hint: git asr show --record=u1 0000000b   shows the first\n"


def test_the_hint_shows_a_record_and_the_report_never_does(path: Path) -> None:
    said = re.fullmatch(r"hint: git asr (.*?)   shows the first\n", drift(path).err)
    assert said is not None
    ended = run_cli(said[1].split(), path)
    assert (ended.status, ended.err) == (0, "")
    (record,) = map(json.loads, ended.out.splitlines())
    assert record["id"] == "u1"
    assert record["content"] == [{"type": "json", "value": {"type": "hologram", "beam": "secret"}}]
    assert "secret" not in drift(path).out + drift(path, "--json").out


def test_json(path: Path) -> None:
    first, second = found(path)
    assert {key: first[key] for key in ("agent", "agentVersion", "sessions", "more")} == {
        "agent": "claude-code",
        "agentVersion": "9.9.9",
        "sessions": 2,
        "more": False,
    }
    assert first["kinds"][1] == {
        "kind": "field speed",
        "records": 3,
        "sessions": 2,
        "first": {"session": NEW, "stream": NEW, "record": "u0"},
    }
    assert [one["kind"] for one in second["kinds"]] == ["type seance/event_msg"]
    assert json.loads(drift(path, "--json").out)["sessions"] == 4


@pytest.mark.parametrize(
    ("revisions", "agents"),
    [(["main"], 2), (["main~1"], 1), (["main~1..main"], 1), (["main~3"], 0), (["main~1", "^main~2"], 1)],
)
def test_the_sessions_of_a_range(path: Path, revisions: list[str], agents: int) -> None:
    assert len(found(path, *revisions)) == agents
    assert drift(path, "--strict", *revisions).status == (1 if agents else 0)


def test_of_one_commit_only_its_session_counts(path: Path) -> None:
    (group,) = found(path, "main~2..main~1")
    assert (group["sessions"], [one["records"] for one in group["kinds"]]) == (1, [1])
    ended = drift(path, "main~3", "--strict")
    assert (ended.status, ended.out, ended.err) == (0, "1 session: nothing is new to git-asr\n", "")


@pytest.mark.parametrize("revision", ["nobody", "--all", "main\n"])
def test_an_unknown_revision_is_wrong_usage(path: Path, revision: str) -> None:
    assert drift(path, revision).status == 2


def test_a_sync_says_it_of_what_it_converts(path: Path) -> None:
    assert run_cli(["sync"], path).err == ""
    again = run_cli(["sync", "--full"], path).err
    assert again.startswith("hint: 4 kinds in sessions of claude-code 9.9.9 and codex 0.999.0 are new")
    told = json.loads(run_cli(["sync", "--full", "--json"], path).out)["drift"]
    assert told == [
        {"agent": "claude-code", "agentVersion": "9.9.9", "kinds": 3},
        {"agent": "codex", "agentVersion": "0.999.0", "kinds": 1},
    ]
    assert json.loads(run_cli(["sync", "--json"], path).out)["drift"] == []


def test_show_counts_such_records_in_what_it_shows(path: Path) -> None:
    assert run_cli(["show", NEW], path).out.endswith(
        "\n\n3 records of kinds that are new to git-asr: git asr drift\n"
    )
    assert run_cli(["show", OLD], path).out.endswith(
        "\n\n1 record of kinds that are new to git-asr: git asr drift\n"
    )
    assert "new to git-asr" not in run_cli(["show", session(1)], path).out
    told = json.loads(run_cli(["show", "--json", NEW], path).out)["sessions"]
    assert [one["unknown"] for one in told] == [3]


def test_a_record_that_is_not_there(path: Path) -> None:
    ended = run_cli(["show", "--record", "u9", NEW], path)
    assert (ended.status, ended.out) == (2, "")
    assert ended.err.startswith("error: no record 'u9' in what is shown\nhint: ")
    assert run_cli(["show", "--record", "u1", "--json", NEW], path).status == 2


def test_nothing_is_known_of_what_is_not_translated(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.checkpoint(checkpoint(1), Stored(session(1), b'{"what":1}\n'))
    repo.commit(checkpoint(1))
    assert "new to git-asr" not in run_cli(["sync"], repo.build()).err
    (shown,) = json.loads(run_cli(["show", "--json"], repo.path).out)["sessions"]
    assert shown["unknown"] is None
    ended = drift(repo.path, "--strict")
    assert (ended.status, ended.out) == (
        0,
        "1 session (1 of them not translated): nothing is new to git-asr\n",
    )
    assert json.loads(drift(repo.path, "--json").out) == {
        "version": 1,
        "sessions": 1,
        "opaque": 1,
        "drift": [],
    }


def test_without_sessions(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.commit()
    ended = drift(repo.build())
    assert (ended.status, ended.out, ended.err) == (0, "", "hint: no sessions here yet: git asr sync\n")
    assert drift(repo.path, "main").out == "0 sessions: nothing is new to git-asr\n"


def changed(path: Path, change: Any) -> None:
    """Change the manifest of the new session as somebody else may have; nothing is synced by the way any more."""
    git(path, "config", "asr.autosync", "false")
    files = tree_files(path)
    (name,) = (one for one in files if NEW in one and one.endswith("bundle.json"))
    manifest = json.loads(files[name])
    change(manifest["sessions"][0]["streams"][0]["summary"], files)
    files[name] = json.dumps(manifest).encode()
    replace(path, files)


@pytest.fixture
def other(path: Path, tmp_path: Path) -> Path:
    """A copy of the repository, to be changed."""
    git(tmp_path, "clone", "-q", "--mirror", str(path), "r.git")
    return tmp_path / "r.git"


def test_names_are_hostile(other: Path) -> None:
    names = (f"field \x1b[31m\u202e{'x' * 500}{number:04}" for number in range(200))
    evil = {name: {"records": 1, "first": "\x1b]0;a\x07\n" * 90} for name in names}

    def change(summary: dict[str, Any], _: Any) -> None:
        summary["_meta"]["git-asr/drift"] = {"kinds": evil, "more": True}

    changed(other, change)
    ended = drift(other)
    assert ended.status == 0
    assert len(ended.out.splitlines()) < 50
    assert max(map(len, ended.out.splitlines())) < 300
    assert len(ended.err.removeprefix(NEWS).splitlines()) == 1
    assert "and 21 more: --json lists them\nand more, which are not counted\n" in ended.out
    assert not set(ended.out + ended.err) & {"\x1b", "\x07", "\u202e"}
    status, shown = run_on_terminal(["drift"], other, env={"NO_COLOR": "1"})
    assert status == 0
    assert "\x1b" not in shown
    assert drift(other, "--json").out.isascii()


@pytest.mark.parametrize(
    "told",
    [
        *(None, 5, [], "x", {"git-asr/drift": 5}, {"git-asr/drift": {"kinds": []}}),
        *({"git-asr/drift": {"kinds": {"a b": one}}} for one in (5, {}, {"records": "x", "first": 1}, [1])),
        {"git-asr/drift": {"kinds": {"field isMeta": {"records": 1, "first": "u0"}}}},  # learned since
    ],
)
def test_what_manifests_say_may_be_anything(other: Path, told: Any) -> None:
    changed(other, lambda summary, _: summary.__setitem__("_meta", told))
    assert [one["sessions"] for one in found(other)] == [1, 1]


def test_a_header_that_cannot_be_read(other: Path) -> None:
    def change(_: Any, files: dict[str, bytes]) -> None:
        (name,) = (one for one in files if one.endswith(f"{NEW}.jsonl"))
        files[name] = b"{}\n"

    changed(other, change)
    ended = drift(other, "--json")
    assert ended.err.removeprefix(NEWS).startswith("warning: claude-code/")
    groups = json.loads(ended.out)["drift"]
    assert [(one["agentVersion"], len(one["kinds"])) for one in groups] == [
        (None, 3),
        ("9.9.9", 1),
        ("0.999.0", 1),
    ]
    assert "\nclaude-code 9.9.9 · 1 kind in 1 session\n" in drift(other).out


def test_a_damaged_manifest_is_reported(other: Path) -> None:
    git(other, "config", "asr.autosync", "false")
    files = tree_files(other)
    replace(other, {name: b"{" if NEW in name and "bundle" in name else data for name, data in files.items()})
    ended = drift(other, "--json")
    assert ended.err.removeprefix(NEWS).startswith("warning: claude-code/")
    assert [one["sessions"] for one in json.loads(ended.out)["drift"]] == [1, 1]


@needs_corpus
@pytest.mark.parametrize("name", samples())
def test_what_agents_really_wrote_is_known(name: str, tmp_path: Path) -> None:
    repo = sample(name, tmp_path)
    assert run_cli(["sync", "--orphans"], repo).status == 0
    kinds = {
        kind["kind"] for group in json.loads(drift(repo, "--json").out)["drift"] for kind in group["kinds"]
    }
    assert kinds <= SCRAMBLED
