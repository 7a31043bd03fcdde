"""What lists and filters need of every session, kept in one file so that ten thousand manifests need not be read.

A cache: it may be deleted at any time, and answers are the same without it. Each entry belongs to the tree of a
session's folder, so it never goes stale. The file is written anew whenever something in it is no longer in the
companion ref, so nothing of a session that was forgotten stays in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

import orjson

from git_asr.asr.header import SessionKey
from git_asr.companion.lock import replace_file
from git_asr.companion.names import SUMMARIES
from git_asr.companion.private import make_folder
from git_asr.companion.tree import read_tip, session_folders
from git_asr.errors import AsrError, Diagnostic, Report
from git_asr.git.base import Objects, Repository
from git_asr.values import dataclass
from git_asr.views.filtering import Touches
from git_asr.views.session import Overview, log_line, overview

_FORM = 1
"""Raised when entries are made another way."""
_MOST_PROMPT = 400
"""Characters of the first line of a prompt that are kept; who shows it shows less."""

_REST = {one.name for one in fields(Overview)} - {"harness", "id", "commits"}

Paths = Mapping[str, tuple[str, ...]]
"""The paths that a session touched, each with the commits that its edits came in with (``views.touched``)."""


@dataclass(slots=True)
class Logged:
    """A session with what the log says of it (``views.session.log_line``), as the file has it.

    ``paths``: None where they were not asked for. The rest becomes an ``Overview`` only where somebody asks: of its
    first prompt only the first line.
    """

    key: SessionKey
    commits: Sequence[str]
    line: str
    paths: Paths | None
    rest: Mapping[str, Any]

    @property
    def view(self) -> Overview:
        """What a list says of it. Raises TypeError: the file holds something else."""
        return Overview(
            harness=self.key.harness,
            id=self.key.id,
            commits=tuple(self.commits),
            models=tuple(self.rest["models"]),
            **{name: value for name, value in self.rest.items() if name != "models"},
        )

    def record(self) -> dict[str, Any]:
        """It as the file has it."""
        known = {"harness": self.key.harness, "id": self.key.id, "commits": self.commits, "line": self.line}
        return {**known, "paths": self.paths, "rest": self.rest}


@dataclass(frozen=True, slots=True)
class _Entry:
    """What is kept of one session's folder. ``tree``: of the folder."""

    tree: str
    sessions: tuple[Logged, ...]


@dataclass(slots=True)
class Summaries:
    """The sessions of a companion tree."""

    objects: Objects
    tree: str
    _report: Report
    _file: Path
    _entries: dict[str, _Entry]
    _changed: bool = False
    _whole: bool = True
    """Whether every session of the tree is there; else the file is compared with the tree again."""

    def logged(self) -> list[Logged]:
        """Every session, sorted by its key."""
        return sorted(
            (one for entry in self._entries.values() for one in entry.sessions), key=lambda one: one.key.pair
        )

    def touching(self, touches: Touches, sessions: Iterable[Logged]) -> dict[SessionKey, frozenset[str]]:
        """Those of some sessions that touched a path that is meant, each with the commits it came in with.

        Sessions are read of which the paths are not known yet; one that cannot be read is reported and left out.
        """
        found = {}
        for one in sessions:
            paths = self._paths(one) if one.paths is None else one.paths
            meant = [path for path in paths if touches(path)]
            if meant:
                found[one.key] = frozenset(commit for path in meant for commit in paths[path])
        return found

    def keep(self, repo: Repository) -> None:
        """Write the file if something of it is new, or gone."""
        if self._changed:
            _write(self._file, self.tree if self._whole else "", self._entries)
            self._changed = False
            drop_gone(repo, self.objects)  # the companion ref may have moved on meanwhile

    def _paths(self, one: Logged) -> Paths:
        from git_asr.companion.opening import open_bundle  # noqa: PLC0415  (not needed where all is known)
        from git_asr.views import touched  # noqa: PLC0415

        try:
            bundle = open_bundle(self.objects, self.tree, one.key, self._report, touched.part)
        except AsrError as error:
            self._report(Diagnostic("unreadable-session", f"session {one.key.id}", error.message, error.hint))
            return {}
        one.paths = touched.touched(bundle.streams, bundle.blob)
        self._changed = True
        return one.paths


def summaries(repo: Repository, objects: Objects, tree: str, report: Report) -> Summaries:
    """The sessions of a companion tree that are not forgotten; a damaged manifest is reported and passed over."""
    file = repo.common_dir / "asr" / SUMMARIES
    known_tree, known = _read(file)
    if known_tree == tree:
        return Summaries(objects, tree, report, file, known)
    folders = dict(session_folders(objects, tree))
    entries = {path: one for path, one in known.items() if folders.get(path) == one.tree}
    new = {path: folder for path, folder in folders.items() if path not in entries}
    whole = True
    for path, sessions in _manifests(objects, new, report):
        if sessions is None:
            whole = False
        else:
            entries[path] = _Entry(new[path], sessions)
    found = Summaries(objects, tree, report, file, entries, True, whole)
    found.keep(repo)
    return found


def drop_gone(repo: Repository, objects: Objects) -> None:
    """Take out of the file, where there is one, what the companion ref no longer holds."""
    file = repo.common_dir / "asr" / SUMMARIES
    if not file.exists():
        return
    known_tree, known = _read(file)
    try:
        tree = read_tip(repo, objects).tree
        if tree is not None and tree == known_tree:
            return
        folders = {} if tree is None else dict(session_folders(objects, tree))
    except AsrError:
        folders = {}
    held = {path: one for path, one in known.items() if folders.get(path) == one.tree}
    if len(held) < len(known) or not known:
        _write(file, "", held)


def _manifests(
    objects: Objects, folders: Mapping[str, str], report: Report
) -> Iterator[tuple[str, tuple[Logged, ...] | None]]:
    """What the manifests of some folders say; None for one that cannot be read, which is reported."""
    from git_asr.asr.bundle import MANIFEST, load  # noqa: PLC0415  (not needed where all is known)

    found = [(path, objects.lookup(folder, MANIFEST)) for path, folder in folders.items()]
    there = [(path, entry.oid) for path, entry in found if entry is not None]
    for (path, _), data in zip(there, objects.blobs(oid for _, oid in there), strict=True):
        try:
            manifest = load(data or b"")
        except AsrError as error:
            report(Diagnostic("damaged-bundle", path, error.message, "git asr sync --full"))
            yield path, None
        else:
            sessions = manifest.sessions if manifest.forgotten is None else ()
            yield path, tuple(_logged(overview(one)) for one in sessions)


def _logged(view: Overview) -> Logged:
    lines = (view.first_prompt or "").strip().splitlines()
    rest = asdict(replace(view, first_prompt=lines[0][:_MOST_PROMPT] if lines else None))
    harness, identifier, commits = (rest.pop(name) for name in ("harness", "id", "commits"))
    return Logged(SessionKey(harness, identifier), commits, log_line(view), None, rest)


def _read(file: Path) -> tuple[str | None, dict[str, _Entry]]:
    """The tree that the file is about, and what it holds; nothing where there is none, or none of ours."""
    try:
        held = orjson.loads(file.read_bytes())
        if held["form"] != _FORM:
            return None, {}
        entries = {path: _entry(one) for path, one in held["folders"].items()}
        return str(held["tree"]), entries
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None, {}


def _entry(held: Any) -> _Entry:
    """Raises KeyError, TypeError, ValueError or AttributeError: it is something else."""
    sessions = []
    for one in held["sessions"]:
        harness, identifier, line, commits = one["harness"], one["id"], one["line"], one["commits"]
        if not (type(harness) is type(identifier) is type(line) is str and type(commits) is list):
            raise ValueError("something else")
        if one["rest"].keys() != _REST:
            raise ValueError("another form")
        sessions.append(Logged(SessionKey(harness, identifier), commits, line, one["paths"], one["rest"]))
    return _Entry(held["tree"], tuple(sessions))


def _write(file: Path, tree: str, entries: Mapping[str, _Entry]) -> None:
    """Replace the file; where that cannot be done, it goes, or stays as it is."""
    folders = {
        path: {"tree": one.tree, "sessions": [each.record() for each in one.sessions]}
        for path, one in sorted(entries.items())
    }
    try:
        data = orjson.dumps({"form": _FORM, "tree": tree, "folders": folders})
    except TypeError:  # a text that is none: a name with lone surrogates
        file.unlink(missing_ok=True)
        return
    with suppress(OSError):
        make_folder(file.parent)
        try:
            replace_file(file, data)  # or somebody else does, and looks again after that
        except OSError:
            file.unlink(missing_ok=True)
