"""Keys of ssh and of GnuPG for tests, and a repository that signs with them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.repo_builder import git

needs_ssh = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not here")
needs_gpg = pytest.mark.skipif(shutil.which("gpg") is None, reason="GnuPG is not here")


def ssh_key(folder: Path, name: str = "ann") -> Path:
    """A key without a password."""
    path = folder / f"{name}.key"
    subprocess.run(
        ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", path],
        check=True,
        capture_output=True,
    )
    return path


def sign_with(repo: Path, key: Path, *trusted: Path) -> None:
    """Let Git sign in a repository with an ssh key; it trusts that and some others, each under its file's name."""
    lines = [f"{one.stem}@example.com {one.with_suffix('.key.pub').read_text()}" for one in (key, *trusted)]
    allowed = repo / "allowed-signers"
    allowed.write_text("".join(lines))
    git(repo, "config", "gpg.format", "ssh")
    git(repo, "config", "user.signingKey", str(key))
    git(repo, "config", "gpg.ssh.allowedSignersFile", str(allowed))
