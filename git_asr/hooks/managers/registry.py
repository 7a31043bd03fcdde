"""The hook managers that are known."""

from __future__ import annotations

from git_asr.hooks.managers.base import HookFile, Manager
from git_asr.hooks.managers.hk import Hk
from git_asr.hooks.managers.husky import Husky
from git_asr.hooks.managers.lefthook import Lefthook
from git_asr.hooks.managers.overcommit import Overcommit
from git_asr.hooks.managers.pre_commit import PreCommit

MANAGERS: tuple[Manager, ...] = (Husky(), Lefthook(), PreCommit(), Overcommit(), Hk())


def owner(file: HookFile) -> Manager | None:
    """The manager whose hook file this is."""
    return next((manager for manager in MANAGERS if manager.owns(file)), None)
