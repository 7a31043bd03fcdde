"""Which session of a companion was made of a folder of a checkpoint, for who cannot read the folder itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field

from git_asr.asr.bundle import Manifest
from git_asr.asr.draft import Record
from git_asr.asr.header import SessionKey
from git_asr.asr.links import CHECKPOINT, SESSION
from git_asr.companion import store
from git_asr.companion.store import DamagedBundle, StoredSession
from git_asr.git.base import Objects
from git_asr.values import dataclass


@dataclass(slots=True)
class Homes:
    """Looks through a companion tree: its manifests once, of sessions those that may be meant."""

    objects: Objects
    tree: str | None
    _by_commit: dict[str, list[SessionKey]] | None = field(default=None)

    def of(self, checkpoint: str, folder: str, commits: Iterable[str]) -> Iterator[SessionKey]:
        """The sessions with an agent that say to be made of a folder. ``commits``: those that name its checkpoint."""
        known = self._linked()
        for key in dict.fromkeys(key for commit in commits for key in known.get(commit, ())):
            stored = self._loaded(key)
            records = [] if stored is None else [record for _, record in store.links_of(stored)]
            if any(_tells(record, checkpoint, folder) for record in records):
                yield key

    def _linked(self) -> dict[str, list[SessionKey]]:
        """The sessions with an agent, by the commits that their manifests name."""
        if self._by_commit is None:
            self._by_commit = {}
            for _, manifest in store.manifests(self.objects, self.tree) if self.tree is not None else ():
                for session in manifest.sessions if isinstance(manifest, Manifest) else ():
                    named = {one for entry in session.streams for one in entry.summary.get("commits") or ()}
                    for commit in () if session.key.bare else named:
                        self._by_commit.setdefault(commit, []).append(session.key)
        return self._by_commit

    def _loaded(self, key: SessionKey) -> StoredSession | None:
        try:
            return store.load_session(self.objects, self.tree, key)
        except DamagedBundle:
            return None


def _tells(record: Record, checkpoint: str, folder: str) -> bool:
    """Whether a link record is of a checkpoint, and names a folder of it."""
    if record["type"] != CHECKPOINT or record["id"] != checkpoint:
        return False
    meta = record.get("_meta")
    told = meta.get(SESSION) if isinstance(meta, dict) else None
    return any(
        isinstance(one, dict) and one.get("folder") == folder
        for one in (told if isinstance(told, list) else [told])
    )
