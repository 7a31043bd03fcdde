"""HTML, for people with a browser: a page for each session, and an index by commit where there are several.

Nothing of a transcript is markup on a page, nothing is loaded, and nothing runs but the script of this package, whose
hash the page's policy names (``pages.templates``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from git_asr.asr.times import instant
from git_asr.exporters.base import ExportedSession, Losses, Marking, Put, path_of
from git_asr.exporters.pages.page import REASONS, Page, Told
from git_asr.exporters.pages.templates import rendered
from git_asr.values import dataclass
from git_asr.views import text
from git_asr.views.excerpt import excerpts
from git_asr.views.session import Overview, figures, overview


@dataclass(frozen=True, slots=True)
class _Listed:
    """A session in the index. ``anchors``: the commits that have a place on its page."""

    view: Overview
    path: str
    anchors: frozenset[str]

    def under(self, commit: str | None) -> dict[str, str]:
        """What the index says of it below a commit."""
        begun = [day] if (day := _day(self.view)) else []
        return {
            "href": self.path + (f"#c-{commit}" if commit in self.anchors else ""),
            "title": f"{self.view.agent} {self.view.id}",
            "about": ", ".join([*begun, *self.view.models, *figures(self.view)]),
            "prompt": text.one_line(self.view.first_prompt or "", 160),
        }


class _Html:
    name = "html"
    suffix = ".html"

    def write(self, sessions: Iterable[ExportedSession], put: Put) -> Losses:
        """See ``Exporter.write``. A file for each session, and ``index.html`` behind them."""
        losses = Losses(REASONS)
        listed: list[_Listed] = []
        times: dict[str, str | None] = {}
        marking = Marking()
        for session in sessions:
            view = overview(session.entry)
            page = Page(_title(view), "", [Told(session, excerpts(session.streams))])
            path = path_of(session.key, self.suffix)
            put(path, page.pieces())
            listed.append(_Listed(view, path, frozenset(page.anchors)))
            losses.add(page.losses)
            times |= _times(session)
            marking = session.marking
        if len(listed) > 1:
            put("index.html", _index(listed, times, marking))
        return losses


HTML = _Html()


def _title(view: Overview) -> str:
    day = _day(view)
    return f"{view.agent} session" + (f" of {day}" if day else "")


def _day(view: Overview) -> str:
    """When a session began; nothing where that is not known."""
    return "" if instant(view.started_at) is None else (view.started_at or "")[:10]


def _times(session: ExportedSession) -> dict[str, str | None]:
    """When the commits of a session were made, as recorded."""
    return {
        one["commit"]: one.get("committedAt")
        for stream in session.streams
        for one in stream.links
        if one["type"] == "vcs" and isinstance(one.get("commit"), str)
    }


def _index(listed: list[_Listed], times: dict[str, str | None], marking: Marking) -> Iterator[bytes]:
    """The latest commit first; commits of which no time is known stand last."""
    commits = sorted(
        {commit for one in listed for commit in one.view.commits},
        key=lambda oid: (-(instant(times.get(oid)) or 0), oid),
    )
    loose = [one for one in listed if not one.view.commits]
    return rendered(
        "index.html",
        marking,
        {
            "title": "Agent sessions by commit",
            "about": f"{text.plural(len(listed), 'session')}, {text.plural(len(commits), 'commit')}",
            "commits": [
                {
                    "oid": oid,
                    "ts": times.get(oid) if instant(times.get(oid)) is not None else None,
                    "sessions": [one.under(oid) for one in listed if oid in one.view.commits],
                }
                for oid in commits
            ],
            "others": [one.under(None) for one in loose],
        },
    )
