"""``asr::convert+``: a repository that has checkpoints appears with the companion that a sync would make of them."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from git_asr.companion.names import SESSIONS
from git_asr.converters.versions import known
from git_asr.entire.fetch import absent
from git_asr.errors import AsrError
from git_asr.git.base import RefUpdate, Repository
from git_asr.git.credentials import without_credentials
from git_asr.git.fetching import Hear, fetch, fetch_objects, list_remote
from git_asr.git.process import try_git
from git_asr.git.refs import list_refs, read_ref, update_refs
from git_asr.remote import cache
from git_asr.remote.passthrough import fetched as fetched_through
from git_asr.remote.selection import Selection, refspecs, select
from git_asr.remote.speaking import Speaker
from git_asr.sync.settings import settings
from git_asr.views.text import plural

MOST_BYTES = 4 << 30
"""Bytes of packs that a source may fill."""
_COMMITS = "tree:0"
"""The filter with which a server sends commits alone."""
_FEW = 100
"""Refs that are named one by one; of more, all that are of their kind are asked for, in patterns."""
_WHOLE = "--no-filter"
_TOO_LITTLE = re.compile("bad revision|did not send all necessary objects")
"""What Git says where a ref names a tree or a file, which the server left out with all the others."""
_NO_FILTER = "warning: filtering not recognized by server"
"""What Git says where a server sends everything; that is slower, and all the same to us."""
_OWN = ("refs/asr/", "refs/notes/")
_COPY = 1800.0
"""Seconds for bringing a companion from the private repository into the user's."""
_ROUNDS = 4
"""Folders, then files (`git_asr.entire.fetch`)."""


class TooLarge(AsrError):
    """The source is beyond a limit; what it has can be had by a clone, and a sync in that."""

    def __init__(self, shown: str) -> None:
        super().__init__(
            f"{shown} fills more than {MOST_BYTES >> 20:,} MiB: too much to convert in passing",
            hint=f"git clone --mirror {shlex.quote(shown)}, and git asr sync there",
        )


class Converted:
    """One source. It is listed, fetched and converted when Git asks for the list, since that must have the result."""

    def __init__(self, url: str, speaker: Speaker) -> None:
        self._url = url
        self._speaker = speaker
        self._made: Path | None = None
        self._shown = without_credentials(url)

    def listed(self, repo: Repository | None) -> dict[str, str]:
        """The companion: as it is there, if the source has one, else made of its checkpoints; none without any.

        Raises:
            TooLarge: the source is beyond a limit.
            AsrError: it cannot be read.
        """
        self._made = None
        found = list_remote(repo, self._url, self._speaker.hear)
        if SESSIONS in found:
            self._speaker.note(f"{self._shown} has a companion of its own")
            return {SESSIONS: found[SESSIONS]}
        chosen = select(found)
        if not chosen.stores:
            self._speaker.warn(f"{self._shown} has no checkpoints")
            return {}
        size = len(next(iter(chosen.stores.values())))
        place = cache.folder(repo, self._url)
        with cache.opened(place, "sha256" if size == 64 else "sha1") as private:
            commit = self._answer(private, chosen) or self._convert(repo, private, chosen, found)
            self._made = private.git_dir
        return {SESSIONS: commit} if commit else {}

    def fetched(self, repo: Repository, oid: str) -> None:
        """Bring what was listed into the user's repository.

        Raises:
            AsrError: it cannot be read there, or written here.
        """
        if self._made is None:
            fetched_through(repo, self._url, oid, self._speaker.options, self._speaker.hear)
            return
        finished = try_git(
            repo,
            *("fetch", "--quiet", "--refmap=", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance"),
            *("--no-filter", "--no-recurse-submodules", "--", str(self._made), oid),
            deadline=_COPY,
            env={
                "GIT_ALLOW_PROTOCOL": "file"
            },  # our own folder, whatever the user allows for those of others
        )
        if finished.status:
            raise finished.failure()

    def _answer(self, private: Repository, chosen: Selection) -> str | None:
        """What was made of the same refs before."""
        commit = cache.answer(private, _source(private, chosen))
        return commit if commit is not None and read_ref(private, SESSIONS) == commit else None

    def _convert(
        self, repo: Repository | None, private: Repository, chosen: Selection, listed: Collection[str]
    ) -> str:
        from git_asr.sync import flow  # noqa: PLC0415  (who asks again need not wait for it)

        speaker = self._speaker
        speaker.note(f"converting the checkpoints of {self._shown}")
        self._fetch(private, self._config(repo), chosen, listed)
        wanted = settings(private)
        options = flow.Options(
            exclusions=wanted.exclusions,
            orphans=wanted.orphans,
            backend=wanted.backend,
            progress=lambda done, total: speaker.tick("Converting sessions", done, total),
        )
        outcome = flow.sync(private, options, speaker.report)
        if outcome.unresolved:
            speaker.warn(f"{plural(len(outcome.unresolved), 'checkpoint')} that commits name: not there")
        speaker.close()
        if outcome.commit is None:
            speaker.warn(f"{self._shown} has no sessions that a commit names")
            return ""
        here = {ref.name: ref.oid for ref in list_refs(private) if ref.name in chosen.refs}
        if here == chosen.refs:
            cache.remember(private, _source(private, chosen), outcome.commit)
        else:  # the next time decides
            speaker.warn(
                f"{plural(len(chosen.refs.items() - here.items()), 'ref')} of {self._shown}: moved, or refused"
            )
        return outcome.commit

    def _config(self, repo: Repository | None) -> dict[str, str]:
        """Settings for a fetch into the private repository: it reaches the source as the user's own repository does."""
        own = {} if repo is None else {"include.path": str(repo.common_dir / "config"), "core.bare": "true"}
        return {
            **own,
            f"remote.{self._remote}.url": self._url,
            f"remote.{self._remote}.promisor": "true",
            f"remote.{self._remote}.partialCloneFilter": _COMMITS,
            "core.hooksPath": os.devnull,
            "fetch.unpackLimit": "1",  # packs alone, so that their size tells all
        }

    @property
    def _remote(self) -> str:
        """The remote's name in the private repository: as the source is shown, but a name is no path."""
        name = self._shown.replace("=", "-")
        return f"file://{name}" if name.startswith("/") else name

    def _fetch(
        self, private: Repository, config: Mapping[str, str], chosen: Selection, listed: Collection[str]
    ) -> None:
        """Give the private repository the refs that were chosen: checkpoints whole, of all else the commits alone.

        Checkpoints come first: a server leaves out what hangs on commits that are here. Where they hang on commits of
        the project all the same, what is absent of their trees is fetched afterwards.
        """
        name = self._remote
        here = {ref.name: ref.oid for ref in list_refs(private) if not ref.name.startswith(_OWN)}
        update_refs(
            private, [RefUpdate(one, None, oid) for one, oid in here.items() if one not in chosen.refs]
        )
        with self._limited(private) as hear:
            for refs, option in ((chosen.stores, _WHOLE), (chosen.walked, f"--filter={_COMMITS}")):
                moved = [one for one, oid in refs.items() if here.get(one) != oid]
                if not moved:
                    continue
                news = refspecs(moved if len(moved) < _FEW else refs, listed)
                try:
                    fetch(private, name, news, hear, (option,), config=config)
                except AsrError as error:
                    if option == _WHOLE or not _TOO_LITTLE.search(error.message):
                        raise
                    fetch(private, name, news, hear, (_WHOLE,), config=config)
            tips = {oid for one, oid in chosen.stores.items() if here.get(one) != oid}
            for _ in range(_ROUNDS):
                if missing := absent(private, tips):
                    fetch_objects(private, name, missing, hear, config=config)

    @contextmanager
    def _limited(self, private: Repository) -> Iterator[Hear]:
        """Listen to a fetch, and stop it when it has filled too much; its progress comes every second."""
        packs = private.common_dir / "objects" / "pack"

        def check() -> None:
            if _size(packs) > MOST_BYTES:
                raise TooLarge(self._shown)

        def hear(piece: str, is_progress: bool) -> None:
            check()
            if not piece.startswith(_NO_FILTER):
                self._speaker.hear(piece, is_progress)

        yield hear
        check()


def _source(private: Repository, chosen: Selection) -> str:
    """What decides what is made: the refs, the user's settings for a sync, the versions of the converters."""
    wanted = settings(private)
    return chosen.digest(*wanted.exclusions, str(wanted.orphans), known())


def _size(packs: Path) -> int:
    total = 0
    for path in packs.iterdir():
        with suppress(OSError):  # renamed meanwhile
            total += path.stat().st_size
    return total
