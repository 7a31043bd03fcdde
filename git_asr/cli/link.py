"""``git asr link``: sessions for commits that lost their trailer."""

from __future__ import annotations

import click

_USAGE = "[accept COMMIT CHECKPOINT | remove COMMIT CHECKPOINT | REVS...]"


@click.command("link")
@click.argument("words", nargs=-1, metavar=_USAGE)
@click.option("--suggest", is_flag=True, help="Look for sessions of commits that have none; writes nothing.")
@click.option("--accept-exact", is_flag=True, help="Accept every suggestion that is exact.")
@click.option("--weak", is_flag=True, help="Suggest by files and time too, and by what metadata only guess.")
@click.option("--json", "as_json", is_flag=True, help="Print suggestions, or the accepted links, as JSON.")
def command(words: tuple[str, ...], suggest: bool, accept_exact: bool, weak: bool, as_json: bool) -> int:
    """Tie commits that lost their trailer to the sessions behind them.

    A rebase, a squash or a new message can cost a commit its trailer. --suggest looks for the checkpoints of such
    commits: of those that REVS select (as for `git log`; by default all that HEAD reaches) the ones without a
    session. It says what speaks for each checkpoint, and whether it is exact, likely, or weak (only with --weak): a
    commit that makes the same change and has the trailer, here or in a reflog; a branch or a pull request that
    became one commit, by its changes, its tree, or the number that ends the subject; the commit from which it was
    rewritten, if hooks kept that; what the metadata of checkpoints say; files and time.

    Nothing is written before you accept it, one link (COMMIT is any revision, CHECKPOINT the beginning of an ID)
    or all that are exact. Then the link stands beside the reported ones in refs/asr/sessions, marked as yours, and
    `remove` takes it back. Without arguments the accepted links are listed. No commit is changed, and no network
    is used.

    It takes time with the number of commits and checkpoints looked at. Patches are slow to make; they are made
    only of commits that change the same files as another. Where it takes too long, give fewer: main~500..main.
    """
    from git_asr.cli import linking
    from git_asr.errors import UsageError

    if suggest and accept_exact:
        raise UsageError("--suggest and --accept-exact exclude each other")
    if weak and not suggest:
        raise UsageError("--weak goes with --suggest")
    if suggest:
        linking.suggest(words or ("HEAD",), weak=weak, machine=as_json)
    elif accept_exact:
        linking.accept_exact(words or ("HEAD",), machine=as_json)
    elif words and (len(words) != 3 or words[0] not in ("accept", "remove")):
        raise UsageError(f"'{words[0]}' is not understood here", hint="git asr link -h")
    elif words:
        linking.decide(*words, machine=as_json)
    else:
        linking.show(machine=as_json)
    return 0
