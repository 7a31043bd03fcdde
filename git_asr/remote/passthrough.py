"""The companion of a repository that has one: Git lists it, and Git fetches it, whole."""

from __future__ import annotations

import re

from git_asr.companion.names import SESSIONS
from git_asr.errors import AsrError, UsageError
from git_asr.git.base import Repository
from git_asr.git.credentials import without_credentials
from git_asr.git.fetching import Hear, fetch, list_remote
from git_asr.git.process import try_git
from git_asr.remote.options import Options

_BY_NAME_ONLY = re.compile("not our ref|unadvertised object|couldn't find remote ref")
"""What Git says where a host does not give a commit by its ID."""


def listed(repo: Repository | None, url: str, hear: Hear) -> dict[str, str]:
    """The companion ref of a repository elsewhere, if it has one; all its other refs are left out.

    Raises:
        AsrError: it cannot be read.
    """
    return list_remote(repo, url, hear, lambda name: name == SESSIONS)


def fetched(repo: Repository, url: str, oid: str, options: Options, hear: Hear) -> None:
    """Bring a companion commit and all that belongs to it, also into a partial clone; no ref is written.

    A host that does not give a commit by its ID (where the ref has moved on since it was listed) is asked for the ref.

    Raises:
        UsageError: the two repositories have different object formats.
        AsrError: the remote cannot be read, or gives something else.
    """
    if len(oid) != repo.hex_length:
        other = "sha256" if repo.object_format == "sha1" else "sha1"
        raise UsageError(
            f"{without_credentials(url)} has object IDs of {other}, and this repository of {repo.object_format}"
        )
    how = ["--no-filter", *(["--refetch"] if options.refetch else [])]
    how += [f"--{options.family}"] if options.family else []
    try:
        fetch(repo, url, [oid], hear, options=tuple(how))
    except AsrError as error:
        if not _BY_NAME_ONLY.search(error.message):
            raise
        fetch(repo, url, [SESSIONS], hear, options=tuple(how))
        if try_git(repo, "cat-file", "-e", f"{oid}^{{commit}}").status:
            raise error from None
