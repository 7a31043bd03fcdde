# Prints every completion that bash has for a line: drive.bash LINE WORD..., the words as readline splits the line.
# Git's own completion, where there is one, is found by the package bash-completion, and so is ours.
# shellcheck shell=bash disable=SC1090
source "$GIT_ASR_BASH_COMPLETION"
COMP_LINE=$1 COMP_POINT=${#1}
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
compopt () { printf '<%s>\n' "$*"; }
COMPREPLY=()
if declare -F _comp_load >/dev/null; then _comp_load "$1"; else _completion_loader "$1"; fi
called=$(complete -p "$1") called=${called##*-F } called=${called%% *}
"$called" "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
printf '%s\n' "${COMPREPLY[@]}"
