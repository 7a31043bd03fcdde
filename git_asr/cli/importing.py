"""What ``git asr import`` is asked to do: to take in a bundle, to unpack it, or to read events."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

from git_asr.errors import Diagnostic, Report, UsageError


class Outcome(Protocol):
    """What came of it, for people and for programs."""

    def lines(self) -> Iterator[str]:
        """Lines for people, neutral."""
        ...

    def as_json(self, found: Iterable[Diagnostic]) -> dict[str, Any]:
        """For programs."""
        ...


class Import(Protocol):
    """Does it, or only looks."""

    def __call__(self, report: Report, *, dry_run: bool) -> Outcome:
        """Raises AsrError where it cannot be done."""
        ...


def asked(
    bundle: str | None,
    into: str | None,
    events: str | None,
    of_events: tuple[str | None, str | None],
    limits: Mapping[str, int | None],
    *,
    force: bool,
) -> Import:
    """What the arguments ask for. ``of_events``: the agent and the session that go with events.

    Raises:
        UsageError: nothing, or things that do not go together.
    """
    given = {name: value for name, value in limits.items() if value is not None}
    if events is None and bundle is None:
        raise UsageError(
            "say what to import", hint="git asr import BUNDLE   (or git asr import --events FILE)"
        )
    if events is not None and (bundle is not None or into is not None or given or force):
        raise UsageError("--events does not go with a bundle and its options")
    if events is None and of_events != (None, None):
        raise UsageError("--agent and --session go with --events")
    if force and into is None:
        raise UsageError("--force goes with --into")
    if events is not None:
        return _events(events, *of_events)
    return _bundle(str(bundle), None if into is None else Path(into), given, force=force)


def _events(file: str, agent: str | None, session: str | None) -> Import:
    def run(report: Report, *, dry_run: bool) -> Outcome:
        from git_asr.cli import imported
        from git_asr.cli.opening import open_repository

        repo = open_repository()
        wanted = imported.read(file, agent, session, report)
        return imported.look(wanted) if dry_run else imported.take(repo, wanted)

    return run


def _bundle(name: str, into: Path | None, given: Mapping[str, int], *, force: bool) -> Import:
    def run(report: Report, *, dry_run: bool) -> Outcome:
        from git_asr.bundles.limits import Limits
        from git_asr.cli import taken

        chosen = Limits()
        limits = Limits(
            given.get("max_files", chosen.files),
            given.get("max_size", chosen.bytes),
            given.get("max_file_size", chosen.file_bytes),
            given.get("max_ratio", chosen.ratio),
        )
        if into is not None:
            return taken.unpack(name, limits, into, report, force=force, dry_run=dry_run)
        return taken.take(name, limits, report, dry_run=dry_run)

    return run
