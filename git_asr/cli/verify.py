"""``git asr verify``: who vouches for the commits of the companion ref."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from git_asr.errors import DONE, INCOMPLETE, AsrError

if TYPE_CHECKING:
    from git_asr.companion.signatures import Verdict


@click.command("verify")
@click.argument("revisions", nargs=-1, metavar="[RANGE]...")
@click.option("--json", "as_json", is_flag=True, help="Print the verdicts as JSON.")
def command(revisions: tuple[str, ...], as_json: bool) -> int:
    """Check the signatures of the companion ref's commits.

    RANGE selects commits of companion refs as for `git log`, such as refs/asr/remotes/origin/sessions; by
    default all of refs/asr/sessions. A commit holds if it has a good signature, by the set-up of your Git, or if
    it is a merge that its parents give when they are merged again here: such a merge adds nothing of its own.
    Ends with status 1 unless all hold.
    """
    from git_asr.cli.opening import open_repository
    from git_asr.companion.names import SESSIONS
    from git_asr.companion.signatures import Verifier
    from git_asr.git import refs
    from git_asr.git.backend import open_objects
    from git_asr.git.writing import ObjectWriter
    from git_asr.sync.settings import settings

    repo = open_repository()
    if not revisions and refs.read_ref(repo, SESSIONS) is None:
        raise AsrError(f"there is no {SESSIONS} yet", hint="git asr sync")
    with (
        open_objects(repo, settings(repo).backend) as objects,
        ObjectWriter(repo, objects) as writer,
    ):
        found = list(Verifier(repo, objects, writer).verdicts(revisions or (SESSIONS,)))
    if as_json:
        _print_json(found)
    else:
        for one in found:
            print(_line(one))
    return DONE if all(one.holds for one in found) else INCOMPLETE


def _line(one: Verdict) -> str:
    from git_asr.views.text import neutral

    signer = f" by {neutral(one.signer)}" if one.signer else ""
    match one.state:
        case "signed":
            said = f"signed{signer}"
        case "merge":
            said = "merge, worked out again from its parents"
        case _:
            said = f"{one.state}{signer}: {one.why}"
    return f"{one.commit[:12]} {said}"


def _print_json(found: list[Verdict]) -> None:
    import json

    listed = [
        {"commit": one.commit, "state": one.state, "holds": one.holds, "signer": one.signer, "why": one.why}
        for one in found
    ]
    click.echo(json.dumps({"version": 1, "commits": listed}, indent=2))
