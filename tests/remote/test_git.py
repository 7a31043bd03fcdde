"""Git itself talks to the helper: with the one on the PATH, and with a newer one where there is one."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.e2e.sample_repos import SESSIONS, refs, synced
from tests.remote.conftest import Place, both_formats
from tests.support.remote_helper import lines
from tests.support.repo_builder import git
from tests.support.run import PROJECT
from tests.support.serving import TRANSPORTS

TRACKED = "refs/asr/remotes/hub/sessions"


@pytest.fixture(autouse=True)
def _unmeasured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Coverage is not taken in these processes: the dialogues run their lines."""
    monkeypatch.delenv("COVERAGE_PROCESS_CONFIG", raising=False)


def tip(path: Path, ref: str = SESSIONS) -> str:
    return git(path, "rev-parse", ref)


def sessions(path: Path, ref: str = SESSIONS) -> set[str]:
    """The folders of the sessions in a companion."""
    names = git(path, "ls-tree", "-r", "--name-only", ref).splitlines()
    return {name.rpartition("/")[0] for name in names if name.endswith("/bundle.json")}


def with_remote(place: Place, url: str = "asr::../hub.git") -> None:
    git(place.work, "remote", "add", "hub", url)
    git(place.work, "config", "remote.hub.fetch", "+refs/asr/sessions:refs/asr/remotes/hub/sessions")


@both_formats
def test_a_day(place: Place, each_git: str) -> None:
    """Fetch, push and fetch again, as two people do it."""
    with_remote(place)
    old = tip(place.hub)
    listed = place.git("ls-remote", "hub")
    assert (listed.status, listed.out) == (0, f"{old}\t{SESSIONS}\n")
    fetched = place.git("fetch", "hub")
    assert (fetched.status, tip(place.work, TRACKED)) == (0, old), fetched.err
    pushed = place.git("push", "hub", SESSIONS)
    assert pushed.status == 0, pushed.err
    new = tip(place.hub)
    assert tip(place.work, TRACKED) == new
    assert f"{old[:7]}..{new[:7]}" in pushed.err
    assert f"{place.hub} is where the checkpoints go\n" in pushed.err
    assert len(sessions(place.hub)) == 3
    synced(place.work)
    assert tip(place.work) == new
    again = place.git("push", "hub", SESSIONS)
    assert (again.status, again.err.splitlines()[-1]) == (0, "Everything up-to-date")
    shown = place.git("remote", "show", "hub")
    assert (shown.status, "refs/asr/sessions tracked" in shown.out) == (0, True)
    cloned = place.git("clone", "-q", "--mirror", "asr::hub.git", "c.git", cwd=place.folder)
    assert (cloned.status, refs(place.folder / "c.git")) == (0, {SESSIONS: new})
    form = git(place.hub, "rev-parse", "--show-object-format")
    assert git(place.folder / "c.git", "rev-parse", "--show-object-format") == form
    assert place.git("fetch", "--all", "--prune").status == 0
    assert tip(place.work, TRACKED) == new


def test_what_push_understands(place: Place, each_git: str) -> None:
    with_remote(place)
    before = refs(place.hub)
    trial = place.git("push", "--dry-run", "hub", SESSIONS)
    assert trial.status == 0
    for arguments, said in (
        (["hub", "main"], "(only refs/asr/sessions can be pushed through asr::)"),
        (["hub", f":{SESSIONS}"], "(nothing is deleted through asr::)"),
        (["--delete", "hub", SESSIONS], "(nothing is deleted through asr::)"),
        (["--force", "hub", SESSIONS], "(nothing is forced through asr::, and need not be: "),
        (["hub", f"+{SESSIONS}"], "(nothing is forced through asr::, and need not be: "),
        (["--mirror", "hub"], "(nothing is forced through asr::, and need not be: "),
        (["--atomic", "hub", SESSIONS, "main"], "(atomic push failed)"),
        (["hub", f"main:{SESSIONS}"], "(refs/heads/main holds no sessions)"),
        ([f"--force-with-lease={SESSIONS}:", "hub", SESSIONS], "(stale info)"),
        ([f"--force-with-lease={SESSIONS}:{tip(place.hub)}", "hub", SESSIONS], "(stale info)"),
        (["-o", "asr.policy=x", "hub", SESSIONS], "(no policy is called 'x', and no file)"),
    ):
        pushed = place.git("push", *arguments)
        assert (pushed.status, said in pushed.err) == (1, True), pushed.err
        assert "Traceback" not in pushed.err
    signed = place.git("push", "--signed", "hub", SESSIONS)
    assert (signed.status, "does not support --signed" in signed.err) == (128, True)
    assert refs(place.hub) == before
    done = place.git("push", "--porcelain", "--atomic", "-o", "asr.as-is", "hub", SESSIONS)
    rows = done.out.splitlines()
    assert rows[0].startswith("To ")
    assert rows[1].startswith(f" \t{SESSIONS}:{SESSIONS}\t{before[SESSIONS][:7]}..{tip(place.hub)[:7]}")
    assert rows[2:] == ["Done"]
    quiet = place.git("push", "-q", "hub", SESSIONS)
    assert (quiet.status, quiet.out, quiet.err) == (0, "", "")


def test_a_lease_on_nothing(place: Place, each_git: str) -> None:
    pushed = place.git("push", f"--force-with-lease={SESSIONS}:", "asr::../only.git", SESSIONS)
    assert pushed.status == 0, pushed.err
    assert tip(place.only) == tip(place.work)


def test_what_fetch_understands(place: Place, each_git: str) -> None:
    with_remote(place)
    git(place.work, "update-ref", "-d", SESSIONS)
    for arguments in (
        ["--depth", "1"],
        ["--refetch"],
        ["-4"],
        ["--filter=blob:none"],
        ["-q"],
        ["--progress"],
    ):
        fetched = place.git("fetch", *arguments, "hub", f"+{SESSIONS}:refs/asr/remotes/x/sessions")
        assert fetched.status == 0, fetched.err
    assert tip(place.work, "refs/asr/remotes/x/sessions") == tip(place.hub)
    assert git(place.work, "rev-parse", "--is-shallow-repository") == "false"
    listing = git(place.work, "rev-list", "--objects", "--missing=print", "refs/asr/remotes/x/sessions")
    assert "?" not in listing


def test_two_at_once(place: Place, each_git: str) -> None:
    """Both succeed without a pull, and everything is there."""
    shutil.copytree(place.work, place.folder / "other")
    git(place.folder / "other", "update-ref", SESSIONS, tip(place.hub))  # two sessions
    git(place.folder / "other", "fetch", "-q", str(place.hub), SESSIONS)
    git(place.hub, "update-ref", "-d", SESSIONS)
    pushes = [
        subprocess.Popen(
            ["git", "push", "asr::../hub.git", SESSIONS],
            cwd=place.folder / name,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        for name in ("work", "other")
    ]
    said = [push.communicate(timeout=120)[1] for push in pushes]
    assert [push.returncode for push in pushes] == [0, 0], said
    assert len(sessions(place.hub)) == 3


def test_from_anywhere(place: Place, each_git: str) -> None:
    """A worktree, a bare repository, a folder inside, a Git directory that is named."""
    with_remote(place)
    git(place.work, "worktree", "add", "-q", "--detach", "../tree")
    git(place.folder, "clone", "-q", "--bare", str(place.work), "bare.git")
    (place.work / "a").mkdir()
    new = f"{SESSIONS}:refs/asr/remotes/%s/sessions"
    for number, (cwd, address, options) in enumerate(
        (
            (place.folder / "tree", "hub", ()),
            (place.folder / "bare.git", "asr::../hub.git", ()),
            (place.work / "a", "hub", ()),
            (place.folder, "asr::hub.git", ("--git-dir=work/.git",)),
            (place.folder, "asr::hub.git", ("--git-dir=work/.git", "--work-tree=work")),
            (place.work, f"asr::file://{place.hub}", ()),
        )
    ):
        fetched = place.git(*options, "fetch", address, new % number, cwd=cwd)
        assert fetched.status == 0, fetched.err
        where = cwd if not options else place.work
        assert tip(where, f"refs/asr/remotes/{number}/sessions") == tip(place.hub)
    outside = place.git("ls-remote", "asr::hub.git", cwd=place.folder)
    assert (outside.status, outside.out) == (0, f"{tip(place.hub)}\t{SESSIONS}\n")


def test_into_a_partial_clone(place: Place, each_git: str) -> None:
    folder = place.folder / "partial"
    git(place.folder, "clone", "-q", "--filter=blob:none", f"file://{place.hub}", str(folder))
    fetched = place.git("fetch", "asr::../hub.git", f"{SESSIONS}:refs/asr/remotes/x/sessions", cwd=folder)
    assert fetched.status == 0, fetched.err
    listing = git(folder, "rev-list", "--objects", "--missing=print", "refs/asr/remotes/x/sessions")
    assert "?" not in listing


def test_object_formats_do_not_mix(place: Place, each_git: str) -> None:
    git(place.folder, "init", "-q", "--object-format=sha256", "other")
    fetched = place.git("fetch", "asr::../hub.git", SESSIONS, cwd=place.folder / "other")
    assert fetched.status == 128
    assert refs(place.folder / "other") == {}
    assert "Traceback" not in fetched.err


def damaged(path: Path) -> None:
    """Overwrite the middle of a repository's pack."""
    git(path, "gc", "-q")
    (pack,) = (path / "objects" / "pack").glob("*.pack")
    data = bytearray(pack.read_bytes())
    data[len(data) // 2 : len(data) // 2 + 64] = bytes(64)
    pack.chmod(0o644)
    pack.write_bytes(data)


def test_a_damaged_pack(place: Place, unsound: set[Path]) -> None:
    unsound |= {place.hub, place.only}
    damaged(place.hub)
    damaged(place.only)
    git(place.folder, "init", "-q", "empty")
    empty = place.folder / "empty"
    for address, path in (("asr::../hub.git", place.hub), ("asr::convert+../only.git", place.only)):
        fetched = place.git("fetch", address, f"{SESSIONS}:refs/asr/remotes/x/sessions", cwd=empty)
        assert fetched.status == 128
        errors = lines(fetched.err, "error: ", "fatal: ", "Traceback")
        assert len(errors) == 1
        assert errors[0].startswith("error: cannot fetch from ")
        assert str(path) in errors[0]
        assert refs(empty) == {}


def test_refs_that_are_junk(place: Place) -> None:
    """The ref names no commit: Git brings what it names, and a sync leaves it out."""
    blob = git(place.hub, "hash-object", "-w", "--stdin", "--path=x")
    git(place.hub, "update-ref", SESSIONS, blob)
    for name in ("refs/asr/sessions2", "refs/asr/remotes/x/sessions", "refs/heads/refs/asr/sessions"):
        git(place.hub, "update-ref", name, "main")
    assert place.git("ls-remote", "asr::../hub.git").out == f"{blob}\t{SESSIONS}\n"
    pushed = place.git("push", "asr::../hub.git", SESSIONS)
    assert pushed.status == 1
    assert "Traceback" not in pushed.err
    assert tip(place.hub) == blob


def test_policy(place: Place, each_git: str) -> None:
    """A user may use it; a submodule may not; what is behind it is judged as if there were nothing before it."""
    denied = place.git("ls-remote", "asr::../hub.git", GIT_PROTOCOL_FROM_USER="0")
    assert (denied.status, "transport 'asr' not allowed" in denied.err) == (128, True)
    open_ = ("-c", "protocol.asr.allow=always")
    inner = place.git(*open_, "ls-remote", "asr::../hub.git", GIT_PROTOCOL_FROM_USER="0")
    assert (inner.status, "transport 'file' not allowed" in inner.err) == (128, True)
    nested = place.git("ls-remote", "asr::ext::sh -c 'touch %S/escaped'")
    assert (nested.status, "transport 'ext' not allowed" in nested.err) == (128, True)
    assert place.git("-c", "protocol.asr.allow=never", "ls-remote", "asr::../hub.git").status == 128
    for address in ("asr::-x", "asr::--upload-pack=touch escaped", "asr::convert+-x", "asr://host/r"):
        told = place.git("ls-remote", address)
        assert told.status == 128
        assert "error: '" in told.err
    assert not list(place.folder.rglob("escaped"))


def test_submodules_are_refused(place: Place, each_git: str) -> None:
    added = place.git("submodule", "add", "asr::../hub.git", "sub")
    assert (added.status, "transport 'asr' not allowed" in added.err) == (128, True)
    (place.work / ".gitmodules").write_text('[submodule "s"]\n\tpath = s\n\turl = asr::../hub.git\n')
    git(place.work, "update-index", "--add", "--cacheinfo", f"160000,{tip(place.hub)},s")
    updated = place.git("submodule", "update", "--init")
    assert (updated.status, "transport 'asr' not allowed" in updated.err) == (1, True), updated.err


@pytest.mark.parametrize("name", ["asr", "https://host/r"])
def test_what_leads_back_to_itself_ends(place: Place, name: str) -> None:
    config = ("-c", "url.asr::https://host/.insteadOf=https://host/")
    git(place.work, "remote", "add", "asr", "asr::https://host/asr")
    told = place.git(*config, "ls-remote", name)
    assert told.status == 128
    assert told.err.splitlines()[0].endswith(": a remote behind asr:: leads back to asr::")


def test_without_the_program(place: Place, tmp_path: Path) -> None:
    """A colleague who has no git-asr can still fetch from everybody else."""
    with_remote(place)
    git(place.work, "config", "remote.hub.skipFetchAll", "true")
    (tmp_path / "bin" / "git-remote-asr").unlink()
    path = os.pathsep.join(
        part for part in os.environ["PATH"].split(os.pathsep) if not (Path(part) / "git-remote-asr").exists()
    )
    assert place.git("fetch", "--all", PATH=path).status == 0
    assert "'remote-asr' is not a git command" in place.git("fetch", "hub", PATH=path).err


def test_the_commands_of_the_readme(place: Place, each_git: str) -> None:
    """Each as it is written; the address leads to the repositories of the test."""
    page = (PROJECT / "README.md").read_text("utf-8")
    block = re.search(r"### Sessions of others, with plain Git\n.*?```sh\n(.*?)```", page, re.DOTALL)
    assert block
    commands = block[1].splitlines()
    assert len(commands) >= 7
    env = {"GIT_CONFIG_COUNT": "2"}
    for number, (path, name) in enumerate(((place.hub, "project"), (place.only, "other"))):
        env[f"GIT_CONFIG_KEY_{number}"] = f"url.{path}.insteadOf"
        env[f"GIT_CONFIG_VALUE_{number}"] = f"https://example.com/org/{name}"
    for command in commands:
        ended = subprocess.run(
            ["sh", "-c", command], cwd=place.work, env={**os.environ, **env}, capture_output=True, check=False
        )
        assert ended.returncode == 0, (command, ended.stderr.decode())
    assert len(sessions(place.hub)) == 3
    assert tip(place.work, "refs/asr/remotes/sessions/sessions") == tip(place.hub)
    assert tip(place.work, "refs/asr/remotes/other/sessions") == tip(place.work)


@pytest.mark.parametrize("transport", ["git", "http"])
def test_over_the_network(place: Place, transport: str) -> None:
    for path in (place.hub, place.only):
        git(path, "config", "http.receivepack", "true")
    with TRANSPORTS[transport](place.folder) as address:
        hub, only = address(place.hub), address(place.only)
        pushed = place.git("push", f"asr::{hub}", SESSIONS)
        assert pushed.status == 0, pushed.err
        assert len(sessions(place.hub)) == 3
        new = f"+{SESSIONS}:refs/asr/remotes/%s/sessions"
        assert place.git("fetch", f"asr::{hub}", new % "hub").status == 0
        converted = place.git("fetch", f"asr::convert+{only}", new % "only")
        assert converted.status == 0, converted.err
        env = {"GIT_ALLOW_PROTOCOL": f"asr:{transport}"}  # what lies in our own folder is ours all the same
        git(place.work, "update-ref", "-d", "refs/asr/remotes/only/sessions")
        assert place.git("fetch", f"asr::convert+{only}", new % "only", **env).status == 0
    assert tip(place.work, "refs/asr/remotes/hub/sessions") == tip(place.hub)
    assert tip(place.work, "refs/asr/remotes/only/sessions") == tip(place.work)
