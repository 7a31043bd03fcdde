"""The completion of ``git asr`` as bash, zsh and fish have it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from git_asr.cli import group
from tests.support.shell_files import Command, Option, Value, header, quoted, words_of

_BASH = r"""
__git_asr_words ()
{
	local IFS=$' \t\n' one
	for one in $1; do
		[[ $one == "$cur"* ]] || continue
		[[ $one == *= ]] || one+=' '
		COMPREPLY+=("$one")
	done
}

# Git's own completion has the functions for revisions and remotes.
__git_asr_load ()
{
	declare -F __git_complete_revlist >/dev/null && return
	if declare -F _comp_load >/dev/null; then
		_comp_load git
	elif declare -F _completion_loader >/dev/null; then
		_completion_loader git
	fi
	declare -F __git_complete_revlist >/dev/null
}

__git_asr_kind ()
{
	case $1 in
	files) compopt -o default 2>/dev/null ;;
	folders) compopt -o dirnames 2>/dev/null ;;
	revisions) __git_asr_load && __git_complete_revlist ;;
	remotes) __git_asr_load && __gitcomp_nl "$(__git_remotes)" ;;
	log) __git_asr_load && _git_log ;;
	esac
}

_git_asr ()
{
	local at=1 command='' option='' place=1 rest='' word kind words_='' kinds=''
	if [[ -n ${__git_cmd_idx-} ]]; then
		at=$((__git_cmd_idx + 1))
	elif [[ ${words[0]##*/} == git ]]; then
		while [[ $at -lt $cword && ${words[at]} != asr ]]; do
			at=$((at + 1))
		done
		at=$((at + 1))
	fi
	while [[ $at -lt $cword ]]; do
		word=${words[at]}
		if [[ -n $option ]]; then
			option=''
		elif [[ -z $rest && $word == -- && -n $command ]]; then
			rest=1
		elif [[ -z $rest && $word == -* ]]; then
			[[ " $__git_asr_valued " == *" $command:$word "* ]] && option=$word
		elif [[ -z $command ]]; then
			command=$word
		else
			place=$((place + 1))
		fi
		at=$((at + 1))
	done
	if [[ $command == log ]]; then
		__git_asr_kind log
		return
	fi
	if [[ -z $option && -z $rest && $cur == --*=* ]]; then
		option=${cur%%=*}
		cur=${cur#*=}
	elif [[ -z $option && -z $rest && $cur == -* ]]; then
		compopt +o default +o bashdefault 2>/dev/null
		__git_asr_options "$command"
		__git_asr_words "$words_"
		return
	fi
	__git_asr_value "$command" "${option:-$place}"
	[[ " $kinds " == *' files '* ]] || compopt +o default +o bashdefault 2>/dev/null
	for kind in $kinds; do
		__git_asr_kind "$kind"
	done
	__git_asr_words "$words_"
}

__git_asr_alone ()
{
	local cur prev words cword __git_cmd_idx=0
	if declare -F _get_comp_words_by_ref >/dev/null; then
		_get_comp_words_by_ref -n =: cur prev words cword
	else
		cur=${COMP_WORDS[COMP_CWORD]} words=("${COMP_WORDS[@]}") cword=$COMP_CWORD
	fi
	_git_asr
}

complete -o bashdefault -o default -o nospace -F __git_asr_alone git-asr
"""


def bash(commands: Sequence[Command]) -> Iterator[str]:
    """For bash: a function that Git's own completion calls, and one for ``git-asr``."""
    yield from header("bash")
    yield "# shellcheck shell=bash disable=SC2034,SC2207"
    yield ""
    valued = [
        f"{command.name}:{name}"
        for command in commands
        for option in command.options
        if option.value is not None and not option.bare
        for name in option.names
    ]
    yield f"__git_asr_valued={quoted(' '.join(valued))}"
    yield "\n__git_asr_options ()\n{\n\tcase $1 in"
    for command in commands:
        yield f"\t{quoted(command.name)}) words_={quoted(' '.join(words_of(command)))} ;;"
    yield "\tesac\n}"
    yield "\n# What stands behind an option, or at a place."
    yield "__git_asr_value ()\n{\n\tcase $1:$2 in"
    for command in commands:
        for label, value in _values(command):
            said = [f"kinds={quoted(' '.join(value.kinds))}"] if value.kinds else []
            said += [f"words_={quoted(' '.join(value.words))}"] if value.words else []
            if said:
                yield f"\t{command.name}:{label}) {' '.join(said)} ;;"
    yield "\tesac\n}"
    yield from _BASH.rstrip("\n").split("\n")


def _values(command: Command) -> Iterator[tuple[str, Value]]:
    for option in command.options:
        if option.value is not None:
            for name in option.names:
                yield name, option.value
    for number, value in enumerate(command.places, start=1):
        yield "[0-9]*" if command.open and number == len(command.places) else str(number), value
    if not command.name:
        yield "1", Value((), tuple(group.COMMANDS))


_ZSH = r"""
# What stands somewhere: kinds, with commas between them, and words.
__git_asr_any () {
  local ret=1 kind expl
  local -a kinds=(${(s:,:)1})
  shift
  (( $# )) && _wanted words expl word compadd -- "$@" && ret=0
  for kind in $kinds; do
    case $kind in
      files) _files && ret=0 ;;
      folders) _files -/ && ret=0 ;;
      revisions) (( $+functions[__git_commit_ranges] )) && __git_commit_ranges && ret=0 ;;
      remotes) (( $+functions[__git_remotes] )) && __git_remotes && ret=0 ;;
    esac
  done
  return ret
}

_git-asr () {
  # Git's own completion has the functions for revisions and remotes; once it is loaded it comes back here.
  if (( ! $+functions[__git_commits] && ! ${+__git_asr_loading} )); then
    local __git_asr_loading=1
    _git && return
  fi
  local curcontext=$curcontext state state_descr line ret=1
  typeset -A opt_args
  _arguments -C \
@ROOT@
    '1: :__git_asr_commands' \
    '*:: :->arguments' && ret=0
  if [[ $state == arguments ]]; then
    curcontext=${curcontext%:*}-$words[1]:
    __git_asr_arguments && ret=0
  fi
  return ret
}

_git-asr "$@"
"""


def zsh(commands: Sequence[Command]) -> Iterator[str]:
    """For zsh: a file of ``fpath``, which Git's completion there calls too."""
    root, *others = commands
    yield "#compdef git-asr"
    yield "#description agent sessions beside your commits"
    yield from header("zsh")
    yield "\n__git_asr_commands () {\n  local -a commands=("
    for command in others:
        yield f"    {quoted(f'{command.name}:{command.help}')}"
    yield "  )\n  _describe -t commands 'git asr command' commands\n}"
    yield "\n__git_asr_arguments () {\n  case $words[1] in"
    for command in others:
        if any("log" in value.kinds for value in command.places):
            yield f"    {command.name}) (( $+functions[_git-log] )) && _git-log ;;"
            continue
        yield f"    {command.name}) _arguments -s -S \\"
        specs = [*_zsh_options(command), *_zsh_places(command)]
        yield from (f"      {spec} \\" for spec in specs[:-1])
        yield f"      {specs[-1]} ;;"
    yield "    *) _message 'no such command'; return 1 ;;"
    yield "  esac\n}"
    options = "\n".join(f"    {spec} \\" for spec in _zsh_options(root))
    yield from _ZSH.replace("@ROOT@", options).rstrip("\n").split("\n")


def _zsh_options(command: Command) -> Iterator[str]:
    for option in command.options:
        away = "" if option.many else f"({' '.join(option.names)})"
        text = _escaped(option.help)
        for name in option.names:
            value = _zsh_value(option, name)
            yield quoted(f"{'*' if option.many else away}{name}{value[0]}[{text}]{value[1]}")


def _zsh_value(option: Option, name: str) -> tuple[str, str]:
    if option.value is None:
        return "", ""
    if option.bare:
        return "=-", f"::{_zsh_action(option.value)}"
    return "=" if name.startswith("--") else "+", f":{_zsh_action(option.value)}"


def _zsh_places(command: Command) -> Iterator[str]:
    for number, value in enumerate(command.places, start=1):
        last = command.open and number == len(command.places)
        yield quoted(f"{'*' if last else number}:{_zsh_action(value)}")


def _zsh_action(value: Value) -> str:
    if not (value.kinds or value.words):
        return f"{value.name}: "
    return f"{value.name}: __git_asr_any {','.join(value.kinds) or '-'} {' '.join(value.words)}".rstrip()


def _escaped(text: str) -> str:
    """A text between brackets of a specification."""
    return "".join(f"\\{one}" if one in "\\[]:" else one for one in text)


_FISH = r"""
# The command that is typed, and how many arguments of it stand before the cursor.
function __fish_git_asr_typed
    set -l command ''
    set -l count 0
    set -l skip 0
    set -l rest 0
    for one in (commandline -opc)[2..]
        if test $skip = 1
            set skip 0
        else if test $rest = 0; and test "$one" = --; and test -n "$command"
            set rest 1
        else if test $rest = 0; and string match -q -- '-*' $one
            contains -- "$command:$one" $__fish_git_asr_valued; and set skip 1
        else if test -z "$command"
            set command $one
        else
            set count (math $count + 1)
        end
    end
    echo $command
    echo $count
end

function __fish_git_asr_is
    set -l typed (__fish_git_asr_typed)
    test "$typed[1]" = "$argv[1]"
end

# At a place of a command, from 1; at the last one or beyond it with a plus sign.
function __fish_git_asr_at
    set -l typed (__fish_git_asr_typed)
    test "$typed[1]" = "$argv[1]"; or return
    if test "$argv[3]" = +
        test $typed[2] -ge (math $argv[2] - 1)
    else
        test $typed[2] -eq (math $argv[2] - 1)
    end
end

# Git's own completion has the functions for revisions and remotes.
function __fish_git_asr_git
    functions -q $argv[1]; or complete -C 'git show -' >/dev/null 2>&1
    functions -q $argv[1]; and $argv[1]
end

complete -c git-asr -f
"""


def fish(commands: Sequence[Command]) -> Iterator[str]:
    """For fish, whose completion of Git asks that of ``git-asr``."""
    yield from header("fish")
    valued = [
        f"{command.name}:{name}"
        for command in commands
        for option in command.options
        if option.value is not None and not option.bare
        for name in option.names
    ]
    yield f"set -g __fish_git_asr_valued {' '.join(map(_fish_word, valued))}"
    yield from _FISH.rstrip("\n").split("\n")
    for command in commands:
        if command.name:
            yield (
                f"complete -c git-asr -n '__fish_git_asr_is \"\"' -a {command.name} -d {_fish_word(command.help)}"
            )
    for command in commands:
        called = command.name or '""'
        here = f"complete -c git-asr -n '__fish_git_asr_is {called}'"
        for option in command.options:
            yield f"{here} {_fish_names(option)}{_fish_value(option.value, option.bare)} -d {_fish_word(option.help)}"
        for number, value in enumerate(command.places, start=1):
            more = " +" if command.open and number == len(command.places) else ""
            if taken := _fish_taken(value):
                yield f"complete -c git-asr -n '__fish_git_asr_at {command.name} {number}{more}' {taken}"


def _fish_names(option: Option) -> str:
    return " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names)


def _fish_value(value: Value | None, bare: bool) -> str:
    if value is None:
        return ""
    taken = _fish_taken(value)
    return f" {taken}" if bare else f" -r {taken or '-f'}"


def _fish_taken(value: Value) -> str:
    given = {
        "folders": "(__fish_complete_directories)",
        "revisions": "(__fish_git_asr_git __fish_git_refs)",
        "remotes": "(__fish_git_asr_git __fish_git_remotes)",
        "log": "(complete -C 'git log '(commandline -ct))",
    }
    said = [given[kind] for kind in value.kinds if kind != "files"] + list(value.words)
    files = "-F" if "files" in value.kinds else "-f" if said else ""
    return " ".join(filter(None, [files, f"-a {_fish_word(' '.join(said))}" if said else ""]))


def _fish_word(text: str) -> str:
    """A word for fish, where a backslash escapes in single quotes."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
