"""What a push sends, where it is merged, and what is left out."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from git_asr.companion.lock import locked
from git_asr.errors import AsrError, UsageError
from git_asr.git.repository import open_repository
from git_asr.redaction.policy import default, strict
from git_asr.redaction.policy_file import parse
from git_asr.sharing import probing, target
from git_asr.sharing.listing import quiet
from git_asr.sharing.pushing import LostRace, Refused, Terms
from tests.e2e.sample_repos import SESSIONS, checkpoint, refs, session
from tests.sharing.sides import (
    Format,
    Told,
    clone,
    exchanged,
    held,
    hub,
    linked,
    named,
    pushed,
    stored,
    synced,
)
from tests.support.companion import replace, tip, tree_files
from tests.support.entire_repo import STORE, V2, EntireRepo, Stored, claude, own_ref
from tests.support.repo_builder import fsck, git
from tests.support.run import run_cli

TRACKED = "refs/asr/remotes/origin/sessions"
AS_IS = Terms(as_is=True)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """A hub of three sessions, and two clones that know one each."""
    path = tmp_path_factory.mktemp("made")
    far = hub(path / "hub", 3).path
    return [far, clone(far, path / "a", 1), clone(far, path / "b", 2)]


def empty(path: Path) -> Path:
    git(path.parent, "init", "-q", "--bare", str(path))
    return path


def interfere(far: Path, script: str) -> None:
    """Let something happen once, when the next push has arrived at a hub and its ref is not yet moved."""
    hook = far / "hooks" / "update"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f'#!/bin/sh\nrm "$0"\n{script}\n')
    hook.chmod(0o755)


def test_the_first_push_sends_the_commit_as_it_is(sides: tuple[Path, Path, Path]) -> None:
    far, a, _ = sides
    before = refs(a)
    done = pushed(a)
    assert (done.old, done.new, done.left_out, done.tries) == (None, tip(a), (), 1)
    assert done.reason == "origin is where the checkpoints go"
    assert tip(far) == tip(a)
    assert refs(a) == {**before, TRACKED: tip(a)}
    again = pushed(a)
    assert (again.old, again.new) == (tip(a), tip(a))


def test_a_push_merges_on_the_way_and_two_sides_end_alike(sides: tuple[Path, Path, Path]) -> None:
    far, a, b = sides
    pushed(a)
    first, own = tip(far), tip(b)
    done = pushed(b)
    assert (done.old, done.new) == (first, tip(far))
    assert git(far, "rev-list", "--parents", "-1", SESSIONS).split()[1:] == [first]
    assert tip(b) == own, "no local ref moves but the one for the remote"
    assert refs(b)[TRACKED] == tip(far)
    assert held(far) == named(1, 2)
    for one in (a, b):
        exchanged(one)
        assert (tip(one), held(one)) == (tip(far), named(1, 2))
        assert pushed(one).new == tip(far)
    assert linked(a) == linked(b) == linked(far)
    fsck(far)


def test_a_dry_run_moves_nothing(sides: tuple[Path, Path, Path]) -> None:
    far, a, _ = sides
    before = refs(a), refs(far)
    done = pushed(a, terms=Terms(dry_run=True))
    assert (done.old, done.new) == (None, tip(a))
    assert (refs(a), refs(far)) == before


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_a_session_whose_checkpoint_is_not_there_as_it_is_here(tmp_path: Path, object_format: Format) -> None:
    repo = hub(tmp_path / "hub", 2, object_format)
    far = repo.path
    a = clone(far, tmp_path / "a", 1, 2)
    older = refs(far)[own_ref(checkpoint(2))]
    stored(repo, 2, units=4)
    repo.build()
    done = pushed(a)
    (left,) = done.left_out
    assert (left.session.id, left.why) == (
        session(2),
        f"its checkpoint {checkpoint(2)} is not there as it is here",
    )
    assert held(far) == named(1)
    assert not git(far, "rev-parse", "-q", "--verify", f"{tip(a)}^{{commit}}", check=False)
    git(far, "update-ref", own_ref(checkpoint(2)), older)
    assert pushed(a).left_out == ()
    assert held(far) == named(1, 2)


def test_when_all_is_left_out_nothing_is_sent(sides: tuple[Path, Path, Path]) -> None:
    far, a, _ = sides
    git(far, "update-ref", "-d", own_ref(checkpoint(1)))
    done = pushed(a)
    assert (done.old, done.new, len(done.left_out)) == (None, None, 1)
    assert tip(far) is None


def test_what_the_last_sync_did_not_make_is_left_out(sides: tuple[Path, Path, Path]) -> None:
    far, a, _ = sides
    shutil.rmtree(a / ".git" / "asr")
    (left,) = pushed(a).left_out
    assert left.why == "it is not as the last sync left it"
    synced(a)
    assert pushed(a).left_out == ()
    files = tree_files(a)
    (path,) = (one for one in files if one.endswith("~000001.jsonl"))
    other = {one: data + b"{}\n" if one == path else data for one, data in files.items()}
    replace(a, other)
    assert [one.why for one in pushed(a).left_out] == ["it is not as the last sync left it"]
    assert tree_files(far) == files


def test_a_session_of_another_remote_goes_no_further(sides: tuple[Path, Path, Path], tmp_path: Path) -> None:
    """What came with a companion is somebody's word: its checkpoints were not read here."""
    far, a, b = sides
    pushed(b)
    exchanged(a)
    assert held(a) == named(1, 2)
    other = tmp_path / "other"
    git(tmp_path, "clone", "-q", "--mirror", str(far), str(other))
    git(other, "update-ref", "-d", SESSIONS)
    git(a, "remote", "add", "other", str(other))
    (left,) = pushed(a, "other").left_out
    assert (left.session.id, left.why) == (session(2), f"its checkpoint {checkpoint(2)} is not here")
    assert held(other) == named(1)
    assert git(other, "rev-list", "--count", SESSIONS) == "1", "nor does its history"


def test_links_alone_need_no_checkpoint_here(sides: tuple[Path, Path, Path]) -> None:
    """A session that the remote has, made from a checkpoint that is not here, and a commit that was found for it."""
    far, a, b = sides
    pushed(b)
    exchanged(a)
    git(a, "checkout", "-q", "main")
    git(a, "commit", "-q", "--allow-empty", "-m", f"again\n\nEntire-Checkpoint: {checkpoint(1)}\n")
    git(a, "update-ref", "-d", own_ref(checkpoint(1)))
    synced(a)
    pushed(a)
    assert linked(far) >= linked(b)


def remote_ahead(tmp_path: Path) -> tuple[Path, Path]:
    """A hub whose branch of checkpoints has moved on since a clone fetched it."""
    repo = hub(tmp_path / "hub", 0)
    stored(repo, 1, ref=STORE)
    repo.commit(checkpoint(1))
    repo.build()
    a = clone(repo.path, tmp_path / "a")
    git(a, "fetch", "-q", "origin", f"{STORE}:refs/remotes/origin/entire/checkpoints/v1")
    synced(a)
    stored(repo, 2, ref=STORE)
    repo.build()
    return repo.path, a


@pytest.mark.parametrize("filters", ["true", "false"])
def test_a_listed_commit_that_is_not_here_is_looked_at_without_its_files(
    tmp_path: Path, filters: str
) -> None:
    far, a = remote_ahead(tmp_path)
    git(far, "config", "uploadpack.allowFilter", filters)
    before, configured = refs(a), git(a, "config", "--list", "--local")
    assert pushed(a, terms=Terms(dry_run=True)).left_out == ()
    assert (refs(a), git(a, "config", "--list", "--local")) == (before, configured)
    there = git(far, "rev-parse", STORE)
    assert not git(a, "cat-file", "-t", there, check=False)
    look = a / ".git" / "asr" / "listed" / "repository.git"
    assert git(look, "cat-file", "-t", there) == "commit"
    blobs = git(look, "rev-list", "--objects", "--missing=print", there)
    assert ("?" in blobs) == (filters == "true")
    (look / "HEAD").write_text("damaged\n")
    assert pushed(a).left_out == ()


def test_one_push_at_a_time_fetches_what_was_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, a = remote_ahead(tmp_path)
    monkeypatch.setattr(probing, "LOCK_WAIT", 0)
    with locked(open_repository(a).common_dir / "asr" / "listed", wait=0):
        (left,) = pushed(a, terms=Terms(dry_run=True)).left_out
    assert left.session.id == session(1)
    assert pushed(a).left_out == ()


def test_a_ref_of_the_remote_may_lie_where_a_folder_of_refs_was(tmp_path: Path) -> None:
    far, a = remote_ahead(tmp_path)
    repo, there = open_repository(a), git(far, "rev-parse", STORE)
    for ref in ("refs/x/entire/one/two", "refs/x/entire/one", "refs/x/entire/one/three"):
        git(far, "update-ref", ref, there)
        other = probing.without_blobs(repo, "origin", [ref], quiet)
        git(far, "update-ref", "-d", ref)
    assert git(other.git_dir, "cat-file", "-t", there) == "commit"


def test_what_cannot_be_fetched_counts_as_absent(tmp_path: Path) -> None:
    far, a = remote_ahead(tmp_path)
    tree = git(far, "rev-parse", f"{STORE}^{{tree}}")
    (far / "objects" / "pack").rename(far / "objects" / "gone")
    for pack in (far / "objects" / "gone").glob("*.pack"):
        git(far, "unpack-objects", "-q", stdin=pack.read_bytes())
    (far / "objects" / tree[:2] / tree[2:]).unlink()
    (left,) = pushed(a).left_out
    assert left.session.id == session(1)


def test_wider_needs_a_word(sides: tuple[Path, Path, Path], tmp_path: Path) -> None:
    far, a, _ = sides
    other = empty(tmp_path / "other")
    before = refs(a)
    with pytest.raises(Refused, match="other holds no checkpoints: they go to origin") as caught:
        pushed(a, str(other))
    assert caught.value.hint is not None
    assert "--as-is" in caught.value.hint
    assert "--policy" in caught.value.hint
    assert refs(other) == {}
    assert pushed(a, str(other), AS_IS).new == tip(other) == tip(a)
    assert refs(a) == before, "what has no name is not remembered"
    git(far, "update-ref", "-d", own_ref(checkpoint(1)))
    git(other, "update-ref", "-d", SESSIONS)
    assert len(pushed(a, str(other), AS_IS).left_out) == 1, "its checkpoint must be where checkpoints go"


def test_a_redacted_companion(sides: tuple[Path, Path, Path], tmp_path: Path) -> None:
    _, a, _ = sides
    other = empty(tmp_path / "other")
    git(a, "remote", "add", "public", str(other))
    pushed(a)
    terms = Terms(policy=default())
    done = pushed(a, "public", terms)
    assert done.new == tip(other) != tip(a)
    assert git(other, "rev-list", "--parents", SESSIONS) == done.new
    assert all(b'"derivedFrom"' in data for path, data in tree_files(other).items() if _is_header(path))
    assert refs(a)["refs/asr/remotes/public/redacted"] == done.new
    assert "refs/asr/remotes/public/sessions" not in refs(a)
    again = pushed(a, "public", terms)
    assert (again.old, again.new) == (done.new, done.new)
    shutil.rmtree(a / ".git" / "asr")
    synced(a)
    assert pushed(a, "public", terms).new == done.new, "it is the same without what was remembered"
    (a / ".git" / "asr" / "redacted.json").write_text("[]")
    stricter = pushed(a, "public", Terms(policy=strict()))
    assert git(other, "rev-list", SESSIONS).split() == [stricter.new, done.new]
    assert b"strict" in b"".join(data for path, data in tree_files(other).items() if _is_header(path))
    with pytest.raises(AsrError, match="is redacted, and the two are never mixed"):
        pushed(a, "public", AS_IS)
    with pytest.raises(AsrError, match="is not redacted, and the two are never mixed"):
        pushed(a, "origin", terms)
    fsck(other)


def test_a_policy_that_was_edited_takes_the_place_of_what_it_made_before(
    sides: tuple[Path, Path, Path], tmp_path: Path
) -> None:
    """The same name and version: of two twins of one session the greater bytes would stay."""
    _, a, _ = sides
    other = empty(tmp_path / "other")
    acme = 'name = "acme"\nversion = "1"\nextends = "default"\n'
    pushed(a, str(other), Terms(policy=parse(acme)))
    another = shutil.copytree(a, tmp_path / "another", symlinks=True)
    git(another, "commit", "-q", "--allow-empty", "-m", f"more\n\nEntire-Checkpoint: {checkpoint(1)}")
    synced(another)
    pushed(another, str(other), Terms(policy=parse(acme)))
    known = linked(other)
    assert known > linked(a)
    kinds = [b"RED", b"GREEN", b"BLUE", b"GREY"]
    for kind in kinds:
        rule = f"[[pattern]]\nname = 'number'\nregex = '1\\.1'\nkind = '{kind.decode()}'\n"
        edited = Terms(policy=parse(acme + rule))
        done = pushed(a, str(other), edited)
        said = b"".join(tree_files(other).values())
        assert [one for one in kinds if b"REDACTED_" + one in said] == [kind]
        assert b"1.1" not in said
        assert (held(other), linked(other)) == (named(1), known), "what others know of commits stays"
        assert pushed(a, str(other), edited).new == done.new
    assert run_cli(["forget", session(1)], a).status == 0
    pushed(a, str(other), Terms(policy=parse(acme)))
    assert not any(path.endswith(".jsonl") for path in tree_files(other))


def _is_header(path: str) -> bool:
    return path.endswith(".jsonl") and "~" not in path.rpartition("/")[2]


def test_another_hook_of_the_users_is_not_run(sides: tuple[Path, Path, Path]) -> None:
    far, a, _ = sides
    hook = a / ".git" / "hooks" / "pre-push"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    git(a, "config", "push.followTags", "true")
    git(a, "config", "remote.origin.mirror", "true")
    git(a, "tag", "-a", "v1", "-m", "v1", tip(a) or "")
    pushed(a)
    assert refs(far).keys() & {"refs/tags/v1", SESSIONS} == {SESSIONS}


def test_somebody_is_faster(sides: tuple[Path, Path, Path]) -> None:
    far, a, b = sides
    git(b, "push", "-q", "origin", f"{SESSIONS}:refs/heads/waiting")
    interfere(far, f"git update-ref {SESSIONS} refs/heads/waiting")
    done = pushed(a)
    assert done.tries == 2
    assert held(far) == named(1, 2)


def test_somebody_forces_in_between(sides: tuple[Path, Path, Path]) -> None:
    far, a, b = sides
    pushed(a)
    git(b, "push", "-q", "origin", f"{SESSIONS}:refs/heads/waiting")
    stray = clone(far, far.parent / "c", 3)
    interfere(far, f"git update-ref {SESSIONS} refs/heads/waiting")
    assert pushed(stray).tries == 2
    assert held(far) == named(2, 3), "what was forced away is gone there"
    assert pushed(a).tries == 1
    assert held(far) == named(1, 2, 3), "and comes back"


def test_a_lease(sides: tuple[Path, Path, Path]) -> None:
    far, a, b = sides
    with pytest.raises(LostRace, match="is not where it was expected"):
        pushed(a, terms=Terms(lease=tip(a)))
    assert tip(far) is None
    pushed(a, terms=Terms(lease=""))
    with pytest.raises(LostRace):
        pushed(b, terms=Terms(lease=""))
    assert pushed(b, terms=Terms(lease=tip(far))).new == tip(far)


def test_races_are_lost_a_number_of_times(sides: tuple[Path, Path, Path]) -> None:
    far, a, b = sides
    git(b, "push", "-q", "origin", f"{SESSIONS}:refs/heads/waiting")
    interfere(far, f"git update-ref {SESSIONS} refs/heads/waiting")
    with pytest.raises(LostRace, match="1 times meanwhile"):
        pushed(a, terms=Terms(tries=1))
    assert held(far) == named(2)


def test_a_remote_that_refuses(sides: tuple[Path, Path, Path]) -> None:
    far, a, _ = sides
    git(far, "config", "transfer.hideRefs", "refs/asr")
    with pytest.raises(AsrError, match=r"origin does not take refs/asr/sessions: .*hidden") as caught:
        pushed(a)
    assert "--via branch" in str(caught.value.hint)


def test_the_history_of_a_remote_is_left_behind(sides: tuple[Path, Path, Path]) -> None:
    far, a, b = sides
    pushed(a)
    pushed(b)
    git(far, "config", "receive.denyNonFastForwards", "false")
    assert git(far, "rev-list", "--count", SESSIONS) == "2"
    before = tree_files(far)
    done = pushed(b, terms=Terms(compact=True))
    assert git(far, "rev-list", "--parents", SESSIONS) == done.new
    assert tree_files(far) == before, "and nothing else is"
    assert pushed(b, terms=Terms(compact=True)).new == done.new


def test_what_came_with_a_bundle_stays(sides: tuple[Path, Path, Path], tmp_path: Path) -> None:
    far, a, b = sides
    mine, other = tmp_path / "mine.zip", tmp_path / "other.zip"
    for path, to in ((a, mine), (b, other)):
        assert run_cli(["export", "--all", "--native", "-o", str(to)], path).status == 0
        assert run_cli(["import", str(to)], a).status == 0
    assert any("/native/" in path for path in tree_files(a))
    (left,) = pushed(a).left_out
    assert (left.session.id, left.why) == (session(2), "a bundle brought it")
    assert held(far) == named(1)
    assert not any("/native/" in path for path in tree_files(far))


def test_a_field_that_a_bundle_brought_stays(sides: tuple[Path, Path, Path], tmp_path: Path) -> None:
    far, a, _ = sides
    pushed(a)
    before = tree_files(far)
    assert run_cli(["export", "--all", "-o", str(tmp_path / "x")], a).status == 0
    manifest = tmp_path / "x" / "bundle.json"
    said = json.loads(manifest.read_text())
    said["sessions"][0]["streams"][0]["x-note"] = "of somebody else's"
    manifest.write_text(json.dumps(said))
    assert run_cli(["import", str(tmp_path / "x")], a).status == 0
    assert any(b"somebody else" in data for data in tree_files(a).values())
    assert [one.why for one in pushed(a).left_out] == ["a bundle brought it"]
    assert tree_files(far) == before


def test_a_remote_with_two_addresses(sides: tuple[Path, Path, Path], tmp_path: Path) -> None:
    far, a, _ = sides
    other = empty(tmp_path / "other")
    git(a, "config", "remote.origin.pushurl", str(other))
    with pytest.raises(Refused):
        pushed(a)
    git(a, "config", "--add", "remote.origin.pushurl", str(far))
    with pytest.raises(UsageError, match="has several URLs"):
        pushed(a)
    git(a, "config", "--unset-all", "remote.origin.pushurl")
    git(a, "config", f"url.{other}.pushInsteadOf", str(far))
    for address in ("origin", f"file://{far}"):
        git(a, "config", f"url.{other}.pushInsteadOf", address.replace("origin", str(far)))
        with pytest.raises(Refused):
            pushed(a, address)
    assert tip(other) is None


@pytest.mark.parametrize("url", ["url", "pushurl", "asr::", "bare", "named like a remote"])
def test_what_is_judged_is_what_gets_the_sessions(
    sides: tuple[Path, Path, Path], tmp_path: Path, url: str
) -> None:
    far, a, _ = sides
    other = empty(tmp_path / "other")
    git(a, "config", f"url.{other}.pushInsteadOf", str(far))
    to = "origin"
    if url == "pushurl":  # to which no pushInsteadOf applies
        git(a, "config", "remote.origin.pushurl", str(far))
        assert pushed(a).new == tip(far)
    elif url == "named like a remote":
        git(a, "config", "--remove-section", f"url.{other}")
        git(a, "remote", "add", "team", str(other))
        (a / "team").symlink_to(far)
        git(a, "remote", "set-url", "--push", "origin", "team")
        assert pushed(a).new == tip(far)
    else:
        if url == "asr::":
            git(a, "remote", "set-url", "origin", f"asr::{far}")
        elif url == "bare":
            git(a, "remote", "remove", "origin")
            to = str(far)
        with pytest.raises(Refused):
            pushed(a, to)
        git(a, "config", f"url.{far}.insteadOf", str(other))
        with pytest.raises(UsageError, match="would look elsewhere"):
            pushed(a, to)
        assert tip(far) is None
    assert tip(other) is None


def test_one_of_several_addresses_can_be_named(sides: tuple[Path, Path, Path], tmp_path: Path) -> None:
    far, a, _ = sides
    other = empty(tmp_path / "other")
    git(a, "remote", "set-url", "--add", "origin", str(other))
    with pytest.raises(UsageError, match="has several URLs"):
        pushed(a)
    assert pushed(a, str(far)).new == tip(far)
    assert tip(other) is None


def test_no_companion_stands_there(sides: tuple[Path, Path, Path]) -> None:
    far, a, _ = sides
    git(far, "update-ref", SESSIONS, "refs/heads/main")
    with pytest.raises(AsrError, match="what stands there cannot be merged: "):
        pushed(a)
    assert tip(far) == refs(far)["refs/heads/main"]


@pytest.mark.parametrize("kind", ["blob", "tree", "tag"])
def test_no_commit_stands_there(sides: tuple[Path, Path, Path], kind: str) -> None:
    far, a, _ = sides
    pushed(a)
    tag = f"object {tip(far)}\ntype commit\ntag x\ntagger a <a@b> 0 +0000\n\nx\n".encode()
    made = {
        "blob": lambda: git(far, "hash-object", "-w", "--stdin", stdin=b"junk"),
        "tree": lambda: git(far, "rev-parse", f"{SESSIONS}^{{tree}}"),
        "tag": lambda: git(far, "hash-object", "-t", "tag", "-w", "--stdin", stdin=tag),
    }[kind]()
    git(far, "update-ref", SESSIONS, made)
    before = refs(a)
    with pytest.raises(AsrError, match=f"what stands at {SESSIONS} there is no commit"):
        pushed(a)
    assert (refs(a), refs(far)[SESSIONS]) == (before, made)


def test_a_damaged_session_there_stays_as_it_is(sides: tuple[Path, Path, Path]) -> None:
    far, a, b = sides
    pushed(a)
    pushed(b)
    other = clone(far, far.parent / "c", 3)
    files = tree_files(far)
    part = next(path for path in files if session(2) in path and path.endswith("~000001.jsonl"))
    damaged = {**files, part: files[part][:-9]}
    replace(far, damaged)
    told = Told()
    pushed(other, told=told)
    assert "unsound-session" in told.codes
    assert damaged.items() <= tree_files(far).items()
    assert len(tree_files(far)) > len(damaged)


def test_the_ref_of_a_branch(sides: tuple[Path, Path, Path]) -> None:
    far, a, _ = sides
    git(
        a,
        "config",
        "--add",
        "remote.origin.fetch",
        "+refs/heads/asr/sessions*:refs/asr/remotes/origin/sessions*",
    )
    assert target.named(open_repository(a), "origin").ref == "refs/heads/asr/sessions"
    pushed(a)
    assert refs(far)["refs/heads/asr/sessions"] == tip(a)
    assert tip(far) is None


def test_what_is_compacted_here_replaces_what_is_there(sides: tuple[Path, Path, Path]) -> None:
    far, a, b = sides
    pushed(a)
    pushed(b)
    exchanged(a)
    assert run_cli(["compact"], a).status == 0
    git(far, "config", "receive.denyNonFastForwards", "false")
    done = pushed(a, terms=Terms(compact=True))
    assert git(far, "rev-list", SESSIONS).split() == [done.new] == [tip(a)]
    assert held(far) == named(1, 2)
    exchanged(b)
    assert held(b) == named(1, 2)


def test_what_is_forgotten_is_forgotten_there(sides: tuple[Path, Path, Path], tmp_path: Path) -> None:
    far, a, b = sides
    other = empty(tmp_path / "other")
    terms = Terms(policy=default())
    pushed(a)
    pushed(a, str(other), terms)
    exchanged(b)
    assert held(b) == named(1, 2)
    assert run_cli(["forget", session(1), "--reason", "mail ann@corp.io"], a).status == 0
    shutil.rmtree(a / ".git" / "asr")
    pushed(a)
    pushed(a, str(other), terms)
    for one in (far, other):
        (path,) = tree_files(one)
        assert path.endswith("/bundle.json")
        assert b'"forgotten"' in tree_files(one)[path]
    assert b"ann@corp.io" in tree_files(far)[path]
    assert b"ann@corp.io" not in tree_files(other)[path]
    assert pushed(a, str(other), terms).new == tip(other)
    with pytest.raises(AsrError, match="is not redacted"):
        pushed(b, str(far), terms)
    pushed(b)
    exchanged(b)
    for one in (far, b):
        assert len(tree_files(one)) > 1
        assert not any(session(1) in path and "jsonl" in path for path in tree_files(one))


def test_a_damaged_session_here_is_left_out(sides: tuple[Path, Path, Path]) -> None:
    far, a, _ = sides
    files = tree_files(a)
    (path,) = (one for one in files if one.endswith("bundle.json"))
    replace(a, {**files, path: b"{}"})
    (left,) = pushed(a).left_out
    assert left.session.id == session(1)
    assert "bundle.json" in left.why
    assert tip(far) is None


def test_twins_are_made_again_only_where_sessions_changed(
    sides: tuple[Path, Path, Path], tmp_path: Path
) -> None:
    _, a, _ = sides
    other = empty(tmp_path / "other")
    remembered = a / ".git" / "asr" / "redacted.json"
    first = pushed(a, str(other), Terms(policy=default()))
    before = remembered.read_bytes()
    git(a, "repack", "-q", "-a", "-d")
    git(a, "prune", "--expire=now")
    assert not git(a, "cat-file", "-t", str(first.new), check=False)
    assert pushed(a, str(other), Terms(policy=default())).new == first.new
    assert remembered.read_bytes() == before


def test_a_store_that_cannot_be_read_holds_nothing(sides: tuple[Path, Path, Path]) -> None:
    far, a, _ = sides
    blob = git(far, "hash-object", "-w", "--stdin", stdin=b"x")
    git(far, "update-ref", own_ref(checkpoint(1)), blob)
    (left,) = pushed(a).left_out
    assert left.why.startswith("its checkpoint")


def test_an_address_of_the_remote_helper_needs_no_helper(sides: tuple[Path, Path, Path]) -> None:
    far, a, _ = sides
    git(a, "remote", "add", "asr", f"asr::{far}")
    assert target.named(open_repository(a), "asr").address == str(far)
    assert pushed(a, "asr").new == tip(far)
    assert refs(a)["refs/asr/remotes/asr/sessions"] == tip(far)


def wrapped(path: Path, key: str, program: str, script: str) -> None:
    """Let a remote be served by a script that does something before, or instead of, the program."""
    file = path / ".git" / f"{key}.sh"
    file.write_text(f'#!/bin/sh\n{script}\nexec {program} "$@"\n')
    file.chmod(0o755)
    git(path, "config", f"remote.origin.{key}", str(file))


def test_it_moves_between_the_listing_and_the_fetch(sides: tuple[Path, Path, Path]) -> None:
    far, a, b = sides
    pushed(b)
    third = clone(far, far.parent / "c", 3)
    git(third, "push", "-q", "origin", f"{SESSIONS}:refs/heads/waiting")
    count = a / ".git" / "count"
    move = f'GIT_DIR="{far}" git update-ref {SESSIONS} refs/heads/waiting'
    wrapped(a, "uploadpack", "git-upload-pack", f'echo >>"{count}"; [ $(wc -l <"{count}") != 2 ] || {move}')
    assert pushed(a).tries == 2
    assert held(far) == named(1, 3)


def test_the_answer_is_lost(sides: tuple[Path, Path, Path]) -> None:
    far, a, _ = sides
    hook = far / "hooks" / "post-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nkill -9 $PPID\n")
    hook.chmod(0o755)
    done = pushed(a)
    assert (done.tries, done.new, refs(a)[TRACKED]) == (1, tip(far), tip(far))


def test_a_lock_that_stays(sides: tuple[Path, Path, Path]) -> None:
    far, a, _ = sides
    lock = far / f"{SESSIONS}.lock"
    lock.parent.mkdir(parents=True)
    lock.touch()
    with pytest.raises(LostRace, match="2 times meanwhile"):
        pushed(a, terms=Terms(tries=2))
    lock.unlink()
    assert pushed(a).new == tip(far)


@pytest.mark.parametrize("generation", ["current", None])
def test_checkpoints_of_which_two_refs_have_a_part(tmp_path: Path, generation: str | None) -> None:
    repo = EntireRepo(tmp_path / "hub", bare=True)
    lines = claude(session(1), ["1.0", "1.1"])
    repo.v2(checkpoint(1), Stored(session(1), lines), generation="current")
    repo.commit(checkpoint(1))
    far = repo.build()
    a = tmp_path / "a"
    git(tmp_path, "clone", "-q", str(far), str(a))
    git(a, "fetch", "-q", "origin", "+refs/entire/checkpoints/*:refs/entire/remotes/origin/checkpoints/*")
    synced(a)
    if generation is None:
        git(far, "update-ref", "-d", f"{V2}/full/current")
    assert len(pushed(a).left_out) == (0 if generation else 1)


def test_twins_that_cannot_be_made(sides: tuple[Path, Path, Path], tmp_path: Path) -> None:
    """What is remembered is not believed: another policy, a file of another form, a twin that is gone in part."""
    _, a, _ = sides
    other = empty(tmp_path / "other")
    file = a / ".git" / "asr" / "redacted.json"
    first = pushed(a, str(other), Terms(policy=default()))
    said = json.loads(file.read_text())
    ((tree, (path, twin)),) = said["twins"].items()
    part = git(a, "rev-parse", f"{twin}:bundle.json")
    (a / ".git" / "objects" / part[:2] / part[2:]).unlink()
    assert pushed(a, str(other), Terms(policy=default())).new == first.new
    for twins in ({tree: [path]}, {tree: [path, "0" * 40]}, [], {tree: [path, git(a, "rev-parse", "main")]}):
        file.write_text(json.dumps({**said, "twins": twins}))
        assert pushed(a, str(other), Terms(policy=default())).new == first.new
    file.unlink()
    file.mkdir()
    assert pushed(a, str(other), Terms(policy=default())).new == first.new
