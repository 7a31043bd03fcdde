"""The commands as a user meets them: what they say to people and to programs, and what setup writes."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from git_asr.cli.main import main
from tests.e2e.sample_repos import SESSIONS, checkpoint, refs, session
from tests.sharing.sides import clone, held, hub, named, stored, synced
from tests.support.companion import tip, tree_files
from tests.support.entire_repo import EntireRepo, own_ref
from tests.support.repo_builder import git
from tests.support.run import PROJECT, Result

LINE = "remote.origin.fetch=+refs/asr/sessions*:refs/asr/remotes/origin/sessions*"
PAGE = (PROJECT / "docs" / "sharing.md").read_text("utf-8")
BLOCKS = re.findall(r"^( *)```sh\n(.*?)^ *```", PAGE, re.DOTALL | re.MULTILINE)


class Run:
    """Runs commands in this process."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self._capsys = capsys
        self._monkeypatch = monkeypatch

    def __call__(self, path: Path, *args: str) -> Result:
        self._monkeypatch.chdir(path)
        status = main(args)
        said = self._capsys.readouterr()
        return Result(status, said.out, said.err)

    def told(self, path: Path, *args: str) -> dict[str, Any]:
        ended = self(path, *args, "--json")
        assert ended.status == 0, ended.err
        found: dict[str, Any] = json.loads(ended.out)
        assert found["version"] == 1
        return found


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    return Run(capsys, monkeypatch)


def local(path: Path) -> list[str]:
    return git(path, "config", "--local", "--list").splitlines()


def documented(command: str) -> set[str]:
    page = (PROJECT / "docs" / "json.md").read_text("utf-8")
    section = page.partition(f"## git asr {command}\n")[2].partition("\n## ")[0]
    return set(re.findall(r"`(\w+)`", section)) | {"version"}


def test_what_people_read(sides: tuple[Path, Path, Path], run: Run) -> None:
    _, a, _ = sides
    assert run(a, "fetch") == Result(0, "no sessions at origin: it has no refs/asr/sessions\n", "")
    new = str(tip(a))[:12]
    reason = "  origin is where the checkpoints go\n"
    assert run(a, "push", "--dry-run").out == f"pushed to origin: new, {new} (dry run)\n{reason}"
    assert run(a, "push") == Result(0, f"pushed to origin: new, {new}\n{reason}", "")
    assert run(a, "push").out == f"pushed to origin: up to date ({new})\n{reason}"
    assert run(a, "fetch").out.startswith(f"fetched from origin: up to date ({new})\n")
    said = run(a, "sync", "--remote").out.splitlines()
    assert [said[0], *said[2:]] == [
        f"fetched from origin: up to date ({new})",
        f"pushed to origin: up to date ({new})",
        reason.rstrip(),
    ]
    assert run(a, "fetch", "--dry-run").out == f"fetched from origin: up to date ({new}) (dry run)\n"


def test_what_is_left_out_is_named(tmp_path: Path, run: Run) -> None:
    far = hub(tmp_path / "hub", 7).path
    a = clone(far, tmp_path / "a", *range(1, 8))
    for number in range(1, 8):
        git(far, "update-ref", "-d", own_ref(checkpoint(number)))
    ended = run(a, "push")
    assert ended.status == 0
    lines = ended.err.splitlines()
    assert lines[0] == (
        f"warning: claude-code session {session(1)} is left out:"
        f" its checkpoint {checkpoint(1)} is not there as it is here"
    )
    assert lines[5] == "warning: and 2 more: git asr push --json lists them"
    assert lines[6].startswith("hint: sessions go where their checkpoints are")
    assert ended.out.splitlines()[0] == "nothing to push to origin"
    assert len(run.told(a, "push")["leftOut"]) == 7


def test_what_programs_read(sides: tuple[Path, Path, Path], run: Run, tmp_path: Path) -> None:
    far, a, _ = sides
    first = run.told(a, "push")
    assert (first["remote"], first["address"], first["ref"], first["old"], first["new"]) == (
        *("origin", "origin", SESSIONS, None),
        tip(far),
    )
    assert (first["policy"], first["tries"], first["leftOut"], first["dryRun"]) == (None, 1, [], False)
    assert first.keys() <= documented("push")
    fetched = run.told(a, "fetch")
    assert (fetched["tracking"], fetched["new"]) == ("refs/asr/remotes/origin/sessions", tip(far))
    assert fetched["sync"]["sessions"] == 1
    assert fetched.keys() <= documented("fetch")
    both = run.told(a, "sync", "--remote=origin")
    assert (both["fetched"]["new"], both["pushed"]["new"]) == (tip(far), tip(far))
    assert both.keys() <= documented("sync")
    other = tmp_path / "other"
    git(tmp_path, "init", "-q", "--bare", str(other))
    redacted = run.told(a, "push", "--policy", "default", str(other))
    assert (redacted["remote"], redacted["policy"]["name"]) == (None, "default")
    setup = run.told(a, "setup")
    assert setup["added"] == [dict(zip(("key", "value"), LINE.split("=", 1), strict=True))]
    assert setup.keys() <= documented("setup")


def test_a_lock_in_the_way_of_a_fetch_is_said(sides: tuple[Path, Path, Path], run: Run) -> None:
    """Git says so in seven lines, of which the first tells all; it counts the ref among those that it rejected."""
    _, one, other = sides
    assert (run(one, "sync").status, run(one, "push").status) == (0, 0)
    lock = other / ".git" / "refs" / "asr" / "remotes" / "origin" / "sessions.lock"
    lock.parent.mkdir(parents=True)
    lock.touch()
    for args in (["fetch"], ["fetch", "--json"], ["sync", "--remote"]):
        ended = run(other, *args)
        assert (ended.status, ended.out) == (1, "")
        error, hint = ended.err.splitlines()
        assert re.fullmatch(
            rf"error: another process holds the lock {re.escape(str(lock))} \(\d+ seconds old\)", error
        )
        assert hint == f"hint: if no Git process runs in this repository any more: rm '{lock}'"
    lock.unlink()
    assert run(other, "fetch").status == 0


def test_a_name_in_the_way_of_a_fetch_is_said(sides: tuple[Path, Path, Path], run: Run) -> None:
    _, one, other = sides
    assert (run(one, "sync").status, run(one, "push").status) == (0, 0)
    git(other, "update-ref", "refs/asr/remotes/origin/sessions/x", "HEAD")
    ended = run(other, "fetch")
    assert (ended.status, ended.out) == (1, "")
    assert ended.err.splitlines() == [
        "error: refs/asr/remotes/origin/sessions stays where it is: unable to update local ref",
        "hint: git for-each-ref refs/asr/remotes   shows what is in its way",
    ]


def test_nothing_is_here(tmp_path: Path, run: Run) -> None:
    repo = EntireRepo(tmp_path / "hub", bare=True)
    repo.commit()
    far = repo.build()
    git(tmp_path, "clone", "-q", str(far), str(tmp_path / "a"))
    a = tmp_path / "a"
    assert run(a, "push") == Result(1, "", "error: no session is here\nhint: git asr sync\n")
    assert run.told(a, "sync", "--remote")["pushed"] is None
    ended = run(a, "sync", "--remote")
    assert ended.status == 0
    assert ended.out.startswith("no sessions at origin")


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["push", "--policy", "default", "--as-is"], "--policy and --as-is exclude each other"),
        (["push", "--policy", "default", "--compact"], "--policy and --compact exclude each other"),
        (["push", "--policy", "nosuch"], "no policy is called 'nosuch', and no file"),
        (["push", "nowhere"], "there is no remote 'nowhere'"),
        (["setup", "nowhere"], "there is no remote 'nowhere'"),
        (
            ["setup", "origin", "https://example.com/r"],
            "a URL is for --via repository: 'https://example.com/r'",
        ),
        (["setup", "--via", "bundle"], "say where it is: git asr setup --via bundle FILE"),
        (
            ["setup", "--via", "repository", "origin", "/x"],
            "there is a remote origin already, and it leads elsewhere",
        ),
    ],
)
def test_wrong_usage(sides: tuple[Path, Path, Path], run: Run, args: list[str], said: str) -> None:
    _, a, _ = sides
    before, configured = refs(a), local(a)
    ended = run(a, *args)
    assert (ended.status, ended.out, ended.err.splitlines()[0]) == (2, "", f"error: {said}")
    assert (refs(a), local(a)) == (before, configured)


def test_setup_writes_one_line_and_takes_it_out_again(sides: tuple[Path, Path, Path], run: Run) -> None:
    far, a, b = sides
    before = local(a)
    assert run(a, "setup", "--dry-run").out.startswith("would be added: remote.origin.fetch = +refs/asr/")
    assert local(a) == before
    ended = run(a, "setup")
    assert ended.out == f"added: {LINE.replace('=', ' = ', 1)}\n"
    assert "hint: git asr sync --remote=origin" in ended.err
    assert sorted(local(a)) == sorted([*before, LINE])
    git(a, "fetch", "-q", "origin")
    assert run(a, "setup").out == "remote origin is set up already\n"
    assert sorted(local(a)) == sorted([*before, LINE])
    run(b, "push")
    git(a, "fetch", "-q", "--prune", "origin")
    assert refs(a)["refs/asr/remotes/origin/sessions"] == tip(far)
    assert run(a, "setup", "--via", "branch").out.startswith("removed: ")
    assert LINE not in local(a)
    assert run(a, "setup", "--remove", "origin").out.startswith("removed: ")
    assert local(a) == before
    assert run(a, "setup", "--remove").out == "nothing to remove\n"


def test_setup_does_not_touch_what_a_push_sends(sides: tuple[Path, Path, Path], run: Run) -> None:
    far, a, _ = sides
    git(a, "checkout", "-q", "main")
    git(a, "config", "push.default", "current")
    run(a, "setup")
    git(a, "commit", "-q", "--allow-empty", "-m", "more")
    git(a, "push", "-q")
    assert refs(far)["refs/heads/main"] == refs(a)["refs/heads/main"]
    assert tip(far) is None


def test_setup_of_what_is_no_remote_yet(sides: tuple[Path, Path, Path], run: Run) -> None:
    _, a, _ = sides
    (a / ".entire").mkdir()
    settings = {"strategy_options": {"checkpoint_remote": {"provider": "github", "repo": "o/r"}}}
    (a / ".entire" / "settings.json").write_text(json.dumps(settings))
    ended = run(a, "setup")
    assert ended.status == 2
    assert "git remote add checkpoints https://github.com/o/r.git" in ended.err


def test_the_helper_is_looked_for(
    sides: tuple[Path, Path, Path], run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, a, _ = sides
    helper = tmp_path / "bin" / "git-remote-asr"
    helper.parent.mkdir()
    helper.write_text("#!/bin/sh\n")
    helper.chmod(0o755)
    path = os.environ["PATH"]
    monkeypatch.setenv("PATH", f"{helper.parent}{os.pathsep}{path}")
    assert run.told(a, "setup", "--dry-run")["helper"] == str(helper)
    assert "is not on PATH" not in run(a, "setup", "--dry-run").err
    git_alone = tmp_path / "git"
    git_alone.mkdir()
    (git_alone / "git").symlink_to(str(shutil.which("git")))
    monkeypatch.setenv("PATH", str(git_alone))
    assert "hint: git-remote-asr is not on PATH" in run(a, "setup", "--dry-run").err


def test_a_repository_of_its_own(sides: tuple[Path, Path, Path], run: Run, tmp_path: Path) -> None:
    _, a, b = sides
    other = tmp_path / "sessions.git"
    git(tmp_path, "init", "-q", "--bare", str(other))
    before = local(a)
    for one in (a, b):
        assert run(one, "setup", "--via", "repository", "../sessions.git").status == 0
        assert f"remote.asr.url={other}" in local(one)
        assert "remote.asr.skipfetchall=true" in local(one)
    assert run(a, "push", "asr").status == 1, "it holds no checkpoints"
    for one in (a, b):
        assert run(one, "push", "--as-is", "asr").status == 0
    assert held(other) == named(1, 2)
    git(a, "fetch", "-q", "--all")
    assert run(a, "setup", "--remove", "asr").status == 0
    assert local(a) == before
    assert not any("remotes/asr/" in name for name in refs(a))


def test_a_bundle_file(sides: tuple[Path, Path, Path], run: Run, tmp_path: Path) -> None:
    _, a, b = sides
    file = tmp_path / "sessions.bundle"
    for one in (a, b):
        assert run(one, "setup", "--via", "bundle", "../sessions.bundle").status == 0
    assert run(a, "push", "asr").status == 1
    ended = run(a, "push", "--as-is", "asr")
    assert ended.status == 0, ended.err
    assert git(a, "bundle", "list-heads", str(file)) == f"{tip(a)} {SESSIONS}"
    git(b, "fetch", "-q", "asr")
    assert refs(b)["refs/asr/remotes/asr/sessions"] == tip(a)
    assert run(b, "push", "--as-is", "asr").status == 0
    git(a, "fetch", "-q", "asr")
    assert held(a, "refs/asr/remotes/asr/sessions") == named(1, 2)
    assert run(b, "push", "--as-is", "asr").out.startswith("pushed to asr: up to date")
    git(file.parent, "init", "-q", "--bare", "unused")
    before = file.read_bytes()
    stale = clone(sides[0], tmp_path / "c")
    assert run(stale, "push", "--as-is", str(file)).status == 1
    assert (file.read_bytes(), sorted(one.name for one in tmp_path.glob(".sessions*"))) == (before, [])


def test_files_of_a_companion_stay_small(tmp_path: Path) -> None:
    """A session of some MB, in parts that every host takes."""
    repo = EntireRepo(tmp_path / "r")
    stored(repo, 1, units=20_000)
    repo.commit(checkpoint(1))
    repo.build()
    synced(repo.path)
    sizes = [len(data) for path, data in tree_files(repo.path).items() if path.endswith(".jsonl")]
    assert sum(sizes) > 4 << 20
    assert max(sizes) <= 256 << 10


def test_the_page_runs(sides: tuple[Path, Path, Path], tmp_path: Path) -> None:
    """The block of the README and every block of docs/sharing.md, as they stand there and in their order."""
    far, a, _ = sides
    git(tmp_path, "init", "-q", "--bare", str(tmp_path / "sessions.git"))
    programs = tmp_path / "bin"
    programs.mkdir()
    program = programs / "git-asr"
    program.write_text(f'#!/bin/sh\nPYTHONPATH="{PROJECT}" exec "{sys.executable}" -m git_asr "$@"\n')
    program.chmod(0o755)
    readme = (PROJECT / "README.md").read_text("utf-8").partition("## Sharing")[2]
    first = re.findall(r"^( *)```sh\n(.*?)^ *```", readme, re.DOTALL | re.MULTILINE)[:1]
    assert "git asr setup origin" in first[0][1]
    assert len(BLOCKS) == 5
    for indent, block in [*first, *BLOCKS]:
        text = re.sub(f"^{indent}", "", block, flags=re.MULTILINE)
        if (
            "--via bundle" in text
        ):  # the page gives both the same name, as somebody would who takes one of them
            subprocess.run(["git", "remote", "remove", "asr"], cwd=a, check=True)
        ended = subprocess.run(
            ["sh", "-e", "-c", text],
            cwd=a,
            env={**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert ended.returncode == 0, text + ended.stdout + ended.stderr
    assert refs(far)["refs/heads/asr/sessions"] == tip(far)
    assert tip(tmp_path / "sessions.git") == tip(far)
    assert (tmp_path / "sessions.bundle").is_file()
