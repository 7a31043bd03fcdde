"""A sync by the settings of the repository, with a progress bar."""

from __future__ import annotations

from collections.abc import Sequence

from git_asr.cli.progress import progress
from git_asr.cli.promised import filling
from git_asr.errors import Report
from git_asr.git.base import Repository
from git_asr.sync.flow import Options, sync
from git_asr.sync.outcome import Outcome
from git_asr.sync.settings import Settings


def synced(
    repo: Repository, wanted: Settings, report: Report, *, revisions: Sequence[str] = (), full: bool = False
) -> Outcome:
    """Sync. Raises as ``sync.flow.sync``."""
    with progress() as tick:
        options = Options(
            revisions=tuple(revisions) or None,
            full=full,
            exclusions=wanted.exclusions,
            orphans=wanted.orphans,
            reconvert=wanted.reconvert,
            backend=wanted.backend,
            jobs=wanted.jobs,
            fill=filling(repo),
            progress=lambda done, total: tick("sessions", done, total),
        )
        return sync(repo, options, report)
