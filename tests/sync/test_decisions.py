"""Links that persons accept and take back: what becomes of them in syncs of every kind."""

from __future__ import annotations

import shutil
from itertools import chain
from pathlib import Path
from typing import Any, Literal

import pytest

from git_asr.asr.links import AcceptedLink
from git_asr.errors import AsrError, UsageError
from git_asr.sync.decisions import Removal
from tests.support.checked import HEADER, findings
from tests.support.companion import StoredBundle, bundles, tip
from tests.support.entire_repo import EntireRepo, Stored, claude
from tests.support.repo_builder import git
from tests.sync.syncing import only, run

ONE, TWO = "11111111-2222-3333-4444-555555555555", "22222222-2222-3333-4444-555555555555"
A, B = "aaaa00000001", "bbbb00000001"
WHEN = "2026-01-01T00:05:00+00:00"


def transcript(session: str, units: int = 2) -> bytes:
    return claude(session, [f"{session[:2]}{unit}" for unit in range(units)])


@pytest.fixture(params=["sha1", "sha256"])
def repo(tmp_path: Path, request: pytest.FixtureRequest) -> EntireRepo:
    """Session ONE is linked by a trailer, TWO by nothing; another commit has no trailer."""
    return build(tmp_path, request.param)


def build(tmp_path: Path, object_format: Literal["sha1", "sha256"] = "sha1") -> EntireRepo:
    repo = EntireRepo(tmp_path / "r", object_format)
    repo.checkpoint(A, Stored(ONE, transcript(ONE)))
    repo.checkpoint(B, Stored(TWO, transcript(TWO), 60))
    repo.commit(A)
    repo.commit(message="lost")
    repo.build()
    run(repo.path)
    return repo


def lost(repo: EntireRepo) -> str:
    return git(repo.path, "rev-parse", "main")


def link(commit: str, checkpoint: str = A, method: str = "hand", via: str | None = None) -> AcceptedLink:
    return AcceptedLink(commit, checkpoint, WHEN, method, via)


def accept(repo: EntireRepo, *links: AcceptedLink, **options: object) -> Any:
    return run(repo.path, decisions=links, **options)[0]


def remove(repo: EntireRepo, commit: str, checkpoint: str = A) -> Any:
    return run(repo.path, decisions=(Removal(commit, checkpoint),))[0]


def accepted(path: Path) -> list[str]:
    return [record["id"] for bundle in bundles(path) for record in bundle.links if "#" in record["id"]]


def note(path: Path, commit: str) -> str:
    return git(path, "notes", "--ref=asr", "show", commit, check=False)


def commits(bundle: StoredBundle) -> list[str]:
    return sorted(commit for stream in bundle.streams.values() for commit in stream.summary["commits"])


def test_an_accepted_link_is_a_record_with_its_own_evidence(repo: EntireRepo) -> None:
    commit = lost(repo)
    via = git(repo.path, "rev-parse", "main~1")
    assert accept(repo, link(commit, method="patch-id", via=via)).links == 2
    (record,) = [one for one in only(repo.path).links if "#" in one["id"]]
    del record["seq"]
    assert record == {
        "type": "vcs",
        "id": f"{A}@{commit}#patch-id",
        "idSource": "derived",
        "action": "commit",
        "commit": commit,
        "objectFormat": repo.builder.object_format,
        "evidence": "patch-id",
        "committedAt": WHEN,
        "_meta": {"git-asr/link": {"via": via}, "io.entire/checkpoint": {"id": A, "session_id": ONE}},
    }
    assert commits(only(repo.path)) == sorted([commit, via])
    assert "claude-code" in note(repo.path, commit)


def test_an_accepted_link_is_never_one_that_was_reported(repo: EntireRepo) -> None:
    accept(repo, link(lost(repo)))
    (record,) = [one for one in only(repo.path).links if "#" in one["id"]]
    assert findings([HEADER, record]) == []
    (found,) = findings([HEADER, {**record, "evidence": "reported"}])
    assert found.check == "vcs-evidence"


def test_a_session_that_no_trailer_names_comes_in_and_goes_with_its_accepted_link(repo: EntireRepo) -> None:
    before = tip(repo.path)
    assert accept(repo, link(lost(repo), B)).tally.new == 1
    assert [commits(one) for one in bundles(repo.path)] == [
        [git(repo.path, "rev-parse", "main~1")],
        [lost(repo)],
    ]
    outcome = remove(repo, lost(repo), B)
    assert (outcome.tally.removed, outcome.links, tip(repo.path)) == (1, 1, before)
    assert note(repo.path, lost(repo)) == ""


@pytest.mark.parametrize("how", ["again", "full", "deleted", "growing", "moved", "compact"])
def test_it_survives(repo: EntireRepo, how: str) -> None:
    accept(repo, link(lost(repo)), link(lost(repo), B))
    before, kept = tip(repo.path), accepted(repo.path)
    assert len(kept) == 2
    match how:
        case "again":
            run(repo.path)
        case "full":
            run(repo.path, full=True)
        case "deleted":
            shutil.rmtree(repo.path / ".git" / "asr")
            run(repo.path)
        case "growing":
            for checkpoint, session in ((A, ONE), (B, TWO)):
                repo.checkpoint(checkpoint, Stored(session, transcript(session, 4), 90))
            repo.commit(A)
            repo.build()
            run(repo.path)
        case "moved":  # somebody else's sync, from another state
            git(repo.path, "update-ref", "-d", "refs/notes/asr")
            (repo.path / ".git" / "asr" / "state.sqlite").unlink()
            run(repo.path, revisions=("main",))
        case _:
            git(repo.path, "gc", "-q", "--prune=now")
            run(repo.path, full=True)
    assert accepted(repo.path) == kept
    if how != "growing":
        assert tip(repo.path) == before


def test_it_follows_a_checkpoint_that_is_rewritten_to_hold_another_session(repo: EntireRepo) -> None:
    accept(repo, link(lost(repo), B))
    three = "33333333-2222-3333-4444-555555555555"
    repo.checkpoint(B, Stored(three, transcript(three), 60))
    repo.build()
    run(repo.path)
    assert [one.manifest["sessions"][0]["session"]["id"] for one in bundles(repo.path)] == [ONE, three]
    assert commits(bundles(repo.path)[1]) == [lost(repo)]
    (record,) = [one for one in bundles(repo.path)[1].links if "#" in one["id"]]
    assert record["_meta"]["io.entire/checkpoint"]["session_id"] == three


@pytest.mark.parametrize("state", ["kept", "deleted"])
def test_it_stays_when_its_checkpoint_is_in_no_store_any_more(repo: EntireRepo, state: str) -> None:
    accept(repo, link(lost(repo)), link(lost(repo), B))
    kept = accepted(repo.path)
    git(repo.path, "update-ref", "-d", "refs/heads/entire/checkpoints/v1")
    if state == "deleted":
        shutil.rmtree(repo.path / ".git" / "asr")
    outcome, _ = run(repo.path)
    assert (accepted(repo.path), outcome.links) == (kept, 3)


@pytest.mark.parametrize("exchanged", [False, True])
def test_it_can_be_taken_back_without_its_checkpoint(repo: EntireRepo, exchanged: bool) -> None:
    before = git(repo.path, "rev-parse", "refs/asr/sessions^{tree}")
    accept(repo, link(lost(repo)), link(lost(repo), B))
    if exchanged:
        exchange(repo)
    git(repo.path, "update-ref", "-d", "refs/heads/entire/checkpoints/v1")
    remove(repo, lost(repo))
    outcome = remove(repo, lost(repo), B)
    assert (outcome.links, note(repo.path, lost(repo))) == (1, "")
    after = git(repo.path, "rev-parse", "refs/asr/sessions^{tree}")
    assert (after == before) is not exchanged
    assert run(repo.path, full=True)[0].links == 1
    assert git(repo.path, "rev-parse", "refs/asr/sessions^{tree}") == after


@pytest.mark.parametrize("exchanged", [False, True])
def test_it_can_be_taken_back_while_its_session_grows_without_its_checkpoint(
    repo: EntireRepo, exchanged: bool
) -> None:
    repo.checkpoint(B, Stored(ONE, transcript(ONE), 60))
    repo.build()
    accept(repo, link(lost(repo), B))
    if exchanged:
        exchange(repo)
    repo.builder.commit("refs/heads/entire/checkpoints/v1", "gone", {f"{B[:2]}/{B[2:]}": None})
    repo.builder.build()
    assert accept(repo).links == 2
    repo.commit(A)
    repo.build()
    assert remove(repo, git(repo.path, "rev-parse", "main~1"), B).links == 2
    assert len(accepted(repo.path)) == 2 * exchanged


def test_it_stands_in_every_session_of_the_checkpoint(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.checkpoint(A, Stored(ONE, transcript(ONE)), Stored(TWO, transcript(TWO), 60))
    repo.commit(message="lost")
    repo.build()
    accept(repo, link(lost(repo)))
    assert [commits(one) for one in bundles(repo.path)] == [[lost(repo)]] * 2
    run(repo.path, full=True)
    assert len(accepted(repo.path)) == 2
    remove(repo, lost(repo))
    assert tip(repo.path) is None


def test_what_a_trailer_says_too_counts_once(repo: EntireRepo) -> None:
    named = git(repo.path, "rev-parse", "main~1")
    assert accept(repo, link(named)).links == 1
    assert len([one for one in only(repo.path).links if one["type"] == "vcs"]) == 2
    assert note(repo.path, named).count("claude-code") == 1
    assert remove(repo, named).links == 1
    assert commits(only(repo.path)) == [named]


def test_accepting_twice_changes_nothing(repo: EntireRepo) -> None:
    accept(repo, link(lost(repo)))
    before = tip(repo.path)
    accept(repo, link(lost(repo), method="patch-id"))
    assert tip(repo.path) == before


def exchange(repo: EntireRepo, remote: str = "origin") -> None:
    git(repo.path, "update-ref", f"refs/asr/remotes/{remote}/sessions", "refs/asr/sessions")


def test_what_others_have_is_taken_back_by_a_record_and_can_be_accepted_again(repo: EntireRepo) -> None:
    commit = lost(repo)
    accept(repo, link(commit), link(commit, B))
    exchange(repo)
    assert remove(repo, commit).links == 2
    assert remove(repo, commit, B).links == 1
    for full in (False, True):
        outcome, _ = run(repo.path, full=full)
        assert (outcome.links, outcome.sessions) == (1, 2)
        assert commit not in chain.from_iterable(map(commits, bundles(repo.path)))
    assert note(repo.path, commit) == ""
    assert sorted(one.rpartition("#")[2] for one in accepted(repo.path)) == [
        *("hand", "hand"),
        *("removed:hand", "removed:hand"),
    ]
    exchange(repo)
    assert accept(repo, link(commit)).links == 2
    assert f"{A}@{commit}#hand.2" in accepted(repo.path)
    run(repo.path, full=True)
    assert commits(bundles(repo.path)[0]) == sorted([commit, git(repo.path, "rev-parse", "main~1")])


def test_what_others_do_not_have_goes_without_a_trace(repo: EntireRepo) -> None:
    exchange(repo)
    before = git(repo.path, "rev-parse", "refs/asr/sessions^{tree}")
    accept(repo, link(lost(repo)))
    remove(repo, lost(repo))
    assert git(repo.path, "rev-parse", "refs/asr/sessions^{tree}") == before


def test_what_somebody_else_accepted_comes_with_the_companion(repo: EntireRepo, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--mirror", str(repo.path), "other")
    other = tmp_path / "other"
    run(other)
    accept(repo, link(lost(repo), B))
    git(other, "fetch", "-q", str(repo.path), "refs/asr/sessions:refs/asr/remotes/a/sessions")
    git(other, "update-ref", "refs/asr/sessions", "refs/asr/remotes/a/sessions")
    run(other)
    assert accepted(other) == accepted(repo.path)
    assert tip(other) == tip(repo.path)


def test_what_cannot_be_linked_is_refused_and_leaves_everything_as_it_was(repo: EntireRepo) -> None:
    before, commit = tip(repo.path), lost(repo)
    with pytest.raises(AsrError, match="no store holds checkpoint cccc00000001"):
        accept(repo, link(commit, "cccc00000001"))
    with pytest.raises(UsageError, match="no accepted link from commit"):
        remove(repo, git(repo.path, "rev-parse", "main~1"))
    with pytest.raises(AsrError, match="no session of checkpoint bbbb00000001 is kept here"):
        accept(repo, link(commit, B), exclusions=(f"session:{TWO}",))
    assert tip(repo.path) == before
    run(repo.path)
    assert (tip(repo.path), accepted(repo.path)) == (before, [])
