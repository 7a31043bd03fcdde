"""Runs `git log` with lines for sessions put into what it prints: chosen commits, an own format, colour.

Git walks, chooses and draws. It is given notes that hold marks, which are there for this one command
(``git.throwaway``), and for the marks come the lines (``cli.weaving``), so that all goes as it comes.
"""

from __future__ import annotations

import codecs
import fnmatch
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import field

from git_asr.asr.header import SessionKey
from git_asr.cli import render
from git_asr.cli.log_options import Own, choosing, has, pads_notes, with_notes
from git_asr.cli.weaving import Marks, Unweaver, Weaver
from git_asr.companion import lookup
from git_asr.companion.names import NOTES
from git_asr.companion.summaries import Logged, Summaries, summaries
from git_asr.companion.tree import read_tip
from git_asr.errors import DONE, AsrError, UsageError
from git_asr.git.backend import open_objects
from git_asr.git.base import Objects, Repository
from git_asr.git.process import try_git
from git_asr.git.refs import read_ref
from git_asr.git.throwaway import throwaway_notes
from git_asr.values import dataclass
from git_asr.views.filtering import Filters
from git_asr.views.session_format import Format, Tie, Tied, parse

_CHUNK = 1 << 18
_SCREENS = 1 << 14
"""Bytes that are printed as they come; then what comes within a moment is printed at once."""
_MOMENT = 0.001
"""Seconds."""
_DISPLAYED = "GIT_NOTES_DISPLAY_REF"


@dataclass(slots=True)
class Lines:
    """The lines under commits. ``sessions``: those of each commit, in the order of their keys."""

    repo: Repository
    objects: Objects
    tree: str | None
    sessions: Mapping[str, Sequence[Logged]]
    format: Format | None
    coloured: bool
    encoding: str
    _colours: dict[str, str] = field(default_factory=dict)
    _notes: list[tuple[str, int]] = field(default_factory=list)
    _ties: dict[SessionKey, dict[str, Tie]] = field(default_factory=dict)
    _known: dict[tuple[SessionKey, str], list[bytes]] = field(default_factory=dict)

    def marks(self, marks: Marks, commits: Iterable[str], *, hidden: bool) -> dict[str, bytes]:
        """The note of each commit: a mark for each of its lines, or one alone where none is shown.

        Commits of the same sessions have one note, unless lines say what ties a session to its commit.
        """
        each = 1 if self.format is None else len(self.format.lines)
        notes: dict[str, bytes] = {}
        known: dict[tuple[object, ...], bytes] = {}
        for commit in commits:
            sessions = self.sessions[commit]
            key = (commit,) if self.ties else tuple(map(id, sessions))
            if (note := known.get(key)) is None:
                first = len(self._notes)
                count = 1 if hidden else each * len(sessions)
                self._notes += ((commit, number) for number in range(count))
                note = known[key] = b"".join(map(marks.mark, range(first, first + count)))
            notes[commit] = note
        return notes

    def line(self, number: int) -> bytes:
        """The line that stands for a mark, in the encoding of the log."""
        commit, at = self._notes[number]
        each = 1 if self.format is None else len(self.format.lines)
        one = self.sessions[commit][at // each]
        key = one.key, commit if self.ties else ""
        if key not in self._known:
            self._known[key] = [line.encode(self.encoding, "replace") for line in self._lines(one, commit)]
        return self._known[key][at % each]

    @property
    def ties(self) -> bool:
        """Whether lines say what ties a session to its commit."""
        return self.format is not None and self.format.ties

    def _lines(self, one: Logged, commit: str) -> list[str]:
        if self.format is None:
            return [f"\x1b[36m{one.line}\x1b[m" if self.coloured else one.line]
        return self.format.rendered(Tied(one.view, lambda: self._tie(one.key, commit)), self._colours)

    def _tie(self, key: SessionKey, commit: str) -> Tie:
        if key not in self._ties:
            self._ties[key] = lookup.ties(self.objects, self.tree, key)
        return self._ties[key].get(commit, Tie((), ()))

    def ask_colours(self) -> None:
        """Let Git translate the colours that the format names. Raises UsageError: one is none."""
        for one in sorted(self.format.colours) if self.format is not None else ():
            asked = try_git(self.repo, "config", "--get-color", "", one)
            if asked.status:
                raise UsageError(
                    f"--asr-format has no colour '{one}'", hint="git help config   lists them: color"
                )
            self._colours[one] = asked.out.decode() if self.coloured else ""


def log(repo: Repository, own: Own, options: Sequence[str], rest: Sequence[str]) -> int | None:
    """Run it; Git's exit status. None where nothing but colour is wanted, and `git log` alone does as well.

    Raises:
        UsageError: what is asked cannot be combined, or is nothing.
        AsrError: the companion ref is damaged.
    """
    line = None if own.line is None else parse(own.line)
    needed = own.chooses or line is not None
    _check(repo, options, needed=needed)
    coloured = _is_coloured(options)
    if not needed and (not coloured or not _can_colour(repo, options)):
        return None
    with ExitStack() as stack:
        objects = stack.enter_context(open_objects(repo, "git"))
        tree = read_tip(repo, objects).tree
        warnings = render.Warnings()
        known = None if tree is None else summaries(repo, objects, tree, warnings)
        logged = [] if known is None else known.logged()
        sessions: dict[str, list[Logged]] = {}
        for one in logged:
            for commit in one.commits:
                sessions.setdefault(commit, []).append(one)
        chosen = _chosen(repo, known, logged, own.filters) if own.filters and known is not None else sessions
        lines = Lines(repo, objects, tree, sessions, line, coloured, _encoding(repo, options))
        lines.ask_colours()
        said, marked = _asked(stack, lines, chosen, own, options)
        return _print(["git", "log", *said, *rest], *marked)


def _asked(
    stack: ExitStack, lines: Lines, chosen: Iterable[str], own: Own, options: Sequence[str]
) -> tuple[list[str], tuple[Mapping[str, str], Weaver | Unweaver]]:
    """What to ask of `git log`, in which environment, and what makes of it what is printed.

    ``chosen``: the commits that get notes; with ``--no-sessions`` those that are not wanted.
    """
    repo, marks = lines.repo, Marks()
    hidden = "--no-notes" in options
    if hidden and lines.format is not None:
        raise UsageError("--no-notes leaves no room for --asr-format")
    try:
        notes = lines.marks(marks, chosen, hidden=hidden)
        made = stack.enter_context(throwaway_notes(repo.object_format, "asr", notes))
    except OSError as error:
        raise AsrError(f"no place for temporary files: {error.strerror}") from error
    said = [f"--notes={made.ref}" if _is_ours(one) else one for one in options]
    said = [*said, f"--notes={made.ref}"] if hidden else with_notes(said, repo.config, made.ref)
    if own.chooses:
        said += choosing(options, marks.word, present=own.with_session is not False)
    weaver = Unweaver(marks, made.title) if hidden else Weaver(marks, made.title, lines.line)
    return said, ({**os.environ, **made.environment, **_displayed(repo)}, weaver)


def _print(command: Sequence[str], environment: Mapping[str, str], weaver: Weaver | Unweaver) -> int:
    """Run a git with the user's pager for what it prints; its exit status."""
    if render.on_terminal():
        width = str(shutil.get_terminal_size().columns)
        environment = {**environment, "GIT_PAGER_IN_USE": "1", "COLUMNS": width}
    status = DONE  # also where the reader leaves the pager, and the block, early
    with render.paged("log"):
        status = _copy(command, environment, weaver)
    return status  # noqa: RET504  (the block may swallow what ends it)


def _copy(command: Sequence[str], environment: Mapping[str, str], weaver: Weaver | Unweaver) -> int:
    """Run a git and print what it prints, through a weaver, as it comes; its exit status, as a shell says it."""
    sys.stdout.flush()
    out = sys.stdout.buffer
    printed = 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, pipesize=_CHUNK) as child:
        assert child.stdout is not None  # noqa: S101  (a pipe was asked for)
        with child.stdout as pipe:
            while piece := os.read(pipe.fileno(), _CHUNK):
                printed += out.write(weaver.feed(piece))
                out.flush()
                if printed > _SCREENS:  # Git writes each commit by itself, and some may go together
                    time.sleep(_MOMENT)
            out.write(weaver.end())
            out.flush()
        status = child.wait()
    return status if status >= 0 else 128 - status


def _chosen(repo: Repository, known: Summaries, logged: Sequence[Logged], filters: Filters) -> list[str]:
    """The commits of which one session is all that is asked.

    Raises:
        UsageError: no session begins as asked.
    """
    if filters.session is not None and not any(one.key.id.startswith(filters.session) for one in logged):
        raise UsageError(f"no session begins with '{filters.session}'", hint="git asr sessions")
    left = [one for one in logged if one.commits and filters.fits(one.view)]
    linked = dict.fromkeys(commit for one in left for commit in one.commits)
    if filters.touched is None:
        return list(linked)
    from git_asr.cli.touching import touching

    found = touching(repo, known, filters.touched, left)
    touched = {commit for commits in found.values() for commit in commits}
    return [commit for commit in linked if commit in touched]


def _is_ours(option: str) -> bool:
    """Whether an option asks for our notes by their name."""
    name, _, value = option.partition("=")
    return name in ("--notes", "--show-notes") and value in (NOTES, "notes/asr", "asr")


def _check(repo: Repository, options: Sequence[str], *, needed: bool) -> None:
    """Raise UsageError where what is needed does not go with an option of `git log`."""
    if needed and has(options, "--output"):
        raise UsageError("--output does not go with our own options", hint="git asr log … > FILE")
    if needed and pads_notes(options, repo.config):
        raise UsageError(
            "a width for %N does not go with our own options",
            hint="git asr log --asr-format '%<(20)%(agent)'",
        )


def _can_colour(repo: Repository, options: Sequence[str]) -> bool:
    """Whether lines can be painted in what an option makes of the log."""
    if has(options, "--output", "--grep", "--no-notes", "--help"):
        return False
    return not pads_notes(options, repo.config) and read_ref(repo, NOTES) is not None


def _is_coloured(options: Sequence[str]) -> bool:
    """Whether the log gets colour: as the last option says, else as Git's configuration does."""
    for option in reversed(options):
        if option in ("--color", "--color=always"):
            return True
        if option in ("--no-color", "--color=never"):
            return False
        if option == "--color=auto":
            break
    return render.colour()


def _encoding(repo: Repository, options: Sequence[str]) -> str:
    """The encoding in which Git writes the log, or UTF-8 where Python knows none of that name."""
    given = [one.partition("=")[2] for one in options if one.startswith("--encoding=")]
    named = [
        *repo.config.get("i18n.commitencoding", ()),
        *repo.config.get("i18n.logoutputencoding", ()),
        *given,
    ]
    try:
        return codecs.lookup(named[-1]).name if named else "utf-8"
    except LookupError:
        return "utf-8"


def _displayed(repo: Repository) -> dict[str, str]:
    """Keep Git from showing our notes, which the configuration may name, beside the lines that stand for them."""
    given = os.environ.get(_DISPLAYED)
    patterns = repo.config.get("notes.displayref", ()) if given is None else given.split(":")
    if not any(fnmatch.fnmatchcase(NOTES, one) for one in patterns):
        return {}
    listed = try_git(repo, "for-each-ref", "--format=%(refname)", "refs/notes").out.decode(
        "utf-8", "surrogateescape"
    )
    kept = [
        ref
        for ref in listed.split()
        if ref != NOTES and any(fnmatch.fnmatchcase(ref, one) for one in patterns)
    ]
    return {_DISPLAYED: ":".join(kept)}
