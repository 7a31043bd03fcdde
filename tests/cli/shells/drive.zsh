# Prints every match that zsh finds for each line, and <END> behind them: drive.zsh FOLDER LINE..., with FOLDER in fpath.
zmodload zsh/zpty
zpty child zsh -f -i
zpty -w child "PS1= PS2=; stty -echo; fpath=(${(qq)1} \$fpath)"
zpty -w child 'autoload -Uz compinit; compinit -u -D; setopt nobeep rcexpandparam; zstyle ":completion:*" list-prompt ""
compadd () {
  [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]] && { builtin compadd "$@"; return }
  local -a found
  builtin compadd -A found "$@"
  (( $#found )) && print -lr -- "<HIT>"$found
  builtin compadd "$@"
}
ended () { print -r -- "<EN""D>"; compstate[insert]= compstate[list]= comppostfuncs=(ended) }
comppostfuncs=(ended)
bindkey -e
bindkey "^I" complete-word
print READ''Y'
zpty -r child out '*READY*'
shift
for line; do
  zpty -w -n child $'\C-u'"$line"$'\t'
  zpty -r child out '*<END>*'
  print -r -- "$out" | tr -d '\r' | grep -o '<HIT>.*' | sed 's/<HIT>//'
  print '<END>'
done
zpty -d child
