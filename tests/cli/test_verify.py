"""``git asr verify``."""

from __future__ import annotations

import json
from pathlib import Path

from tests.companion.test_merging import gathered
from tests.support.companion import REF
from tests.support.repo_builder import git
from tests.support.run import run_cli
from tests.support.signing import needs_ssh, sign_with, ssh_key


def test_without_a_companion_ref(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "r")
    ended = run_cli(["verify"], tmp_path / "r")
    assert (ended.status, ended.out) == (1, "")
    assert ended.err == f"error: there is no {REF} yet\nhint: git asr sync\n"


def test_what_nobody_signed(tmp_path: Path) -> None:
    hub, (tip,) = gathered(tmp_path, [(0, "plain", 3)])
    ended = run_cli(["verify", "asr/remotes/c0/sessions"], hub)
    assert (ended.status, ended.out) == (1, f"{tip[:12]} unsigned: it is not signed\n")


@needs_ssh
def test_signed_and_merged(tmp_path: Path) -> None:
    hub, (tip,) = gathered(tmp_path, [(0, "plain", 3)])
    sign_with(hub, ssh_key(tmp_path))
    signed = git(hub, "commit-tree", "-S", "-m", "x", f"{tip}^{{tree}}").strip()
    git(hub, "update-ref", REF, signed)
    ended = run_cli(["verify"], hub)
    assert (ended.status, ended.out) == (0, f"{signed[:12]} signed by ann@example.com\n")
    ended = run_cli(["verify", "--json", tip, REF], hub)
    assert ended.status == 1
    said = json.loads(ended.out)
    assert said["version"] == 1
    assert sorted(said["commits"], key=lambda one: one["holds"]) == [
        {"commit": tip, "state": "unsigned", "holds": False, "signer": "", "why": "it is not signed"},
        {"commit": signed, "state": "signed", "holds": True, "signer": "ann@example.com", "why": ""},
    ]
