"""``asr::convert+``: checkpoints appear as the companion that a sync would make of them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from git_asr.remote.selection import refspecs, select
from tests.e2e.sample_repos import SESSIONS, add, checkpoint, refs, repository, session, synced
from tests.remote.conftest import Place, both_formats
from tests.support.entire_repo import EntireRepo, Stored, claude
from tests.support.remote_helper import dialogue
from tests.support.repo_builder import git
from tests.support.run import PROJECT

pytestmark = pytest.mark.measured

CONVERTED = "Converting sessions"
OID = "0" * 40


def mirror_of(path: Path, target: Path) -> str:
    """What a sync makes of a repository in a mirror of it."""
    git(path.parent, "clone", "-q", "--mirror", str(path), str(target))
    git(target, "update-ref", "-d", SESSIONS)
    synced(target)
    return git(target, "rev-parse", SESSIONS)


def private(folder: Path) -> Path:
    """The one repository in which something was converted."""
    (found,) = folder.glob("**/converted/*/repository.git")
    return found


def is_partial(path: Path) -> bool:
    """Whether a repository lacks something that its refs lead to."""
    listing = git(path, "rev-list", "--objects", "--all", "--missing=print")
    return any(line.startswith("?") for line in listing.splitlines())


@both_formats
def test_it_is_what_a_sync_makes(place: Place, tmp_path: Path) -> None:
    wanted = mirror_of(place.only, tmp_path / "place" / "mirror.git")
    told = dialogue("convert+../only.git", "option object-format\nlist\n\n", place.work)
    form = git(place.only, "rev-parse", "--show-object-format")
    assert told.out == f"ok\n:object-format {form}\n{wanted} {SESSIONS}\n\n"
    assert told.err == f"converting the checkpoints of {place.only}\n"
    inside = private(place.work / ".git" / "asr")
    assert is_partial(inside)  # of the project only commits were fetched
    assert inside.parent.stat().st_mode & 0o77 == 0
    fetched = place.git("fetch", "asr::convert+../only.git", f"{SESSIONS}:refs/asr/remotes/x/sessions")
    assert fetched.status == 0, fetched.err
    assert git(place.work, "rev-parse", "refs/asr/remotes/x/sessions") == wanted
    assert "converting" not in fetched.err
    git(place.work, "fsck", "--strict")


def test_it_works_outside_a_repository(place: Place, tmp_path: Path) -> None:
    wanted = mirror_of(place.only, tmp_path / "mirror.git")
    told = place.git("ls-remote", "asr::convert+only.git", cwd=place.folder)
    assert told.out == f"{wanted}\t{SESSIONS}\n"
    assert private(tmp_path / "cache" / "git-asr").is_dir()
    cloned = place.git("clone", "-q", "--mirror", "asr::convert+only.git", "c.git", cwd=place.folder)
    assert cloned.status == 0, cloned.err
    assert refs(place.folder / "c.git") == {SESSIONS: wanted}


def test_without_a_home(place: Place, tmp_path: Path) -> None:
    told = dialogue(
        "convert+only.git",
        "list\n\n",
        place.folder,
        {"XDG_CACHE_HOME": "", "HOME": "/proc/nowhere"},
        git_dir=None,
    )
    assert (told.status, told.out) == (1, "")
    assert told.err.startswith("error: cannot convert in /proc/nowhere/.cache/git-asr/converted/")


def test_what_is_new_is_converted_and_nothing_else(place: Place, tmp_path: Path) -> None:
    said = "option progress true\noption verbosity 1\nlist\n\n"
    first = dialogue("convert+../only.git", said, place.work)
    assert f"{CONVERTED}: 3/3, done." in first.err
    again = dialogue("convert+../only.git", said, place.work)
    assert (again.out, again.err) == (first.out, "")
    source = EntireRepo(place.only, bare=True)
    for name in (REF, "refs/heads/main"):
        source.builder.ref(name, git(place.only, "rev-parse", name))
    add(source, 4)
    source.build()
    third = dialogue("convert+../only.git", said, place.work)
    assert f"{CONVERTED}: 1/1, done." in third.err
    wanted = mirror_of(place.only, tmp_path / "mirror.git")
    assert third.out == f"ok\nok\n{wanted} {SESSIONS}\n\n"


REF = "refs/heads/entire/checkpoints/v1"


def test_a_ref_that_went_away(place: Place) -> None:
    git(place.only, "update-ref", "refs/heads/x", "main")
    dialogue("convert+../only.git", "list\n\n", place.work)
    git(place.only, "update-ref", "-d", "refs/heads/x")
    git(place.only, "update-ref", "refs/heads/x/y", "main")
    told = dialogue("convert+../only.git", "list\n\n", place.work)
    assert (told.status, told.err) == (0, f"converting the checkpoints of {place.only}\n")
    assert "refs/heads/x/y" in refs(private(place.work / ".git" / "asr"))


def test_checkpoints_on_top_of_the_project(tmp_path: Path) -> None:
    """A store that begins with a commit of the project: the server thinks that its files are here."""
    repo = EntireRepo(tmp_path / "place" / "r.git", bare=True)
    base = repo.builder.commit("refs/heads/main", "base\n", {"a/b.txt": "text\n"})
    repo.build()
    git(repo.path, "config", "uploadpack.allowFilter", "true")
    folder = tmp_path / "place"
    empty = repository(folder / "w")
    dialogue("convert+../r.git", "list\n\n", empty.path)
    repo.builder.ref(REF, base)
    add(repo, 1)
    repo.build()
    told = dialogue("convert+../r.git", "list\n\n", empty.path)
    wanted = mirror_of(repo.path, folder / "m.git")
    assert told.out == f"{wanted} {SESSIONS}\n\n"


def test_a_companion_that_is_there_is_taken(place: Place) -> None:
    tip = git(place.hub, "rev-parse", SESSIONS)
    git(place.work, "update-ref", "-d", SESSIONS)
    told = dialogue("convert+../hub.git", f"list\nfetch {tip} {SESSIONS}\n\n", place.work)
    assert told.out == f"{tip} {SESSIONS}\n\n\n"
    assert told.err == f"{place.hub} has a companion of its own\n"
    assert git(place.work, "cat-file", "-t", tip) == "commit"


def test_no_checkpoints_and_no_sessions(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "place" / "r.git", bare=True)
    repo.commit()
    folder = repo.build().parent
    told = dialogue("convert+r.git", "list\n\n", folder, git_dir=None)
    assert (told.status, told.out, told.err) == (0, "\n", f"warning: {repo.path} has no checkpoints\n")
    repo.checkpoint(checkpoint(1), Stored(session(1), claude(session(1), ["a"])))
    repo.commit(checkpoint(2))
    repo.build()
    told = dialogue("convert+r.git", "list\n\n", folder, git_dir=None)
    assert (told.status, told.out) == (0, "\n")
    assert "warning: 1 checkpoint that commits name: not there\n" in told.err
    assert f"warning: {repo.path} has no sessions that a commit names\n" in told.err


def test_it_is_not_pushed_to(place: Place) -> None:
    before = refs(place.only)
    for target in (SESSIONS, "refs/heads/x"):
        told = dialogue("convert+../only.git", f"list for-push\npush {SESSIONS}:{target}\n\n", place.work)
        assert told.out == f"\nerror {target} asr::convert+ can only be fetched from\n\n"
    pushed = place.git("push", "asr::convert+../only.git", SESSIONS)
    assert pushed.status == 1
    assert "asr::convert+ can only be fetched from" in pushed.err
    assert refs(place.only) == before


def test_limits(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    def limited(code: str) -> str:
        program = (
            f"import sys\n{code}\nfrom git_asr.remote.helper import main\nsys.exit(main(['r', sys.argv[1]]))"
        )
        ended = subprocess.run(
            [sys.executable, "-c", program, "convert+../only.git"],
            cwd=place.work,
            env={**os.environ, "PYTHONPATH": str(PROJECT), "GIT_DIR": ".git"},
            input=b"list\n\n",
            capture_output=True,
            check=False,
        )
        assert (ended.returncode, ended.stdout) == (1, b"")
        return ended.stderr.decode()

    assert f"error: {place.only} fills more than 0 MiB" in limited(
        "import git_asr.remote.converting as c\nc.MOST_BYTES = 100"
    )
    assert f"error: {place.only} offers more than 1 refs of this kind\n" in limited(
        "import git_asr.git.fetching as f\nf.MOST_REFS = 1"
    )


def test_100_000_refs(place: Place) -> None:
    tip = git(place.only, "rev-parse", "main")
    rows = "".join(f"{tip} refs/pull/{number}/head\n" for number in range(100_000))
    with (place.only / "packed-refs").open("a") as file:
        file.write(rows)
    told = dialogue("convert+../only.git", "list\n\n", place.work)
    assert (told.status, told.out) == (1, "")
    assert told.err == f"error: {place.only} offers more than 100,000 refs of this kind\n"
    git(place.only, "update-ref", SESSIONS, "main")
    told = dialogue("../only.git", "list\n\n", place.work)
    assert (told.status, told.out, told.err) == (0, f"{tip} {SESSIONS}\n\n", "")


def test_a_private_repository_that_is_damaged_is_made_anew(place: Place) -> None:
    first = dialogue("convert+../only.git", "list\n\n", place.work)
    inside = private(place.work / ".git" / "asr")
    (inside / "HEAD").write_bytes(b"nonsense")
    again = dialogue("convert+../only.git", "list\n\n", place.work)
    assert (again.status, again.out) == (0, first.out)
    (inside / "answer").write_bytes(b"\xff\n")
    assert dialogue("convert+../only.git", "list\n\n", place.work).out == first.out


def test_killed_in_the_middle(place: Place, unsound: set[Path]) -> None:
    """Whatever it was doing, the next one comes to the same end."""
    inside = place.work / ".git" / "asr" / "converted"
    wanted = dialogue("convert+../only.git", "list\n\n", place.work).out
    for delay in (0.2, 0.5):
        subprocess.run(["rm", "-rf", str(inside)], check=True)
        with subprocess.Popen(
            [sys.executable, "-m", "git_asr.remote", "r", "convert+../only.git"],
            cwd=place.work,
            env={**os.environ, "PYTHONPATH": str(PROJECT), "GIT_DIR": ".git"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        ) as child:
            assert child.stdin is not None
            child.stdin.write(b"list\n")
            child.stdin.flush()
            time.sleep(delay)
            os.killpg(child.pid, signal.SIGKILL)
        told = dialogue("convert+../only.git", "list\n\n", place.work)
        assert (told.status, told.out) == (0, wanted), told.err


def test_the_year_9999(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "place" / "r.git", bare=True)
    created = {"created_at": "9999-12-31T23:59:59Z"}
    repo.checkpoint(checkpoint(1), Stored(session(1), claude(session(1), ["a"]), metadata=created))
    repo.commit(checkpoint(1))
    repo.build()
    wanted = mirror_of(repo.path, tmp_path / "place" / "m.git")
    told = dialogue("convert+r.git", "list\n\n", repo.path.parent, git_dir=None)
    assert told.out == f"{wanted} {SESSIONS}\n\n"


def test_exclusions_of_the_user_hold(place: Place, tmp_path: Path) -> None:
    config = tmp_path / "config"
    env = {"GIT_CONFIG_GLOBAL": str(config)}
    everything = dialogue("convert+../only.git", "list\n\n", place.work, env).out
    git(place.folder, "config", "--file", str(config), "asr.exclude", "claude-code/*")
    told = dialogue("convert+../only.git", "list\n\n", place.work, env)
    assert told.out != everything


def test_what_is_selected() -> None:
    names = (
        *("refs/heads/main", "refs/heads/x", "refs/heads/entire/checkpoints/v1", "refs/heads/entire/other"),
        *("refs/pull/1/head", "refs/pull/2/head", "refs/tags/v1", "refs/notes/commits", "refs/stash"),
        *("refs/asr/remotes/x/sessions", "refs/entire/checkpoints/3f/5f0af6f2363f", "refs/entire/trails"),
    )
    listed = dict.fromkeys(names, OID)
    chosen = select(listed)
    assert sorted(chosen.stores) == [
        "refs/entire/checkpoints/3f/5f0af6f2363f",
        "refs/heads/entire/checkpoints/v1",
    ]
    walked = ["refs/heads/main", "refs/heads/x", "refs/pull/1/head", "refs/pull/2/head", "refs/tags/v1"]
    assert sorted(chosen.walked) == walked
    assert json.dumps(refspecs(chosen.walked, listed)) == json.dumps(
        [
            *("+refs/heads/main:refs/heads/main", "+refs/heads/x:refs/heads/x"),
            *("+refs/pull/*:refs/pull/*", "+refs/tags/*:refs/tags/*"),
        ]
    )
    assert refspecs(listed, listed) == ["+refs/*:refs/*"]
    assert refspecs([], listed) == []
    assert select({}).refs == {}
    assert chosen.digest() != chosen.digest("more") != select({}).digest()


def test_what_a_hostile_source_lists(place: Place, unsound: set[Path]) -> None:
    """Odd names, a branch that is no commit, tags of trees and blobs: what can be read is converted."""
    unsound.add(place.only)
    blob = git(place.only, "hash-object", "-w", "--stdin")
    for name in ('heads/b\udcff\u00e9"x', "heads/a'b", "heads/--upload-pack=x", "heads/x=y", "weird"):
        git(place.only, "update-ref", f"refs/{name}", "main")
    git(place.only, "update-ref", "refs/tags/blob", blob)
    git(place.only, "update-ref", "refs/pull/9/head", git(place.only, "rev-parse", "main^{tree}"))
    git(place.only, "symbolic-ref", "refs/heads/nowhere", "refs/heads/nothing")
    first = dialogue("convert+../only.git", "list\n\n", place.work)
    assert first.err == f"converting the checkpoints of {place.only}\n"
    git(place.only, "pack-refs", "--all")
    packed = place.only / "packed-refs"
    rows = packed.read_bytes().splitlines()
    changed = [blob.encode() + row[40:] if row.endswith(b"/checkpoints/v1") else row for row in rows]
    packed.write_bytes(b"\n".join(changed) + b"\n")
    told = dialogue("convert+../only.git", "list\n\n", place.work)
    assert (told.status, told.out) == (0, first.out)
    assert f"warning: 1 ref of {place.only}: moved, or refused\n" in told.err


def test_it_is_reached_as_the_users_repository_reaches_it(place: Place, tmp_path: Path) -> None:
    """Its own configuration counts (``insteadOf``, headers, helpers); hooks of the user's are not run."""
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    (hooks / "reference-transaction").write_text(f"#!/bin/sh\necho ran >> '{tmp_path}/ran'\n")
    (hooks / "reference-transaction").chmod(0o755)
    git(place.work, "config", f"url.{place.folder}/.insteadOf", "https://host/")
    git(place.work, "config", "core.hooksPath", str(hooks))
    git(place.work, "config", "core.worktree", str(place.work))
    (tmp_path / "config").write_text(f"[core]\n\thooksPath = {hooks}\n")
    env = {"GIT_CONFIG_GLOBAL": str(tmp_path / "config")}
    told = dialogue("convert+https://host/only.git", "list\n\n", place.work, env)
    assert (told.status, told.err) == (0, "converting the checkpoints of https://host/only.git\n")
    assert told.out.endswith(f" {SESSIONS}\n\n")
    assert not (tmp_path / "ran").exists()
    config = (private(place.work / ".git" / "asr") / "config").read_text()
    assert "host" not in config
