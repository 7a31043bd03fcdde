"""A repository to install hooks in, what is in its folder of hooks, and whether ours run."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.support.repo_builder import git
from tests.support.run import PROJECT, Result, run_cli

HOOKS = ("post-commit", "post-rewrite", "post-merge", "post-checkout", "post-applypatch", "pre-push")

QUIET = {"CI": "true"}
"""Hooks only fill the queue: no worker empties it under the eyes of a test."""

Files = dict[str, tuple[int, bytes]]


def repository(path: Path, *options: str) -> Path:
    """An empty repository without sample hooks, with one commit."""
    git(path.parent, "init", "-q", "-b", "main", "--template=", *options, str(path))
    git(path, "-c", f"core.hooksPath={os.devnull}", "commit", "-q", "--allow-empty", "-m", "first")
    return path


def foreign(path: Path, log: Path, status: int = 0) -> bytes:
    """Write a hook of the user's own that logs its name, arguments and input, and give its contents."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = f"#!/bin/sh\necho \"${{0##*/}}:\" \"$@\" >>'{log}'\ncat >>'{log}'\nexit {status}\n"
    path.write_text(text)
    path.chmod(0o755)
    return text.encode()


def files(folder: Path) -> Files:
    """Permissions and contents of all files of a folder, by their path in it; those of git-asr's local state aside."""
    return {
        str(path.relative_to(folder)): (stat.S_IMODE(path.lstat().st_mode), path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink() and "asr" not in path.relative_to(folder).parts
    }


def commit(
    path: Path,
    message: str = "change\n\nEntire-Checkpoint: 5f0af6f2363f",
    env: Mapping[str, str] = {},
    *more: str,
) -> str:
    """Commit, see that neither anything is printed nor fails, and give the commit."""
    ended = subprocess.run(
        ["git", "commit", "-q", "--allow-empty", "-m", message, *more],
        cwd=path,
        env={**os.environ, **QUIET, **env},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
    return git(path, "rev-parse", "HEAD")


def noted(path: Path) -> set[str]:
    """What is in the queue; it is empty afterwards."""
    queue = Path(git(path, "rev-parse", "--path-format=absolute", "--git-common-dir")) / "asr" / "queue"
    found = {one.name for one in queue.iterdir()} if queue.is_dir() else set()
    for name in found:
        (queue / name).unlink()
    return found


def is_reached(path: Path, env: Mapping[str, str] = {}) -> bool:
    """Whether a commit with a checkpoint comes into the queue."""
    noted(path)
    return commit(path, env=env) in noted(path)


def install(path: Path, *options: str, env: Mapping[str, str] = {}) -> Result:
    """``git asr install``; the first sync is not suggested again and again."""
    return run_cli(["install", *options], path, env=env)


def uninstall(path: Path, *options: str, env: Mapping[str, str] = {}) -> Result:
    """``git asr uninstall``."""
    return run_cli(["uninstall", *options], path, env=env)


KILLER = """
import os, signal, sys

left = int(sys.argv.pop(1))

def count(event, arguments):
    global left
    writes = event in ("os.rename", "os.link", "os.mkdir", "os.remove", "os.rmdir", "os.chmod", "shutil.rmtree")
    if event == "open" and isinstance(arguments[2], int):
        writes = bool(arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))
    if event == "subprocess.Popen":
        words = arguments[1]
        writes = "config" in words and any(word.startswith(("--replace", "--add", "--remove")) for word in words)
    if writes:
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(count)
from git_asr.cli.main import main
sys.exit(main())
"""
"""Runs git-asr and kills it before it writes for the so many-th time, whatever it writes."""


def killed(path: Path, writes: int, *arguments: str, env: Mapping[str, str] = {}) -> bool:
    """Run git-asr until it has written so many times; False if it came to its end before."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
    ended = subprocess.run(
        [sys.executable, "-c", KILLER, str(writes), *arguments],
        cwd=path,
        env={**environment, "PYTHONPATH": str(PROJECT), "PYTHONDONTWRITEBYTECODE": "1", **env},
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode in (0, -9), ended.stderr
    return ended.returncode == -9
