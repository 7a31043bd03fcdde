"""Where hooks are installed: what Git says in every worktree, and what is refused."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from git_asr.hooks.script import render
from tests.e2e.namespaces import needs_mounts, run_read_only
from tests.support.hooked import (
    HOOKS,
    commit,
    files,
    foreign,
    install,
    is_reached,
    noted,
    repository,
    uninstall,
)
from tests.support.repo_builder import git


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return repository(tmp_path / "r")


def test_all_worktrees_share_the_folder(repo: Path, tmp_path: Path) -> None:
    git(repo, "worktree", "add", "-q", "../other")
    done = install(tmp_path / "other")
    assert (done.status, done.out.splitlines()[0]) == (
        0,
        f"post-commit: written: {repo}/.git/hooks/post-commit",
    )
    assert "worktree" not in done.err
    assert is_reached(repo)
    assert is_reached(tmp_path / "other")


def test_a_relative_path_counts_from_each_worktree(repo: Path, tmp_path: Path) -> None:
    """A folder for each; files that Git does not track stay out of its sight."""
    git(repo, "config", "core.hooksPath", ".githooks")
    git(repo, "worktree", "add", "-q", "../other")
    done = install(repo)
    assert done.status == 0
    assert "hint: 1 worktree looks for hooks elsewhere: git asr install --worktrees\n" in done.err
    assert is_reached(repo)
    assert not is_reached(tmp_path / "other")
    assert install(repo, "--worktrees").status == 0
    assert is_reached(tmp_path / "other")
    assert git(repo, "status", "--porcelain") == git(tmp_path / "other", "status", "--porcelain") == ""
    assert uninstall(tmp_path / "other").status == 0
    assert not (repo / ".githooks").exists()
    assert not (tmp_path / "other" / ".githooks").exists()
    assert not (repo / ".git" / "info").exists()


def test_a_worktree_with_a_path_of_its_own(repo: Path, tmp_path: Path) -> None:
    git(repo, "config", "extensions.worktreeConfig", "true")
    git(repo, "worktree", "add", "-q", "../other")
    git(tmp_path / "other", "config", "--worktree", "core.hooksPath", str(repo / ".git" / "elsewhere"))
    assert install(repo).status == 0
    assert is_reached(repo)
    assert not is_reached(tmp_path / "other")
    assert install(tmp_path / "other").status == 0
    assert is_reached(tmp_path / "other")
    assert uninstall(repo).status == 0
    assert not (repo / ".git" / "elsewhere").exists()


def test_tracked_hooks(repo: Path, tmp_path: Path) -> None:
    """A hook of the project is left, and called by a line; others go beside it, unseen by Git."""
    log = tmp_path / "log"
    folder = repo / "tools" / "git hooks [1]"
    mine = foreign(folder / "post-commit", log)
    git(repo, "add", ".")
    git(repo, "-c", f"core.hooksPath={os.devnull}", "commit", "-q", "-m", "hooks")
    git(repo, "config", "core.hooksPath", "tools/git hooks [1]")
    exclude = repo / ".git" / "info" / "exclude"
    exclude.parent.mkdir(exist_ok=True)
    exclude.write_text("# mine\n*.o")
    done = install(repo)
    assert done.status == 1
    assert "post-commit is tracked by Git\n" in done.err
    assert "hint: add to it:  asr=$(git rev-parse --git-common-dir)/asr/hooks/post-commit" in done.err
    assert done.out.count("written: tools/git hooks [1]/") == 5
    assert git(repo, "status", "--porcelain", "--untracked-files=all") == ""
    assert (folder / "post-commit").read_bytes() == mine
    assert install(repo).out.count("is current") == 5
    assert uninstall(repo).status == 0
    assert exclude.read_text() == "# mine\n*.o"
    assert [one.name for one in folder.iterdir()] == ["post-commit"]


def test_more_hooks_are_hidden_later(repo: Path) -> None:
    git(repo, "config", "core.hooksPath", ".githooks")
    foreign(repo / ".githooks" / "pre-push", repo / "log")
    for hook in HOOKS:
        assert install(repo, "--hook", hook).status == 0
    assert git(repo, "status", "--porcelain", "--untracked-files=all") == ""
    assert uninstall(repo).status == 0
    assert git(repo, "status", "--porcelain") == "?? .githooks/"


def test_our_own_folder_of_hooks_that_is_tracked(repo: Path) -> None:
    """The rendered files, used as they are: nothing is to be done, and nothing is theirs to change."""
    (repo / "hooks").mkdir()
    for hook in HOOKS:
        (repo / "hooks" / hook).write_bytes(render(hook))
        (repo / "hooks" / hook).chmod(0o755)
    git(repo, "add", ".")
    git(repo, "config", "core.hooksPath", "hooks")
    before = files(repo / "hooks")
    done = install(repo)
    assert (done.status, done.out.count("is current")) == (0, 6)
    assert files(repo / "hooks") == before


@pytest.mark.parametrize("at", ["/dev/null", "/dev/null/hooks"])
def test_hooks_that_are_switched_off(repo: Path, at: str) -> None:
    git(repo, "config", "core.hooksPath", at)
    for options in ((), ("--worktrees",)):
        done = install(repo, *options)
        assert (done.status, done.out) == (1, "")
        assert done.err.splitlines() == [
            f"warning: hooks are switched off: core.hooksPath is {at}",
            "hint: git config --show-origin --get-all core.hooksPath   says who set it",
        ]
    assert not (repo / ".git" / "asr").exists()
    assert uninstall(repo).out == "no hooks of git-asr are here\n"


def test_paths_that_lead_nowhere(repo: Path, tmp_path: Path) -> None:
    """Each is refused in one line; nothing is read, waited for or written."""
    (repo / "file").write_text("x")
    os.mkfifo(repo / "pipe")
    (repo / "loop").symlink_to("loop2")
    (repo / "loop2").symlink_to("loop")
    (repo / "dangling").symlink_to(tmp_path / "nowhere")
    for at in (
        "file",
        "file/below",
        "pipe",
        "loop",
        "",
        "/",
        "/etc",
        str(Path.home()),
        str(tmp_path),
        "dangling",
    ):
        (repo / ".git" / "config").write_text(
            f'[core]\n\trepositoryformatversion = 0\n\tbare = false\n\thooksPath = "{at}"\n'
        )
        done = install(repo)
        assert (done.status, done.out) == (1, ""), at
        assert done.err.startswith("warning: "), at
        assert "Traceback" not in done.err
        assert not (repo / ".git" / "asr").exists()
        assert uninstall(repo).status == 0, at
    assert not (tmp_path / "nowhere").exists()


def test_a_user_that_does_not_exist(repo: Path) -> None:
    with (repo / ".git" / "config").open("a") as file:
        file.write("[core]\n\thooksPath = ~nobody-of-that-name/hooks\n")
    for ended in (install(repo), uninstall(repo)):
        assert ended.status == 1
        assert ended.err.startswith("error: ")
        assert "~nobody-of-that-name" in ended.err


@pytest.mark.parametrize(
    "name", ["a b", "quo'te\"s", "line\nfeed", "tab\tbell\x07", "ünï", "-dash", "$(x)`y`", "\x1b[2J"]
)
def test_folders_of_any_name(repo: Path, name: str) -> None:
    """What is printed steers no terminal, and the hooks run."""
    folder = repo / ".git" / name
    git(repo, "config", "core.hooksPath", str(folder))
    foreign(folder / "post-commit", repo.parent / "log")
    before = files(folder)
    done = install(repo)
    assert done.status == 0
    assert len(done.out.splitlines()) == 6
    assert not any(ord(character) < 32 for line in done.out.splitlines() for character in line)
    assert is_reached(repo)
    done = uninstall(repo)
    assert (done.status, len(done.out.splitlines())) == (0, 6)
    assert files(folder) == before


@pytest.mark.parametrize("name", ["a b", "quo'te", "ünï", "line\nfeed"])
def test_repositories_of_any_name(tmp_path: Path, name: str) -> None:
    path = repository(tmp_path / name)
    done = install(path)
    if "\n" in name:
        assert (done.status, done.err) == (
            1, "error: cannot work in a repository whose path holds a line break\n",
        )  # fmt: skip
        return
    assert is_reached(path)
    assert uninstall(path).status == 0


def test_a_worktree_whose_path_holds_a_line_feed(repo: Path, tmp_path: Path) -> None:
    git(repo, "config", "core.hooksPath", ".githooks")
    other = tmp_path / "line\nfeed"
    git(repo, "worktree", "add", "-q", "-b", "other", str(other))
    assert install(repo, "--worktrees").status == 0
    assert is_reached(other)
    assert uninstall(repo).status == 0
    assert not (other / ".githooks").exists()


def test_a_bare_repository_and_its_worktree(tmp_path: Path) -> None:
    repository(tmp_path / "r")
    git(tmp_path, "clone", "-q", "--bare", "--template=", "r", "bare")
    assert install(tmp_path / "bare").status == 0
    git(tmp_path / "bare", "worktree", "add", "-q", "../tree")
    assert is_reached(tmp_path / "tree")
    assert install(tmp_path / "tree").out.count("is current") == 6
    assert uninstall(tmp_path / "tree").status == 0
    assert not (tmp_path / "bare" / "hooks").exists()


def test_a_submodule(repo: Path, tmp_path: Path) -> None:
    """It has hooks of its own; those of the repository around it are another matter."""
    repository(tmp_path / "inner")
    git(repo, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "../inner", "sub")
    assert install(repo / "sub").status == 0
    assert is_reached(repo / "sub")
    assert not is_reached(repo)
    git(repo / "sub", "config", "core.hooksPath", ".githooks")
    assert install(repo / "sub").status == 0
    assert (repo / "sub" / ".githooks" / "post-commit").exists()
    assert is_reached(repo / "sub")
    assert uninstall(repo / "sub").status == 0
    assert not (repo / "sub" / ".githooks").exists()
    assert not list((repo / ".git" / "modules" / "sub").glob("hooks/post-commit"))


def test_hooks_behind_a_link(repo: Path, tmp_path: Path) -> None:
    """The folder itself is a link into the worktree: what it leads to counts."""
    (repo / "scripts").mkdir()
    (repo / ".git" / "hooks").symlink_to("../scripts")
    assert install(repo).status == 0
    assert is_reached(repo)
    assert git(repo, "status", "--porcelain", "--untracked-files=all") == ""
    assert uninstall(repo).status == 0
    assert not list((repo / "scripts").iterdir())
    (repo / ".git" / "hooks").unlink()
    (tmp_path / "outside").mkdir()
    (repo / ".git" / "hooks").symlink_to(tmp_path / "outside")
    assert "lies outside of this repository" in install(repo).err
    assert not list((tmp_path / "outside").iterdir())


@pytest.mark.parametrize("how", ["removed", "deleted", "moved"])
def test_a_worktree_that_went(repo: Path, tmp_path: Path, how: str) -> None:
    git(repo, "config", "core.hooksPath", ".githooks")
    git(repo, "worktree", "add", "-q", "../other")
    assert install(repo, "--worktrees").status == 0
    other = tmp_path / "other"
    if how == "removed":
        git(repo, "worktree", "remove", "--force", "../other")
    elif how == "deleted":
        shutil.rmtree(other)
    else:
        git(repo, "worktree", "move", "../other", "../moved")
    done = uninstall(repo)
    assert done.status == 0
    assert not (repo / ".githooks").exists()
    assert not list((tmp_path / "moved").glob(".githooks/*"))


def test_another_repository_in_the_place_of_a_worktree(repo: Path, tmp_path: Path) -> None:
    """It is none of ours, and nothing is written there."""
    git(repo, "config", "core.hooksPath", ".githooks")
    git(repo, "worktree", "add", "-q", "../other")
    shutil.rmtree(tmp_path / "other")
    repository(tmp_path / "other")
    assert install(repo, "--worktrees").status == 0
    assert not (tmp_path / "other" / ".githooks").exists()
    assert not (tmp_path / "other" / ".git" / "hooks").exists()


def test_nobody_is_at_home(repo: Path) -> None:
    """No home is needed to install hooks, whoever runs it."""
    assert install(repo, env={"HOME": ""}).status == 0


def test_the_folder_of_hooks_went(repo: Path) -> None:
    assert install(repo).status == 0
    shutil.rmtree(repo / ".git" / "hooks")
    assert uninstall(repo).status == 0
    assert not (repo / ".git" / "asr").exists()


def test_the_path_changed_since(repo: Path) -> None:
    """The journal knows where hooks were written."""
    git(repo, "config", "core.hooksPath", ".old")
    assert install(repo).status == 0
    git(repo, "config", "core.hooksPath", "/dev/null")
    assert uninstall(repo).status == 0
    assert not (repo / ".old").exists()


@needs_mounts
def test_no_permission(repo: Path) -> None:
    """Said for the folder as a whole."""
    (repo / ".git" / "hooks").mkdir()
    done = run_read_only(["install"], repo)
    assert (done.status, done.out) == (1, "")
    assert done.err == f"warning: no permission to write in {repo}/.git/hooks\n"
    assert install(repo).status == 0
    done = run_read_only(["uninstall"], repo)
    assert (done.status, done.out) == (1, "")
    assert done.err.startswith("error: cannot lock ")
    assert is_reached(repo)


def test_the_environment_of_a_hook(repo: Path, tmp_path: Path) -> None:
    """Started by an alias or a hook, git-asr finds the folder of the repository it stands in."""
    git(repo, "worktree", "add", "-q", "../other")
    git_dir = git(tmp_path / "other", "rev-parse", "--absolute-git-dir")
    env = {"GIT_DIR": git_dir, "GIT_WORK_TREE": str(tmp_path / "other"), "GIT_INDEX_FILE": f"{git_dir}/index"}
    assert install(tmp_path / "other", env=env).status == 0
    assert is_reached(repo)


class TestGlobal:
    """One folder for all repositories, only when asked for."""

    @pytest.fixture
    def env(self, tmp_path: Path) -> dict[str, str]:
        (tmp_path / "home").mkdir()
        return {
            "GIT_CONFIG_GLOBAL": str(tmp_path / "gitconfig"),
            "HOME": str(tmp_path / "home"),
            "XDG_DATA_HOME": str(tmp_path / "data"),
        }

    def test_a_folder_for_all(self, repo: Path, tmp_path: Path, env: dict[str, str]) -> None:
        folder = tmp_path / "hooks of all"
        (tmp_path / "gitconfig").write_text(f'[core]\n\thooksPath = "{folder}"\n')
        before = foreign(folder / "post-commit", tmp_path / "log")
        done = install(repo, env=env)
        assert (done.status, done.out) == (1, "")
        assert f"{folder} lies outside of this repository, and may serve others" in done.err
        assert "hint: git asr install --global" in done.err
        assert install(tmp_path, "--global", env=env).status == 0
        assert (tmp_path / "data" / "git-asr" / "hooks.json").exists()
        assert not (repo / ".git" / "asr").exists()
        assert commit(repo, env=env) in noted(repo)
        assert (tmp_path / "log").read_text() == "post-commit.pre-asr:\n"
        assert install(repo, "--global", env=env).out.count("is current") == 6
        assert uninstall(repo, env=env).status == 0
        assert (folder / "pre-push").exists()
        (tmp_path / "gitconfig").write_text("")
        assert uninstall(tmp_path, "--global", env=env).status == 0
        assert {one.name: one.read_bytes() for one in folder.iterdir()} == {"post-commit": before}
        assert not (tmp_path / "data" / "git-asr").exists()

    def test_no_folder_for_all(self, tmp_path: Path, env: dict[str, str]) -> None:
        done = install(tmp_path, "--global", env=env)
        assert (done.status, done.out) == (1, "")
        assert "core.hooksPath is not set for all" in done.err
        assert uninstall(tmp_path, "--global", env=env).out == "no hooks of git-asr are here\n"

    @pytest.mark.parametrize(
        ("at", "said"),
        [
            (".githooks", "'.githooks' in each repository"),
            ("/dev/null", "hooks are switched off"),
            ("/", "no folder for hooks alone"),
            ("~", "no folder for hooks alone"),
            ("~/..", "no folder for hooks alone"),
        ],
    )
    def test_what_is_no_such_folder(self, tmp_path: Path, env: dict[str, str], at: str, said: str) -> None:
        (tmp_path / "gitconfig").write_text(f"[core]\n\thooksPath = {at}\n")
        done = install(tmp_path, "--global", env=env)
        assert (done.status, done.out) == (1, "")
        assert said in done.err

    def test_a_folder_outside_that_one_repository_names(
        self, repo: Path, tmp_path: Path, env: dict[str, str]
    ) -> None:
        git(repo, "config", "core.hooksPath", str(tmp_path / "outside"))
        assert install(repo, env=env).status == 1
        assert install(repo, "--global", env=env).status == 0
        assert (tmp_path / "outside" / "post-commit").exists()
        assert uninstall(tmp_path, "--global", env=env).status == 0
        assert not (tmp_path / "outside").exists()
