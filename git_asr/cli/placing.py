"""Where ``git asr export`` writes to, and what is written there: a bundle, or files of another format."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from git_asr.asr.bundle import Bundle
from git_asr.bundles import contents, registry
from git_asr.bundles.base import Files
from git_asr.bundles.folder import FolderTarget
from git_asr.bundles.single import SingleFile, SingleStream
from git_asr.cli import redacting, render
from git_asr.cli.progress import Tick
from git_asr.cli.redacting import Redaction
from git_asr.errors import Report, UsageError
from git_asr.exporters import registry as exporters
from git_asr.exporters import writing
from git_asr.exporters.base import Exporter, Losses
from git_asr.values import dataclass


@dataclass(frozen=True, slots=True)
class Written:
    """How many files there are now, how many bytes they have; for another format than a bundle's, what it lost."""

    files: int
    bytes: int
    losses: Losses | None = None


Write = Callable[[Bundle, Redaction, Report, Tick], Written]
"""Writes a bundle, which was redacted or not."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a bundle goes. ``path``: None for stdout."""

    path: Path | None
    kind: str
    force: bool = False

    def redaction(
        self, policy: str | None, *, shareable: bool, private: bool, native: bool, join: bool
    ) -> Redaction:
        """What becomes of the bundle before it is written. Raises UsageError as ``redacting.for_bundle``."""
        return redacting.for_bundle(policy, shareable=shareable, private=private, native=native)

    @contextmanager
    def open(self) -> Iterator[Write]:
        """Begin to write. Raises UsageError if something is there, AsrError if nothing can be made there."""
        if self.path is None:
            target = registry.stream_target(sys.stdout.buffer, self.kind)
        else:
            target = registry.target(self.path, self.kind, force=self.force)
        with target:

            def write(bundle: Bundle, _: Redaction, __: Report, tick: Tick) -> Written:
                contents.write(bundle, target, partial(tick, "files"))
                target.close()
                listed = bundle.manifest.files().values()
                return Written(len(listed) + 1, sum(file.bytes for file in listed))

            yield write


@dataclass(frozen=True, slots=True)
class FilesPlace:
    """Where files of another format go: a folder, or one file if its name ends as files of that format do."""

    path: Path | None
    exporter: Exporter
    force: bool = False

    @property
    def kind(self) -> str:
        """What ``--format`` calls it."""
        return self.exporter.name

    def redaction(
        self, policy: str | None, *, shareable: bool, private: bool, native: bool, join: bool
    ) -> Redaction:
        """What becomes of the sessions before they are written. Raises UsageError as ``redacting.for_files``."""
        if native or join:
            raise UsageError(f"--{'native' if native else 'join'} is for bundles")
        return redacting.for_files(self.kind, policy, shareable=shareable, private=private)

    @contextmanager
    def open(self) -> Iterator[Write]:
        """Begin to write. Raises as ``Place.open``."""
        with self._target() as target:
            folder = isinstance(target, FolderTarget)
            exporter = self.exporter if folder else exporters.alone(self.exporter)

            def write(bundle: Bundle, redaction: Redaction, report: Report, tick: Tick) -> Written:
                files = writing.Files(target.put_pieces)
                losses = writing.write(
                    exporter,
                    bundle,
                    redaction.marking,
                    files,
                    report=report,
                    tick=partial(tick, "sessions"),
                )
                if folder:
                    files.put(writing.MARK, writing.mark(self.exporter, bundle, redaction.marking, losses))
                target.close()
                return Written(files.count, files.bytes, losses)

            yield write

    def _target(self) -> Files:
        if self.path is None:
            return SingleStream(sys.stdout.buffer)
        if self.path.name.lower().endswith(self.exporter.suffix) and not self.path.is_dir():
            return SingleFile(self.path, force=self.force)
        return FolderTarget(self.path, force=self.force, mark=writing.MARK)


def place(output: str | None, kind: str | None, *, force: bool, machine: bool) -> Place | FilesPlace:
    """Where it is to go.

    Raises:
        UsageError: that is not said, or cannot be.
    """
    if output is None:
        raise UsageError(
            "say where to: a folder or an archive", hint="git asr export --all -o sessions.tar.gz"
        )
    if kind is not None and kind not in (*registry.NAMES, *exporters.NAMES):
        raise UsageError(f"no format is called '{kind}'", hint=", ".join((*registry.NAMES, *exporters.NAMES)))
    path = None if output == "-" else Path(output)
    if path is None and machine:
        raise UsageError("--json and -o - exclude each other: both write to stdout")
    if path is None and sys.stdout is None:
        raise UsageError("stdout is closed")
    if kind in exporters.NAMES:
        return FilesPlace(path, exporters.exporter(kind), force)
    if path is not None:
        return Place(path, kind or registry.kind_of(path), force)
    if render.on_terminal():
        raise UsageError(
            "an archive is not written to a terminal", hint="git asr export --all -o - --format tar | …"
        )
    return Place(None, kind or "tar", force)
