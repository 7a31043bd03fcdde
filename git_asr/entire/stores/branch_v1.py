"""The layout since Entire 0.3.11: the branch ``entire/checkpoints/v1``, a folder per checkpoint two levels deep."""

from __future__ import annotations

from collections.abc import Iterator

from git_asr.entire.links import is_checkpoint_id
from git_asr.entire.stores.base import Location, Removed, Store
from git_asr.git.base import Objects, Ref
from git_asr.git.trees import changed_trees

_BRANCH = "entire/checkpoints/v1"
_LOCAL = f"refs/heads/{_BRANCH}"
_REMOTES = "refs/remotes/"


class BranchV1:
    """Reference entire-checkpoints, section 2.2: ``<ID's first two characters>/<the rest>/`` in the tip's tree.

    Only the tip counts: the history holds deleted and superseded states. ULIDs stand there as mirrors of per-checkpoint
    refs. Other paths are what users committed there by accident, or Entire's own ``vercel.json``.
    """

    kind = "branch-v1"

    def matches(self, ref: Ref) -> bool:
        """Tell whether a ref is the branch or a remote's copy of it."""
        return ref.name == _LOCAL or _remote(ref.name) is not None

    def rank(self, ref: str, remote: str | None) -> int:
        """The branch itself, the copy of the checkpoint remote, of ``origin``, of any other remote."""
        if ref == _LOCAL:
            return 0
        order = [remote, "origin"]
        name = _remote(ref)
        return 1 + (order.index(name) if name in order else len(order))

    def described(self, ref: str) -> str:
        """The name of the ref."""
        return ref

    def checkpoints(
        self, objects: Objects, store: Store, old_tip: str | None
    ) -> Iterator[Location | Removed]:
        """Yield the checkpoints whose trees differ between the tips. Raises AsrError as :class:`Layout` says."""
        old_tree = objects.commit_tree(old_tip) if old_tip is not None else None
        for path, _, oid in changed_trees(objects, old_tree, objects.commit_tree(store.tip), depth=2):
            shard, _, rest = path.partition("/")
            checkpoint = shard + rest
            if len(shard) != 2 or not is_checkpoint_id(checkpoint):
                continue
            if oid is None:
                yield Removed(checkpoint)
            else:
                yield Location(checkpoint, store.ref, self.kind, oid, path)


def _remote(ref: str) -> str | None:
    """The name of the remote whose copy of the branch this ref is; None if it is none."""
    name = ref.removeprefix(_REMOTES).removesuffix(f"/{_BRANCH}")
    return name if ref == f"{_REMOTES}{name}/{_BRANCH}" else None
