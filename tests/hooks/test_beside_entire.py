"""Beside Entire: the scenarios of reference git-integration, section 7.6, with a model of its installer."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.effort import STRIDE
from tests.support.entire_hooks import EntireHooks, Generation, Refused
from tests.support.hooked import (
    Files,
    commit,
    files,
    foreign,
    install,
    is_reached,
    killed,
    noted,
    repository,
    uninstall,
)
from tests.support.repo_builder import git

GENERATIONS = ("renames", "rotates")


class World:
    """A repository with Entire, and what its hooks have logged."""

    def __init__(self, path: Path, generation: Generation) -> None:
        self.path = repository(path)
        self.log = path.parent / "log"
        self.hooks = path / ".git" / "hooks"
        self.hooks.mkdir()
        self.entire = EntireHooks(self.hooks, self.log, generation)

    def ran(self, *arguments: str) -> list[str]:
        """Commit, and give what was logged: each line is one hook that ran."""
        self.log.write_bytes(b"")
        commit(self.path, "change\n\nEntire-Checkpoint: 5f0af6f2363f", {}, *arguments)
        return [line for line in self.log.read_text().splitlines() if "commit-msg" not in line]

    def once(self) -> None:
        """Entire's hook and ours run, each once."""
        noted(self.path)
        assert self.ran().count("entire post-commit") == 1
        assert len(noted(self.path)) == 1

    def files(self) -> Files:
        return files(self.hooks)


@pytest.fixture(params=GENERATIONS)
def world(request: pytest.FixtureRequest, tmp_path: Path) -> World:
    return World(tmp_path / "r", request.param)


def test_ours_first_then_entire(world: World) -> None:
    assert install(world.path).status == 0
    world.entire.enable()
    assert (world.hooks / "post-commit.pre-entire").exists()
    world.once()
    for _ in range(3):
        world.entire.session()
    world.once()
    assert install(world.path).out.count("is current") == 6
    world.entire.disable()
    assert not list(world.hooks.glob("*.pre-entire"))
    assert is_reached(world.path)
    assert uninstall(world.path).status == 0
    assert world.files() == {}


def test_entire_first(world: World) -> None:
    world.entire.enable()
    before = world.files()
    done = install(world.path)
    assert done.status == 0
    assert "written: .git/hooks/post-commit.pre-entire" in done.out
    if world.entire.generation == "renames":
        assert "(called by lines added to Entire's hook)" in done.out
        world.once()  # it looks only whether its files are there
    else:
        assert "(Entire's hook calls it from the next session on)" in done.out
    for _ in range(3):
        world.entire.session()
        world.once()
    assert install(world.path).out.count("is current") == 6
    assert uninstall(world.path).status == 0
    world.entire.session()
    world.entire.enable()
    assert world.files() == before


@pytest.mark.parametrize("sessions", [0, 2])
def test_entire_is_disabled_after_both_were_installed(world: World, sessions: int) -> None:
    world.entire.enable()
    assert install(world.path).status == 0
    for _ in range(sessions):
        world.entire.session()
    world.entire.disable()
    assert is_reached(world.path)
    assert uninstall(world.path).status == 0
    assert world.files() == {}


def test_uninstalled_while_entire_has_moved_our_file(world: World) -> None:
    mine = foreign(world.hooks / "post-commit", world.log)
    before = world.files()
    assert install(world.path).status == 0
    world.entire.enable()
    assert (world.hooks / "post-commit.pre-entire").exists()
    done = uninstall(world.path)
    assert (done.status, "restored: .git/hooks/post-commit.pre-entire" in done.out) == (0, True)
    assert world.ran() == ["entire post-commit", "post-commit.pre-entire:"]
    assert (world.hooks / "post-commit.pre-entire").read_bytes() == mine
    world.entire.disable()
    assert world.files() == before


def test_a_hook_that_entire_already_calls(world: World) -> None:
    """It was there before Entire: ours takes its place and calls it."""
    foreign(world.hooks / "post-commit", world.log)
    world.entire.enable()
    before = world.files()
    done = install(world.path)
    assert "post-commit.pre-entire (the hook that was there runs first, as post-commit.pre-asr)" in done.out
    noted(world.path)
    assert world.ran() == ["entire post-commit", "post-commit.pre-asr:"]
    assert len(noted(world.path)) == 1
    world.entire.session()
    assert world.ran() == ["entire post-commit", "post-commit.pre-asr:"]
    assert uninstall(world.path).status == 0
    world.entire.enable()
    assert world.files() == before


def test_a_hook_beside_entire_that_nobody_called(world: World) -> None:
    """The user put it there: it runs from now on, as it would have after Entire's next look."""
    world.entire.enable()
    foreign(world.hooks / "post-commit.pre-entire", world.log)
    before = world.files()
    assert install(world.path).status == 0
    world.entire.session()
    assert world.ran() == ["entire post-commit", "post-commit.pre-asr:"]
    assert uninstall(world.path).status == 0
    if world.entire.generation == "renames":
        assert world.files() == before
    world.entire.enable()
    assert world.ran() == ["entire post-commit", "post-commit.pre-entire:"]


@pytest.mark.parametrize("sessions", [0, 1])
def test_pairs_of_a_rewrite_reach_both(world: World, sessions: int) -> None:
    world.entire.enable()
    assert install(world.path).status == 0
    for _ in range(sessions):
        world.entire.session()
    old = commit(world.path)
    noted(world.path)
    logged = world.ran("--amend")
    pair = f"{old} {git(world.path, 'rev-parse', 'HEAD')}"
    assert pair in logged
    if world.entire.generation == "renames" or sessions:
        name = next(name for name in noted(world.path) if name.startswith("rw-"))
        assert name
    assert logged.count("entire post-rewrite") == 1


@pytest.mark.parametrize("entire", [0, 3])
@pytest.mark.parametrize("called", [0, 5])
def test_lines_in_entires_hook_keep_its_status(tmp_path: Path, entire: int, called: int) -> None:
    """A push that Entire's hook forbids stays forbidden, and so does one that the called hook forbids."""
    world = World(tmp_path / "r", "renames")
    world.entire.enable()
    before = world.hooks / "pre-push"
    before.write_text(before.read_text() + f"(exit {entire})\n")
    foreign(world.hooks / "pre-push.pre-entire", world.log, status=called)
    assert install(world.path).status == 0
    assert "git-asr block" in before.read_text()
    git(world.path, "init", "-q", "--bare", str(tmp_path / "there"))
    git(world.path, "remote", "add", "origin", str(tmp_path / "there"))
    git(world.path, "push", "-q", "origin", "main", check=not (entire or called))
    arrived = git(tmp_path / "there", "for-each-ref")
    assert bool(arrived) is not bool(entire or called)


def test_a_later_entire_refuses_lines_of_others(tmp_path: Path) -> None:
    """So it gets none."""
    world = World(tmp_path / "r", "rotates")
    world.entire.enable()
    path = world.hooks / "post-commit"
    path.write_text(path.read_text() + "echo more\n")
    with pytest.raises(Refused):
        world.entire.session()


def test_entire_overwrites_ours_where_it_has_a_backup(tmp_path: Path) -> None:
    """What version 0.8 does to any file: ours is written again, and nothing of others is lost for good."""
    world = World(tmp_path / "r", "renames")
    foreign(world.hooks / "post-commit", world.log)
    world.entire.enable()
    (world.hooks / "post-commit").unlink()
    assert install(world.path).status == 0
    assert is_reached(world.path)
    world.entire.session()
    assert not is_reached(world.path)
    assert install(world.path).status == 0
    assert is_reached(world.path)
    assert world.ran() == ["entire post-commit", "post-commit.pre-asr:"]


def test_entire_keeps_older_copies(tmp_path: Path) -> None:
    """A later Entire keeps every foreign file, ours among them; all of them go."""
    world = World(tmp_path / "r", "rotates")
    assert install(world.path).status == 0
    world.entire.enable()
    mine = foreign(world.hooks / "post-commit", world.log)
    world.entire.session()
    assert list(world.hooks.glob("post-commit.pre-entire.*"))
    assert uninstall(world.path).status == 0
    left = [name for name, (_, data) in world.files().items() if b"hooks.md of git-asr" in data]
    assert left == []
    assert (world.hooks / "post-commit.pre-entire").read_bytes() == mine


def test_a_changed_block_is_left(tmp_path: Path) -> None:
    world = World(tmp_path / "r", "renames")
    world.entire.enable()
    assert install(world.path).status == 0
    path = world.hooks / "post-commit"
    path.write_text(path.read_text().replace("asr_status=$?", "asr_status=7"))
    done = uninstall(world.path)
    assert done.status == 1
    assert "post-commit is left: the lines of git-asr in it were changed" in done.err
    assert "asr_status=7" in path.read_text()
    assert not (world.hooks / "post-commit.pre-entire").exists()


def test_no_lines_are_added_to_a_file_of_which_only_the_beginning_was_read(tmp_path: Path) -> None:
    world = World(tmp_path / "r", "renames")
    world.entire.enable()
    path = world.hooks / "post-commit"
    path.write_text(path.read_text() + "#" * (1 << 20))
    before = path.read_bytes()
    assert install(world.path).status == 0
    assert path.read_bytes() == before


def test_what_stands_beside_entire_is_no_hook(tmp_path: Path) -> None:
    world = World(tmp_path / "r", "renames")
    world.entire.enable()
    (world.hooks / "post-commit.pre-entire").mkdir()
    (world.hooks / "post-rewrite.pre-entire").symlink_to("post-commit")
    done = install(world.path)
    assert done.status == 1
    assert "post-commit.pre-entire is no file" in done.err
    assert "post-rewrite.pre-entire is a symbolic link" in done.err
    assert done.out.count("written") == 4
    assert uninstall(world.path).status == 0


def test_the_kept_hook_comes_back_beside_entire(tmp_path: Path) -> None:
    """Ours is gone; where Entire looks is the place of what was there before it."""
    world = World(tmp_path / "r", "renames")
    mine = foreign(world.hooks / "post-commit", world.log)
    world.entire.enable()
    assert install(world.path).status == 0
    (world.hooks / "post-commit.pre-entire").unlink()
    assert uninstall(world.path).status == 0
    assert (world.hooks / "post-commit.pre-entire").read_bytes() == mine


@pytest.mark.parametrize("generation", GENERATIONS)
def test_killed_at_any_write(tmp_path: Path, generation: Generation) -> None:
    """Entire's hooks and the user's own run with the next commit, each once, and all can be taken back."""
    number, was_killed = 0, True
    while was_killed:
        (tmp_path / str(number)).mkdir()
        world = World(tmp_path / str(number) / "r", generation)
        foreign(world.hooks / "post-commit", world.log)
        world.entire.enable()
        foreign(world.hooks / "post-checkout", world.log)
        before = world.files()
        was_killed = killed(world.path, number, "install", "--hook", "post-commit", "--hook", "post-checkout")
        ran = [line.partition(":")[0].removesuffix(".pre-asr") for line in world.ran()]
        assert ran in (
            ["entire post-commit", "post-commit.pre-entire"],
            ["entire post-commit", "post-commit"],
        )
        assert uninstall(world.path).status == 0
        assert world.files() == before
        number += STRIDE
    assert number > 15
