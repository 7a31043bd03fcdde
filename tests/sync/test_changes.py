"""Checkpoints, stores and refs that change between syncs: an incremental sync ends where one from scratch does."""

from __future__ import annotations

from pathlib import Path

import pytest

from git_asr.errors import AsrError
from tests.support.companion import StoredBundle, bundles, tip
from tests.support.entire_repo import STORE, EntireRepo, Stored, claude
from tests.support.repo_builder import fsck, git
from tests.support.run import run_cli
from tests.sync.syncing import ONE, TWO, UNITS, scratch, units
from tests.sync.syncing import run_codes as run

CPS = [f"{n:02x}0f6af2363f" for n in range(6)]
REMOTE = "refs/remotes/origin/entire/checkpoints/v1"


def test_a_checkpoint_rewritten_without_a_session_lets_it_go(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.checkpoint(CPS[0], Stored(ONE, claude(ONE, UNITS[:3])), Stored(TWO, claude(TWO, ["x"])))
    repo.checkpoint(CPS[1], Stored(TWO, claude(TWO, ["x", "y"]), created=60))  # and no commit names it
    repo.commit(CPS[0])
    run(repo.build())
    assert units(repo.path) == {ONE: 3, TWO: 2}
    base = f"{CPS[0][:2]}/{CPS[0][2:]}"
    repo.builder.commit(STORE, "rewrite", {f"{base}/1": None})
    outcome, _ = run(repo.build())
    assert units(repo.path) == {ONE: 3}
    assert (outcome.tally.removed, outcome.sessions) == (1, 1)
    assert tip(repo.path) == scratch(repo.path)
    run(repo.path, full=True)
    assert units(repo.path) == {ONE: 3}


def test_copies_under_another_stored_id_count_though_no_commit_names_them(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.checkpoint(CPS[0], Stored(ONE, claude(ONE, UNITS[:5])))
    repo.checkpoint(CPS[1], Stored("parent", claude(ONE, UNITS[:9]), created=60))
    repo.commit(CPS[0])
    outcome, _ = run(repo.build())
    assert units(repo.path) == {ONE: 9}
    assert outcome.tally.new == 1
    run(repo.path, exclusions=("session:parent",))
    assert units(repo.path) == {}


def test_a_link_to_such_a_copy_is_kept_when_its_commit_is_gone(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.checkpoint(CPS[0], Stored(ONE, claude(ONE, UNITS[:5])))
    repo.checkpoint(CPS[1], Stored("parent", claude(ONE, UNITS[:9]), created=60))
    repo.commit(CPS[0])
    gone = repo.commit(CPS[1], ref="refs/heads/topic")
    run(repo.build())
    git(repo.path, "update-ref", "-d", "refs/heads/topic")
    run(repo.path, full=True)
    (bundle,) = bundles(repo.path)
    assert repo.oid(gone) in {record.get("commit") for record in bundle.links}


def test_which_copy_counts_is_asked_again_when_the_stores_move(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.checkpoint(CPS[0], Stored(ONE, claude(ONE, UNITS[:5])))
    repo.checkpoint(CPS[0], Stored(ONE, claude(ONE, UNITS[:9])), ref=REMOTE)
    repo.commit(CPS[0])
    run(repo.build())
    assert units(repo.path) == {ONE: 9}
    tree = git(repo.path, "rev-parse", f"{STORE}^{{tree}}")
    merge = git(repo.path, "commit-tree", "-p", STORE, "-p", REMOTE, "-m", "ours", tree)
    git(repo.path, "update-ref", STORE, merge)
    run(repo.path)
    assert units(repo.path) == {ONE: 5}
    assert tip(repo.path) == scratch(repo.path)


def test_metadata_that_became_a_blob_is_kept_with_its_record(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.checkpoint(CPS[0], Stored(ONE, claude(ONE, UNITS[:3]), metadata={"pad": "p" * 70_000}))
    repo.checkpoint(CPS[1], Stored(ONE, claude(ONE, UNITS[:5]), created=60))
    repo.commit(*CPS[:2])
    run(repo.build())
    repo.builder.commit(STORE, "drop", {f"{CPS[0][:2]}/{CPS[0][2:]}": None})
    run(repo.build())
    (bundle,) = bundles(repo.path)  # which checks that every blob that is named is there, and no other
    assert any("_metaBlob" in record for record in bundle.links)
    fsck(repo.path)


def forget(repo: EntireRepo, bundle: StoredBundle) -> None:
    """Point the companion ref at a tree in which a session is forgotten."""
    manifest = bundle.manifest["sessions"][0]["session"]
    text = (
        '{"formatVersion":"0.1","producer":{"name":"git-asr"},"shareable":false,"sessions":[{"session":'
        f'{{"harness":"{manifest["harness"]}","id":"{manifest["id"]}"}},"streams":[]}}],"blobs":[],'
        '"forgotten":{"reason":"asked"}}\n'
    )
    repo.builder.commit("refs/asr/sessions", "forget", {f"{bundle.path}/bundle.json": text}, parents=[])
    repo.build()


def test_a_session_that_arrives_as_forgotten_leaves_lists_and_notes(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.checkpoint(CPS[0], Stored(ONE, claude(ONE, UNITS[:3]), prompt="SECRET PROMPT"))
    mark = repo.commit(CPS[0])
    run(repo.build())
    (bundle,) = bundles(repo.path)
    forget(repo, bundle)
    outcome, _ = run(repo.path)
    assert outcome.sessions == 0
    assert git(repo.path, "notes", "--ref=asr", "show", repo.oid(mark), check=False) == ""


@pytest.mark.parametrize("older", [False, True])
def test_a_companion_that_went_back_is_what_lists_and_notes_say(tmp_path: Path, older: bool) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.checkpoint(CPS[0], Stored(ONE, claude(ONE, UNITS[:3])))
    repo.commit(CPS[0])
    run(repo.build())
    first = str(tip(repo.path))
    repo.checkpoint(CPS[1], Stored(TWO, claude(TWO, ["x"])))
    repo.commit(CPS[1])
    run(repo.build())
    git(repo.path, "update-ref", "-d", STORE)
    run(repo.path)
    if older:
        git(repo.path, "update-ref", "refs/asr/sessions", first)
    else:
        git(repo.path, "update-ref", "-d", "refs/asr/sessions")
    outcome, _ = run(repo.path)
    assert outcome.sessions == len(bundles(repo.path)) == int(older)
    assert run_cli(["log", "--format=%N"], repo.path).out.count("claude-code") == int(older)


def test_a_damaged_bundle_that_was_mended_is_no_finding(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.checkpoint(CPS[0], Stored(ONE, claude(ONE, UNITS[:3])))
    repo.commit(CPS[0])
    run(repo.build())
    (bundle,) = bundles(repo.path)
    repo.builder.ref("refs/asr/sessions", str(tip(repo.path)))
    repo.builder.commit("refs/asr/sessions", "damage", {f"{bundle.path}/bundle.json": "{}"})
    outcome, codes = run(repo.build())
    assert (codes, outcome.findings) == (["damaged-bundle"], ())
    assert units(repo.path) == {ONE: 3}


def test_a_commit_of_the_project_is_no_companion(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.builder.commit("refs/heads/main", "work", {"src/main.py": "x"})
    path = repo.build()
    git(path, "update-ref", "refs/asr/sessions", "main")
    with pytest.raises(AsrError, match=r"refs/asr/sessions is damaged: it holds 'src'"):
        run(path)
    assert git(path, "rev-parse", "refs/asr/sessions") == git(path, "rev-parse", "main")


def test_a_shallow_fetch_of_the_companion_can_be_read_and_added_to(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.checkpoint(CPS[0], Stored(ONE, claude(ONE, UNITS[:3])))
    repo.commit(CPS[0])
    path = repo.build()
    run(path)
    git(path, "update-ref", "refs/asr/remotes/origin/sessions", "refs/asr/sessions")
    repo.checkpoint(CPS[1], Stored(TWO, claude(TWO, ["x"])))
    repo.commit(CPS[1])
    run(repo.build())
    clone = tmp_path / "clone"
    git(tmp_path, "init", "-q", str(clone))
    git(
        clone,
        "fetch",
        "-q",
        "--depth=1",
        f"file://{path}",
        "+refs/asr/sessions:refs/asr/sessions",
        "+refs/heads/*:refs/x/*",
    )
    outcome, _ = run(clone)
    assert outcome.sessions == 2
    assert run_cli(["sessions", "--json"], clone).status == 0
    fsck(clone)


@pytest.mark.parametrize("where", ["folder", "pointer", "store"])
def test_names_that_are_no_utf_8_stop_nothing(tmp_path: Path, where: str) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.checkpoint(CPS[0], Stored(ONE, claude(ONE, UNITS[:3])))
    repo.commit(CPS[0])
    base = f"{CPS[1][:2]}/{CPS[1][2:]}"
    if where == "folder":
        root: str | bytes = '{"sessions":[{"metadata":"/x/\udcff/metadata.json"}]}'.encode(
            "utf-8", "surrogateescape"
        )
        files = {f"{base}/\udcff/metadata.json": "{}", f"{base}/metadata.json": root}
        repo.builder.commit(STORE, "odd", files)
        repo.commit(CPS[1])
    elif where == "pointer":
        root = b'{"sessions":[{"metadata":"/\\udcff/metadata.json","transcript":"/\\udcff/full.jsonl"}]}'
        repo.builder.commit(STORE, "odd", {f"{base}/metadata.json": root, f"{base}/0/metadata.json": "{}"})
        repo.commit(CPS[1])
    path = repo.build()
    if where == "store":
        odd = path / ".git" / "refs" / "remotes" / "o\udcff" / "entire" / "checkpoints"
        odd.mkdir(parents=True)
        (odd / "v1").write_text(git(path, "rev-parse", STORE) + "\n")
    run(path)
    assert units(path)[ONE] == 3
    first = tip(path)
    run(path)
    assert tip(path) == first
    assert run_cli(["sessions"], path).status == 0
    assert run_cli(["sync", "--json"], path).status == 0


def test_many_copies_that_must_all_be_read_are_too_much_in_passing(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    for number, length in enumerate((20, 22, 24, 26)):
        data = claude(ONE, UNITS[:length], turn=number, pad="p" * 1000)
        repo.checkpoint(CPS[number], Stored(ONE, data, created=number))
    repo.commit(*CPS[:4])
    path = repo.build()
    largest = len(claude(ONE, UNITS[:26], turn=3, pad="p" * 1000))
    with pytest.raises(AsrError, match="too much"):
        run(path, at_most=largest + 1000)
    run(path, at_most=3 * largest)
