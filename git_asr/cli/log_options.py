"""What of a command line of ``git asr log`` is ours, and what is `git log`'s."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from git_asr.companion.names import NOTES
from git_asr.errors import UsageError
from git_asr.values import dataclass
from git_asr.views.filtering import NO_FILTERS, Filters

_VALUED = ("--agent", "--model", "--session", "--touched", "--asr-format")
_FORMATS = ("--oneline", "--format", "--pretty")
_CHOICES = ("--notes", "--no-notes", "--show-notes", "--standard-notes", "--no-standard-notes")
_PLACED = re.compile(r"(?<!%)(?:%%)*%[-+ ]?N")
_PADDED = re.compile(r"%(?:[<>]|><|>>|<\|)[^)]*\)(?:%C\([^)]*\))?%[-+ ]?N")


@dataclass(frozen=True, slots=True)
class Own:
    """Our own options. ``with_session``: only commits that have a session, or only those that have none."""

    filters: Filters = NO_FILTERS
    with_session: bool | None = None
    line: str | None = None

    @property
    def chooses(self) -> bool:
        """Whether some commits are left out."""
        return self.with_session is not None or bool(self.filters)


def taken(arguments: Sequence[str]) -> tuple[Own, list[str], list[str]]:
    """Our options, those of `git log`, and what stands from ``--`` on.

    Raises:
        UsageError: a value is missing, or options exclude each other.
    """
    end = arguments.index("--") if "--" in arguments else len(arguments)
    values: dict[str, str] = {}
    with_session: bool | None = None
    rest: list[str] = []
    words = iter(arguments[:end])
    for word in words:
        name, separator, value = word.partition("=")
        if word in ("--sessions", "--no-sessions"):
            with_session = word == "--sessions"
        elif name in _VALUED:
            given = value if separator else next(words, None)
            if given is None or (not given and name != "--asr-format"):
                raise UsageError(f"{name} needs a value", hint="git asr log -h")
            values[name] = given
        else:
            rest.append(word)
    filters = Filters(**{one[2:]: values[one] for one in _VALUED[:-1] if one in values})
    if filters and with_session is False:
        raise UsageError("--no-sessions goes with no other filter for sessions")
    return Own(filters, with_session, values.get("--asr-format")), rest, list(arguments[end:])


def has(options: Sequence[str], *names: str) -> bool:
    """Whether one of these options is given, with a value or without."""
    return any(option.partition("=")[0] in names for option in options)


def with_notes(options: Sequence[str], config: Mapping[str, Sequence[str]], notes: str = NOTES) -> list[str]:
    """Ask for our notes; where Git would show the user's own by default, for those too. ``--no-notes`` means none."""
    if "--no-notes" in options:
        return list(options)
    own = has(options, *_FORMATS)
    asked = [f"--notes={notes}"] if own or has(options, *_CHOICES) else ["--notes", f"--notes={notes}"]
    shown = [_ending_with_notes(option, config) for option in options]
    if not own:  # `format.pretty` may be an own format too
        configured = f"--format={config.get('format.pretty', ('',))[-1]}"
        changed = _ending_with_notes(configured, config)
        shown[:0] = [changed] if changed != configured else []
    return [*asked, *shown]


def _ending_with_notes(option: str, config: Mapping[str, Sequence[str]]) -> str:
    """Let an own format end with the notes, unless it places them itself; any other option stays."""
    name, _, value = option.partition("=")
    own = config.get(f"pretty.{value.lower()}", (value,))[-1]
    if name not in _FORMATS or _PLACED.search(own):
        return option
    return f"{name}={own}%+N" if "%" in own or own.startswith(("format:", "tformat:")) else option


def pads_notes(options: Sequence[str], config: Mapping[str, Sequence[str]]) -> bool:
    """Whether an own format gives the notes a width, which what stands in their place for a while does not have."""
    given = [option.partition("=")[2] for option in options if option.partition("=")[0] in _FORMATS]
    formats = given or list(config.get("format.pretty", ()))
    return any(_PADDED.search(config.get(f"pretty.{one.lower()}", (one,))[-1]) for one in formats)


def choosing(options: Sequence[str], word: str, *, present: bool) -> list[str]:
    """The options with which Git shows the commits whose notes hold a word, or those whose notes do not.

    Raises:
        UsageError: patterns of the user's (``--grep``) cannot be combined with that.
    """
    patterns = sum(option.partition("=")[0] == "--grep" for option in options)
    every, inverted = "--all-match" in options, "--invert-grep" in options
    if not present and (not patterns or (inverted and not every)):
        return [f"--grep={word}", "--invert-grep"]
    if present and not inverted and (patterns < 2 or every):
        return [f"--grep={word}", *(["--all-match"] if patterns else [])]
    if present and not inverted:
        raise UsageError(
            "several --grep, of which one is enough, do not go with a filter for sessions",
            hint="--all-match asks for all of them; -E --grep 'one|other' is one pattern",
        )
    what = "--invert-grep" if inverted else "--grep"
    asked = "a filter for sessions" if present else "--no-sessions"
    raise UsageError(
        f"{what} does not go with {asked}",
        hint="git log --format=%H --grep … | git asr log --no-walk --stdin …   does one after the other",
    )
