"""What husky, lefthook and pre-commit do with hooks that they find: the ground on which git-asr is installed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support import hook_managers
from tests.support.hook_managers import LEFTHOOK, PRE_COMMIT, Managed, foreign
from tests.support.repo_builder import git

HOOKS = ("post-commit", "post-rewrite")


@pytest.fixture
def husky(tmp_path: Path) -> Managed:
    return hook_managers.husky(tmp_path / "r")


@pytest.fixture
def lefthook(tmp_path: Path) -> Managed:
    return hook_managers.lefthook(tmp_path / "r")


@pytest.fixture
def pre_commit(tmp_path: Path) -> Managed:
    return hook_managers.pre_commit(tmp_path / "r")


def head(managed: Managed) -> str:
    return git(managed.path, "rev-parse", "HEAD")


def foreigners(managed: Managed, hooks: tuple[str, ...] = HOOKS) -> dict[str, bytes]:
    return {hook: foreign(managed.hooks, hook) for hook in hooks}


def done(managed: Managed, *args: str) -> str:
    ended = managed.manager(*args)
    assert ended.status == 0, ended.said
    return ended.said


class TestHusky:
    def test_it_moves_the_hooks_path_and_leaves_what_was_there_dead(self, husky: Managed) -> None:
        before, old = foreigners(husky), husky.hooks
        done(husky)
        assert git(husky.path, "config", "--local", "core.hooksPath") == ".husky/_"
        assert husky.hooks == husky.path / ".husky" / "_"
        assert {one.name: one.read_bytes() for one in old.iterdir() if one.name in HOOKS} == before
        husky.commit()
        husky.commit("--amend")
        assert husky.log("foreign") == []
        assert husky.log("managed") == ["husky", "husky"]

    def test_its_stubs_are_all_the_same_and_written_anew_each_time(self, husky: Managed) -> None:
        done(husky)
        first = husky.files()
        stubs = {name: data for name, data in first.items() if name not in ("h", "husky.sh", ".gitignore")}
        assert len(stubs) == 14
        assert len(set(stubs.values())) == 1
        assert {*HOOKS, "post-merge", "post-checkout", "post-applypatch", "pre-push"} <= stubs.keys()
        foreign(husky.hooks, "post-commit")
        own = {name: foreign(husky.hooks, name) for name in ("post-commit.pre-asr", "post-commit.pre-entire")}
        done(husky)
        assert husky.files() == {**first, **own}, "a stub is overwritten without a copy, other files stay"

    def test_a_stub_under_another_name_runs_nothing(self, husky: Managed) -> None:
        """Whoever puts a hook in a stub's place and calls the stub, renamed, has switched husky off."""
        done(husky)
        stub = husky.hooks / "post-commit"
        stub.rename(stub.with_name("post-commit.pre-asr"))
        stub.write_text('#!/bin/sh\nexec "$0.pre-asr" "$@"\n')
        stub.chmod(0o755)
        assert husky.commit().status == 0
        assert husky.log("managed") == []

    def test_what_the_tracked_file_gets(self, husky: Managed) -> None:
        done(husky)
        (husky.path / ".husky" / "post-rewrite").write_text('echo "$@" >>managed\ncat >>managed\n')
        husky.commit()
        old = head(husky)
        husky.log("managed")
        husky.commit("--amend", "--date=2026-02-02T00:00:00Z")
        assert husky.log("managed") == ["husky", "amend", f"{old} {head(husky)}"]

    def test_a_failing_line_ends_the_rest_and_is_told(self, husky: Managed) -> None:
        """Its files run under ``sh -e``: a line of ours in one must not fail, nor come behind one that does."""
        done(husky)
        (husky.path / ".husky" / "post-commit").write_text("false\necho husky >>managed\n")
        ended = husky.commit()
        assert ended.status == 0
        assert "husky - post-commit script failed (code 1)" in ended.said
        assert husky.log("managed") == []

    def test_a_linked_worktree_has_none_of_its_hooks_until_it_is_installed_there(
        self, husky: Managed
    ) -> None:
        done(husky)
        git(husky.path, "add", ".")
        husky.commit()
        git(husky.path, "worktree", "add", "-q", "../other")
        other = Managed(husky.program, husky.path.parent / "other")
        assert other.hooks == other.path / ".husky" / "_"
        assert not other.hooks.exists()
        done(other)
        assert "post-commit" in other.files()

    def test_it_has_no_uninstall(self, husky: Managed) -> None:
        done(husky)
        before = husky.files()
        assert husky.manager("uninstall").status == 1
        assert husky.files() == before


class TestLefthook:
    def test_it_renames_what_it_finds_and_never_calls_it(self, lefthook: Managed) -> None:
        before = foreigners(lefthook)
        done(lefthook, "install")
        files = lefthook.files()
        assert {f"{name}.old": data for name, data in before.items()}.items() <= files.items()
        assert all(b"lefthook" in files[name] for name in HOOKS)
        lefthook.commit()
        old = head(lefthook)
        lefthook.commit("--amend", "--date=2026-02-02T00:00:00Z")
        assert lefthook.log("foreign") == []
        assert lefthook.log("managed") == ["lefthook", "lefthook", "amend", f"{old} {head(lefthook)}"]

    def test_a_second_install_changes_nothing(self, lefthook: Managed) -> None:
        foreigners(lefthook)
        done(lefthook, "install")
        before = lefthook.files()
        done(lefthook, "install")
        assert lefthook.files() == before

    def test_a_hook_that_took_its_place_is_refused_once_and_then_lost(self, lefthook: Managed) -> None:
        """The copy of the first has its name already; forced, as npm forces it, the second takes that place."""
        first = foreign(lefthook.hooks, "post-commit", "first")
        done(lefthook, "install")
        second = foreign(lefthook.hooks, "post-commit", "second")
        lefthook.commit()
        assert lefthook.log("foreign") == ["second post-commit"]
        ended = lefthook.manager("install")
        assert ended.status == 1
        assert "already exists" in ended.said
        assert (lefthook.files()["post-commit"], lefthook.files()["post-commit.old"]) == (second, first)
        done(lefthook, "install", "--force")
        assert lefthook.files()["post-commit.old"] == second, "the first is gone"

    def test_it_installs_again_by_itself_when_its_configuration_names_another_hook(
        self, lefthook: Managed
    ) -> None:
        """From any hook of its own that runs: a line added to its file is lost, another hook is moved away."""
        done(lefthook, "install")
        own = lefthook.files()
        with (lefthook.hooks / "post-commit").open("a") as file:
            file.write("echo added >>managed\n")
        others = {name: foreign(lefthook.hooks, name) for name in ("post-rewrite", "post-merge")}
        configuration = lefthook.path / "lefthook.yml"
        configuration.write_text(LEFTHOOK + "post-merge:\n  commands:\n    note:\n      run: 'true'\n")
        later = configuration.stat().st_mtime + 10  # it compares seconds
        os.utime(configuration, (later, later))
        lefthook.commit()
        files = lefthook.files()
        assert own.items() <= files.items()
        assert {f"{name}.old": data for name, data in others.items()}.items() <= files.items()

    def test_it_refuses_another_hooks_path(self, lefthook: Managed) -> None:
        git(lefthook.path, "config", "core.hooksPath", "elsewhere")
        ended = lefthook.manager("install")
        assert ended.status == 1
        assert "core.hooksPath" in ended.said
        assert lefthook.files() == {}

    def test_an_entry_in_the_local_file_runs_and_lefthook_prints(self, lefthook: Managed) -> None:
        """``lefthook-local.yml`` is nobody else's; what runs as an entry runs beside what lefthook prints."""
        (lefthook.path / "lefthook-local.yml").write_text(
            "post-commit:\n  commands:\n    asr:\n      run: echo local >>managed\n"
        )
        done(lefthook, "install")
        ended = lefthook.commit()
        assert sorted(lefthook.log("managed")) == ["lefthook", "local"]
        assert "asr" in ended.said

    def test_its_uninstall_brings_back_what_it_renamed(self, lefthook: Managed) -> None:
        before = foreigners(lefthook)
        done(lefthook, "install")
        done(lefthook, "uninstall")
        assert lefthook.files() == before
        assert (lefthook.hooks / "post-commit").stat().st_mode & 0o111

    def test_its_uninstall_leaves_a_hook_that_is_not_its_own(self, lefthook: Managed) -> None:
        done(lefthook, "install")
        data = foreign(lefthook.hooks, "post-commit")
        done(lefthook, "uninstall")
        assert lefthook.files() == {"post-commit": data}


class TestPreCommit:
    def test_it_renames_what_it_finds_and_calls_it_first(self, pre_commit: Managed) -> None:
        before = foreigners(pre_commit)
        done(pre_commit, "install")
        files = pre_commit.files()
        assert {f"{name}.legacy": data for name, data in before.items()}.items() <= files.items()
        (pre_commit.hooks / "post-commit.legacy").write_text("#!/bin/sh\necho legacy >>managed\n")
        pre_commit.commit()
        assert pre_commit.log("managed") == ["legacy", "pre-commit"]

    def test_of_the_input_of_post_rewrite_nothing_reaches_what_it_renamed(self, pre_commit: Managed) -> None:
        foreigners(pre_commit)
        done(pre_commit, "install")
        pre_commit.commit()
        pre_commit.commit("--amend")
        assert pre_commit.log("foreign") == [
            "foreign post-commit",
            "foreign post-commit",
            "foreign post-rewrite amend",
        ]

    def test_a_second_install_keeps_the_copy_and_a_forced_one_deletes_it(self, pre_commit: Managed) -> None:
        foreigners(pre_commit)
        done(pre_commit, "install")
        before = pre_commit.files()
        done(pre_commit, "install")
        assert pre_commit.files() == before
        done(pre_commit, "install", "--overwrite")
        assert pre_commit.files().keys() == {*HOOKS}

    def test_a_hook_that_took_its_place_takes_that_of_the_copy(self, pre_commit: Managed) -> None:
        foreign(pre_commit.hooks, "post-commit", "first")
        done(pre_commit, "install")
        second = foreign(pre_commit.hooks, "post-commit", "second")
        done(pre_commit, "install")
        assert pre_commit.files()["post-commit.legacy"] == second, "the first is gone"

    def test_it_writes_where_all_worktrees_look(self, pre_commit: Managed) -> None:
        pre_commit.commit()
        git(pre_commit.path, "worktree", "add", "-q", "../other")
        other = Managed(pre_commit.program, pre_commit.path.parent / "other")
        (other.path / ".pre-commit-config.yaml").write_text(PRE_COMMIT)
        done(other, "install")
        assert other.hooks == pre_commit.hooks == pre_commit.path / ".git" / "hooks"
        assert {*HOOKS} == pre_commit.files().keys()

    def test_it_refuses_any_hooks_path(self, pre_commit: Managed) -> None:
        git(pre_commit.path, "config", "core.hooksPath", ".git/hooks")
        ended = pre_commit.manager("install")
        assert ended.status == 1
        assert "core.hooksPath" in ended.said

    def test_its_uninstall_brings_back_what_it_renamed(self, pre_commit: Managed) -> None:
        before = foreigners(pre_commit)
        done(pre_commit, "install")
        done(pre_commit, "uninstall")
        assert pre_commit.files() == before

    def test_its_uninstall_leaves_a_hook_that_is_not_its_own(self, pre_commit: Managed) -> None:
        done(pre_commit, "install")
        data = foreign(pre_commit.hooks, "post-commit")
        done(pre_commit, "uninstall")
        assert pre_commit.files() == {"post-commit": data}
