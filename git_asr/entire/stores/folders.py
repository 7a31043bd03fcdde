"""What most layouts share: a tree with a folder for each checkpoint two levels deep, on a branch or another ref."""

from __future__ import annotations

import re
from collections.abc import Iterator

from git_asr.entire.stores.base import Location, Removed, Store
from git_asr.errors import Report
from git_asr.git.base import Objects
from git_asr.git.trees import changed_trees

_REMOTES = "refs/remotes/"
_FOLDER = re.compile("[0-9a-f]{2}(?:/[0-9a-f]{10})?|[0-7][0-9A-HJKMNP-TV-Z](?:/[0-9A-HJKMNP-TV-Z]{24})?")


class Folders:
    """Reference entire-checkpoints, section 2.2: ``<ID's first two characters>/<the rest>/`` in the tip's tree.

    Only the tip counts: the history holds deleted and superseded states. ULIDs stand there as mirrors of per-checkpoint
    refs. Other paths are what users committed there by accident, or Entire's own ``vercel.json``; they are not read.
    """

    kind: str
    descends = True
    layered = False

    def described(self, ref: str) -> str:
        """The name of the ref."""
        return ref

    def checkpoints(
        self, objects: Objects, store: Store, old_tip: str | None, report: Report
    ) -> Iterator[Location | Removed]:
        """Yield the checkpoints whose trees differ between the tips. Raises AsrError as :class:`Layout` says."""
        del report
        old = objects.commit_tree(old_tip) if old_tip is not None else None
        new = objects.commit_tree(store.tip)
        for path, _, oid in changed_trees(objects, old, new, depth=2, wanted=_is_folder):
            checkpoint = path.replace("/", "")
            if oid is None:
                yield Removed(checkpoint)
            else:
                yield Location(checkpoint, store.ref, self.kind, (oid,))


class Branch(Folders):
    """Such a tree on a branch of one name, and on the copies that remotes have of it."""

    name: str
    """The branch, without ``refs/heads/``."""

    def rank(self, ref: str, remote: str | None) -> int | None:
        """The branch itself, then the copies of remotes as :func:`remote_rank` says."""
        if not ref.endswith(self.name):
            return None
        if ref == f"refs/heads/{self.name}":
            return 0
        owner = ref.removeprefix(_REMOTES).removesuffix(f"/{self.name}")
        return 1 + remote_rank(owner, remote) if ref == f"{_REMOTES}{owner}/{self.name}" else None


def remote_rank(name: str, remote: str | None) -> int:
    """The order of remotes' copies: of the checkpoint remote, of ``origin``, of any other."""
    order = [remote, "origin"]
    return order.index(name) if name in order else len(order)


def _is_folder(path: str) -> bool:
    return _FOLDER.fullmatch(path) is not None
