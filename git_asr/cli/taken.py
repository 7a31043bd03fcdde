"""What ``git asr import BUNDLE`` reads, does and says."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Any

from git_asr.asr.bundle import Bundle
from git_asr.bundles import contents, registry
from git_asr.bundles.base import Source
from git_asr.bundles.folder import FolderTarget
from git_asr.bundles.limits import Limits
from git_asr.cli.exported import ended_by_signals
from git_asr.cli.findings import findings_as_json
from git_asr.cli.opening import open_repository
from git_asr.cli.outcome import by_outcome
from git_asr.cli.progress import Tick, progress
from git_asr.errors import AsrError, Diagnostic, Report
from git_asr.sync.flow import Options, sync
from git_asr.sync.settings import settings
from git_asr.sync.taking import Offer
from git_asr.values import dataclass
from git_asr.views.text import neutral, plural


@dataclass(frozen=True, slots=True)
class Session:
    """A session of a bundle. ``outcome``: new, changed, unchanged, refused or unpacked; None where nothing was done."""

    harness: str
    id: str
    streams: int
    outcome: str | None = None


@dataclass(frozen=True, slots=True)
class Taken:
    """What was done, or would be. ``commit``: the companion's tip; ``into``: the folder that was written."""

    sessions: tuple[Session, ...]
    commit: str | None = None
    into: str | None = None
    dry_run: bool = False

    def lines(self) -> Iterator[str]:
        """A line for each session, and one for all."""
        for one in self.sessions:
            said = plural(one.streams, "stream") + (f", {one.outcome}" if one.outcome else "")
            yield neutral(f"{one.harness} {one.id}: {said}")
        yield by_outcome([one.outcome for one in self.sessions])

    def as_json(self, found: Iterable[Diagnostic]) -> dict[str, Any]:
        """What ``git asr import BUNDLE --json`` prints; version 1."""
        return {
            "version": 1,
            "dryRun": self.dry_run,
            "companion": self.commit,
            "into": self.into,
            "sessions": [
                {"harness": one.harness, "id": one.id, "streams": one.streams, "outcome": one.outcome}
                for one in self.sessions
            ],
            "diagnostics": findings_as_json(found),
        }


def take(name: str, limits: Limits, report: Report, *, dry_run: bool) -> Taken:
    """Merge the sessions of a bundle into the companion ref, with whatever a sync finds new.

    Raises:
        AsrError: it is no bundle, or one that is not safe, or damaged. Nothing of it was taken then.
    """
    repo = open_repository()
    with _opened(name, limits) as source, progress() as tick:
        bundle = _read(name, source, report, tick)
        if dry_run:
            return Taken(tuple(_sessions(bundle, {}, None)), dry_run=True)
        configured = settings(repo)
        options = Options(
            exclusions=configured.exclusions,
            orphans=configured.orphans,
            backend=configured.backend,
            progress=partial(tick, "sessions"),
            offers=(Offer(bundle, report, partial(tick, "bundle")),),
        )
        outcome = sync(repo, options, lambda _: None)  # what it would report is left to `git asr sync`
        became = {one.key.pair: one.became for one in outcome.taken}
    return Taken(tuple(_sessions(bundle, became, None)), outcome.commit)


def unpack(name: str, limits: Limits, into: Path, report: Report, *, force: bool, dry_run: bool) -> Taken:
    """Write the files of a bundle to a folder: those that its manifest lists, and the manifest, byte for byte.

    Raises:
        UsageError: something is there already.
        AsrError: as ``take``, or the folder cannot be written.
    """
    with _opened(name, limits) as source, progress() as tick:
        bundle = _read(name, source, report, tick)
        if not dry_run:
            with ended_by_signals(), FolderTarget(into, force=force) as target:
                contents.write(bundle, target, partial(tick, "files"), contents.manifest_of(source))
                target.close()
    outcome = None if dry_run else "unpacked"
    return Taken(tuple(_sessions(bundle, {}, outcome)), into=str(into), dry_run=dry_run)


def _opened(name: str, limits: Limits) -> AbstractContextManager[Source]:
    if name != "-":
        return registry.opened(Path(name), limits)
    if sys.stdin is None:
        raise AsrError("cannot read stdin: it is closed")
    return registry.opened_stream(sys.stdin.buffer, "stdin", limits)


def _read(name: str, source: Source, report: Report, tick: Tick) -> Bundle:
    """The bundle in a source; what is beside it is reported."""
    try:
        bundle = contents.read(source, partial(tick, "files"))
    except AsrError as error:
        raise type(error)(f"'{name}': {error.message}", hint=error.hint) from error
    beside = contents.unlisted(source, bundle)
    if beside:
        said = f"{plural(len(beside), 'file')} that its manifest does not list: {beside[0]!r:.80}"
        report(Diagnostic("unlisted-file", name, f"{said}{', …' if len(beside) > 1 else ''}; left out"))
    return bundle


def _sessions(
    bundle: Bundle, became: Mapping[tuple[str, str], str], otherwise: str | None
) -> Iterator[Session]:
    for one in sorted(bundle.manifest.sessions, key=lambda session: session.key):
        outcome = became.get(one.key.pair, otherwise)
        yield Session(one.key.harness, one.key.id, len(one.streams), outcome)
