"""What a transcript, a checkpoint, a remote or a bundle must never achieve, tried with real Git.

Whatever runs leaves a file ``pwned``; whatever must not be told holds the canary. docs/security.md names each test.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.e2e.sample_repos import SESSIONS, checkpoint, refs, repository, session
from tests.sharing.sides import clone, hub
from tests.support.companion import replace, tree_files
from tests.support.entire_repo import STORE, EntireRepo, Stored, claude
from tests.support.repo_builder import git
from tests.support.run import PROJECT, run_cli

CANARY = "canary-0f3c-of-the-attack"
TOUCH = "touch pwned"
READING = (["sync"], ["status"], ["log"], ["show", session(1)], ["search", "text"], ["coverage"])


def nothing_ran(*folders: Path) -> None:
    """No command of the attacker's left its mark, wherever it may have been started."""
    assert [str(one) for folder in folders for one in folder.rglob("pwned*")] == []
    assert not (Path.cwd() / "pwned").exists()


def kept(path: Path) -> dict[str, str]:
    """What no data may change: the user's own refs, the configuration, hooks and what Git reads in their like."""
    git_dir = Path(git(path, "rev-parse", "--absolute-git-dir"))
    found = {
        name: oid
        for name, oid in refs(path).items()
        if name.startswith(("refs/heads/", "refs/tags/", "refs/stash", "refs/notes/"))
        and not name.startswith(("refs/heads/entire/", "refs/notes/asr"))
    }
    for name in ("config", "hooks", "info", "objects/info/alternates", "HEAD", "packed-refs.lock"):
        place = git_dir / name
        files = [place, *sorted(place.rglob("*"))] if place.exists() else []
        found |= {str(one): hashlib.sha256(one.read_bytes()).hexdigest() for one in files if one.is_file()}
    return found


def nested(path: Path, name: str, entry: str) -> str:
    """A tree with one entry below folders."""
    tree = git(path, "mktree", "--missing", stdin=entry.encode())
    for part in reversed(name.split("/") if name else []):
        tree = git(path, "mktree", "--missing", stdin=f"40000 tree {tree}\t{part}\n".encode())
    return tree


# --- who writes a checkpoint ref ------------------------------------------------------------------------------------


def test_attributes_in_checkpoints_run_no_filter_and_no_textconv(tmp_path: Path) -> None:
    """The user has drivers that run programs; a tree that asks for them does not get them run by reading it."""
    repo = EntireRepo(tmp_path / "r")
    files = {
        ".gitattributes": b"* filter=evil diff=evil merge=evil ident text working-tree-encoding=UTF-16\n"
    }
    repo.checkpoint(checkpoint(1), Stored(session(1), claude(session(1), ["a", "b"]), files=files))
    repo.builder.commit(STORE, "Checkpoint\n", files)
    repo.commit(checkpoint(1))
    repo.builder.commit("refs/heads/main", "attributes\n", files)
    path = repo.build()
    for key in ("filter.evil.smudge", "filter.evil.clean", "filter.evil.process", "diff.evil.textconv"):
        git(path, "config", key, TOUCH)
    for key in ("diff.evil.command", "merge.evil.driver", "diff.external"):
        git(path, "config", key, TOUCH)
    git(path, "config", "filter.evil.required", "true")
    for line in READING:
        ended = run_cli(line, path, env={"GIT_EXTERNAL_DIFF": TOUCH})
        assert ended.status == 0, (line, ended.err)
    nothing_ran(tmp_path)


def test_no_hook_monitor_or_editor_runs_by_reading(tmp_path: Path) -> None:
    """A sync moves refs, for which Git has one hook; no other is run, nor what watches files or signs commits."""
    path = repository(tmp_path / "r", 2, checkout=True).path
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for name in (
        "post-checkout",
        "post-commit",
        "post-index-change",
        "pre-auto-gc",
        "pre-push",
        "post-rewrite",
    ):
        (hooks / name).write_text(f"#!/bin/sh\ntouch '{tmp_path}/pwned-{name}'\n")
        (hooks / name).chmod(0o755)
    for key, value in (
        ("core.hooksPath", str(hooks)),
        ("core.fsmonitor", f"touch '{tmp_path}/pwned-monitor'; false"),
        ("core.editor", TOUCH),
        ("sequence.editor", TOUCH),
        ("gpg.program", TOUCH),
        ("commit.gpgSign", "true"),
        ("core.alternateRefsCommand", TOUCH),
        ("uploadpack.packObjectsHook", TOUCH),
        ("core.pager", TOUCH),
    ):
        git(path, "config", key, value)
    for line in READING:
        ended = run_cli(line, path)
        assert ended.status == 0, (line, ended.err)
    nothing_ran(tmp_path)


@pytest.mark.parametrize("target", ["/etc/passwd", "../../../../canary", "full.jsonl"])
def test_links_and_submodules_in_checkpoints_are_not_followed(tmp_path: Path, target: str) -> None:
    path = repository(tmp_path / "r").path
    (tmp_path / "canary").write_text(f"{CANARY}\n")
    place = f"{checkpoint(1)[:2]}/{checkpoint(1)[2:]}/0"
    link = git(path, "hash-object", "-w", "--stdin", stdin=target.encode())
    lines = git(path, "ls-tree", f"{STORE}:{place}").splitlines()
    modules = git(
        path,
        "hash-object",
        "-w",
        "--stdin",
        stdin=f'[submodule "x"]\n\tpath = x\n\turl = ext::sh -c "{TOUCH}"\n'.encode(),
    )
    wanted = [line for line in lines if not line.endswith("\tfull.jsonl")]
    wanted += [
        f"120000 blob {link}\tfull.jsonl",
        f"120000 blob {link}\tprompt.txt" * (target != "full.jsonl"),
    ]
    wanted += [f"160000 commit {'1' * 40}\tx", f"100644 blob {modules}\t.gitmodules"]
    tree = nested(
        path, place, "".join(f"{line}\n" for line in sorted(wanted, key=lambda o: o.split("\t")[-1]) if line)
    )
    commit = git(path, "commit-tree", "-m", "x", tree)
    git(path, "update-ref", STORE, commit)
    assert run_cli(["sync"], path).status in {0, 1}
    held = b"".join(tree_files(path).values()) if SESSIONS in refs(path) else b""
    assert b"root:" not in held
    assert CANARY.encode() not in held
    nothing_ran(tmp_path)


NAMES = (
    "refs/heads/--upload-pack=touch${IFS}pwned",
    "refs/heads/-x",
    "refs/heads/--output=pwned",
    "refs/heads/entire/checkpoints/--exec=pwned",
    "refs/entire/checkpoints/v2/full/--output=pwned",
    "refs/tags/$(touch${IFS}pwned)",
    "refs/heads/`touch${IFS}pwned`",
    "refs/asr/remotes/--upload-pack=pwned/sessions",
    "refs/asr/remotes/-x/sessions",
)


def test_names_of_refs_are_no_options_and_no_commands(tmp_path: Path) -> None:
    path = repository(tmp_path / "r").path
    assert run_cli(["sync"], path).status == 0
    main, own = git(path, "rev-parse", "main"), git(path, "rev-parse", SESSIONS)
    rows = sorted((name, own if name.startswith("refs/asr/") else main) for name in NAMES)
    packed = "".join(f"{oid} {name}\n" for name, oid in rows)
    (path / ".git" / "packed-refs").write_text(f"# pack-refs with: peeled fully-peeled sorted \n{packed}")
    assert {*NAMES} <= refs(path).keys()
    for line in READING:
        ended = run_cli(line, path)
        assert ended.status in {0, 1}, (line, ended.err)
        assert "a fault in git-asr" not in ended.err
    far = tmp_path / "far"
    git(tmp_path, "clone", "-q", "--mirror", str(path), str(far))
    work = tmp_path / "work"
    git(tmp_path, "clone", "-q", str(path), str(work))
    for line in (["fetch", "--", str(far)], ["sync"], ["push", "--as-is", "--", str(far)]):
        ended = run_cli(line, work)
        assert ended.status in {0, 1}, (line, ended.err)
        assert "a fault in git-asr" not in ended.err
    nothing_ran(tmp_path)


@pytest.mark.parametrize("value", ["--output=pwned", "--upload-pack=touch pwned"])
def test_revisions_and_ids_are_no_options(tmp_path: Path, value: str) -> None:
    path = repository(tmp_path / "r").path
    assert run_cli(["sync"], path).status == 0
    for line in (
        ["show", "--", value],
        ["show", f"{value}..main"],
        ["sync", "--", value],
        ["usage", "--", value],
        ["export", "-o", "out.zip", "--", value],
        ["blame", "--", value],
        ["link", "--", value, "main"],
        ["log", f"--session={value}"],
        ["sessions", "--since", value],
        ["import", "--", value],
    ):
        ended = run_cli(line, path)
        assert "a fault in git-asr" not in ended.err, (line, ended.err)
    nothing_ran(tmp_path)


# --- who writes settings that everybody gets --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {"checkpoint_push_remote": "--receive-pack=touch pwned"},
        {"checkpoint_push_remote": "ext::sh -c touch% pwned"},
        {"checkpoint_remote": {"provider": "github", "repo": "--upload-pack=touch pwned/x"}},
        {"checkpoint_remote": {"provider": "ext::sh -c touch% pwned", "repo": "a/b"}},
        {"checkpoint_remote": {"provider": "gitlab", "repo": "../../x"}},
        {"checkpoint_remote": {"provider": "github", "repo": "a/b\nc"}},
    ],
)
def test_settings_in_the_work_tree_run_nothing_and_lead_nowhere_new(tmp_path: Path, options: object) -> None:
    far = hub(tmp_path / "hub", 1).path
    path = clone(far, tmp_path / "work", 1)
    (path / ".entire").mkdir()
    (path / ".entire" / "settings.json").write_text(json.dumps({"strategy_options": options}))
    before = kept(path)
    for line in (["status"], ["fetch"], ["fetch", "--checkpoints"], ["sync", "--remote"], ["push"]):
        assert "a fault in git-asr" not in run_cli(line, path).err
    assert kept(path) == before
    nothing_ran(tmp_path)


# --- who has a remote -------------------------------------------------------------------------------------------------

ADDRESSES = (
    "ext::sh -c touch% pwned",
    "--upload-pack=touch pwned",
    "ssh://-oProxyCommand=touch${IFS}pwned/x",
    "-oProxyCommand=touch${IFS}pwned:x",
    "file://evil.example/../../etc",
    "asr::ext::sh -c touch% pwned",
    "asr::convert+ext::sh -c touch% pwned",
    "asr::--upload-pack=touch pwned",
    "asr::convert+-oProxyCommand=touch pwned:x",
)


def test_addresses_run_nothing(tmp_path: Path) -> None:
    path = repository(tmp_path / "r").path
    assert run_cli(["sync"], path).status == 0
    before = kept(path)
    helper = {**os.environ, "PYTHONPATH": str(PROJECT), "GIT_DIR": str(path / ".git")}
    for address in ADDRESSES:
        for word in ("fetch", "push"):
            ended = run_cli([word, "--", address], path)
            assert ended.status in {1, 2}, (word, address, ended.err)
            assert "error: " in ended.err
            assert "a fault in git-asr" not in ended.err
        if address.startswith("asr::"):
            told = subprocess.run(
                [sys.executable, "-m", "git_asr.remote", "x", address.removeprefix("asr::")],
                input=b"list\n\n",
                env=helper,
                cwd=path,
                capture_output=True,
                check=False,
            )
            assert (told.returncode != 0, told.stdout) == (True, b""), (address, told)
            assert b"a fault in git-asr" not in told.stderr
    assert kept(path) == before
    nothing_ran(tmp_path)


def test_what_is_fetched_overwrites_nothing_of_the_user_s(tmp_path: Path) -> None:
    """A remote offers other branches, tags, notes and a stash under our names, and asks for submodules and pruning."""
    far = hub(tmp_path / "hub", 2).path
    path = clone(far, tmp_path / "work", 1)
    git(path, "tag", "v1")
    git(path, "branch", "mine")
    git(path, "notes", "add", "-m", "mine")
    other = clone(far, tmp_path / "other", 2)
    assert run_cli(["push"], other).status == 0
    evil = git(far, "commit-tree", "-m", "evil", git(far, "rev-parse", "refs/heads/main^{tree}"))
    for name in (
        "heads/main",
        "heads/mine",
        "tags/v1",
        "notes/commits",
        "notes/asr",
        "stash",
        "asr/remotes/origin/sessions",
    ):
        git(far, "update-ref", f"refs/{name}", evil)
    for key, value in (
        ("fetch.prune", "true"),
        ("fetch.pruneTags", "true"),
        ("remote.origin.tagOpt", "--tags"),
    ):
        git(path, "config", key, value)
    git(path, "config", "fetch.recurseSubmodules", "true")
    git(path, "config", "--add", "remote.origin.fetch", "+refs/*:refs/*")
    before = kept(path)
    tracking = git(path, "rev-parse", "refs/remotes/origin/main")
    for line in (["fetch"], ["sync", "--remote"], ["fetch", "--checkpoints"], ["push"]):
        ended = run_cli(line, path)
        assert ended.status == 0, (line, ended.err)
        assert kept(path) == before, line
    assert git(path, "rev-parse", "refs/remotes/origin/main") == tracking
    assert any(session(2) in name for name in tree_files(path))  # and what was asked for came


@pytest.mark.parametrize(
    "name", [".git/hooks/post-commit", "../../../../.git/config", "..", "C:\\pwned", "hooks/post-commit"]
)
def test_a_companion_with_other_files_writes_none_of_them(tmp_path: Path, name: str) -> None:
    far = hub(tmp_path / "hub", 2).path
    path = clone(far, tmp_path / "work", 1)
    other = clone(far, tmp_path / "other", 2)
    assert run_cli(["push"], other).status == 0
    if name in {".git/hooks/post-commit", "../../../../.git/config", ".."}:
        files = git(far, "ls-tree", SESSIONS)
        blob = git(far, "hash-object", "-w", "--stdin", stdin=f"#!/bin/sh\n{TOUCH}\n".encode())
        entry = f"100755 blob {blob}\t{name.rpartition('/')[2] or name}\n"
        inner = entry
        for part in reversed(name.split("/")[:-1]):
            tree = raw_tree(far, inner)
            inner = f"40000 tree {tree}\t{part}\n"
        tree = raw_tree(far, inner + files + "\n")
        git(far, "update-ref", SESSIONS, git(far, "commit-tree", "-p", SESSIONS, "-m", "x", tree))
    else:
        replace(far, {**tree_files(far), name: f"#!/bin/sh\n{TOUCH}\n".encode()})
    before = kept(path)
    for line in (["fetch"], ["sync"], ["export", "--all", "-o", str(tmp_path / "out")]):
        ended = run_cli(line, path)
        assert "a fault in git-asr" not in ended.err
    assert kept(path) == before
    assert not (tmp_path / "out" / ".git").exists()
    nothing_ran(tmp_path)


def raw_tree(path: Path, listing: str) -> str:
    """A tree with any names, which ``git mktree`` would refuse."""
    rows = [line.split("\t", 1) for line in listing.splitlines()]
    data = b"".join(
        f"{head.split()[0].lstrip('0')} {name}\0".encode() + bytes.fromhex(head.split()[2])
        for head, name in rows
    )
    return git(path, "hash-object", "-t", "tree", "-w", "--literally", "--stdin", stdin=data)


@pytest.mark.parametrize("value", ["--output=pwned", "HEAD --output=pwned"])
def test_commits_that_a_companion_names_are_no_options(tmp_path: Path, value: str) -> None:
    """The manifest and the links of a companion that somebody else pushed say anything where a commit should stand."""
    far = hub(tmp_path / "hub", 2).path
    path = clone(far, tmp_path / "work", 1)
    other = clone(far, tmp_path / "other", 2)
    assert run_cli(["push"], other).status == 0
    commit = git(path, "rev-parse", "refs/remotes/origin/main")
    files = {name: data.replace(commit.encode(), value.encode()) for name, data in tree_files(far).items()}
    replace(far, files)
    for line in (["fetch"], *READING):
        ended = run_cli(line, path)
        assert ended.status in {0, 1}
        assert "a fault in git-asr" not in ended.err, (line, ended.err)
    replace(path, files)  # and where it stands in our own ref, unchecked
    for line in (
        ["log"],
        ["sessions"],
        ["show", session(2)],
        ["usage"],
        ["coverage"],
        ["blame", "work.txt"],
        ["sync"],
    ):
        assert "a fault in git-asr" not in run_cli(line, path).err, line
    nothing_ran(tmp_path)


# --- who writes a transcript ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["../../../pwned", "/tmp/pwned", "..", "-o"])
def test_no_name_in_a_transcript_becomes_a_path(tmp_path: Path, name: str) -> None:
    repo = EntireRepo(tmp_path / "r")
    lines = claude(name, ["a", "b"], cwd=name, gitBranch=name, version=name, agentId=name)
    repo.checkpoint(checkpoint(1), Stored(name, lines, metadata={"files_touched": [name], "branch": name}))
    repo.commit(checkpoint(1))
    path = repo.build()
    assert run_cli(["sync"], path).status in {0, 1}
    made = tmp_path / "made"
    made.mkdir()
    for form in ("folder", "html", "jsonl", "atif"):
        line = ["export", "--all", "--private", "--format", form, "-o", str(made / form)]
        assert "a fault in git-asr" not in run_cli(line, path).err
    assert {one.name for one in tmp_path.iterdir()} == {"r", "made"}
    assert {one.name for one in made.iterdir()} <= {"folder", "html", "jsonl", "atif"}
    assert not Path("/tmp/pwned").exists()
    for one in made.rglob("*"):
        assert one.resolve().is_relative_to(made.resolve())
        assert not one.is_symlink()
    nothing_ran(tmp_path)


def secretive(path: Path) -> Path:
    """A repository whose transcripts hold a canary everywhere but where lists show it, damaged lines included."""
    repo = EntireRepo(path)
    lines = claude(session(1), ["a", CANARY, "c"], cwd=f"/{CANARY}", toolUseResult={"stdout": CANARY})
    broken = (
        lines
        + b'{"type": "user", "message": {"content": "%s"\n' % CANARY.encode()
        + b"\xff%s\n" % CANARY.encode()
    )
    repo.checkpoint(checkpoint(1), Stored(session(1), broken, prompt="hello"))
    repo.commit(checkpoint(1))
    repo.checkpoint(
        checkpoint(2), Stored(session(2), lines, metadata=b'{"session_id": "%s", ' % CANARY.encode())
    )
    repo.commit(checkpoint(2))
    repo.checkpoint(checkpoint(3), Stored(session(3), b'{"%s' % CANARY.encode(), agent="Claude Code"))
    repo.commit(checkpoint(3))
    return repo.build()


def test_what_a_transcript_says_is_in_no_log_cache_or_error(tmp_path: Path) -> None:
    path = secretive(tmp_path / "r")
    asr = path / ".git" / "asr"
    (asr / "queue").mkdir(parents=True)
    (asr / "queue" / "scan").touch()
    with (asr / "worker.log").open("ab") as log:
        subprocess.run(
            [sys.executable, "-m", "git_asr", "worker", str(asr)],
            env={**os.environ, "PYTHONPATH": str(PROJECT)},
            stderr=log,
            check=True,
        )
    said = ""
    for line in (
        ["sync", "--full", "--strict"],
        ["status"],
        ["status", "--json"],
        ["usage"],
        ["search", "nothing-of-this-kind"],
        ["log", "--agent", "claude-code"],
        ["coverage"],
        ["drift"],
        ["validate"],
        ["export", "--all", "-o", "out.zip"],
        ["redact", "--policy", "default", session(1), "-o", "redacted.zip"],
    ):
        ended = run_cli(line, path)
        said += ended.err
        assert "a fault in git-asr" not in ended.err, (line, ended.err)
    assert CANARY not in said
    names = {one.name for one in asr.iterdir() if one.is_file()}
    assert {"worker.log", "state.sqlite", "usage.sqlite", "signatures.sqlite", "summaries.json"} <= names
    for one in asr.rglob("*"):
        if one.is_file():
            assert CANARY.encode() not in one.read_bytes(), one.name
    with sqlite3.connect(asr / "state.sqlite") as state:
        assert state.execute("SELECT count(*) FROM finding").fetchone()[0] > 0  # there was something to say
    assert any(
        CANARY.encode() in data for data in tree_files(path).values()
    )  # and something to keep quiet of


# --- who hands over a bundle ------------------------------------------------------------------------------------------

ENTRIES = (".git/config", "objects/info/alternates", "../.git/hooks/post-commit")


@pytest.mark.parametrize("name", ENTRIES)
@pytest.mark.parametrize("link", [False, True], ids=["file", "link"])
def test_a_bundle_brings_no_configuration_no_hook_and_no_alternates(
    tmp_path: Path, name: str, link: bool
) -> None:
    path = repository(tmp_path / "r").path
    assert run_cli(["sync"], path).status == 0
    assert run_cli(["export", "--all", "-o", str(tmp_path / "b.zip")], path).status == 0
    with zipfile.ZipFile(tmp_path / "b.zip", "a") as archive:
        one = zipfile.ZipInfo(name)
        one.external_attr = (0o120777 if link else 0o100755) << 16
        archive.writestr(one, "/etc" if link else f"[core]\n\tfsmonitor = {TOUCH}\n\thooksPath = .\n")
    before = kept(path)
    for line in (
        ["import", str(tmp_path / "b.zip")],
        ["import", str(tmp_path / "b.zip"), "--into", str(tmp_path / "into")],
    ):
        ended = run_cli(line, path)
        assert "a fault in git-asr" not in ended.err
        assert ended.status in {0, 1}
    assert kept(path) == before
    assert not [one for one in (tmp_path / "into").rglob("*") if one.name in {".git", "hooks", "alternates"}]
    assert not any(one.is_symlink() for one in tmp_path.rglob("*"))
    git(path, "status")
    nothing_ran(tmp_path)


def test_an_archive_within_an_archive_s_name_is_not_run(tmp_path: Path) -> None:
    """Names of files on the command line are no options for whatever packs or unpacks."""
    path = repository(tmp_path / "r").path
    assert run_cli(["sync"], path).status == 0
    for name in ("--checkpoint-action=exec=touch pwned.tar", "-I touch pwned.tar.gz", "|touch pwned.zip"):
        ended = run_cli(["export", "--all", "-o", f"./{name}"], path)
        assert ended.status == 0, ended.err
        assert run_cli(["import", f"./{name}"], path).status == 0
        (path / name).unlink()
    nothing_ran(tmp_path)
