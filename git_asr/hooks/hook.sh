# Notes that something happened here and leaves; `git-asr worker` looks at it, in the background.
# It never fails, prints or waits, and does nothing where there is no git-asr (docs/hooks.md of git-asr).

asr_hook=@HOOK@
asr_status=0

# First the hook that was here before git-asr came, as Git would run it; its status is the one that counts. Where
# installers renamed each other's files until they call one another in a circle, that ends here.
asr_before=${0%"$asr_hook"*}
asr_before=${asr_before:-./}$asr_hook.pre-asr
asr_input=
if [ "$asr_hook" = post-rewrite ] && ! [ -t 0 ]; then
  { asr_input=$(cat && echo .) || asr_input=; } 2>/dev/null
  asr_input=${asr_input%.}
fi
if [ -f "$asr_before" ] && [ -x "$asr_before" ] && [ "${GIT_ASR_CHAIN-}" != xxxx ]; then
  if [ "$asr_hook" = post-rewrite ]; then
    printf %s "$asr_input" 2>/dev/null | GIT_ASR_CHAIN=x${GIT_ASR_CHAIN-} "$asr_before" "$@" || asr_status=$?
  else
    GIT_ASR_CHAIN=x${GIT_ASR_CHAIN-} "$asr_before" "$@" || asr_status=$?
  fi
fi

# From here on nothing counts and nothing is heard. Who reads the output of a command waits until no process can write
# to it any more, so the worker must inherit nothing. Messages are bytes, whatever the locale takes them for.
trap 'exit "$asr_status"' EXIT
exec </dev/null >/dev/null 2>&1 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
set +eC
LC_ALL=C

# What is in quarantine may yet be refused, and a checkout of single files brings no commit.
[ -z "${GIT_QUARANTINE_PATH-}" ] || exit
[ "$asr_hook" != post-checkout ] || [ "${3-}" = 1 ] || exit
asr_kind=${1-}

# The program: as it was found when this file was written, else as it is found now.
set -- @LAUNCH@
if ! [ -x "${1-}" ]; then
  set -- "$(command -v git-asr)"
  case $1 in /*) ;; *) exit ;; esac
fi

# Does HEAD name a checkpoint? Only a first look, which takes too many rather than too few.
if [ "$asr_hook" = post-commit ]; then
  case $(git --no-replace-objects cat-file commit HEAD) in *Entire-Checkpoint:*) ;; *) exit ;; esac
fi

# A path may hold line ends, but no absolute path as Git prints it holds two slashes in a row. There is no answer outside
# of a repository, and Git before 2.31 repeats the option that it does not know.
asr_between='
--//
'
asr_at=$(git rev-parse --path-format=absolute --git-dir --// --git-common-dir --// HEAD)
case $asr_at in '' | -*) exit ;; esac
asr_git_dir=${asr_at%%"$asr_between"*}
asr_commit=${asr_at##*"$asr_between"}
asr_dir=${asr_at#*"$asr_between"}
asr_dir=${asr_dir%"$asr_between"*}/asr

# Only a commit with a checkpoint makes the folder: a repository that has none is left as it is.
[ "$asr_hook" = post-commit ] || [ -d "$asr_dir" ] || exit
[ -d "$asr_dir/queue" ] || mkdir -p "$asr_dir/queue"
! [ -h "$asr_dir/queue" ] || exit

# A file, or nothing yet: no link to a file of somebody else, no pipe on which to wait.
asr_may_write() {
  ! [ -h "$1" ] && { [ -f "$1" ] || ! [ -e "$1" ]; }
}

# What happened, as a file in the queue. One with contents is moved there: a worker never finds half of it.
case $asr_hook in
post-commit) asr_item=$asr_commit ;;
post-rewrite) asr_item=rw-$(date +%s)-$$ || exit ;;
*) asr_item=scan ;;
esac
asr_may_write "$asr_dir/queue/$asr_item" || exit
if [ "$asr_hook" = post-rewrite ]; then
  printf '%s\n%s' "$asr_kind" "$asr_input" >"$asr_dir/$asr_item" || exit
  mv -f "$asr_dir/$asr_item" "$asr_dir/queue/$asr_item" || exit
else
  true >"$asr_dir/queue/$asr_item" || exit
fi

# A rebase is looked at once, when it is done; CI kills what is left running.
if [ -d "$asr_git_dir/rebase-merge" ] || [ -f "$asr_git_dir/rebase-apply/rebasing" ]; then
  [ "$asr_hook $asr_kind" = 'post-rewrite rebase' ] || exit
fi
case ${CI-} in '' | 0 | false | False | FALSE) ;; *) exit ;; esac

# The worker outlives the terminal and makes way for others. It starts where no worktree's files are taken for its own.
cd "$asr_dir" || exit
asr_log=$asr_dir/worker.log
asr_may_write "$asr_log" || asr_log=/dev/null
set -- "$@" worker "$asr_dir"
if command -v nice; then set -- nice "$@"; fi
if command -v setsid; then set -- setsid "$@"; else trap '' HUP; fi
"$@" 2>>"$asr_log" &
