"""What ``git asr link`` does."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import click

from git_asr.asr.links import AcceptedLink
from git_asr.cli import render
from git_asr.cli.autosync import refresh
from git_asr.cli.opening import open_repository
from git_asr.cli.progress import progress
from git_asr.cli.suggested import accepted_as_json, accepted_lines, answer_as_json, answer_lines
from git_asr.companion.state import State
from git_asr.companion.state_file import known_state
from git_asr.git.backend import open_objects
from git_asr.git.base import Repository
from git_asr.git.history import resolve
from git_asr.sync import linking
from git_asr.sync.decisions import Decision, Removal
from git_asr.sync.flow import Options, sync
from git_asr.sync.look import directory
from git_asr.sync.settings import settings
from git_asr.sync.suggest import Answer, Question
from git_asr.sync.suggest import suggest as search
from git_asr.views.text import one_line, plural


def show(*, machine: bool) -> None:
    """Print the accepted links."""
    repo = open_repository()
    refresh(repo)
    _print_accepted(repo, machine=machine)


def suggest(revisions: Sequence[str], *, weak: bool, machine: bool) -> None:
    """Print what is suggested."""
    repo = open_repository()
    refresh(repo)
    with known_state(directory(repo)) as state:
        answer = _search(repo, state, Question(tuple(revisions), weak))
        if machine:
            _print_json(answer_as_json(state, answer))
            return
        with render.paged():
            for line in answer_lines(state, answer):
                print(line)
    if any(one.acceptable for one in answer.suggested):
        render.hint("git asr link --accept-exact   accepts those that are exact")
    if answer.suggested:
        first = answer.suggested[0]
        render.hint(
            f"git asr link accept {first.commit[:12]} {first.suggestions[0].checkpoint}   accepts one"
        )


def accept_exact(revisions: Sequence[str], *, machine: bool) -> None:
    """Accept what is exact."""
    repo = open_repository()
    _sync(repo)
    with known_state(directory(repo)) as state:
        answer = _search(repo, state, Question(tuple(revisions)))
        pairs = [
            (one.commit, each.checkpoint, each.evidence[0])
            for one in answer.suggested
            for each in one.acceptable
        ]
    links = tuple(linking.to_accept(repo, pairs))
    _sync(repo, links)
    if machine:
        _print_accepted(repo, machine=True)
        return
    _say(links)
    commits = len({link.commit for link in links})
    click.echo(
        f"accepted {plural(len(links), 'link')} of {plural(commits, 'commit')};"
        f" {plural(answer.without - commits, 'commit')} left without a session"
    )


def decide(verb: str, revision: str, beginning: str, *, machine: bool) -> None:
    """Accept one link, or take one back."""
    repo = open_repository()
    _sync(repo)
    with known_state(directory(repo)) as state:
        checkpoint = linking.checkpoint_beginning(state, beginning)
        decision: Decision
        if verb == "remove":
            commit = linking.linked_commit(repo, state, checkpoint, revision)
            decision = Removal(commit, checkpoint)
        else:
            commit = resolve(repo, revision)
            linking.refuse_reported(state, commit, checkpoint)
            answer = _search(repo, state, Question((f"{commit}^!",), weak=True, checkpoint=checkpoint))
            found = [each for one in answer.suggested for each in one.suggestions]
            evidence = found[0].evidence[0] if found else None
            (decision,) = linking.to_accept(repo, [(commit, checkpoint, evidence)])
    _sync(repo, (decision,))
    if machine:
        _print_accepted(repo, machine=True)
    elif isinstance(decision, AcceptedLink):
        _say([decision])
    else:
        said = f"the accepted link from commit {commit[:12]} to checkpoint {checkpoint} was taken back"
        click.echo(one_line(said))


def _say(links: Iterable[AcceptedLink]) -> None:
    for link in links:
        said = f"commit {link.commit[:12]} is linked to checkpoint {link.checkpoint} ({link.method})"
        click.echo(one_line(said))


def _search(repo: Repository, state: State, question: Question) -> Answer:
    with open_objects(repo, settings(repo).backend) as objects, progress() as tick:
        return search(repo, objects, state, replace(question, tick=tick), render.Warnings())


def _sync(repo: Repository, decisions: tuple[Decision, ...] = ()) -> None:
    """Bring everything up to date, and carry out decisions; what it would report is left to ``git asr sync``."""
    wanted = settings(repo)
    with progress() as tick:
        options = Options(
            exclusions=wanted.exclusions,
            backend=wanted.backend,
            progress=lambda done, total: tick("sessions", done, total),
            decisions=decisions,
        )
        sync(repo, options, lambda _: None)


def _print_accepted(repo: Repository, *, machine: bool) -> None:
    with known_state(directory(repo)) as state:
        found = linking.accepted(state)
        if machine:
            _print_json(accepted_as_json(state, found))
        elif found:
            with render.paged():
                for line in accepted_lines(repo, state, found):
                    print(line)
        else:
            render.hint("no link was accepted yet: git asr link --suggest")


def _print_json(value: Any) -> None:
    click.echo(json.dumps(value, indent=2))
