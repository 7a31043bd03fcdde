"""Every known way for a trailer not to lead to a session, and what git-asr says and does about it.

One test for each row of the table in section 9 of the reference on Entire's checkpoints, by its number.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.sample_repos import checkpoint, repository, session
from tests.support.companion import bundles
from tests.support.entire_repo import MAIN, STORE, EntireRepo, Stored, claude, own_ref
from tests.support.repo_builder import git
from tests.support.run import run_cli

ULID = "01KXDM08H2V0SZREV3NDG2R38M"
LOST = "bbbb00000001"
COPY = "refs/remotes/origin/entire/checkpoints/v1"
FETCH = "git asr fetch --checkpoints origin"


def stored(number: int, units: int = 2, **other: Any) -> Stored:
    lines = claude(session(number), [f"{number}.{unit}" for unit in range(units)], second=number * 60)
    return Stored(session(number), **{"transcript": lines, "created": number * 60, **other})


def told(path: Path, *command: str) -> dict[str, Any]:
    """What a command prints as JSON; it never fails, and never in a traceback."""
    ended = run_cli([*command, "--json"], path)
    assert ended.status == 0, ended.err
    assert "fault" not in ended.err
    found: dict[str, Any] = json.loads(ended.out)
    return found


def synced(path: Path, *options: str) -> dict[str, Any]:
    return told(path, "sync", *options)


def codes(outcome: dict[str, Any]) -> list[str]:
    return sorted({one["code"] for one in outcome["diagnostics"]})


def commits(path: Path, *ranges: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = told(path, "coverage", *(ranges or ("main",)))["commits"]
    return found


def states(path: Path, *ranges: str) -> list[str]:
    """The states of the commits, the oldest first."""
    return [one["state"] for one in commits(path, *ranges)][::-1]


def why(path: Path, *ranges: str) -> tuple[str, str, str | None]:
    """State, reason and command of the newest commit."""
    one = commits(path, *ranges)[0]
    return one["state"], one["reason"], one["command"]


def suggested(path: Path, *options: str) -> list[tuple[str, str, str]]:
    """What ``git asr link --suggest`` finds: checkpoint, method, how sure."""
    found = told(path, "link", "--suggest", *options)["suggested"]
    return [
        (each["checkpoint"], each["evidence"][0]["method"], each["sure"])
        for one in found
        for each in one["suggestions"]
    ]


def shown(path: Path, what: str) -> str:
    ended = run_cli(["show", what], path)
    assert ended.status == 0, ended.err
    return ended.out


def vcs(path: Path) -> list[dict[str, Any]]:
    """The links to commits in the companion ref."""
    return [record for one in bundles(path) for record in one.links if record["type"] == "vcs"]


def pairs(path: Path) -> list[tuple[str, str]]:
    """Checkpoint and commit of every link."""
    return sorted((record["id"].split("@")[0], record["commit"]) for record in vcs(path))


def text(path: Path) -> str:
    """All records of all transcripts."""
    streams = [stream for one in bundles(path) for stream in one.streams.values()]
    return json.dumps([stream.records for stream in streams])


def test_row_01_no_trailer_though_an_agent_did_the_work(tmp_path: Path) -> None:
    """Nothing is guessed: the session stays an orphan, and the commit without one."""
    repo = EntireRepo(tmp_path / "r")
    repo.checkpoint(checkpoint(1), stored(1))
    repo.commit(message="the agent's work")
    path = repo.build()
    found = synced(path)
    assert (found["sessions"], found["links"], found["unresolved"], found["diagnostics"]) == (0, 0, [], [])
    assert states(path) == ["no-trailer"]
    assert suggested(path) == []
    assert told(path, "status")["orphans"] == {"sessions": 1, "taken": 0}
    ended = run_cli(["show", "main"], path)
    assert (ended.status, ended.out) == (1, "")
    assert "names no checkpoint" in ended.err


def test_row_02_an_id_that_was_never_written(tmp_path: Path) -> None:
    repo = repository(tmp_path / "r", 1)
    lost = repo.commit(LOST)
    path = repo.build()
    found = synced(path)
    assert found["unresolved"] == [{"checkpoint": LOST, "commits": [repo.oid(lost)]}]
    assert found["searched"] == [STORE]
    assert f"hint: searched: {STORE}\n" in run_cli(["sync"], path).err
    assert why(path) == ("dangling", "never written, or never pushed by its author", None)
    assert told(path, "status")["unresolved"] == found["unresolved"]


def test_row_03_written_and_never_pushed(tmp_path: Path) -> None:
    """The author has it, the hub and a colleague's clone have not; once it is pushed, fetching brings it."""
    author = repository(tmp_path / "author", 2)
    hub, path = tmp_path / "hub", tmp_path / "r"
    git(tmp_path, "clone", "-q", "--bare", str(author.path), "hub")
    git(hub, "update-ref", STORE, f"{STORE}~1")
    git(tmp_path, "clone", "-q", str(hub), "r")
    assert [one["checkpoint"] for one in synced(path)["unresolved"]] == [checkpoint(2)]
    assert why(path) == ("dangling", "never written, or never pushed by its author", FETCH)
    git(author.path, "push", "-q", str(hub), STORE)
    told(path, "fetch", "--checkpoints")
    assert states(path) == ["linked", "linked"]


def test_row_04_refs_of_single_checkpoints_that_no_clone_brings(tmp_path: Path) -> None:
    repo = repository(tmp_path / "hub", 1)
    repo.checkpoint(ULID, stored(2), ref=own_ref(ULID))
    repo.commit(ULID)
    git(tmp_path, "clone", "-q", str(repo.build()), "r")
    path = tmp_path / "r"
    assert [one["checkpoint"] for one in synced(path)["unresolved"]] == [ULID]
    assert why(path) == ("dangling", "a clone does not fetch the refs of single checkpoints", FETCH)
    assert told(path, "status")["remote"]["command"] == FETCH
    told(path, "fetch", "--checkpoints", "origin")
    assert states(path) == ["linked", "linked"]


def test_row_05_a_separate_repository_for_checkpoints(tmp_path: Path) -> None:
    elsewhere = repository(tmp_path / "hosted" / "owner" / "sessions.git", 1, bare=True)
    repo = EntireRepo(tmp_path / "r")
    setting = {"strategy_options": {"checkpoint_remote": {"provider": "github", "repo": "owner/sessions"}}}
    repo.builder.commit(MAIN, "settings\n", {".entire/settings.json": json.dumps(setting)})
    repo.commit(checkpoint(1))
    path = repo.builder.build(checkout=True)
    git(path, "config", f"url.{elsewhere.path.parents[1]}/.insteadOf", "https://github.com/")
    assert synced(path)["sessions"] == 0
    reason = "checkpoints live in github:owner/sessions (checkpoint_remote)"
    assert why(path) == ("dangling", reason, "git asr fetch --checkpoints")
    told(path, "fetch", "--checkpoints")
    assert states(path) == ["no-trailer", "linked"]


def test_row_06_a_fork_without_data(tmp_path: Path) -> None:
    """A fork has every trailer and none of the checkpoints: the upstream remote is asked, where there is one."""
    upstream = repository(tmp_path / "upstream", 2)
    hub, path = tmp_path / "fork", tmp_path / "r"
    git(tmp_path, "clone", "-q", "--bare", "--branch=main", "--single-branch", str(upstream.path), "fork")
    git(tmp_path, "clone", "-q", str(hub), "r")
    assert len(synced(path)["unresolved"]) == 2
    assert why(path) == ("dangling", "no checkpoint store was fetched", FETCH)
    own = EntireRepo(tmp_path / "own")
    own.checkpoint(checkpoint(9), stored(9))
    git(hub, "fetch", "-q", str(own.build()), f"{STORE}:{STORE}")
    git(path, "fetch", "-q")
    as_in_a_fork = "no checkpoint of this history is here, as in a fork: ask where it comes from"
    assert why(path) == ("dangling", as_in_a_fork, FETCH)
    git(path, "remote", "add", "upstream", str(upstream.path))
    assert why(path) == ("dangling", as_in_a_fork, "git asr fetch --checkpoints upstream")
    told(path, "fetch", "--checkpoints", "upstream")
    assert states(path) == ["linked", "linked"]


def test_row_07_an_empty_store(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.builder.commit(STORE, "Initialize metadata branch\n", {"vercel.json": "{}"})
    repo.commit(LOST)
    path = repo.build()
    assert [one["checkpoint"] for one in synced(path)["unresolved"]] == [LOST]
    assert why(path) == ("dangling", "the checkpoint store here is empty", None)


@pytest.mark.parametrize("shared", [True, False], ids=["diverged", "disconnected"])
def test_row_07_local_and_fetched_copies_are_united(tmp_path: Path, shared: bool) -> None:
    repo = EntireRepo(tmp_path / "r")
    begun = repo.checkpoint(checkpoint(1), stored(1))
    if shared:
        repo.builder.ref(COPY, begun)
    repo.checkpoint(checkpoint(2), stored(2))
    repo.checkpoint(checkpoint(3), stored(3), ref=COPY)
    for number in (1, 2, 3):
        repo.commit(checkpoint(number))
    path = repo.build()
    assert synced(path)["unresolved"] == []
    assert states(path) == ["linked"] * 3


def test_row_07_a_shallow_store(tmp_path: Path) -> None:
    far = repository(tmp_path / "far", 3)
    git(tmp_path, "clone", "-q", "--no-single-branch", "--depth=1", f"file://{far.path}", "r")
    path = tmp_path / "r"
    assert (synced(path)["unresolved"], states(path)) == ([], ["linked"])
    git(path, "fetch", "-q", "--unshallow")
    assert (synced(path)["links"], states(path)) == (3, ["linked"] * 3)


def squash(ids: Sequence[str]) -> str:
    """The body of a squash as GitHub makes it: each trailer in the middle, one twice, and one in the subject."""
    middle = "".join(f"* change {one}\n\nEntire-Checkpoint: {one}\n\n" for one in (*ids[1:], ids[1]))
    return (
        f"feat: all of it Entire-Checkpoint: {ids[0]} (#91)\n\n{middle}---------\n\n"
        "Co-authored-by: Bob <bob@example.com>\n"
    )


def test_row_08_a_squash_of_many(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    ids = [checkpoint(number) for number in (1, 2, 3)]
    for number, one in enumerate(ids, start=1):
        repo.checkpoint(one, stored(number))
    mark = repo.builder.commit(MAIN, squash(ids), {"a": "1"})
    path = repo.build()
    found = synced(path)
    assert (found["sessions"], found["links"], found["unresolved"]) == (3, 3, [])
    assert pairs(path) == [(one, repo.oid(mark)) for one in ids]
    (row,) = commits(path)
    assert (row["state"], row["checkpoints"]) == ("linked", ids)


def test_row_09_a_squash_by_title_that_drops_the_trailers(tmp_path: Path) -> None:
    """The pull request's own commits are still there, under the ref that its host keeps."""
    repo = EntireRepo(tmp_path / "r")
    base = repo.commit(message="base")
    head = "refs/pull/7/head"
    for number in (1, 2):
        repo.checkpoint(checkpoint(number), stored(number))
        message = f"part {number}\n\nEntire-Checkpoint: {checkpoint(number)}\n"
        parents = {"parents": [base]} if number == 1 else {}
        repo.builder.commit(head, message, {f"part{number}": f"{number}\n"}, **parents)
    repo.builder.commit(MAIN, "Both parts (#7)\n", {"part1": "1\n", "part2": "2\n"})
    path = repo.build()
    assert synced(path)["links"] == 2
    assert why(path)[0] == "no-trailer"
    assert why(path)[2] == f"git asr link --suggest {git(path, 'rev-parse', 'main')[:12]}^!"
    assert [(one, sure) for one, _, sure in suggested(path)] == [
        (checkpoint(1), "exact"),
        (checkpoint(2), "exact"),
    ]
    assert run_cli(["link", "--accept-exact"], path).status == 0
    assert states(path)[-1] == "linked"


@pytest.mark.parametrize("same_tree", [True, False], ids=["tree", "patch-id"])
def test_row_10_a_rewrite_that_loses_the_trailer(tmp_path: Path, same_tree: bool) -> None:
    repo = EntireRepo(tmp_path / "r")
    base = repo.commit(message="base")
    repo.checkpoint(checkpoint(1), stored(1))
    told_so = f"change\n\nEntire-Checkpoint: {checkpoint(1)}\n"
    repo.builder.commit("refs/heads/before", told_so, {"new.txt": "1\n"}, parents=[base])
    if not same_tree:
        repo.commit(message="something between")
    repo.builder.commit(MAIN, "change, reworded\n", {"new.txt": "1\n"})
    path = repo.build()
    assert synced(path)["links"] == 1
    assert why(path)[0] == "no-trailer"
    assert suggested(path) == [(checkpoint(1), "tree" if same_tree else "patch-id", "exact")]


def test_row_11_the_same_id_on_several_commits(tmp_path: Path) -> None:
    repo = repository(tmp_path / "r", 1)
    marks = [repo.commit(checkpoint(1), message=f"more {number}") for number in range(2)]
    path = repo.build()
    found = synced(path)
    assert (found["sessions"], found["links"], found["unresolved"]) == (1, 3, [])
    rows = commits(path)
    assert [one["state"] for one in rows] == ["ambiguous"] * 3
    first = rows[2]["commit"]
    named = sorted(one["commit"] for one in rows if one["commit"] != repo.oid(marks[0]))
    assert rows[1]["reason"] == f"commit {named[0][:12]} and 1 more names the same checkpoint"
    for commit in (first, *map(repo.oid, marks)):
        assert session(1)[:8] in shown(path, commit)


def test_row_12_sessions_of_one_checkpoint_some_of_them_idle(tmp_path: Path) -> None:
    """All are tied to the commit, for nothing is lost; those to which nothing came in are shown last."""
    repo = EntireRepo(tmp_path / "r")
    idle = stored(1, 4, start=4, metadata={"files_touched": []})
    busy = stored(2, 4, start=1, metadata={"files_touched": ["work.txt"], "save_step_count": 2})
    repo.checkpoint(checkpoint(1), idle, busy)
    repo.commit(checkpoint(1))
    path = repo.build()
    found = synced(path)
    assert (found["sessions"], found["links"]) == (2, 2)
    assert states(path) == ["linked"]
    for what in ("main", checkpoint(1)):
        assert [one["session"] for one in told(path, "show", what)["sessions"]] == [session(2), session(1)]


def test_row_13_one_session_twice_in_a_checkpoint(tmp_path: Path) -> None:
    """The newest copy counts, and the session is one."""
    repo = EntireRepo(tmp_path / "r")
    repo.checkpoint(checkpoint(1), stored(1, 5, created=600), stored(1, 2, created=60))
    repo.commit(checkpoint(1))
    path = repo.build()
    found = synced(path)
    assert (found["sessions"], found["links"], found["diagnostics"]) == (1, 1, [])
    assert "text of 1.4" in text(path)


def test_row_14_folders_with_gaps_and_more_than_are_listed(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    base = f"{checkpoint(1)[:2]}/{checkpoint(1)[2:]}"
    repo.checkpoint(checkpoint(1), *(stored(number) for number in (1, 2, 3)))
    pointer = {"metadata": f"/{base}/0/metadata.json", "transcript": f"/{base}/0/full.jsonl"}
    listed = json.dumps({"checkpoint_id": checkpoint(1), "sessions": [pointer]})
    files = {f"{base}/1": None, f"{base}/metadata.json": listed}
    repo.builder.commit(STORE, "gap\n", files)
    repo.commit(checkpoint(1))
    path = repo.build()
    found = synced(path)
    assert (found["sessions"], found["links"], found["diagnostics"]) == (2, 2, [])
    assert states(path) == ["linked"]


def test_row_15_a_session_overwritten_by_another(tmp_path: Path) -> None:
    """What is gone is gone: the session that the checkpoint holds now is the one that is told of, and no other."""
    repo = EntireRepo(tmp_path / "r")
    repo.checkpoint(checkpoint(1), stored(1))
    repo.checkpoint(checkpoint(1), stored(2))
    repo.commit(checkpoint(1))
    path = repo.build()
    found = synced(path)
    assert (found["sessions"], found["links"], found["diagnostics"]) == (1, 1, [])
    (one,) = told(path, "sessions")["sessions"]
    assert one["id"] == session(2)
    assert states(path) == ["linked"]


def test_row_16_stubs_and_pointers_that_lead_nowhere(tmp_path: Path) -> None:
    """The tree is trusted: a folder without metadata counts, a pointer without a file is said and passed over."""
    repo = EntireRepo(tmp_path / "r")
    base = f"{checkpoint(1)[:2]}/{checkpoint(1)[2:]}"
    pointers = [
        {"metadata": f"/{base}/0/metadata.json", "transcript": f"/{base}/0/full.jsonl"},
        {"metadata": f"/{base}/1/metadata.json", "transcript": f"/{base}/1/full.jsonl", "content_hash": ""},
        {"metadata": "", "transcript": ""},
    ]
    repo.checkpoint(checkpoint(1), stored(1, transcript=None), root={"sessions": pointers})
    repo.builder.commit(STORE, "stub\n", {f"{base}/7/prompt.txt": "do it\n"})
    repo.commit(checkpoint(1))
    path = repo.build()
    found = synced(path)
    assert codes(found) == ["dangling-session", "missing-metadata", "missing-transcript"]
    assert (found["sessions"], found["unresolved"]) == (2, [])
    assert why(path)[:2] == ("content-missing", "the transcript cannot be read here, or was never stored")


def test_row_17_a_checkpoint_removed_by_cleanup(tmp_path: Path) -> None:
    repo = repository(tmp_path / "r", 2)
    gone = {f"{checkpoint(2)[:2]}/{checkpoint(2)[2:]}": None}
    mark = repo.builder.commit(STORE, "Cleanup: removed 1 orphaned checkpoints\n", gone)
    repo.checkpoint(checkpoint(3), stored(3))
    path = repo.build()
    assert [one["checkpoint"] for one in synced(path)["unresolved"]] == [checkpoint(2)]
    removed = repo.oid(mark)[:12]
    reason = f"it was removed from the store by its commit {removed}"
    assert why(path) == ("dangling", reason, f"git show --stat {removed}")


def test_row_18_an_id_that_was_migrated_while_commits_keep_the_old_one(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    mark = repo.builder.commit(
        own_ref(ULID),
        f"Import checkpoint {checkpoint(1)} (migrated from git-branch)\n",
        {"metadata.json": json.dumps({"checkpoint_id": ULID}), "0/full.jsonl": stored(1).transcript},
    )
    old = repo.commit(checkpoint(1))
    new = repo.commit(ULID, message="after it")
    path = repo.build()
    assert synced(path)["unresolved"] == []
    assert pairs(path) == [(checkpoint(1), repo.oid(old)), (ULID, repo.oid(new))]
    assert states(path) == ["linked", "linked"]
    repo.builder.commit(own_ref(ULID), f"Finalize transcript for Checkpoint: {ULID}\n", {"0/prompt.txt": "x"})
    repo.build()
    assert repo.oid(mark) != git(path, "rev-parse", own_ref(ULID))
    assert synced(path)["unresolved"] == []
    git(tmp_path, "clone", "-q", "--mirror", "--no-single-branch", "--depth=1", f"file://{path}", "shallow")
    found = synced(tmp_path / "shallow")["unresolved"]
    assert [one["checkpoint"] for one in found] == [], "the tip of main names the new ID alone"
    repo.checkpoint("01KXDM08H2V0SZREV3NDG2R38N", stored(2), ref=own_ref("01KXDM08H2V0SZREV3NDG2R38N"))
    repo.build()
    git(path, "update-ref", own_ref(ULID), own_ref("01KXDM08H2V0SZREV3NDG2R38N"))
    found = synced(path)["unresolved"]
    assert [one["checkpoint"] for one in found] == [checkpoint(1)], "the ref tells of another checkpoint now"


def test_row_19_only_in_v2(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.v2(checkpoint(1), stored(1))
    repo.v2(checkpoint(2), stored(2), generation="0000000000001")
    repo.commit(checkpoint(1))
    repo.commit(checkpoint(2))
    path = repo.build()
    assert (synced(path)["unresolved"], states(path)) == ([], ["linked", "linked"])


def test_row_20_a_trailer_that_was_pasted(tmp_path: Path) -> None:
    """Where it stood is said with it; nothing of it is run."""
    repo = repository(tmp_path / "r", 1)
    quoted = f"docs: how trailers look\n\nWrite `Entire-Checkpoint: {checkpoint(1)} ` under your text.\n"
    mark = repo.builder.commit(MAIN, quoted, {"doc": "x"})
    prose = "docs: the words Entire-Checkpoint: $(touch /tmp/never) and Entire-Checkpoint: none\n"
    repo.builder.commit(MAIN, prose, {"doc": "y"})
    path = repo.build()
    assert synced(path)["unresolved"] == []
    newest, pasted, first = commits(path)
    assert (newest["state"], newest["checkpoints"]) == ("no-trailer", [])
    assert pasted["state"] == "ambiguous"
    assert pasted["reason"] == "the checkpoint is named in the middle of a text, as in a quotation"
    assert first["state"] == "ambiguous"
    places = {record["commit"]: record["_meta"]["git-asr/trailer"]["place"] for record in vcs(path)}
    assert places == {repo.oid(mark): "elsewhere", first["commit"]: "last-block"}


def test_row_21_two_checkpoints_for_one_commit(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.checkpoint(checkpoint(1), stored(1, 2))
    repo.checkpoint(checkpoint(2), stored(1, 4))
    mark = repo.commit(checkpoint(1), checkpoint(2))
    path = repo.build()
    found = synced(path)
    assert (found["sessions"], found["links"]) == (1, 2)
    assert pairs(path) == [(checkpoint(1), repo.oid(mark)), (checkpoint(2), repo.oid(mark))]
    assert states(path) == ["linked"]


def test_row_22_a_wrong_label_of_the_agent(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.checkpoint(checkpoint(1), stored(1, agent="Gemini CLI"))
    repo.commit(checkpoint(1))
    path = repo.build()
    synced(path)
    assert commits(path)[0]["agents"] == ["claude-code"]


@pytest.mark.parametrize("promised", [True, False], ids=["partial", "lost"])
def test_row_23_a_transcript_that_is_not_here(tmp_path: Path, unsound: set[Path], promised: bool) -> None:
    """The metadata are read all the same: the session is there, without its content."""
    far = EntireRepo(tmp_path / "far")
    far.checkpoint(checkpoint(1), stored(1, 200))
    far.commit(checkpoint(1))
    far.build()
    git(far.path, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "-q", "--mirror", "--filter=blob:limit=4k", f"file://{far.path}", "r")
    path = tmp_path / "r"
    if not promised:
        unsound.add(path)
        git(path, "config", "--unset", "remote.origin.promisor")
        git(path, "config", "--unset", "remote.origin.partialclonefilter")
        for file in (path / "objects" / "pack").glob("*.promisor"):
            file.unlink()
    found = synced(path)
    assert (codes(found), found["sessions"], found["links"]) == (["absent-blob"], 1, 1)
    (one,) = told(path, "sessions")["sessions"]
    assert (one["id"], one["agent"], one["models"]) == (session(1), "Claude Code", ["claude-opus-4-8"])
    mend = FETCH if promised else "git asr sync --strict"
    assert why(path) == ("content-missing", "not all of its checkpoint is in this repository", mend)
    assert told(path, "status")["absent"] == 1
    if promised:
        told(path, "fetch", "--checkpoints")
        assert synced(path)["diagnostics"] == []
        assert states(path) == ["linked"]


def test_row_23_entires_own_transcript_stands_in_for_one_that_is_not_here(tmp_path: Path) -> None:
    lines = [
        {"v": 1, "agent": "claude-code", "cli_version": "0.9.0", "type": kind, "content": [{"text": said}]}
        for kind, said in (("user", "what was asked"), ("assistant", "what was said"))
    ]
    own = "".join(json.dumps(line) + "\n" for line in lines).encode()
    far = EntireRepo(tmp_path / "far")
    far.checkpoint(checkpoint(1), stored(1, 200, files={"transcript.jsonl": own}))
    far.commit(checkpoint(1))
    far.build()
    git(far.path, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "-q", "--mirror", "--filter=blob:limit=4k", f"file://{far.path}", "r")
    path = tmp_path / "r"
    assert codes(synced(path)) == ["absent-blob"]
    (one,) = told(path, "sessions")["sessions"]
    assert (one["id"], one["agent"]) == (session(1), "claude-code")
    assert "what was asked" in text(path)
    told(path, "fetch", "--checkpoints")
    assert synced(path)["diagnostics"] == []
    assert "what was asked" not in text(path)
    assert "text of 1.5" in text(path)


def test_row_24_a_transcript_rewritten_after_it_was_read(tmp_path: Path) -> None:
    """What is remembered hangs on the bytes, never on the ID."""
    repo = repository(tmp_path / "r", 1)
    path = repo.path
    synced(path)
    repo.checkpoint(checkpoint(1), stored(1, 6))
    repo.build()
    found = synced(path)
    assert (found["changed"], found["sessions"]) == (1, 1)
    assert "text of 1.5" in text(path)
    repo.checkpoint(checkpoint(1), stored(1, 3))
    repo.build()
    synced(path)
    assert "text of 1.2" in text(path)


def test_row_25_a_hash_that_is_another(tmp_path: Path) -> None:
    """The transcript counts; a hash that is not its own takes nothing away."""
    repo = EntireRepo(tmp_path / "r")
    other = f"sha256:{hashlib.sha256(b'other').hexdigest()}".encode()
    base = f"{checkpoint(1)[:2]}/{checkpoint(1)[2:]}"
    repo.checkpoint(checkpoint(1), stored(1))
    repo.builder.commit(STORE, "hash\n", {f"{base}/0/content_hash.txt": other})
    repo.commit(checkpoint(1))
    path = repo.build()
    found = synced(path)
    assert (found["sessions"], found["unresolved"]) == (1, [])
    assert states(path) == ["linked"]


def test_row_26_a_session_that_ran_in_another_folder(tmp_path: Path) -> None:
    """The trailer ties it, wherever it says that it ran; a worktree sees the same."""
    repo = EntireRepo(tmp_path / "r")
    lines = claude(session(1), ["1.0", "1.1"], cwd="/somewhere/else", gitBranch="other")
    repo.checkpoint(checkpoint(1), Stored(session(1), lines))
    repo.commit(checkpoint(1))
    path = repo.builder.build(checkout=True)
    git(path, "worktree", "add", "-q", "--detach", str(tmp_path / "linked"), "main")
    assert synced(tmp_path / "linked")["links"] == 1
    assert states(tmp_path / "linked", "HEAD") == states(path) == ["linked"]


def test_row_27_huge_metadata(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.checkpoint(checkpoint(1), stored(1, metadata={"prompt_attributions": ["x" * 9_000_000]}))
    repo.commit(checkpoint(1))
    path = repo.build()
    found = synced(path)
    assert (codes(found), found["sessions"]) == (["huge-metadata"], 1)
    assert states(path) == ["linked"]


def test_row_28_a_store_merged_into_the_project(tmp_path: Path) -> None:
    """Its folders in the project's tree are no checkpoints, and its commits are none of the project's."""
    repo = repository(tmp_path / "r", 2)
    path = repo.path
    git(path, "reset", "-q", "--hard", "main")
    git(path, "merge", "-q", "--allow-unrelated-histories", "-m", "Merge pull request #9", STORE)
    found = synced(path)
    assert (found["sessions"], found["links"], found["searched"]) == (2, 2, [STORE])
    assert told(path, "coverage")["counts"] == {"linked": 2, "merge": 1}
    git(path, "update-ref", "-d", STORE)
    assert [one["checkpoint"] for one in synced(path)["unresolved"]] == [checkpoint(1), checkpoint(2)]


def test_row_29_clocks_and_orders_that_are_wrong(tmp_path: Path) -> None:
    """Folders out of their order, and a start that decreases."""
    repo = EntireRepo(tmp_path / "r")
    repo.checkpoint(checkpoint(1), stored(2, created=900), stored(1, 4, start=2, created=100))
    repo.checkpoint(checkpoint(2), stored(1, 6, start=1, created=50))
    marks = [repo.commit(checkpoint(1)), repo.commit(checkpoint(2))]
    path = repo.build()
    found = synced(path)
    assert (found["sessions"], found["links"], found["diagnostics"]) == (2, 3, [])
    assert states(path) == ["linked", "linked"]
    for mark in marks:
        assert session(1)[:8] in shown(path, repo.oid(mark))


def test_row_30_a_checkpoint_without_any_commit(tmp_path: Path) -> None:
    repo = repository(tmp_path / "r", 1)
    repo.checkpoint(checkpoint(5), stored(5))
    path = repo.build()
    assert synced(path)["sessions"] == 1
    (orphan,) = told(path, "sessions", "--orphans")["orphans"]
    assert (orphan["id"], orphan["checkpoints"], orphan["taken"]) == (session(5), [checkpoint(5)], False)
    assert synced(path, "--orphans")["sessions"] == 2
    assert states(path) == ["linked"]


def test_row_31_the_rest_of_an_id_that_looks_like_a_session_folder(tmp_path: Path) -> None:
    digits = "d60164698930"
    repo = EntireRepo(tmp_path / "r")
    repo.checkpoint(digits, stored(1))
    repo.checkpoint("d60000000000", stored(2))
    repo.commit(digits)
    path = repo.build()
    found = synced(path)
    assert (found["sessions"], found["unresolved"], found["diagnostics"]) == (1, [], [])
    assert states(path) == ["linked"]


def test_row_32_foreign_files_in_the_store(tmp_path: Path) -> None:
    repo = repository(tmp_path / "r", 1)
    files = {
        ".gitignore": "x", "0/transcript_valid.jsonl": "{}", "src/main.py": "x", "ab/short/metadata.json": "{}",
        "AB/CDEF012345/metadata.json": "{}", "abc/def0123456/metadata.json": "{}", "ab": "a file",
    }  # fmt: skip
    repo.builder.commit(STORE, "by accident\n", files)
    path = repo.build()
    found = synced(path)
    assert (found["sessions"], found["diagnostics"]) == (1, [])
    assert told(path, "status")["stores"][0]["checkpoints"] == 1


def test_row_33_lines_that_are_no_json(tmp_path: Path) -> None:
    first, second, third = claude(session(1), ["1.0", "1.1", "1.2"]).splitlines()
    torn = b"\r\n".join([first, b'{"type": ', b"", second, third])
    repo = EntireRepo(tmp_path / "r")
    repo.checkpoint(checkpoint(1), stored(1, transcript=torn))
    repo.commit(checkpoint(1))
    path = repo.build()
    found = synced(path)
    assert (found["sessions"], found["links"]) == (1, 1)
    assert all(f"text of 1.{number}" in text(path) for number in range(3))
    assert session(1)[:8] in shown(path, "main")


def test_row_34_metadata_of_other_types(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    root = {"agents": "Claude Code", "files_touched": None, "sessions": None, "checkpoints_count": "3"}
    odd = {"agent": None, "agents": "Claude Code", "files_touched": None, "created_at": 7, "model": []}
    repo.checkpoint(checkpoint(1), stored(1, metadata=odd), root=root)
    repo.commit(checkpoint(1))
    path = repo.build()
    found = synced(path)
    assert (found["sessions"], found["links"], found["diagnostics"]) == (1, 1, [])
    assert states(path) == ["linked"]


def test_row_35_a_ulid_that_only_the_branch_has(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.checkpoint(ULID, stored(1))
    repo.commit(ULID)
    path = repo.build()
    assert (synced(path)["unresolved"], states(path)) == ([], ["linked"])
