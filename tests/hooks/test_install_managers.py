"""Beside hook managers: the real husky, lefthook and pre-commit, and files as Overcommit and hk write them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support import hook_managers
from tests.support.hook_managers import Managed
from tests.support.hooked import HOOKS, QUIET, Files, files, install, noted, repository, uninstall
from tests.support.repo_builder import git


class Installing:
    """A repository with a manager, in which git-asr is installed and taken out again."""

    def __init__(self, managed: Managed) -> None:
        self.managed = managed
        self.path = managed.path
        self.path.joinpath(".gitignore").write_text("managed\n")

    def setup(self, *words: str) -> None:
        """What the manager does to install itself."""
        ended = self.managed.manager(*words)
        assert ended.status == 0, ended.said

    def reached(self, *more: str) -> bool:
        """Whether a commit with a checkpoint comes into the queue, and the manager's own hook ran, once."""
        noted(self.path)
        env = " ".join(f"{name}={value}" for name, value in QUIET.items())
        ended = self.managed.run(
            "sh",
            "-c",
            f"{env} git commit -q --allow-empty -m 'x\n\nEntire-Checkpoint: 5f0af6f2363f' {' '.join(more)}",
        )
        assert ended.status == 0, ended.said
        assert len([line for line in self.managed.log("managed") if "-" in line or line.isalpha()]) >= 1
        return git(self.path, "rev-parse", "HEAD") in noted(self.path)

    def foreign_files(self) -> Files:
        """Everything in the worktree and in the folder of hooks that is not ours."""
        found = {
            **files(self.path),
            **{f"hooks/{name}": one for name, one in files(self.managed.hooks).items()},
        }
        volatile = (
            "/objects/",
            "/logs/",
            ".git/COMMIT_EDITMSG",
            ".git/index",
            "/refs/",
            "managed",
            "__pycache__",
        )
        return {name: one for name, one in found.items() if not any(part in f"/{name}" for part in volatile)}


@pytest.fixture
def husky(tmp_path: Path) -> Installing:
    return Installing(hook_managers.husky(tmp_path / "r"))


@pytest.fixture
def husky_at(tmp_path: Path) -> Path:
    """A repository as husky leaves it, without husky."""
    path = repository(tmp_path / "husky")
    folder = path / ".husky" / "_"
    folder.mkdir(parents=True)
    for name in ("h", *HOOKS):
        (folder / name).write_text('#!/usr/bin/env sh\n. "$(dirname "$0")/h"\n')
        (folder / name).chmod(0o755)
    git(path, "config", "core.hooksPath", ".husky/_")
    return path


@pytest.fixture
def lefthook(tmp_path: Path) -> Installing:
    return Installing(hook_managers.lefthook(tmp_path / "r"))


@pytest.fixture
def pre_commit(tmp_path: Path) -> Installing:
    return Installing(hook_managers.pre_commit(tmp_path / "r"))


def test_husky(husky: Installing) -> None:
    """All its files are left alone; the line goes into the user's script, and npm install leaves it there."""
    husky.setup()
    before = husky.foreign_files()
    done = install(husky.path)
    assert done.status == 1
    assert done.out.splitlines() == [
        f"{hook}: left to husky, which does not call git-asr yet" for hook in HOOKS
    ]
    assert (
        "hint: in .husky/post-commit:  asr=$(git rev-parse --git-common-dir)/asr/hooks/post-commit"
        in done.err
    )
    assert husky.foreign_files() == before
    assert not husky.reached()

    done = install(husky.path, "--manager")
    assert done.status == 0
    assert done.out.splitlines()[0] == "post-commit: written: .husky/_/post-commit (called by husky)"
    assert husky.reached()
    husky.setup()
    assert husky.reached()
    done = install(husky.path)
    assert (done.status, done.out.count("is current (called by husky)")) == (0, 6)
    assert install(husky.path, "--manager").out == done.out
    assert uninstall(husky.path).status == 0
    assert husky.foreign_files() == before
    assert not husky.reached()


def test_the_line_for_husky_by_hand(husky: Installing) -> None:
    husky.setup()
    before = husky.foreign_files()
    said = install(husky.path).err
    line = next(line for line in said.splitlines() if ".husky/post-commit:" in line).partition(":  ")[2]
    script = husky.path / ".husky" / "post-commit"
    old = script.read_text()
    script.write_text(f"{old}{line}\n")
    assert husky.reached()
    assert "post-commit: .husky/_/post-commit is current (called by husky)" in install(husky.path).out
    assert uninstall(husky.path).status == 0
    assert script.read_text() == f"{old}{line}\n"
    assert not husky.reached()
    script.write_text(old)
    assert husky.foreign_files() == before


@pytest.mark.parametrize(
    "script", ["echo husky\nexit 0\n", "exec other\n", "cat <<end\nx\nend\n", "echo a \\", "echo b \\\n"]
)
def test_a_script_of_husky_whose_end_may_not_be_reached(husky: Installing, script: str) -> None:
    husky.setup()
    path = husky.path / ".husky" / "post-commit"
    path.write_text(script)
    done = install(husky.path, "--manager")
    assert done.status == 1
    assert "post-commit: what stands at the end of" in done.err
    assert "in .husky/post-commit:  asr=" in done.err
    assert path.read_text() == script


@pytest.mark.parametrize("script", ["", "echo husky >>managed", "echo husky >>managed\n\n"])
def test_a_script_of_husky_keeps_every_byte(husky: Installing, script: str) -> None:
    husky.setup()
    path = husky.path / ".husky" / "post-commit"
    path.write_text(script)
    path.chmod(0o640)
    assert install(husky.path, "--manager", "--hook", "post-commit").status == 0
    assert path.read_text().startswith(script)
    assert path.stat().st_mode & 0o777 == 0o640
    if script:
        assert husky.reached()
    assert uninstall(husky.path).status == 0
    assert path.read_text() == script


def test_husky_after_git_asr(husky: Installing) -> None:
    """Git does not look at our files any more; they can be taken back all the same."""
    before = files(husky.path / ".git" / "hooks")
    assert install(husky.path).status == 0
    husky.setup()
    assert not husky.reached()
    assert install(husky.path, "--manager").status == 0
    assert husky.reached()
    assert uninstall(husky.path).status == 0
    assert files(husky.path / ".git" / "hooks") == before


def test_lefthook(lefthook: Installing) -> None:
    """Its two hooks are called by an entry in the local configuration, also after it wrote its files anew."""
    lefthook.setup("install")
    before = lefthook.foreign_files()
    done = install(lefthook.path)
    assert done.status == 1
    assert done.out.count("left to lefthook") == 2
    assert done.out.count("written: .git/hooks/") == 4
    assert (
        "hint: in lefthook-local.yml:\nhint: post-commit:\nhint:   commands:\nhint:     git-asr:" in done.err
    )
    assert not lefthook.reached()

    done = install(lefthook.path, "--manager")
    assert (done.status, done.out.count("(called by lefthook)")) == (0, 2)
    assert lefthook.reached()
    lefthook.setup("install", "--force")
    assert lefthook.reached()
    old = git(lefthook.path, "rev-parse", "HEAD")
    lefthook.managed.run("env", "CI=1", "git", "commit", "-q", "--amend", "--allow-empty", "-m", "y")
    queue = lefthook.path / ".git" / "asr" / "queue"
    rewritten = next(queue.glob("rw-*")).read_text().splitlines()
    assert rewritten == ["amend", f"{old} {git(lefthook.path, 'rev-parse', 'HEAD')}"]
    assert install(lefthook.path, "--manager").out.count("is current (called by lefthook)") == 2
    assert uninstall(lefthook.path).status == 0
    lefthook.setup("install", "--force")
    assert lefthook.foreign_files() == before
    assert not (lefthook.path / "lefthook-local.yml").exists()


@pytest.mark.parametrize(
    "local", ["# mine\n", "pre-commit:\n  jobs:\n    - run: 'true'", "a_key: |\n  post-commit:\n\n"]
)
def test_a_local_configuration_of_lefthook_keeps_every_byte(lefthook: Installing, local: str) -> None:
    path = lefthook.path / "lefthook-local.yml"
    path.write_text(local)
    lefthook.setup("install")
    assert install(lefthook.path, "--manager").status == 0
    assert path.read_text().startswith(local)
    assert lefthook.reached()
    assert uninstall(lefthook.path).status == 0
    assert path.read_text() == local


def test_a_local_configuration_of_lefthook_that_is_made_is_not_taken_along(lefthook: Installing) -> None:
    lefthook.setup("install")
    before = git(lefthook.path, "status", "--porcelain")
    assert install(lefthook.path, "--manager").status == 0
    assert (lefthook.path / "lefthook-local.yml").is_file()
    assert git(lefthook.path, "status", "--porcelain") == before
    assert uninstall(lefthook.path).status == 0
    assert not (lefthook.path / "lefthook-local.yml").exists()
    assert git(lefthook.path, "status", "--porcelain") == before


@pytest.mark.parametrize(
    ("local", "why"),
    [
        ("post-commit:\n  jobs:\n    - run: 'true'\n", "has an entry for post-commit already"),
        ("a: 1\n'post-rewrite' :\n  jobs: []\n", "has an entry for post-rewrite already"),
        ("{post-merge: {jobs: []}}\n", "is not written as one mapping of plain keys"),
        ("---\na: 1\n", "is not written as one mapping of plain keys"),
        ("  a: 1\n", "is not written as one mapping of plain keys"),
        ("a: 1\r\n", "is not written as one mapping of plain keys"),
        ("[]", "is not written as one mapping of plain keys"),
    ],
)
def test_what_is_not_understood_of_lefthook_is_left(lefthook: Installing, local: str, why: str) -> None:
    lefthook.setup("install")
    path = lefthook.path / "lefthook-local.yml"
    path.write_bytes(local.encode())
    done = install(lefthook.path, "--manager")
    assert done.status == 1
    assert why in done.err
    assert "hint: in lefthook-local.yml:\n" in done.err
    assert path.read_bytes() == local.encode()


@pytest.mark.parametrize("name", [".lefthook-local.yml", "lefthook-local.toml", ".config/lefthook-local.yml"])
def test_another_local_configuration_of_lefthook(lefthook: Installing, name: str) -> None:
    lefthook.setup("install")
    (lefthook.path / name).parent.mkdir(exist_ok=True)
    (lefthook.path / name).write_text("")
    done = install(lefthook.path, "--manager")
    assert done.status == 1
    assert f"the local configuration of lefthook is {lefthook.path / name}" in done.err


def test_a_local_configuration_of_lefthook_that_all_share(lefthook: Installing) -> None:
    lefthook.setup("install")
    path = lefthook.path / "lefthook-local.yml"
    path.write_text("a: 1\n")
    git(lefthook.path, "add", "-f", "lefthook-local.yml")
    done = install(lefthook.path, "--manager")
    assert done.status == 1
    assert "is tracked, so it is not yours alone" in done.err
    assert path.read_text() == "a: 1\n"


def test_configurations_that_are_links(lefthook: Installing, husky_at: Path) -> None:
    """They are not followed."""
    lefthook.setup("install")
    (lefthook.path / "lefthook-local.yml").symlink_to("lefthook.yml")
    before = (lefthook.path / "lefthook.yml").read_bytes()
    done = install(lefthook.path, "--manager")
    assert (done.status, "lefthook-local.yml is no plain file" in done.err) == (1, True)
    assert (lefthook.path / "lefthook.yml").read_bytes() == before
    (husky_at / ".husky" / "post-commit").symlink_to("_/h")
    stub = (husky_at / ".husky" / "_" / "h").read_bytes()
    done = install(husky_at, "--manager")
    assert (done.status, ".husky/post-commit is no plain file" in done.err) == (1, True)
    assert (husky_at / ".husky" / "_" / "h").read_bytes() == stub


def test_lefthook_after_git_asr(lefthook: Installing) -> None:
    """It renames our files and calls them no more: they are found under their new names."""
    assert install(lefthook.path).status == 0
    lefthook.setup("install")
    assert (lefthook.path / ".git" / "hooks" / "post-commit.old").exists()
    assert install(lefthook.path, "--manager").status == 0
    assert lefthook.reached()
    assert uninstall(lefthook.path).status == 0
    assert not [one for one in files(lefthook.path / ".git" / "hooks") if one.endswith(".old")]


def test_pre_commit(pre_commit: Installing) -> None:
    """It calls what stands where it puts earlier hooks, and keeps that when it is installed again."""
    pre_commit.setup("install")
    before = pre_commit.foreign_files()
    done = install(pre_commit.path)
    assert (done.status, done.out.count("left to pre-commit")) == (1, 2)
    assert 'hint: cp "$(git rev-parse --git-common-dir)/asr/hooks/post-commit" ' in done.err
    assert not pre_commit.reached()
    copies = [line.removeprefix("hint: ") for line in done.err.splitlines() if line.startswith("hint: cp ")]
    for line in copies:
        assert pre_commit.managed.run("sh", "-c", line).status == 0
    assert pre_commit.reached()
    assert install(pre_commit.path).status == 0
    assert uninstall(pre_commit.path).status == 0
    assert pre_commit.foreign_files() == before

    assert install(pre_commit.path, "--manager").out.count("(called by pre-commit)") == 2
    assert pre_commit.reached()
    pre_commit.setup("install")
    assert pre_commit.reached()
    assert install(pre_commit.path, "--manager").out.count("is current (called by pre-commit)") == 2
    assert uninstall(pre_commit.path).status == 0
    assert pre_commit.foreign_files() == before


def test_pre_commit_calls_another_hook_already(pre_commit: Installing) -> None:
    mine = hook_managers.foreign(pre_commit.managed.hooks, "post-commit")
    pre_commit.setup("install")
    done = install(pre_commit.path, "--manager")
    assert done.status == 1
    assert "post-commit.legacy is another hook" in done.err
    assert (pre_commit.managed.hooks / "post-commit.legacy").read_bytes() == mine


def test_pre_commit_after_git_asr(pre_commit: Installing) -> None:
    """Ours becomes what it calls first, with what ours calls; both come back."""
    mine = hook_managers.foreign(pre_commit.managed.hooks, "post-commit")
    assert install(pre_commit.path).status == 0
    pre_commit.setup("install")
    assert (pre_commit.managed.hooks / "post-commit.legacy").exists()
    assert pre_commit.reached()
    assert pre_commit.managed.log("foreign") == ["foreign post-commit"]
    assert uninstall(pre_commit.path).status == 0
    assert (pre_commit.managed.hooks / "post-commit.legacy").read_bytes() == mine
    pre_commit.setup("uninstall")
    assert (pre_commit.managed.hooks / "post-commit").read_bytes() == mine


OVERCOMMIT = (
    "#!/usr/bin/env ruby\n\n# Entrypoint for Overcommit hook integration. What follows is left out.\n"
)
HK = '#!/bin/sh\ntest "${HK:-1}" = "0" || exec hk run post-commit --from-hook "$@"\n'


@pytest.mark.parametrize(
    ("text", "name", "configuration", "entry", "reason"),
    [
        (OVERCOMMIT, "Overcommit", ".overcommit.yml", "required_executable: .git/asr/hooks/post-commit", "is signed"),
        (HK, "hk", "hk.pkl", '["git-asr"] { check = "asr=$(git rev-parse --git-common-dir)', "is a program"),
    ],
)  # fmt: skip
def test_managers_that_a_person_configures(
    tmp_path: Path, text: str, name: str, configuration: str, entry: str, reason: str
) -> None:
    path = repository(tmp_path / "r")
    hook = path / ".git" / "hooks" / "post-commit"
    hook.parent.mkdir()
    hook.write_text(text)
    done = install(path)
    assert done.status == 1
    assert f"post-commit: left to {name}, which does not call git-asr yet" in done.out
    assert entry in done.err
    done = install(path, "--manager")
    assert done.status == 1
    assert f"{configuration} {reason}" in done.err
    assert entry in done.err
    hints = [line.removeprefix("hint: ") for line in done.err.splitlines() if line.startswith("hint: ")]
    (path / configuration).write_text("\n".join(hints))
    assert install(path).out.splitlines()[0] == (
        f"post-commit: .git/hooks/post-commit is current (called by {name})"
    )
    assert uninstall(path).status == 0
    assert files(hook.parent) == {"post-commit": (hook.stat().st_mode & 0o777, text.encode())}
    assert os.access(path / configuration, os.R_OK)
