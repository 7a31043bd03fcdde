"""``git asr fetch --checkpoints`` as a user meets it: remotes that are paths, clones that have nothing yet."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import pytest

from tests.e2e.sample_repos import add, refs, repository
from tests.e2e.soundness import check
from tests.e2e.terminal import run_on_terminal
from tests.support.corpus import needs_corpus, sample
from tests.support.entire_repo import EntireRepo
from tests.support.repo_builder import git
from tests.support.run import PROJECT, Result, run_cli

BRANCH = "refs/heads/entire/checkpoints/v1"
COPY = "refs/remotes/origin/entire/checkpoints/v1"
ULID = "01KXDM08H2V0SZREV3NDG2R38M"
OWN = f"refs/entire/checkpoints/8M/{ULID}"
V11 = "refs/entire/checkpoints/v1.1"
V2 = ("refs/entire/checkpoints/v2/main", "refs/entire/checkpoints/v2/full/current")
UNWANTED = (
    "refs/heads/entire/1a2b3c4",
    "refs/heads/entire/1a2b3c4-e3b0c4",
    "refs/heads/entire/trails/v1",
    "refs/entire/policies/checkpoint",
)


def own_ref(checkpoint: str) -> str:
    return f"refs/entire/checkpoints/{checkpoint[-2:]}/{checkpoint}"


def hub(path: Path, object_format: Literal["sha1", "sha256"] = "sha1") -> EntireRepo:
    """A bare repository with every kind of store, and refs of Entire's that are none."""
    repo = repository(path, 2, bare=True, object_format=object_format)
    for ref in (OWN, V11, *V2, *UNWANTED):
        repo.builder.commit(ref, f"{ref}\n", {"metadata.json": "{}\n"})
    repo.commit(ULID)
    repo.build()
    return repo


def clone(path: Path, to: Path, *options: str) -> Path:
    """A clone of the main branch alone: nothing of Entire's comes along."""
    git(path.parent, "clone", "-q", "--single-branch", *options, path.as_uri(), str(to))
    return to


def fetch(path: Path, *args: str, env: Mapping[str, str] = {}) -> Result:
    return run_cli(["fetch", "--checkpoints", *args], path, env)


def told(path: Path, *args: str) -> dict[str, Any]:
    ended = fetch(path, "--json", *args)
    assert ended.status == 0, ended.err
    found: dict[str, Any] = json.loads(ended.out)
    return found


def stores(path: Path) -> dict[str, str]:
    return {name: oid for name, oid in refs(path).items() if "entire/" in name}


def configuration(path: Path) -> str:
    return git(path, "config", "--local", "--list")


def same(path: Path, far: Path, *names: str) -> bool:
    """Whether refs stand where the remote has them."""
    here, there = refs(path), refs(far)
    return all(here[name] == there[name] for name in names)


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_everything_that_is_a_store_comes_and_nothing_else(
    tmp_path: Path, object_format: Literal["sha1", "sha256"]
) -> None:
    far = hub(tmp_path / "hub", object_format).path
    path = clone(far, tmp_path / "r")
    before, configured = refs(path), configuration(path)
    assert "entire" not in " ".join(before)
    ended = fetch(path)
    assert (ended.status, ended.out) == (0, "5 checkpoint refs at origin: 5 new\n")
    assert ended.err == "hint: git asr sync\n"
    assert stores(path).keys() == {COPY, OWN, V11, *V2}
    assert same(path, far, OWN, V11, *V2)
    assert refs(path)[COPY] == refs(far)[BRANCH]
    assert {name: refs(path)[name] for name in before} == before
    assert configuration(path) == configured
    assert not (path / ".git" / "FETCH_HEAD").exists()
    assert "2 new" in run_cli(["sync"], path).out
    check(tmp_path)


def test_a_second_run_fetches_nothing(tmp_path: Path) -> None:
    repo = hub(tmp_path / "hub")
    path = clone(repo.path, tmp_path / "r")
    fetch(path)
    assert fetch(path) == Result(0, "5 checkpoint refs at origin: 5 up to date\n", "")
    repo.builder.commit(OWN, "Finalize\n", {"0/full.jsonl": "{}\n"})
    add(repo, 3)
    repo.build()
    ended = fetch(path)
    assert (ended.status, ended.out) == (0, "5 checkpoint refs at origin: 2 updated, 3 up to date\n")
    assert same(path, repo.path, OWN)


def test_the_outcome_as_json(tmp_path: Path) -> None:
    far = hub(tmp_path / "hub").path
    path = clone(far, tmp_path / "r")
    found = told(path, "origin")
    assert found["version"] == 1
    assert (found["remote"], found["address"], found["checkpointRemote"]) == ("origin", "origin", None)
    assert (found["dryRun"], found["named"], found["objects"], found["configured"]) == (False, None, 0, [])
    assert {one["ref"] for one in found["refs"]} == {COPY, OWN, V11, *V2}
    first = {one["ref"]: one for one in found["refs"]}[OWN]
    assert first == {"ref": OWN, "status": "new", "old": None, "new": refs(far)[OWN], "reason": None}
    assert {one["status"] for one in told(path)["refs"]} == {"current"}
    page = (PROJECT / "docs" / "json.md").read_text("utf-8")
    section = page.partition("## git asr fetch")[2].partition("\n## ")[0]
    documented = set(re.findall(r"`(\w+)`", section))
    assert {*found, *first} - {"version"} <= documented


def test_a_dry_run_changes_nothing(tmp_path: Path) -> None:
    repo = hub(tmp_path / "hub")
    path = clone(repo.path, tmp_path / "r")
    before, objects = refs(path), git(path, "count-objects", "-v")
    ended = fetch(path, "--dry-run", "--configure")
    assert (ended.status, ended.err) == (0, "")
    assert ended.out.startswith(
        "5 checkpoint refs at origin: 5 new (dry run)\nwould be added to remote.origin.fetch: +"
    )
    assert (refs(path), git(path, "count-objects", "-v")) == (before, objects)
    fetch(path)
    repo.builder.commit(OWN, "Finalize\n", {"0/full.jsonl": "{}\n"})
    repo.build()
    assert fetch(path, "--dry-run").out == "5 checkpoint refs at origin: 1 updated, 4 up to date (dry run)\n"


def test_only_what_the_commits_of_a_range_name(tmp_path: Path) -> None:
    repo = hub(tmp_path / "hub")
    others = [f"{number:012x}" for number in range(1, 40)]
    for one in others:
        repo.builder.commit(own_ref(one), f"Checkpoint: {one}\n", {"metadata.json": "{}\n"})
    repo.commit(others[6], others[7], "ffffffffffff", message="two that are there")
    repo.build()
    path = clone(repo.path, tmp_path / "r")
    found = told(path, "origin", "HEAD~1..HEAD")
    assert sorted(found["named"]) == [others[6], others[7], "ffffffffffff"]
    assert stores(path).keys() == {COPY, V11, *V2, own_ref(others[6]), own_ref(others[7])}
    assert fetch(path, "origin", "HEAD~2..HEAD").out == "7 checkpoint refs at origin: 1 new, 6 up to date\n"
    assert OWN in stores(path)


def test_a_range_that_names_no_checkpoint_asks_no_remote(tmp_path: Path) -> None:
    path = clone(hub(tmp_path / "hub").path, tmp_path / "r")
    git(path, "commit", "-q", "--allow-empty", "-m", "by hand")
    git(path, "remote", "set-url", "origin", str(tmp_path / "gone"))
    said = Result(0, "these commits name no checkpoints: nothing to fetch\n", "")
    assert fetch(path, "origin", "HEAD~1..HEAD") == said
    ended = fetch(path, "origin", "no-such..HEAD")
    assert (ended.status, ended.out) == (2, "")
    assert ended.err.startswith("error: unknown revision 'no-such..HEAD'\n")


def test_thousands_of_refs(tmp_path: Path) -> None:
    repo = repository(tmp_path / "hub", 1, bare=True)
    every = [f"{number:012x}" for number in range(5000)]
    far = repo.build()
    commit = refs(far)[BRANCH]
    created = "".join(f"create {own_ref(one)} {commit}\n" for one in every)
    git(far, "update-ref", "--stdin", stdin=created.encode())
    git(far, "pack-refs", "--all")
    path = clone(far, tmp_path / "r")
    message = "squashed\n\n" + "".join(f"Entire-Checkpoint: {one}\n" for one in every[1000:3000])
    git(path, "commit", "-q", "--allow-empty", "-F", "-", stdin=message.encode())
    assert fetch(path, "origin", "HEAD~1..HEAD").out == "2,001 checkpoint refs at origin: 2,001 new\n"
    assert fetch(path).out == "5,001 checkpoint refs at origin: 3,000 new, 2,001 up to date\n"
    assert same(path, far, *map(own_ref, every))
    ended = fetch(path)
    assert ended == Result(0, "5,001 checkpoint refs at origin: 5,001 up to date\n", "")


def test_a_ref_that_went_another_way_is_never_forced(tmp_path: Path) -> None:
    repo = hub(tmp_path / "hub")
    path = clone(repo.path, tmp_path / "r")
    fetch(path)
    own = git(path, "commit-tree", "-m", "only here", "HEAD^{tree}")
    for number in range(7):
        repo.builder.commit(own_ref(f"{number:012x}"), "theirs\n", {"metadata.json": "{}\n"})
        git(path, "update-ref", own_ref(f"{number:012x}"), own)
    git(path, "update-ref", OWN, own)
    git(path, "update-ref", COPY, own)
    repo.builder.commit(own_ref("abcdefabcdef"), "theirs\n", {"metadata.json": "{}\n"})
    repo.build()
    ended = fetch(path)
    assert (ended.status, ended.out) == (
        1,
        "13 checkpoint refs at origin: 1 new, 1 updated, 3 up to date, 8 rejected\n",
    )
    lines = ended.err.splitlines()
    assert lines[0] == f"warning: {own_ref('0' * 12)} stays where it is: non-fast-forward"
    assert lines[5] == "warning: and 3 more: git asr fetch --checkpoints --json lists them"
    assert f"git fetch origin +{own_ref('0' * 12)}:{own_ref('0' * 12)}" in lines[6]
    assert [refs(path)[name] for name in (OWN, own_ref("0" * 12))] == [own, own]
    assert refs(path)[COPY] == refs(repo.path)[BRANCH]  # a copy of the remote's branch is the remote's
    assert same(path, repo.path, own_ref("abcdefabcdef"))
    rejected = json.loads(fetch(path, "--json").out)["refs"]
    assert {one["reason"] for one in rejected if one["status"] == "rejected"} == {"non-fast-forward"}
    git(path, *lines[6].partition(" git ")[2].split())  # the hint is to be pasted
    assert same(path, repo.path, own_ref("0" * 12))


@pytest.mark.parametrize("key", ["fetch.prune", "fetch.pruneTags", "remote.origin.prune"])
def test_what_is_only_here_stays_whatever_is_configured(tmp_path: Path, key: str) -> None:
    far = hub(tmp_path / "hub").path
    path = clone(far, tmp_path / "r")
    git(path, "config", key, "true")
    git(path, "config", "remote.origin.tagOpt", "--tags")
    git(path, "config", "fetch.output", "compact")
    git(path, "config", "--add", "remote.origin.fetch", "+refs/heads/main:refs/heads/spare")
    git(far, "tag", "a-tag", "main")
    own = git(path, "commit-tree", "-m", "not pushed", "HEAD^{tree}")
    for name in ("refs/heads/entire/checkpoints/v1", own_ref("abcdefabcdef"), "refs/tags/mine"):
        git(path, "update-ref", name, own)
    assert fetch(path).status == 0
    assert refs(path)["refs/heads/entire/checkpoints/v1"] == own
    assert refs(path)[own_ref("abcdefabcdef")] == own
    assert {name for name in refs(path) if "tags" in name or "spare" in name} == {"refs/tags/mine"}


def test_configure_lets_plain_git_fetch_them_and_takes_nothing(tmp_path: Path) -> None:
    far = hub(tmp_path / "hub").path
    path = clone(far, tmp_path / "r")
    before = set(configuration(path).splitlines())
    ended = fetch(path, "--configure")
    assert ended.status == 0
    copies = "refs/entire/remotes/origin/checkpoints/"
    added = {
        f"remote.origin.fetch=+{BRANCH}*:{COPY}*",
        "remote.origin.fetch=+refs/heads/entire/sessions*:refs/remotes/origin/entire/sessions*",
        f"remote.origin.fetch=+refs/entire/checkpoints/*:{copies}*",
    }
    assert set(configuration(path).splitlines()) - before == added
    assert ended.out.count("added to remote.origin.fetch: +refs/") == 3
    assert stores(path).keys() == {
        COPY,
        *(f"{copies}{one}" for one in (f"8M/{ULID}", "v1.1", "v2/main", "v2/full/current")),
    }
    here = refs(path)
    own = git(path, "commit-tree", "-m", "not pushed", "HEAD^{tree}")
    git(path, "update-ref", OWN, own)
    git(path, "fetch", "-q", "--prune")
    assert refs(path) == {**here, OWN: own}
    again = fetch(path, "--configure")
    assert again == Result(0, "5 checkpoint refs at origin: 5 up to date\n", "")
    git(path, "commit", "-q", "--allow-empty", "-m", "pushed as ever")
    git(path, "push", "-q", "origin", "HEAD:refs/heads/other")
    assert refs(far).keys() - refs(path).keys() >= {"refs/heads/other"}
    assert not any("entire/remotes" in name for name in refs(far))


def test_only_remotes_are_configured(tmp_path: Path) -> None:
    far = hub(tmp_path / "hub").path
    path = repository(tmp_path / "r", 0).path
    git(path, "init", "-q")
    ended = fetch(path, "--configure", str(far))
    assert (ended.status, ended.out) == (2, "")
    assert f"hint: git remote add checkpoints {far}\n" in ended.err
    git(path, "remote", "add", "checkpoints", str(far))
    assert fetch(path, "--configure", "checkpoints").status == 0


def test_the_branches_of_an_address_without_a_name_are_found_by_sync(tmp_path: Path) -> None:
    far = hub(tmp_path / "the hub.git").path
    path = clone(far, tmp_path / "r")
    git(path, "remote", "remove", "origin")
    (tmp_path / "r" / "below").mkdir()
    for address in ("../the hub.git", far.as_uri(), str(far)):
        assert fetch(path, address).status == 0
    assert run_cli(["-C", "below", "fetch", "--checkpoints", "../../the hub.git"], path).out.endswith(
        "up to date\n"
    )
    places = [name for name in stores(path) if name.endswith("entire/checkpoints/v1")]
    assert len(places) == 2  # the path, and its URL
    assert all(
        re.fullmatch(r"refs/remotes/the-(20)?hub-[0-9a-f]{8}/entire/checkpoints/v1", name) for name in places
    )
    assert "2 new" in run_cli(["sync"], path).out
    assert "remote." not in configuration(path)


def test_an_address_that_a_remote_has_is_that_remote(tmp_path: Path) -> None:
    far = hub(tmp_path / "hub").path
    path = clone(far, tmp_path / "r")
    assert told(path, far.as_uri())["remote"] == "origin"
    assert COPY in stores(path)


def test_old_layouts(tmp_path: Path) -> None:
    repo = repository(tmp_path / "hub", 0, bare=True)
    repo.commit()
    repo.builder.commit("refs/heads/entire/sessions", "flat\n", {"a": "b"})
    path = clone(repo.build(), tmp_path / "r")
    fetch(path)
    assert stores(path).keys() == {"refs/remotes/origin/entire/sessions"}
    git(repo.path, "branch", "-m", "entire/sessions", "entire/away")
    git(repo.path, "branch", "-m", "entire/away", "entire/sessions/v1")
    ended = fetch(path)  # the old copy is in the way
    assert ended.status == 1
    assert "refs/remotes/origin/entire/sessions/v1 stays where it is: unable to update local ref" in ended.err
    git(path, "remote", "prune", "origin")
    git(path, "update-ref", "-d", "refs/remotes/origin/entire/sessions")
    assert fetch(path).status == 0
    assert stores(path).keys() == {"refs/remotes/origin/entire/sessions/v1"}


def test_a_mirror_keeps_its_own_order(tmp_path: Path) -> None:
    repo = hub(tmp_path / "hub")
    path = tmp_path / "m.git"
    git(tmp_path, "clone", "-q", "--mirror", str(repo.path), str(path))
    before = refs(path)
    assert fetch(path).out == "5 checkpoint refs at origin: 5 up to date\n"
    assert refs(path) == before
    repo.builder.commit(OWN, "Finalize\n", {"0/full.jsonl": "{}\n"})
    repo.build()
    assert fetch(path, "--configure").out == "5 checkpoint refs at origin: 1 updated, 4 up to date\n"
    assert refs(path) == refs(repo.path)


def test_bare_worktree_and_shallow(tmp_path: Path) -> None:
    far = hub(tmp_path / "hub").path
    bare = tmp_path / "bare.git"
    git(tmp_path, "clone", "-q", "--bare", "--single-branch", str(far), str(bare))
    assert fetch(bare).out == "5 checkpoint refs at origin: 5 new\n"
    path = clone(far, tmp_path / "r")
    git(path, "worktree", "add", "-q", "--detach", "../w")
    git(path, "config", "remote.origin.url", "../hub")
    assert fetch(tmp_path / "w").out == "5 checkpoint refs at origin: 5 new\n"
    assert stores(path) == stores(tmp_path / "w")
    assert run_cli(["-C", ".git", "fetch", "--checkpoints"], path).status == 0
    shallow = clone(far, tmp_path / "s", "--depth=1")
    assert fetch(shallow).out == "5 checkpoint refs at origin: 5 new\n"
    assert git(shallow, "rev-list", "--count", "HEAD") == "1"
    check(tmp_path)


@pytest.mark.parametrize("filtered", ["blob:none", "tree:0"])
def test_a_partial_clone_gets_the_files_too_all_at_once(tmp_path: Path, filtered: str) -> None:
    far = hub(tmp_path / "hub").path
    git(far, "config", "uploadpack.allowFilter", "true")
    git(far, "config", "uploadpack.allowAnySHA1InWant", "true")
    path = tmp_path / "r"
    git(tmp_path, "clone", "-q", f"--filter={filtered}", far.as_uri(), str(path))
    assert COPY in stores(path)  # an ordinary clone has the branch, and none of its files
    ended = fetch(path)
    assert ended.status == 0
    assert re.fullmatch(
        r"5 checkpoint refs at origin: 4 new, 1 up to date, [0-9]+ objects that the clone had left out\n",
        ended.out,
    )
    absent = git(path, "rev-list", "--objects", "--missing=print", f"{COPY}^{{tree}}", f"{OWN}^{{tree}}")
    assert "?" not in absent
    assert "2 new" in run_cli(["sync"], path).out
    assert fetch(path).out == "5 checkpoint refs at origin: 5 up to date\n"


def test_a_remote_that_gives_less_than_it_says(tmp_path: Path) -> None:
    repo = hub(tmp_path / "hub")
    git(repo.path, "config", "uploadpack.allowFilter", "true")
    path = tmp_path / "r"
    git(tmp_path, "clone", "-q", "--filter=blob:none", repo.path.as_uri(), str(path))
    git(path, "config", "protocol.version", "0")  # where a server gives only what its refs name
    ended = fetch(path)
    assert (ended.status, ended.out) == (1, "")
    assert ended.err.startswith("error: cannot fetch from origin: ")
    assert len(ended.err.splitlines()) == 2


def test_a_remote_without_checkpoints(tmp_path: Path) -> None:
    empty = repository(tmp_path / "fork", 0, bare=True)
    empty.commit("0123456789ab")
    path = clone(empty.build(), tmp_path / "r")
    none = "0 checkpoint refs at origin\n"
    assert fetch(path) == Result(0, none, "warning: origin has no checkpoints\n")
    git(path, "remote", "add", "upstream", str(hub(tmp_path / "hub").path))
    ended = fetch(path, "origin", "HEAD")
    assert (ended.status, ended.out) == (0, none)
    assert ended.err == (
        "warning: origin has no checkpoints of these commits\n"
        "hint: another remote may have them: git asr fetch --checkpoints upstream\n"
    )
    assert fetch(path, "upstream").status == 0


def test_which_remote(tmp_path: Path) -> None:
    far = hub(tmp_path / "hub").path
    path = clone(far, tmp_path / "r")
    git(path, "remote", "rename", "origin", "only")
    assert told(path)["remote"] == "only"
    git(path, "remote", "add", "second", str(far))
    ended = fetch(path)
    assert (ended.status, ended.out) == (1, "")
    assert ended.err == (
        "error: there are several remotes, and none is called origin\n"
        "hint: name the one that has the checkpoints: git asr fetch --checkpoints only\n"
    )
    assert told(path, "second")["remote"] == "second"
    for name in ("only", "second"):
        git(path, "remote", "remove", name)
    ended = fetch(path)
    assert (ended.status, ended.out) == (1, "")
    assert ended.err == (
        "error: this repository has no remote\nhint: name a URL or a path: git asr fetch --checkpoints URL\n"
    )


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["main"], "error: 'main' is no remote: the remote comes before the commits\n"
                   "hint: git asr fetch --checkpoints origin main\n"),
        (["nowhere"], "error: there is no remote 'nowhere'\nhint: list them: git remote -v\n"),
        (["--", "--upload-pack=touch x"], "error: '--upload-pack=touch x' is no remote\n"),
        (["a\nb"], "error: 'a^Jb' is no remote\n"),
        (["ex\x1b[31m"], "error: there is no remote 'ex^[[31m'\nhint: list them: git remote -v\n"),
    ],
)  # fmt: skip
def test_wrong_usage(tmp_path: Path, args: list[str], said: str) -> None:
    path = clone(hub(tmp_path / "hub").path, tmp_path / "r")
    assert fetch(path, *args) == Result(2, "", said)
    assert stores(path) == {}


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["origin", "main"], "a range of commits is for checkpoints\nhint: git asr fetch --checkpoints …"),
        (["--configure"], "--configure is for checkpoints\nhint: git asr fetch --checkpoints …"),
        (
            ["--checkpoints", "--no-filter"],
            "--no-filter is for sessions: --checkpoints brings what a clone leaves out anyway",
        ),
    ],
)
def test_what_is_for_checkpoints_alone(tmp_path: Path, args: list[str], said: str) -> None:
    assert run_cli(["fetch", *args], tmp_path) == Result(2, "", f"error: {said}\n")


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("/no/such place", "'/no/such place' does not appear to be a git repository"),
        ("ext::sh -c 'touch pwned'", "transport 'ext' not allowed"),
        ("https://me:secret@localhost:1/x.git", "unable to access 'https://"),
        ("ssh://-oProxyCommand=touch/x", "strange hostname '-oProxyCommand=touch' blocked"),
    ],
)
@pytest.mark.parametrize("how", [[], ["--dry-run"]])
def test_a_remote_that_cannot_be_read(tmp_path: Path, address: str, reason: str, how: list[str]) -> None:
    path = clone(hub(tmp_path / "hub").path, tmp_path / "r")
    for ended in (fetch(path, *how, address), _renamed(path, address, *how)):
        assert (ended.status, ended.out) == (1, "")
        first, hint = ended.err.splitlines()
        assert first.startswith("error: cannot fetch from ")
        assert reason in first
        assert hint.startswith("hint: what Git itself says of it: git ls-remote ")
        assert "secret" not in ended.err
    assert stores(path) == {}
    assert not list(tmp_path.rglob("pwned"))


def _renamed(path: Path, address: str, *how: str) -> Result:
    git(path, "config", "remote.origin.url", address)
    return fetch(path, *how)


def test_what_the_user_forbids_to_git_is_forbidden(tmp_path: Path) -> None:
    far = hub(tmp_path / "hub").path
    path = clone(far, tmp_path / "r")
    git(path, "config", "protocol.file.allow", "never")
    assert "transport 'file' not allowed" in fetch(path).err
    git(path, "config", "--unset", "protocol.file.allow")
    assert "transport 'file' not allowed" in fetch(path, env={"GIT_ALLOW_PROTOCOL": "https"}).err
    ended = subprocess.run(  # `git -c … asr` reaches the Git that fetches
        [sys.executable, "-m", "git_asr", "fetch", "--checkpoints"],
        cwd=path,
        env={
            **os.environ,
            "PYTHONPATH": str(PROJECT),
            "GIT_CONFIG_PARAMETERS": "'protocol.file.allow'='never'",
        },
        capture_output=True,
        check=False,
    )
    assert b"transport 'file' not allowed" in ended.stderr
    assert stores(path) == {}


SETTINGS = {"strategy_options": {"checkpoint_remote": {"provider": "github", "repo": "org/checkpoints"}}}


def test_the_repository_that_the_settings_name(tmp_path: Path) -> None:
    far = hub(tmp_path / "org" / "checkpoints.git").path
    code = repository(tmp_path / "code", 0, bare=True)
    code.builder.commit("refs/heads/main", "begin\n", {".entire/settings.json": json.dumps(SETTINGS)})
    code.commit("000000000001", "000000000002")
    path = clone(code.build(), tmp_path / "r")
    git(path, "config", f"url.{tmp_path}/.insteadOf", "https://github.com/")  # GitHub is here today
    hint = "hint: checkpoints are kept at github:org/checkpoints: git asr fetch --checkpoints"
    assert hint in run_cli(["sync"], path).err.splitlines()
    found = told(path)
    assert (found["remote"], found["address"]) == (None, "https://github.com/org/checkpoints.git")
    assert found["checkpointRemote"] == "github:org/checkpoints"
    assert sum(name.startswith("refs/remotes/checkpoints-") for name in stores(path)) == 1
    ended = run_cli(["sync"], path)
    assert (ended.status, ended.out) == (0, "2 sessions (2 new), 2 links to commits\n")
    assert far.name == "checkpoints.git"
    ended = fetch(path, "--configure")
    assert ended.status == 2
    git(path, "remote", "add", "kept", "git@github.com:org/checkpoints.git")
    git(path, "config", "--add", f"url.{tmp_path}/.insteadOf", "git@github.com:")
    assert told(path)["remote"] == "kept"
    bare = tmp_path / "bare.git"
    git(tmp_path, "clone", "-q", "--bare", str(code.path), str(bare))
    git(bare, "config", f"url.{tmp_path}/.insteadOf", "https://github.com/")
    assert told(bare)["checkpointRemote"] == "github:org/checkpoints"


@needs_corpus
def test_a_sample_whose_checkpoints_are_elsewhere(tmp_path: Path) -> None:
    path = sample("remote-elsewhere", tmp_path)
    ended = run_cli(["sync"], path)
    assert re.search(
        r"^hint: checkpoints are kept at github:\S+/\S+: git asr fetch --checkpoints$", ended.err, re.M
    )
    assert "0 sessions" in ended.out


def test_settings_that_cannot_be_meant_are_said_and_origin_is_asked(tmp_path: Path) -> None:
    path = clone(hub(tmp_path / "hub").path, tmp_path / "r")
    (path / ".entire").mkdir()
    lies = {
        "strategy_options": {
            "checkpoint_remote": {"provider": "github", "repo": "--upload-pack=touch pwned;/x"}
        }
    }
    (path / ".entire" / "settings.json").write_text(json.dumps(lies))
    ended = fetch(path)
    assert (ended.status, ended.out) == (0, "5 checkpoint refs at origin: 5 new\n")
    assert ended.err.splitlines()[0] == (
        "warning: .entire/settings.json: checkpoint_remote has no repo of the form owner/name"
    )
    assert not list(tmp_path.rglob("pwned*"))


def test_sync_says_what_may_bring_what_is_not_here(tmp_path: Path) -> None:
    repo = repository(tmp_path / "hub", 1, bare=True)
    repo.commit("ffffffffffff")
    path = clone(repo.build(), tmp_path / "r")
    hint = "hint: they may be at origin: git asr fetch --checkpoints origin\n"
    assert run_cli(["sync"], path).err.endswith(hint)
    assert fetch(path, "origin").status == 0
    ended = run_cli(["sync"], path)
    assert ended.err.endswith(hint)
    git(path, "remote", "remove", "origin")
    assert "hint: they" not in run_cli(["sync"], path).err


def test_progress_is_shown_on_a_terminal_only(tmp_path: Path) -> None:
    path = clone(hub(tmp_path / "hub").path, tmp_path / "r")
    status, shown = run_on_terminal(["fetch", "--checkpoints"], path)
    assert status == 0
    assert "remote: Enumerating objects: " in shown
    assert "new ref" not in shown
    assert "^[" not in shown
    assert shown.endswith("5 checkpoint refs at origin: 5 new\nhint: git asr sync\n")


def _remote_command(tmp_path: Path, path: Path, script: str) -> None:
    """Let the other side be a script."""
    program = tmp_path / "upload-pack"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    git(path, "config", "remote.origin.uploadpack", str(program))


def test_how_often_the_remote_is_asked(tmp_path: Path) -> None:
    far = hub(tmp_path / "hub").path
    git(far, "config", "uploadpack.allowFilter", "true")
    whole, partial = clone(far, tmp_path / "r"), clone(far, tmp_path / "p", "--filter=blob:none")
    for path, times in ((whole, [1, 1]), (partial, [2, 1])):
        asked = tmp_path / "asked"
        _remote_command(tmp_path, path, f"echo >>'{asked}'\nexec git-upload-pack \"$@\"")
        for expected in times:
            asked.write_text("")
            assert fetch(path).status == 0
            assert asked.read_text() == "\n" * expected


def test_what_the_other_side_says_is_passed_on_and_harmless(tmp_path: Path) -> None:
    path = clone(hub(tmp_path / "hub").path, tmp_path / "r")
    _remote_command(tmp_path, path, 'printf "hello \\033[31mred\\r\\n" >&2\nexec git-upload-pack "$@"')
    git(path, "config", "remote.origin.url", str(tmp_path / "hub"))
    ended = fetch(path)
    assert (ended.status, ended.err) == (0, "hello ^[[31mred\nhint: git asr sync\n")
    _remote_command(tmp_path, path, 'echo "ssh: connect to host example.org port 22: no route" >&2\nexit 255')
    ended = fetch(path)
    assert ended.status == 1
    assert ended.err.splitlines()[0] == (
        "error: cannot fetch from origin: ssh: connect to host example.org port 22: no route"
    )


def test_an_interrupt_stops_the_git_that_fetches(tmp_path: Path) -> None:
    path = clone(hub(tmp_path / "hub").path, tmp_path / "r")
    started = tmp_path / "started"
    _remote_command(tmp_path, path, f"touch '{started}'\nexec sleep 20")
    git(path, "config", "remote.origin.url", str(tmp_path / "hub"))
    child = subprocess.Popen(
        [sys.executable, "-m", "git_asr", "fetch", "--checkpoints"],
        cwd=path,
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    while not started.exists():
        assert child.poll() is None
        time.sleep(0.01)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=30)
    assert (child.returncode, out, err) == (130, b"", b"")
    assert fetch(path, (tmp_path / "hub").as_uri()).status == 0
