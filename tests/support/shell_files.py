"""Writes the completion for bash, zsh and fish from the commands: ``python -m tests.support.shell_files``.

The scripts are static: completing starts no Python. What an option or an argument takes is told by its metavar.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click

from git_asr.bundles.registry import NAMES as BUNDLES
from git_asr.cli import completing, group
from git_asr.cli.completing import MARK, SCRIPTS, Shell
from git_asr.exporters.registry import NAMES as FILES
from git_asr.hooks.script import HOOKS

FOLDER = Path(completing.__file__).parent / "shells"

KINDS = {
    **dict.fromkeys(("COMMIT", "RANGE", "REV", "REVS", "WHAT"), "revisions"),
    **dict.fromkeys(("FILE", "PATH", "BUNDLE", "ORIGINAL"), "files"),
    "DIR": "folders",
    "REMOTE": "remotes",
    "GIT LOG OPTIONS": "log",
    **dict.fromkeys(
        ("CHECKPOINT", "COMMAND", "DATE", "FORMAT", "ID", "KIND", "LINES", "N", "NAME", "PERCENT"), ""
    ),
    **dict.fromkeys(("QUERY", "RECORD", "SESSION", "SIZE", "TEXT", "TIME", "URL"), ""),
}
"""What can be completed in the place of a word of a metavar: nothing where that is empty. A new word is one entry here.

Words in small letters are themselves what can stand there.
"""
WORDS = {
    ("export", "--format"): (*BUNDLES, *FILES),
    ("install", "--hook"): HOOKS,
    **{(name, "--policy"): ("default", "strict") for name in ("show", "push", "export", "redact")},
}
"""Words that an option takes and does not say."""
OTHERWISE = {("blame", "-L"): "", ("redact", "--try"): "files"}
"""Kinds of options whose metavar means something else than it does elsewhere."""


@dataclass(frozen=True, slots=True)
class Value:
    """What can stand somewhere: things of these kinds, and words."""

    kinds: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    name: str = "value"


@dataclass(frozen=True, slots=True)
class Option:
    """An option. ``value``: what it takes, None for nothing; ``bare``: it may stand without."""

    names: tuple[str, ...]
    help: str
    value: Value | None = None
    bare: bool = False
    many: bool = False


@dataclass(frozen=True, slots=True)
class Command:
    """A command; the last of its ``places`` may be repeated if it is ``open``."""

    name: str
    help: str
    options: tuple[Option, ...]
    places: tuple[Value, ...] = ()
    open: bool = False


def commands() -> list[Command]:
    """``git asr`` itself, without a name, and every command."""
    root = click.Context(group.command, info_name=group.PROGRAM, help_option_names=["-h", "--help"])
    own = _command("", "", group.command, root)
    children = (
        _command(
            name, entry.help, group.load(name), click.Context(group.load(name), parent=root, info_name=name)
        )
        for name, entry in group.COMMANDS.items()
    )
    return [own, *children]


def _command(name: str, text: str, command: click.Command, context: click.Context) -> Command:
    params = command.get_params(context)
    arguments = [one for one in params if isinstance(one, click.Argument)]
    return Command(
        name,
        _short(text),
        tuple(_option(name, one) for one in params if isinstance(one, click.Option)),
        tuple(_value(one, one.metavar or one.make_metavar(context)) for one in arguments),
        bool(arguments) and arguments[-1].nargs == -1,
    )


def _option(command: str, option: click.Option) -> Option:
    names = tuple(option.opts)
    if option.is_flag or option.count:
        return Option(names, _short(option.help or ""))
    metavar = option.metavar or (
        "|".join(option.type.choices) if isinstance(option.type, click.Choice) else "N"
    )
    value = _value(option, metavar)
    for one in names:
        more = WORDS.get((command, one), ())
        kinds = OTHERWISE.get((command, one))
        value = Value(
            value.kinds if kinds is None else tuple(filter(None, [kinds])), (*value.words, *more), value.name
        )
    return Option(names, _short(option.help or ""), value, metavar.startswith("["), option.multiple)


def _value(param: click.Parameter, metavar: str) -> Value:
    """What a metavar means. Raises KeyError for a word that is not known."""
    whole = metavar.strip("[].")
    name = re.sub(r"[^A-Z ]", " ", whole).split(" ")[0].lower() or "value"
    if isinstance(param.type, click.Choice):
        return Value((), tuple(param.type.choices), name)
    if whole == "CMD":
        return Value((), tuple(group.COMMANDS), "command")
    if whole in KINDS:
        return Value(tuple(filter(None, [KINDS[whole]])), (), name)
    said = re.findall(r"[A-Za-z]+", whole)
    kinds = dict.fromkeys(KINDS[word] for word in said if word.isupper())
    return Value(tuple(filter(None, kinds)), tuple(dict.fromkeys(w for w in said if w.islower())), name)


def _short(text: str) -> str:
    """The first sentence, without its full stop, in one line."""
    return re.split(r"[.:;] |\.$", " ".join(text.split()))[0]


def header(shell: Shell) -> list[str]:
    """How every script begins."""
    return [f"# Completion of `git asr` and `git-asr` for {shell}, written by `make docs`.", MARK]


def made(shell: Shell) -> str:
    """The script for a shell."""
    from tests.support import shells

    lines = {"bash": shells.bash, "zsh": shells.zsh, "fish": shells.fish}[shell](commands())
    return "\n".join(lines) + "\n"


def quoted(text: str) -> str:
    """A word for bash or zsh."""
    return "'" + text.replace("'", "'\\''") + "'"


def words_of(command: Command) -> Iterator[str]:
    """Every option as it is typed; one that wants a value behind it ends in an equals sign."""
    for option in command.options:
        for name in option.names:
            takes = option.value is not None and name.startswith("--")
            if not takes or option.bare:
                yield name
            if takes:
                yield f"{name}="


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for one, file in SCRIPTS.items():
        (FOLDER / file).write_text(made(one), "utf-8")
