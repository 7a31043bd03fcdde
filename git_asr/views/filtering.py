"""Which sessions a reading command is about: by agent, model, ID, time, and the files that the agent's edits name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from fnmatch import translate

from git_asr.asr.times import instant
from git_asr.values import dataclass
from git_asr.views.session import Overview

Touches = Callable[[str], bool]
"""Tells whether a path, as a record has it, is one that is asked for."""

_GLOB = re.compile(r"[*?\[]")


@dataclass(frozen=True, slots=True)
class Filters:
    """What a session must be; None asks nothing, and all that is asked must hold.

    ``since``, ``until``: times as Git reads them. ``agent``: a name or a label. ``model``: a part of a name, or a glob.
    ``session``: the beginning of an ID. ``touched``: a path or a glob.
    """

    since: str | None = None
    until: str | None = None
    agent: str | None = None
    model: str | None = None
    session: str | None = None
    touched: str | None = None

    def __bool__(self) -> bool:
        """Whether anything is asked."""
        return self != NO_FILTERS

    def fits(self, view: Overview) -> bool:
        """Whether a session is of the agent, the model and the ID; times and paths are asked elsewhere."""
        return (
            (self.agent is None or _is_agent(view, self.agent))
            and (self.model is None or is_model(view.models, self.model))
            and (self.session is None or view.id.startswith(self.session))
        )


NO_FILTERS = Filters()


def _is_agent(view: Overview, agent: str) -> bool:
    from git_asr.converters.etf.format import harness_of  # noqa: PLC0415  (only where it is asked)

    return bool({view.harness.lower(), view.agent.lower()} & {agent.lower(), harness_of(agent)})


def is_model(models: Iterable[str], wanted: str) -> bool:
    """Whether one of the names holds a text, or is what a glob (``*``, ``?``, ``[…]``) describes; case is one."""
    text = wanted.lower()
    if _GLOB.search(text):
        pattern = re.compile(translate(text))
        return any(pattern.match(one.lower()) for one in models)
    return any(text in one.lower() for one in models)


def within(view: Overview, since: int | None, until: int | None) -> bool:
    """Whether a session went on after one time and began before another (nanoseconds since 1970).

    One whose times are not known is left out by any time.
    """
    begin, end = instant(view.started_at), instant(view.ended_at)
    begin, end = (end if begin is None else begin), (begin if end is None else end)
    if since is not None and (end is None or end < since):
        return False
    return until is None or (begin is not None and begin <= until)


def touches(wanted: str, root: str | None) -> Touches:
    """Tells which recorded paths are meant by one, or are below it.

    ``wanted``: relative to the top of the repository, with slashes; it may be a glob, whose ``*`` stands for slashes
    too. ``root``: the work tree. A path below that counts from there. Any other was recorded elsewhere: it is meant if
    the names of ``wanted`` stand in it one after another.
    """
    body = (
        translate(wanted)[:-2] if _GLOB.search(wanted) else re.escape(wanted)
    )  # without the end that it asks for
    exact = re.compile("" if wanted == "." else rf"(?:{body})(?:/|\Z)", re.DOTALL)
    anywhere = re.compile("" if wanted == "." else rf"(?:.*/)?(?:{body})(?:/|\Z)", re.DOTALL)
    top = None if root is None else root.rstrip("/") + "/"

    def is_meant(path: str) -> bool:
        plain = path if "/" in path else path.replace("\\", "/")
        if top is not None and plain.startswith(top):
            return exact.match(plain.removeprefix(top)) is not None
        return anywhere.match(plain.removeprefix("./")) is not None

    return is_meant
