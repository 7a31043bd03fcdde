"""The audience rule as a table: where sessions may go, by which command, and what is said."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from git_asr.cli.main import main
from git_asr.git.repository import open_repository
from git_asr.sharing import audience, target
from tests.e2e.sample_repos import SESSIONS, checkpoint, refs
from tests.sharing.sides import Told, clone, hub
from tests.support.entire_repo import own_ref
from tests.support.repo_builder import git
from tests.support.run import PROJECT, Result, run_cli

PUBLIC = "https://github.com/team/public.git"
PRIVATE = "github:team/private"


@dataclass(frozen=True, slots=True)
class World:
    """Two clones: ``plain`` of a hub with checkpoints; ``private`` with a public origin and a checkpoint_remote."""

    path: Path
    plain: Path
    private: Path


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    path = tmp_path_factory.mktemp("world")
    far = path / "hosts" / "team" / "private.git"
    far.parent.mkdir(parents=True)
    hub(far, 1)
    public = path / "hosts" / "team" / "public.git"
    git(path, "clone", "-q", "--bare", str(far), str(public))
    git(path, "init", "-q", "--bare", str(path / "usb"))
    old = path / "hosts" / "team" / "old.git"
    git(path, "clone", "-q", "--mirror", str(far), str(old))
    sides = []
    for name in ("plain", "private"):
        one = clone(far, path / name, 1)
        git(one, "config", f"url.file://{path}/hosts/.insteadOf", "https://github.com/")
        git(one, "config", "--add", f"url.file://{path}/hosts/.insteadOf", "git@github.com:")
        git(one, "remote", "add", "old", "https://github.com/team/old.git")
        sides.append(one)
    plain, private = sides
    git(plain, "remote", "set-url", "origin", "https://github.com/team/private.git")
    git(private, "remote", "set-url", "origin", PUBLIC)
    settings = {"strategy_options": {"checkpoint_remote": {"provider": "github", "repo": "team/private"}}}
    (private / ".entire").mkdir()
    (private / ".entire" / "settings.json").write_text(json.dumps(settings))
    return World(path, plain, private)


COMMANDS = {
    "push": ["push", "--dry-run"],
    "push --as-is": ["push", "--dry-run", "--as-is"],
    "push --policy": ["push", "--dry-run", "--policy", "default"],
    "sync --remote": ["sync"],
}
SAME = {"push": True, "push --as-is": True, "push --policy": True, "sync --remote": True}
WIDER = {"push": False, "push --as-is": True, "push --policy": True, "sync --remote": False}

TABLE = [
    # clone, remote ("" for the default), who can read there, and why
    ("plain", "", SAME, "origin is where the checkpoints go"),
    ("plain", "origin", SAME, "origin is where the checkpoints go"),
    ("plain", "git@github.com:team/private.git", SAME, "is where the checkpoints go"),
    ("plain", "old", SAME, "old holds checkpoints itself"),
    ("plain", PUBLIC, WIDER, "holds no checkpoints: they go to origin"),
    ("plain", "PATH", WIDER, "holds no checkpoints: they go to origin"),
    ("private", "", SAME, f"is the checkpoint_remote, {PRIVATE}"),
    ("private", "https://github.com/team/private", SAME, f"is the checkpoint_remote, {PRIVATE}"),
    ("private", "old", SAME, "old holds checkpoints itself"),
    ("private", "origin", WIDER, f"origin holds no checkpoints: they go to {PRIVATE}"),
    ("private", "PATH", WIDER, f"holds no checkpoints: they go to {PRIVATE}"),
]


def run(capsys: pytest.CaptureFixture[str], path: Path, args: list[str]) -> Result:
    """A command in this process: there are many rows."""
    status = main(["-C", str(path), *args])
    said = capsys.readouterr()
    return Result(status, said.out, said.err)


@pytest.mark.parametrize(
    ("clone_", "remote", "allowed", "why"), TABLE, ids=[f"{row[0]}-{row[1]}" for row in TABLE]
)
def test_who_may_read(
    world: World,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    clone_: str,
    remote: str,
    allowed: dict[str, bool],
    why: str,
) -> None:
    monkeypatch.chdir(world.path)
    path = world.plain if clone_ == "plain" else world.private
    named = str(world.path / "usb") if remote == "PATH" else remote
    hosts = world.path / "hosts" / "team"
    others = (world.path / "usb", hosts / "public.git")
    before = {one: refs(one) for one in others}
    for command, begin in COMMANDS.items():
        if command == "sync --remote":
            args = [*begin, f"--remote={named}" if named else "--remote"]
        else:
            args = [*begin, *([named] if named else [])]
        ended = run(capsys, path, args)
        if allowed[command]:
            assert ended.status == 0, (command, ended.err)
            assert why in ended.out
        else:
            assert ended.status == 1, command
            assert "error: more people may read there than read the checkpoints: " in ended.err
            assert why in ended.err
    assert {one: refs(one) for one in others} == before
    for far in (hosts / "private.git", hosts / "old.git"):
        git(far, "update-ref", "-d", SESSIONS)


def test_the_page_has_the_table() -> None:
    page = (PROJECT / "docs" / "sharing.md").read_text("utf-8")
    rows = re.findall(r"^\| (.+?) \| (yes|no) \| (yes|no) \| (yes|no) \| (yes|no) \|$", page, re.MULTILINE)
    said = [tuple(one == "yes" for one in row[1:]) for row in rows]
    assert said == [tuple(SAME.values())] * 2 + [tuple(WIDER.values())] * 2


def test_where_nobody_can_tell(tmp_path: Path) -> None:
    far = hub(tmp_path / "hub", 1).path
    a = clone(far, tmp_path / "a", 1)
    git(a, "remote", "rename", "origin", "one")
    git(tmp_path, "init", "-q", "--bare", str(tmp_path / "two"))
    git(a, "remote", "add", "two", str(tmp_path / "two"))
    repo = open_repository(a)
    said = audience.of(repo, target.named(repo, "two"), Told())
    assert (said.kind, said.checkpoints) == ("wider", None)
    assert said.reason == "two holds no checkpoints, and nobody can tell where they go"
    assert audience.of(repo, target.named(repo, "one"), Told()).kind == "same"
    ended = run_cli(["push", "--as-is", "two"], a)
    assert ended.status == 0
    assert "is left out: its checkpoint" in ended.err
    assert refs(tmp_path / "two") == {}
    ended = run_cli(["push"], a)
    assert (ended.status, ended.out) == (1, "")
    assert "several remotes" in ended.err


def test_the_remote_that_carries_checkpoints_is_known(tmp_path: Path) -> None:
    far = hub(tmp_path / "hub", 1).path
    a = clone(far, tmp_path / "a", 1)
    git(a, "remote", "rename", "origin", "team")
    git(tmp_path, "init", "-q", "--bare", str(tmp_path / "public"))
    git(a, "remote", "add", "origin", str(tmp_path / "public"))
    git(a, "fetch", "-q", "team", "+refs/entire/checkpoints/*:refs/entire/remotes/team/checkpoints/*")
    assert target.default(open_repository(a), Told()).address == "team"
    assert refs(a)[
        f"refs/entire/remotes/team/checkpoints/{own_ref(checkpoint(1)).partition('checkpoints/')[2]}"
    ]
    assert run_cli(["push"], a).status == 0
    assert SESSIONS in refs(far)
    assert refs(tmp_path / "public") == {}
