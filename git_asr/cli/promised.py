"""What a partial clone left out of sessions: brought for what a person asks to see, in one go, and said."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import TYPE_CHECKING

from git_asr.asr.header import SessionKey
from git_asr.cli import render
from git_asr.companion.soundness import lacking
from git_asr.companion.tree import read_tip, session_folders, session_path
from git_asr.errors import AsrError
from git_asr.git import trees
from git_asr.git.backend import open_objects
from git_asr.git.base import Objects, Repository
from git_asr.git.promised import absent, fetch_promised, promisor
from git_asr.views.text import neutral, plural

if TYPE_CHECKING:
    from git_asr.companion.arrivals import Fill


def filling(repo: Repository) -> Fill | None:
    """What brings Git blobs from the remote that promised them; None where nothing is promised."""
    if not repo.promisor:
        return None

    from git_asr.cli.fetched import hear

    def fill(oids: Collection[str]) -> None:
        many = plural(len(oids), "file")
        render.hint(f"fetching {many} of sessions from {neutral(promisor(repo) or 'nowhere')}")
        fetch_promised(repo, oids, hear)

    return fill


def bring_summaries(repo: Repository) -> None:
    """Bring what listing reads of the companion ref, where a clone left it out; say so if that fails."""
    if not repo.promisor:
        return
    with open_objects(repo, "git") as objects:
        tree = read_tip(repo, objects).tree
        _bring(repo, [] if tree is None else list(lacking(objects, session_folders(objects, tree))))


def bring_sessions(
    repo: Repository,
    objects: Objects,
    tree: str | None,
    keys: Iterable[SessionKey],
    wanted: Callable[[str], bool] = lambda _: True,
) -> None:
    """Bring all files of some sessions, where a clone left them out; say so if that fails.

    ``wanted``: tells of the path of a file in a bundle whether it is needed.
    """
    if not repo.promisor or tree is None:
        return
    oids: list[str] = []
    for key in keys:
        entry = objects.lookup(tree, session_path(key))
        if entry is not None and entry.is_tree:
            listed = trees.walk_files(objects, entry.oid)
            oids += (file.oid for path, file in listed if file.is_blob and wanted(path))
    _bring(repo, absent(objects, oids))


def bring_records(repo: Repository, objects: Objects, tree: str | None, keys: Iterable[SessionKey]) -> None:
    """Bring what usage reads of some sessions: no blobs. As ``bring_sessions``."""
    bring_sessions(repo, objects, tree, keys, lambda path: not path.startswith("blobs/"))


def _bring(repo: Repository, oids: Collection[str]) -> None:
    fill = filling(repo)
    if not oids or fill is None:
        return
    try:
        fill(oids)
    except AsrError as error:
        render.warning(f"{plural(len(oids), 'file')} of sessions are not here: {error.message}")
