"""The jobs of docs/ci.md, taken from that page and run as each of the two hosts runs them, against local remotes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.e2e.sample_repos import SESSIONS, add, checkpoint, refs, repository, session, synced
from tests.e2e.soundness import check
from tests.support.companion import bundles, tip, tree_files
from tests.support.entire_repo import EntireRepo, Stored, claude, own_ref
from tests.support.repo_builder import git
from tests.support.run import PROJECT, run_cli

PAGE = (PROJECT / "docs" / "ci.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
GITHUB, GITLAB = (yaml.safe_load(text) for language, text in BLOCKS if language == "yaml")
FORGET, ADD_REMOTE, READ = (text for language, text in BLOCKS if language == "sh")
ULID = "01KXDM08H2V0SZREV3NDG2R38M"
NOBODY = ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"]


@dataclass(frozen=True, slots=True)
class Job:
    """What a host does: some steps before it clones, the clone, and the others.

    ``depth``: how many commits it clones, 0 for all. ``shell``: what it begins each step with.
    """

    before: str
    after: str
    depth: int
    variables: Mapping[str, str]
    shell: tuple[str, ...]


def github() -> Job:
    job = GITHUB["jobs"]["sync"]
    names = [next(iter(step)) for step in job["steps"]]
    assert names == ["run", "uses", "run"]
    install, checkout, steps = job["steps"]
    assert checkout["uses"].startswith("actions/checkout@")
    return Job(install["run"], steps["run"], checkout["with"]["fetch-depth"], job["env"], ("bash", "-e"))


def gitlab() -> Job:
    job = GITLAB["agent-sessions"]
    variables = job["variables"]
    return Job("", "\n".join(job["script"]), int(variables["GIT_DEPTH"]), variables, ("sh", "-e"))


JOBS = {"github": github, "gitlab": gitlab}


@pytest.fixture(params=JOBS)
def either(request: pytest.FixtureRequest) -> Job:
    return JOBS[request.param]()


@pytest.fixture
def job() -> Job:
    """The one that runs in the plainer shell: the steps are the same."""
    return gitlab()


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """A folder in which pip and pipx put git-asr, and nothing else; where they take it from is told."""
    folder = tmp_path / "bin"
    folder.mkdir()
    launcher = f'#!/bin/sh\nPYTHONPATH="{PROJECT}" exec "{sys.executable}" -m git_asr "$@"\n'
    (folder / "launcher").write_text(launcher)
    install = (
        f'[ "$1" = install ] && cd "{folder}" && echo "$2" >>installed && cp launcher $$ && mv $$ git-asr'
    )
    for name in ("pip", "pipx"):
        (folder / name).write_text(f"#!/bin/sh\n{install}\n")
    for file in folder.iterdir():
        file.chmod(0o755)
    return folder


def run(
    job: Job, hub: Path, to: Path, programs: Path, *, clone: bool = True
) -> subprocess.CompletedProcess[str]:
    """Run a job in a clone that is made as the hosts make theirs: without a configured identity, HEAD detached."""
    env = {name: value for name, value in os.environ.items() if name not in NOBODY}
    env |= {"PATH": f"{programs}{os.pathsep}{env['PATH']}", "CI": "true"}
    env |= {name: str(value) for name, value in job.variables.items()}

    def step(text: str) -> subprocess.CompletedProcess[str]:
        file = to.parent / f"{to.name}.step"
        file.write_text(text)
        return subprocess.run(
            [*job.shell, str(file)], cwd=to, env=env, capture_output=True, text=True, check=False, timeout=300
        )

    to.mkdir(exist_ok=True)
    before = step(job.before)
    assert before.returncode == 0, before.stderr
    if clone:
        checkout(hub, to, job.depth)
    return step(job.after)


def checkout(hub: Path, to: Path, depth: int) -> None:
    git(to, "init", "-q")
    git(to, "remote", "add", "origin", hub.as_uri())
    some = [f"--depth={depth}", "+refs/heads/main:refs/remotes/origin/main"]
    whole = ["+refs/heads/*:refs/remotes/origin/*", "+refs/tags/*:refs/tags/*"]
    git(to, "fetch", "-q", "--no-tags", "origin", *(some if depth else whole))
    git(to, "checkout", "-q", "--detach", "origin/main")


def done(job: Job, hub: Path, to: Path, programs: Path, **how: Any) -> str:
    """A job that ends well; what it said."""
    ended = run(job, hub, to, programs, **how)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "forced" not in ended.stdout + ended.stderr
    return ended.stdout + ended.stderr


def interfere(clone: Path, script: str) -> None:
    """Let something happen whenever a clone pushes, after it has seen where the remote stands."""
    hook = clone / ".git" / "hooks" / "pre-push"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\n{script}\n")
    hook.chmod(0o755)


def hub_of(path: Path, sessions: int) -> EntireRepo:
    """A hub with sessions on the branch of checkpoints, and one more behind a ref of its own."""
    repo = repository(path, sessions, bare=True)
    lines = claude(session(99), ["99.0", "99.1"])
    repo.checkpoint(ULID, Stored(session(99), lines), ref=own_ref(ULID))
    repo.commit(ULID)
    repo.build()
    return repo


def linked(path: Path) -> set[tuple[str, str]]:
    """Every session with every commit that it is linked to, as the companion ref has it."""
    return {
        (bundle.manifest["sessions"][0]["session"]["id"], record["commit"])
        for bundle in bundles(path)
        for record in bundle.links
        if record["type"] == "vcs"
    }


def as_synced(hub: Path, to: Path) -> str:
    """The tree that a sync gives in a mirror of the hub which has no companion ref."""
    git(hub, "clone", "-q", "--mirror", str(hub), str(to))
    git(to, "update-ref", "-d", SESSIONS)
    synced(to)
    return git(to, "rev-parse", f"{SESSIONS}^{{tree}}")


def tree(path: Path) -> str:
    return git(path, "rev-parse", f"{SESSIONS}^{{tree}}")


def test_the_two_jobs_do_the_same() -> None:
    assert gitlab().after.replace('pip install "$GIT_ASR"\n', "").strip() == github().after.strip()
    assert github().depth == gitlab().depth == 0
    assert all("--force" not in text and not re.search(r"push .*\+", text) for _, text in BLOCKS)
    assert {name: github().variables[name] for name in ("GIT_ASR", "ASR_REMOTE")}.items() <= (
        gitlab().variables.items()
    )


def test_what_starts_the_jobs_and_what_they_may() -> None:
    started = GITHUB[True]  # YAML 1.1 reads `on` so
    assert started.keys() == {"push", "schedule", "workflow_dispatch"}
    assert GITHUB["permissions"] == {"contents": "write"}
    assert GITHUB["concurrency"] == {"group": "agent-sessions", "cancel-in-progress": False}
    rules = GITLAB["agent-sessions"]["rules"]
    sources = [re.findall(r'\$CI_PIPELINE_SOURCE == "(\w+)"', rule["if"]) for rule in rules]
    assert sources == [["push"], ["schedule"]]
    assert GITLAB["agent-sessions"]["resource_group"] == "agent-sessions"
    assert "${{" not in PAGE, "what is pushed would be run by the shell"


def test_first_run_then_nothing_new_then_a_push(either: Job, tmp_path: Path, programs: Path) -> None:
    repo = hub_of(tmp_path / "hub", 2)
    hub = repo.path
    before = refs(hub)
    assert "[new reference]" in done(either, hub, tmp_path / "first", programs)
    first = tip(hub)
    assert refs(hub) == {**before, SESSIONS: first}, "one ref, and nothing else"
    assert tree(hub) == as_synced(hub, tmp_path / "mirror")
    assert len(linked(hub)) == 3
    assert "Everything up-to-date" in done(either, hub, tmp_path / "second", programs)
    assert tip(hub) == first
    add(repo, 3)
    repo.build()
    done(either, hub, tmp_path / "third", programs)
    assert git(hub, "rev-list", SESSIONS).split() == [tip(hub), first], "it went forward"
    assert len(linked(hub)) == 4
    assert tree(hub) == as_synced(hub, tmp_path / "again")
    assert (programs / "installed").read_text().split() == [either.variables["GIT_ASR"]] * 3
    check(tmp_path)


def test_a_repository_without_checkpoints(job: Job, tmp_path: Path, programs: Path) -> None:
    repo = EntireRepo(tmp_path / "hub", bare=True)
    repo.commit()
    repo.build()
    done(job, repo.path, tmp_path / "r", programs)
    assert refs(repo.path).keys() == {"refs/heads/main"}


def test_a_checkpoint_that_comes_after_its_commit(job: Job, tmp_path: Path, programs: Path) -> None:
    repo = hub_of(tmp_path / "hub", 1)
    repo.commit(checkpoint(5))
    repo.build()
    done(job, repo.path, tmp_path / "early", programs)
    lines = claude(session(5), ["5.0"])
    repo.checkpoint(checkpoint(5), Stored(session(5), lines))
    repo.build()
    done(job, repo.path, tmp_path / "late", programs)
    assert session(5) in {one for one, _ in linked(repo.path)}


@pytest.mark.parametrize("companion", ["none", "there"])
def test_a_race_that_is_lost(companion: str, job: Job, tmp_path: Path, programs: Path) -> None:
    """The loser has not seen what the winner saw: a session more, one that grew, one that was redacted."""
    repo = hub_of(tmp_path / "hub", 2)
    hub, loser = repo.path, tmp_path / "loser"
    if companion == "there":
        done(job, hub, tmp_path / "zeroth", programs)
        add(repo, 3)
        repo.build()
    older = tmp_path / "older"
    git(tmp_path, "clone", "-q", "--mirror", str(hub), str(older))
    add(repo, 4)
    longer = claude(session(1), [f"1.{unit}" for unit in range(9)], second=60)
    repo.checkpoint(checkpoint(6), Stored(session(1), longer, created=999))
    redacted = claude(session(2), ["2.0", "2.1", "2.2"], second=120).replace(b"text of 2.1", b"REDACTED")
    if companion == "none":  # what was exchanged once is as good as what was redacted
        repo.checkpoint(checkpoint(2), Stored(session(2), redacted, created=120))
    repo.commit(checkpoint(6))
    repo.build()
    winner = tmp_path / "winner"
    done(job, hub, winner, programs)
    won = tip(hub)
    assert won
    # The loser sees the hub as it was, until it pushes; by then the winner's objects and refs have come.
    loser.mkdir()
    checkout(older, loser, job.depth)
    own = git(older, "for-each-ref", "--format=%(refname)").split()
    comes = " ".join(f"'+{name}:{name}'" for name in ["refs/heads/*", "refs/entire/*", "refs/asr/*"])
    interfere(loser, f"unset GIT_DIR; git -C '{older}' fetch -q '{hub}' {comes}")
    said = done(job, older, loser, programs, clone=False)
    assert re.search(r"! \[(remote )?rejected\]|error: failed to push", said)
    assert git(older, "merge-base", "--is-ancestor", won, SESSIONS) == ""
    assert (b"text of 2.1" in b"".join(tree_files(older).values())) == (companion == "there")
    assert tree(older) == tree(hub) == as_synced(hub, tmp_path / "mirror")
    assert set(own) <= refs(older).keys()
    check(tmp_path)


def test_a_race_that_is_lost_each_time(job: Job, tmp_path: Path, programs: Path) -> None:
    repo = hub_of(tmp_path / "hub", 1)
    hub, loser = repo.path, tmp_path / "loser"
    done(job, hub, tmp_path / "first", programs)
    add(repo, 2)
    repo.build()
    loser.mkdir()
    checkout(hub, loser, job.depth)
    another = f"git -c user.name=x -c user.email=x commit-tree -p {SESSIONS} -m another {SESSIONS}^{{tree}}"
    interfere(loser, f"unset GIT_DIR && cd '{hub}' && git update-ref {SESSIONS} $({another})")
    ended = run(job, hub, loser, programs, clone=False)
    assert ended.returncode == 1
    assert git(hub, "log", "--format=%s", "-6", SESSIONS).splitlines() == [*["another"] * 5, "Agent sessions"]
    assert session(2) not in {one for one, _ in linked(hub)}


def test_many_jobs_at_once(job: Job, tmp_path: Path, programs: Path) -> None:
    repo = hub_of(tmp_path / "hub", 1)
    folders = [tmp_path / f"r{number}" for number in range(3)]
    for number, folder in enumerate(folders, start=2):
        add(repo, number)
        repo.build()
        folder.mkdir()
        checkout(repo.path, folder, job.depth)
    with ThreadPoolExecutor(len(folders)) as pool:
        said = list(pool.map(lambda folder: done(job, repo.path, folder, programs, clone=False), folders))
    assert len(said) == 3
    assert tree(repo.path) == as_synced(repo.path, tmp_path / "mirror")
    check(tmp_path)


def test_a_remote_that_moved(job: Job, tmp_path: Path, programs: Path) -> None:
    """Somebody pushed by hand: a link that was accepted, and a session whose checkpoint is nowhere else."""
    repo = hub_of(tmp_path / "hub", 2)
    bare = repo.commit(message="without a trailer")
    repo.build()
    hub = repo.path
    done(job, hub, tmp_path / "first", programs)
    person = tmp_path / "person"
    git(tmp_path, "clone", "-q", str(hub), str(person))
    git(person, "fetch", "-q", "origin", f"+{SESSIONS}:refs/asr/remotes/origin/sessions")
    git(person, "update-ref", SESSIONS, "refs/asr/remotes/origin/sessions")
    git(person, "fetch", "-q", "origin", "+refs/entire/*:refs/entire/*")
    synced(person)
    accepted = run_cli(["link", "accept", repo.oid(bare), checkpoint(1)], person)
    assert accepted.status == 0, accepted.err
    git(person, "push", "-q", "origin", SESSIONS)
    moved = linked(hub)
    assert (session(1), repo.oid(bare)) in moved
    add(repo, 3)
    repo.build()
    done(job, hub, tmp_path / "second", programs)
    assert linked(hub) == {*moved, (session(3), git(hub, "rev-parse", "main"))}


def test_a_remote_whose_companion_was_replaced(job: Job, tmp_path: Path, programs: Path) -> None:
    repo = hub_of(tmp_path / "hub", 2)
    done(job, repo.path, tmp_path / "first", programs)
    git(repo.path, "update-ref", "-d", SESSIONS)
    done(job, repo.path, tmp_path / "second", programs)
    assert len(linked(repo.path)) == 3


def test_a_shallow_clone_takes_what_it_sees_and_drops_nothing(
    job: Job, tmp_path: Path, programs: Path
) -> None:
    repo = hub_of(tmp_path / "hub", 3)
    hub = repo.path
    done(job, hub, tmp_path / "whole", programs)
    before, first = linked(hub), tip(hub)
    add(repo, 4)
    repo.build()
    shallow = tmp_path / "shallow"
    shallow.mkdir()
    checkout(hub, shallow, 1)
    assert git(shallow, "rev-list", "--count", "HEAD") == "1"
    done(job, hub, shallow, programs, clone=False)
    assert linked(hub) == {*before, (session(4), git(hub, "rev-parse", "main"))}
    assert git(hub, "rev-parse", f"{SESSIONS}^") == first
    assert tree(hub) == as_synced(hub, tmp_path / "mirror")


def test_what_was_deleted_does_not_come_back_from_a_clone_that_is_kept(
    job: Job, tmp_path: Path, programs: Path
) -> None:
    repo = hub_of(tmp_path / "hub", 2)
    hub, kept = repo.path, tmp_path / "kept"
    done(job, hub, kept, programs)
    git(hub, "update-ref", "-d", SESSIONS)
    git(hub, "update-ref", "-d", own_ref(ULID))
    subprocess.run(["sh", "-ec", FORGET], cwd=kept, check=True)
    done(job, hub, kept, programs, clone=False)
    assert {one for one, _ in linked(hub)} == {session(1), session(2)}


def test_checkpoints_in_another_repository(job: Job, tmp_path: Path, programs: Path) -> None:
    repo = hub_of(tmp_path / "private", 2)
    private, public = repo.path, tmp_path / "public"
    git(tmp_path, "init", "-q", "--bare", str(public))
    git(private, "push", "-q", str(public), "main")
    before = refs(public)
    done(job, public, tmp_path / "left", programs)
    assert refs(public) == before, "nothing leaves the repository in which the checkpoints are"
    folder = tmp_path / "named"
    folder.mkdir()
    checkout(public, folder, job.depth)
    (url,) = re.findall(r"https://\S+", ADD_REMOTE)
    subprocess.run(["sh", "-ec", ADD_REMOTE.replace(url, private.as_uri())], cwd=folder, check=True)
    name = ADD_REMOTE.split()[3]
    assert f"`ASR_REMOTE: {name}`" in PAGE
    elsewhere = Job(job.before, job.after, job.depth, {**job.variables, "ASR_REMOTE": name}, job.shell)
    done(elsewhere, public, folder, programs, clone=False)
    assert len(linked(private)) == 3
    assert refs(public) == before


def test_the_companion_in_a_clone(tmp_path: Path, programs: Path) -> None:
    repo = hub_of(tmp_path / "hub", 2)
    done(github(), repo.path, tmp_path / "job", programs)
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", "--single-branch", repo.path.as_uri(), str(clone))
    env = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    shown = subprocess.run(
        ["sh", "-ec", READ], cwd=clone, env=env, capture_output=True, text=True, check=True
    )
    assert all(one in shown.stdout for one in (session(1)[:8], session(2)[:8], session(99)[:8]))
    assert tip(clone) == tip(repo.path)
    again = subprocess.run(["sh", "-ec", READ], cwd=clone, env=env, capture_output=True, check=False)
    assert again.returncode != 0, "one that is there is never overwritten"
