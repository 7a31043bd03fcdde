"""``git asr demo``: a throw-away repository made from the packaged sample, synced and shown."""

from __future__ import annotations

import os
import shlex
import tempfile
from importlib import resources
from pathlib import Path

import click

from git_asr.cli.group import load
from git_asr.errors import AsrError, UsageError
from git_asr.git.process import LOCAL_VARIABLES


@click.command("demo")
@click.argument("folder", metavar="[DIR]", required=False, type=click.Path(path_type=Path))
@click.pass_context
def command(ctx: click.Context, folder: Path | None) -> None:
    """Make a throw-away repository and show what git-asr does.

    The repository holds a little project with eight commits and the checkpoints of three agent sessions. DIR
    is where it goes (new or empty); by default that is a fresh folder among the temporary files.
    """
    for (
        name
    ) in LOCAL_VARIABLES:  # Git sets them for aliases: the sample must not land in the user's repository
        os.environ.pop(name, None)
    place = _place(folder)
    make_repository(place)
    click.echo(f"Made a repository in {place}")
    os.chdir(place)
    os.environ["GIT_PAGER"] = "cat"  # the end of the tour stands under what it shows
    for name in ("sync", "log"):
        click.echo(f"\n$ git asr {name}")
        tour = load(name)
        with tour.make_context(name, [], parent=ctx.parent) as step:
            tour.invoke(step)
    click.echo(f"\nThe repository stays in {place}; delete it when you like. Try there:\n")
    click.echo(f"    cd {shlex.quote(str(place))}")
    click.echo("    git asr sessions\n    git asr show main~2")
    click.echo("    git asr log --oneline --graph main before-rebase\n    git asr -h")


def _place(folder: Path | None) -> Path:
    """The empty folder for the repository, made if it has to be."""
    try:
        if folder is None:
            return Path(tempfile.mkdtemp(prefix="git-asr-demo-"))
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise UsageError(f"'{folder}' is not empty", hint="git asr demo NEW-FOLDER")
    except OSError as error:
        raise UsageError(f"cannot make '{folder or tempfile.gettempdir()}': {error.strerror}") from error
    return folder.resolve()


def make_repository(place: Path) -> None:
    """Make the repository and import the sample; none of the user's hooks or templates takes part."""
    try:
        from git import GitCommandError, Repo
    except ImportError as error:
        raise AsrError("Git cannot be run", hint="install Git, or put it on PATH") from error

    os.environ["GIT_TEMPLATE_DIR"] = ""
    try:
        with Repo.init(place, initial_branch="main", object_format="sha1") as repository:
            plain = {"c": [f"core.hooksPath={os.devnull}", "core.autocrlf=false"]}
            with (resources.files("git_asr.cli") / "demo.fast-import").open("rb") as stream:
                repository.git(**plain).fast_import("--quiet", "--done", istream=stream)
            repository.git(**plain).checkout("--quiet", "--force", "main")
    except GitCommandError as error:
        raise AsrError(f"the repository in '{place}' cannot be made: {error.stderr.strip()}") from error
