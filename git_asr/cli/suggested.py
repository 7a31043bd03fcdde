"""Suggestions and accepted links, said to people and to programs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Any

from git_asr.cli.render import Style, left_out, paint
from git_asr.companion.state import State
from git_asr.git.base import Repository
from git_asr.git.graph import listed
from git_asr.sync.linking import Accepted, sessions_of
from git_asr.sync.suggest import Answer
from git_asr.views.session import LINE, short_id
from git_asr.views.suggestions import Suggested, Sure, in_words
from git_asr.views.text import one_line, plural

_SHOWN = 10
"""Suggestions for one commit that are printed for people."""
_STYLES: dict[Sure, Style] = {"exact": "green", "likely": "yellow", "weak": "dim"}


def answer_lines(state: State, answer: Answer) -> Iterator[str]:
    """What is suggested, commit by commit, and a last line that says what was looked at; neutral."""
    for one in answer.suggested:
        yield f"{paint(one.commit[:12], 'yellow')}  {one_line(one.subject, LINE)}"
        yield from _lines(state, one)
        yield ""
    some = f"{plural(len(answer.suggested), 'commit')} of {answer.without:,} without a session"
    yield f"suggestions for {some}" if answer.suggested else _none(answer)
    if answer.merges:
        yield f"{plural(answer.merges, 'merge')} left out: what a merge brings in is linked by its own commits"


def _none(answer: Answer) -> str:
    if not answer.without:
        return f"no commit without a session among {plural(answer.commits, 'commit')}"
    return f"no suggestion for {plural(answer.without, 'commit')} without a session"


def _lines(state: State, one: Suggested) -> Iterator[str]:
    if one.ambiguous:
        yield "  several commits make just this change, and name different checkpoints:"
    for each in one.suggestions[:_SHOWN]:
        first, *others = each.evidence
        sure = paint(f"{each.sure:6}", _STYLES[each.sure])
        checkpoint = one_line(each.checkpoint)
        yield f"  {checkpoint}  {sure}  {one_line(in_words(first), LINE)}"
        indent = " " * (len(checkpoint) + 12)
        yield from (f"{indent}{one_line(in_words(more), LINE)}" for more in others)
        yield from (f"{indent}{label}" for label in _labels(state, each.checkpoint))
    more = max(len(one.suggestions) - _SHOWN, 0) + one.more
    if more:
        yield f"  {left_out(more, listed=f'{len(one.suggestions):,}')}"


def _labels(state: State, checkpoint: str) -> Iterator[str]:
    for (harness, identifier), note in sessions_of(state, checkpoint)[:_SHOWN]:
        yield one_line(note or f"{harness or 'session'} {short_id(identifier)}", LINE)


def answer_as_json(state: State, answer: Answer) -> dict[str, Any]:
    """What ``git asr link --suggest --json`` prints; version 1."""
    return {
        "version": 1,
        "commits": answer.commits,
        "merges": answer.merges,
        "without": answer.without,
        "suggested": [
            {
                "commit": one.commit,
                "subject": one.subject,
                "ambiguous": one.ambiguous,
                "more": one.more,
                "suggestions": [
                    {
                        "checkpoint": each.checkpoint,
                        "sure": each.sure,
                        "evidence": [
                            {name: value for name, value in asdict(piece).items() if value is not None}
                            for piece in each.evidence
                        ],
                        "sessions": _sessions(state, each.checkpoint),
                    }
                    for each in one.suggestions
                ],
            }
            for one in answer.suggested
        ],
    }


def accepted_as_json(state: State, found: Iterable[Accepted]) -> dict[str, Any]:
    """What ``git asr link --json`` prints; version 1."""
    return {
        "version": 1,
        "accepted": [{**asdict(one), "sessions": _sessions(state, one.checkpoint)} for one in found],
    }


def _sessions(state: State, checkpoint: str) -> list[dict[str, str | None]]:
    return [{"harness": harness or None, "id": one} for (harness, one), _ in sessions_of(state, checkpoint)]


def accepted_lines(repo: Repository, state: State, found: Iterable[Accepted]) -> Iterator[str]:
    """The accepted links, by commit; neutral. A commit that is not here has no subject."""
    links = list(found)
    subjects = {node.oid: node.subject for node in listed(repo, dict.fromkeys(one.commit for one in links))}
    for one in links:
        yield f"{paint(one.commit[:12], 'yellow')}  {one_line(subjects.get(one.commit, ''), LINE)}"
        checkpoint = one_line(one.checkpoint)
        yield f"  {checkpoint}  {one_line(one.method, LINE)}"
        yield from (f"{' ' * (len(checkpoint) + 4)}{label}" for label in _labels(state, one.checkpoint))
