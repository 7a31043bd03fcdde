"""What the hooks note when something is committed, and what they start."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.hooks.files.hooked import TIMEOUT, TRAILER, Ended, Hooked, write


def test_a_commit_with_a_checkpoint_is_noted_and_a_worker_started(hooked: Hooked) -> None:
    commit = hooked.commit()
    assert hooked.queue == [commit]
    (call,) = hooked.calls
    assert call.args == ("worker", str(hooked.repo.resolve() / ".git" / "asr"))
    assert call.cwd == call.args[1]
    assert call.nice == 10
    assert (hooked.asr / "queue" / commit).read_bytes() == b""


def test_a_commit_without_one_leaves_nothing(hooked: Hooked) -> None:
    hooked.commit("Entire checkpoints are mentioned, none is named")
    assert not hooked.asr.exists()
    assert hooked.started() == 0


def test_what_the_worker_says_on_stderr_goes_to_its_log(hooked: Hooked) -> None:
    hooked.commit()
    hooked.commit()
    assert (hooked.asr / "worker.log").read_text() == "said on stderr\n" * 2


def test_a_commit_noted_before_is_noted_as_if_for_the_first_time(hooked: Hooked) -> None:
    commit = hooked.commit()
    item = hooked.asr / "queue" / commit
    item.write_text('{"tries":3,"next":4102444800}')
    hooked.git("hook", "run", "post-commit")
    assert item.read_bytes() == b""
    assert hooked.started() == 2


def test_amend_notes_the_new_commit_and_the_pair(hooked: Hooked) -> None:
    old = hooked.commit()
    hooked.forget()
    hooked.git("commit", "-q", "--amend", "--allow-empty", "-m", f"other\n\n{TRAILER}")
    new = hooked.head()
    rewritten, noted = sorted(hooked.queue, key=lambda name: not name.startswith("rw-"))
    assert noted == new
    assert (hooked.asr / "queue" / rewritten).read_text() == f"amend\n{old} {new}\n"
    assert rewritten.removeprefix("rw-").replace("-", "").isdigit()
    assert hooked.started() == 2


def test_the_first_commit_of_a_repository(hooked: Hooked) -> None:
    hooked.git("checkout", "-q", "--orphan", "other")
    assert hooked.queue == []
    assert hooked.queue == [] == [hooked.commit()][1:]
    assert hooked.started() == 1


def test_sha256(tmp_path: Path) -> None:
    hooked = Hooked(tmp_path, "dash", "--object-format=sha256")
    commit = hooked.commit()
    assert len(commit) == 64
    assert hooked.queue == [commit]


def test_a_branch_and_a_file_named_HEAD_mislead_nobody(hooked: Hooked) -> None:  # noqa: N802
    hooked.git("update-ref", "refs/heads/HEAD", hooked.git("commit-tree", hooked.tree(), "-m", "x"))
    (hooked.repo / "HEAD").write_text("x")
    hooked.git("commit", "-q", "--allow-empty", "-m", TRAILER)  # Git warns, the hook does not
    assert hooked.run(hooked.hooks / "post-commit") == Ended(0, "", "")
    assert hooked.queue == [hooked.head()]


def test_a_commit_that_a_replacement_hides_is_read_all_the_same(hooked: Hooked) -> None:
    tree = hooked.tree()
    plain = hooked.git("commit-tree", tree, "-m", "plain")
    named = hooked.git("commit-tree", tree, "-m", TRAILER)
    hooked.git("replace", named, plain)
    hooked.git("update-ref", "HEAD", named)
    hooked.git("hook", "run", "post-commit")
    assert hooked.queue == [named]


@pytest.mark.parametrize("encoding", ["ISO-8859-1", "Shift_JIS", "EUC-JP", "GB18030", "no-such-encoding"])
def test_whatever_the_encoding(hooked: Hooked, encoding: str) -> None:
    for locale in ("C", "C.UTF-8", "ja_JP.SJIS", "none"):
        hooked.git(
            "-c",
            f"i18n.commitEncoding={encoding}",
            "commit",
            "-q",
            "--allow-empty",
            "-F-",
            env={"LC_ALL": locale},
            stdin=b"\x83\x81\x83\n\n\x81" + TRAILER.encode() + b"\n",
        )
        assert hooked.queue == [hooked.head()]
        hooked.forget()


def test_a_message_of_many_megabytes(hooked: Hooked) -> None:
    text = b"subject\n\n" + (b"y" * 99 + b"\n") * 50_000 + b"z" * 3_000_000
    hooked.git("commit", "-q", "--allow-empty", "-F-", stdin=text + b"\n")
    assert not hooked.asr.exists()
    hooked.git("commit", "-q", "--allow-empty", "-F-", stdin=text + b"\n\n" + TRAILER.encode() + b"\n")
    assert hooked.queue == [hooked.head()]
    assert hooked.started() == 1


def test_a_caller_that_reads_a_pipe_does_not_wait_for_the_worker(hooked: Hooked, tmp_path: Path) -> None:
    with hooked.busy(tmp_path) as env:
        through = subprocess.run(
            ["sh", "-c", 'git commit -q --allow-empty -m "$0" 2>&1 | cat', TRAILER],
            cwd=hooked.repo,
            env={**hooked.env, **env},
            capture_output=True,
            timeout=TIMEOUT,
            check=True,
        )
        assert through.stdout == through.stderr == b""


@pytest.mark.parametrize("descriptor", range(3, 10))
def test_an_inherited_descriptor_does_not_hold_the_caller(
    hooked: Hooked, tmp_path: Path, descriptor: int
) -> None:
    with hooked.busy(tmp_path) as env:
        caller = [
            "sh",
            "-c",
            f'{{ git commit -q --allow-empty -m "$0" {descriptor}>&1 >/dev/null 2>&1; }} | cat',
            TRAILER,
        ]
        said = subprocess.run(
            caller,
            cwd=hooked.repo,
            env={**hooked.env, **env},
            capture_output=True,
            timeout=TIMEOUT,
            check=True,
        )
        assert said.stdout == said.stderr == b""


def test_the_worker_has_nothing_open_that_leads_to_the_caller(hooked: Hooked) -> None:
    hooked.commit()
    opened = [line.split(" -> ", 1) for line in hooked.descriptors().splitlines() if " -> " in line]
    if not opened:
        pytest.skip("there is no /proc here")
    targets = {left.rsplit(None, 1)[-1]: right for left, right in opened}
    assert targets["0"] == "/dev/null"
    assert targets["2"] == str(hooked.repo.resolve() / ".git/asr/worker.log")
    assert not {number for number in targets if 2 < int(number) < 10}


def test_the_status_is_zero_whatever_becomes_of_the_worker(hooked: Hooked) -> None:
    write(hooked.launcher, "#!/no/such/interpreter\n")
    assert hooked.queue == [] == [hooked.commit()][1:]
    write(hooked.launcher, "#!/bin/sh\nkill -9 $$\n")
    hooked.commit()
    assert len(hooked.queue) == 2


def test_the_program_that_was_fixed_is_preferred(hooked: Hooked) -> None:
    fixed = hooked.bin / "it's fixed"
    write(fixed, hooked.launcher.read_text())
    hooked.install("post-commit", str(fixed), "-m", "git asr\n$HOME")
    hooked.commit()
    (call,) = hooked.calls
    assert call.args == ("-m", "git asr\n$HOME", "worker", str(hooked.asr.resolve()))


def test_the_program_in_the_path_stands_in_for_one_that_is_gone(hooked: Hooked) -> None:
    hooked.install("post-commit", "/no/such/python", "-m", "git_asr")
    hooked.commit()
    assert hooked.started() == 1


def test_without_a_program_nothing_is_noted(hooked: Hooked) -> None:
    hooked.launcher.unlink()
    hooked.commit()
    hooked.git("switch", "-q", "-c", "other")
    assert not hooked.asr.exists()
    hooked.asr.mkdir()
    hooked.commit()
    hooked.git("switch", "-q", "main")
    assert list(hooked.asr.iterdir()) == []


def test_a_function_of_the_environment_is_no_program(hooked: Hooked) -> None:
    hooked.launcher.unlink()
    hooked.commit(env={"BASH_FUNC_git-asr%%": "() {  git config asr.called true; }"})
    assert not hooked.asr.exists()
    assert hooked.git("config", "--default", "", "asr.called") == ""


def test_the_hook_says_nothing_even_when_git_is_traced(hooked: Hooked) -> None:
    ended = hooked.run(hooked.hooks / "post-commit", env={"GIT_TRACE": "1", "GIT_TRACE2": "1"})
    assert ended == Ended(0, "", "")


def test_a_message_with_a_nul(hooked: Hooked) -> None:
    raw = f"tree {hooked.tree()}\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\nsubject\0\n\n{TRAILER}\0\n"
    named = hooked.git("hash-object", "-t", "commit", "-w", "--stdin", "--literally", stdin=raw.encode())
    hooked.git("update-ref", "HEAD", named)
    assert hooked.run(hooked.hooks / "post-commit") == Ended(0, "", "")
    assert hooked.queue == [named]
