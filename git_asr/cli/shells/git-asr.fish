# Completion of `git asr` and `git-asr` for fish, written by `make docs`.
# Made by git-asr: `git asr completion` prints, installs and removes it.
set -g __fish_git_asr_valued ':-C' 'sync:-j' 'sync:--jobs' 'show:--record' 'show:--html' 'show:--policy' 'blame:-L' 'sessions:-n' 'sessions:--max-count' 'usage:--by' 'search:-C' 'search:--context' 'search:-B' 'search:--before-context' 'search:-A' 'search:--after-context' 'search:--since' 'search:--until' 'search:--agent' 'coverage:--by' 'coverage:--min' 'push:--policy' 'setup:--via' 'export:-o' 'export:--output' 'export:--format' 'export:--since' 'export:--until' 'export:--agent' 'export:--policy' 'import:--into' 'import:--max-files' 'import:--max-size' 'import:--max-file-size' 'import:--max-ratio' 'import:--events' 'import:--agent' 'import:--session' 'redact:--try' 'redact:--policy' 'validate:--against' 'validate:--most' 'conformance:--kit' 'conformance:--tool' 'forget:--before' 'forget:--reason' 'install:--hook'

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
complete -c git-asr -n '__fish_git_asr_is ""' -a sync -d 'Tie the sessions of new checkpoints to their commits'
complete -c git-asr -n '__fish_git_asr_is ""' -a log -d 'Show the commits with the sessions behind them'
complete -c git-asr -n '__fish_git_asr_is ""' -a show -d 'Show what happened in the session behind a commit'
complete -c git-asr -n '__fish_git_asr_is ""' -a blame -d 'Show the session behind each line of a file'
complete -c git-asr -n '__fish_git_asr_is ""' -a sessions -d 'List the sessions'
complete -c git-asr -n '__fish_git_asr_is ""' -a usage -d 'Add up the tokens that the sessions used'
complete -c git-asr -n '__fish_git_asr_is ""' -a search -d 'Find lines in what was said and done in the sessions'
complete -c git-asr -n '__fish_git_asr_is ""' -a coverage -d 'Tell which commits have a session, and why others have none'
complete -c git-asr -n '__fish_git_asr_is ""' -a drift -d 'Report what agents wrote that is new to git-asr'
complete -c git-asr -n '__fish_git_asr_is ""' -a status -d 'Show what is here, what is synced, and what is missing'
complete -c git-asr -n '__fish_git_asr_is ""' -a fetch -d 'Fetch sessions, or checkpoints, that a clone does not bring'
complete -c git-asr -n '__fish_git_asr_is ""' -a push -d 'Send the sessions to where the checkpoints are'
complete -c git-asr -n '__fish_git_asr_is ""' -a setup -d 'Let every `git fetch` from a remote bring its sessions'
complete -c git-asr -n '__fish_git_asr_is ""' -a export -d 'Write sessions to a bundle'
complete -c git-asr -n '__fish_git_asr_is ""' -a import -d 'Take in sessions from a bundle or from events'
complete -c git-asr -n '__fish_git_asr_is ""' -a redact -d 'Show what a redaction policy takes out of a text'
complete -c git-asr -n '__fish_git_asr_is ""' -a validate -d 'Check streams and bundles against the rules of the format'
complete -c git-asr -n '__fish_git_asr_is ""' -a conformance -d 'Try a validator on the conformance kit'
complete -c git-asr -n '__fish_git_asr_is ""' -a verify -d 'Check who signed the commits of the companion ref'
complete -c git-asr -n '__fish_git_asr_is ""' -a forget -d 'Forget sessions, here and wherever it is merged'
complete -c git-asr -n '__fish_git_asr_is ""' -a compact -d 'Leave the history of refs/asr/sessions behind'
complete -c git-asr -n '__fish_git_asr_is ""' -a link -d 'Tie commits that lost their trailer to their sessions'
complete -c git-asr -n '__fish_git_asr_is ""' -a install -d 'Install hooks that sync in the background'
complete -c git-asr -n '__fish_git_asr_is ""' -a uninstall -d 'Take the hooks out again'
complete -c git-asr -n '__fish_git_asr_is ""' -a completion -d 'Let your shell complete commands and options'
complete -c git-asr -n '__fish_git_asr_is ""' -a help -d 'Show the manual page of a command'
complete -c git-asr -n '__fish_git_asr_is ""' -a demo -d 'Make a throw-away repository and show what git-asr does'
complete -c git-asr -n '__fish_git_asr_is ""' -l version -d 'Show the version and exit'
complete -c git-asr -n '__fish_git_asr_is ""' -s C -r -f -a '(__fish_complete_directories)' -d 'Run as if started in DIR'
complete -c git-asr -n '__fish_git_asr_is ""' -s h -l help -d 'Show this message and exit'
complete -c git-asr -n '__fish_git_asr_is sync' -l full -d 'Trust no local state'
complete -c git-asr -n '__fish_git_asr_is sync' -l orphans -d 'Take sessions too that no commit names a checkpoint of'
complete -c git-asr -n '__fish_git_asr_is sync' -l reconvert -d 'Convert anew what earlier versions of git-asr converted'
complete -c git-asr -n '__fish_git_asr_is sync' -l remote -f -a '(__fish_git_asr_git __fish_git_remotes)' -d 'First fetch from a remote, then push to it'
complete -c git-asr -n '__fish_git_asr_is sync' -s j -l jobs -r -f -d 'Convert in N processes'
complete -c git-asr -n '__fish_git_asr_is sync' -l strict -d 'End with status 1 if anything could not be followed or read'
complete -c git-asr -n '__fish_git_asr_is sync' -l json -d 'Print the outcome as JSON'
complete -c git-asr -n '__fish_git_asr_is sync' -s h -l help -d 'Show this message and exit'
complete -c git-asr -n '__fish_git_asr_at sync 1 +' -f -a '(__fish_git_asr_git __fish_git_refs)'
complete -c git-asr -n '__fish_git_asr_is log' -s h -l help -d 'Show this message and exit'
complete -c git-asr -n '__fish_git_asr_at log 1 +' -f -a '(complete -C \'git log \'(commandline -ct))'
complete -c git-asr -n '__fish_git_asr_is show' -l whole -d 'Show the whole session, not only what came in with the commit'
complete -c git-asr -n '__fish_git_asr_is show' -l full -d 'Fold nothing'
complete -c git-asr -n '__fish_git_asr_is show' -l records -d 'Print the ASR records themselves, as JSON Lines'
complete -c git-asr -n '__fish_git_asr_is show' -l record -r -f -d 'Print only the records of that ID, as JSON Lines'
complete -c git-asr -n '__fish_git_asr_is show' -l json -d 'Print the timeline as JSON'
complete -c git-asr -n '__fish_git_asr_is show' -l html -r -F -d 'Write a page for a browser, or to stdout for -'
complete -c git-asr -n '__fish_git_asr_is show' -l policy -r -F -a 'default strict' -d 'Redact the page'
complete -c git-asr -n '__fish_git_asr_is show' -l private -d 'Let the page say that it is NOT REDACTED'
complete -c git-asr -n '__fish_git_asr_is show' -l force -d 'Replace FILE'
complete -c git-asr -n '__fish_git_asr_is show' -s h -l help -d 'Show this message and exit'
complete -c git-asr -n '__fish_git_asr_at show 1' -f -a '(__fish_git_asr_git __fish_git_refs)'
complete -c git-asr -n '__fish_git_asr_is blame' -s L -r -f -d 'Only these lines, as for `git blame`'
complete -c git-asr -n '__fish_git_asr_is blame' -l json -d 'Print all that is known as JSON'
complete -c git-asr -n '__fish_git_asr_is blame' -s h -l help -d 'Show this message and exit'
complete -c git-asr -n '__fish_git_asr_at blame 1 +' -F -a '(__fish_git_asr_git __fish_git_refs)'
complete -c git-asr -n '__fish_git_asr_is sessions' -s n -l max-count -r -f -d 'Show only the newest N sessions'
complete -c git-asr -n '__fish_git_asr_is sessions' -l orphans -d 'List those of which no commit names a checkpoint, taken or not'
complete -c git-asr -n '__fish_git_asr_is sessions' -l json -d 'Print all that is known as JSON'
complete -c git-asr -n '__fish_git_asr_is sessions' -s h -l help -d 'Show this message and exit'
complete -c git-asr -n '__fish_git_asr_is usage' -l by -r -f -a 'session commit day author agent model' -d 'What each line adds up'
complete -c git-asr -n '__fish_git_asr_is usage' -l every-commit -d 'Count for commits too that are on no branch or tag any more'
complete -c git-asr -n '__fish_git_asr_is usage' -l explain -d 'List what was left out, and why'
complete -c git-asr -n '__fish_git_asr_is usage' -l json -d 'Print all that is known as JSON'
complete -c git-asr -n '__fish_git_asr_is usage' -l csv -d 'Print the lines as comma-separated values'
complete -c git-asr -n '__fish_git_asr_is usage' -s h -l help -d 'Show this message and exit'
complete -c git-asr -n '__fish_git_asr_at usage 1 +' -f -a '(__fish_git_asr_git __fish_git_refs)'
complete -c git-asr -n '__fish_git_asr_is search' -s i -l ignore-case -d 'Letters match those of the other case too'
complete -c git-asr -n '__fish_git_asr_is search' -s F -l fixed-strings -d 'QUERY is a text, not a pattern'
complete -c git-asr -n '__fish_git_asr_is search' -s E -l extended-regexp -d 'QUERY is a pattern'
complete -c git-asr -n '__fish_git_asr_is search' -s C -l context -r -f -d 'Show N lines around a match'
complete -c git-asr -n '__fish_git_asr_is search' -s B -l before-context -r -f -d 'Before it'
complete -c git-asr -n '__fish_git_asr_is search' -s A -l after-context -r -f -d 'After it'
complete -c git-asr -n '__fish_git_asr_is search' -s c -l count -d 'Print how many lines match in each session'
complete -c git-asr -n '__fish_git_asr_is search' -s l -l sessions-with-matches -d 'Print the IDs of sessions alone'
complete -c git-asr -n '__fish_git_asr_is search' -l since -r -f -d 'Only sessions that went on after TIME, as for git log'
complete -c git-asr -n '__fish_git_asr_is search' -l until -r -f -d 'Only sessions that began before TIME'
complete -c git-asr -n '__fish_git_asr_is search' -l agent -r -f -d 'Only sessions of that agent'
complete -c git-asr -n '__fish_git_asr_is search' -l no-index -d 'Read every session, and keep no signatures of them'
complete -c git-asr -n '__fish_git_asr_is search' -l json -d 'Print what is found as JSON'
complete -c git-asr -n '__fish_git_asr_is search' -s h -l help -d 'Show this message and exit'
complete -c git-asr -n '__fish_git_asr_at search 2 +' -f -a '(__fish_git_asr_git __fish_git_refs)'
complete -c git-asr -n '__fish_git_asr_is coverage' -l by -r -f -a 'author agent month' -d 'Count by author, agent or month'
complete -c git-asr -n '__fish_git_asr_is coverage' -l min -r -f -d 'End with status 1 below PERCENT'
complete -c git-asr -n '__fish_git_asr_is coverage' -l strict -d 'End with status 1 unless every commit has its session'
complete -c git-asr -n '__fish_git_asr_is coverage' -l json -d 'Print all that is known as JSON'
complete -c git-asr -n '__fish_git_asr_is coverage' -s h -l help -d 'Show this message and exit'
complete -c git-asr -n '__fish_git_asr_at coverage 1 +' -f -a '(__fish_git_asr_git __fish_git_refs)'
complete -c git-asr -n '__fish_git_asr_is drift' -l strict -d 'End with status 1 if there is any'
complete -c git-asr -n '__fish_git_asr_is drift' -l json -d 'Print all that is known as JSON'
complete -c git-asr -n '__fish_git_asr_is drift' -s h -l help -d 'Show this message and exit'
complete -c git-asr -n '__fish_git_asr_at drift 1 +' -f -a '(__fish_git_asr_git __fish_git_refs)'
complete -c git-asr -n '__fish_git_asr_is status' -l fix -d 'Mend the hooks, try again what failed in the background, sync what was missed'
complete -c git-asr -n '__fish_git_asr_is status' -l json -d 'Print all that is known as JSON'
complete -c git-asr -n '__fish_git_asr_is status' -s h -l help -d 'Show this message and exit'
complete -c git-asr -n '__fish_git_asr_is fetch' -l checkpoints -d 'Fetch checkpoints instead of sessions'
complete -c git-asr -n '__fish_git_asr_is fetch' -l configure -d 'Let every `git fetch` bring the checkpoints of this remote from now on'
complete -c git-asr -n '__fish_git_asr_is fetch' -l no-filter -d 'In a partial clone'
complete -c git-asr -n '__fish_git_asr_is fetch' -l dry-run -d 'Only show what would be fetched'
complete -c git-asr -n '__fish_git_asr_is fetch' -l json -d 'Print the outcome as JSON'
complete -c git-asr -n '__fish_git_asr_is fetch' -s h -l help -d 'Show this message and exit'
complete -c git-asr -n '__fish_git_asr_at fetch 1' -f -a '(__fish_git_asr_git __fish_git_remotes)'
complete -c git-asr -n '__fish_git_asr_at fetch 2 +' -f -a '(__fish_git_asr_git __fish_git_refs)'
complete -c git-asr -n '__fish_git_asr_is push' -l policy -r -F -a 'default strict' -d 'Send what a redaction policy makes of the sessions'
complete -c git-asr -n '__fish_git_asr_is push' -l as-is -d 'Send them unredacted where more people may read'
complete -c git-asr -n '__fish_git_asr_is push' -l compact -d 'Leave the history of what stands there behind'
complete -c git-asr -n '__fish_git_asr_is push' -l dry-run -d 'Only show what would be sent'
complete -c git-asr -n '__fish_git_asr_is push' -l json -d 'Print the outcome as JSON'
complete -c git-asr -n '__fish_git_asr_is push' -s h -l help -d 'Show this message and exit'
complete -c git-asr -n '__fish_git_asr_at push 1' -f -a '(__fish_git_asr_git __fish_git_remotes)'
complete -c git-asr -n '__fish_git_asr_is setup' -l via -r -f -a 'ref branch repository bundle' -d 'How the sessions lie there'
complete -c git-asr -n '__fish_git_asr_is setup' -l remove -d 'Take out again what was written'
complete -c git-asr -n '__fish_git_asr_is setup' -l dry-run -d 'Only show what would be written'
complete -c git-asr -n '__fish_git_asr_is setup' -l json -d 'Print the outcome as JSON'
complete -c git-asr -n '__fish_git_asr_is setup' -s h -l help -d 'Show this message and exit'
complete -c git-asr -n '__fish_git_asr_at setup 1' -f -a '(__fish_git_asr_git __fish_git_remotes)'
complete -c git-asr -n '__fish_git_asr_is export' -s o -l output -r -F -d 'Write to PATH, or to stdout for -'
complete -c git-asr -n '__fish_git_asr_is export' -l format -r -f -a 'folder zip tar tar.gz tar.zst html markdown jsonl atif otel parquet' -d 'folder, zip, tar, tar.gz or tar.zst, else PATH tells'
complete -c git-asr -n '__fish_git_asr_is export' -l all -d 'Export every session'
complete -c git-asr -n '__fish_git_asr_is export' -l since -r -f -d 'Only sessions that went on after TIME, as for git log'
complete -c git-asr -n '__fish_git_asr_is export' -l until -r -f -d 'Only sessions that began before TIME'
complete -c git-asr -n '__fish_git_asr_is export' -l agent -r -f -d 'Only sessions of that agent'
complete -c git-asr -n '__fish_git_asr_is export' -l join -d 'Write each stream as one file'
complete -c git-asr -n '__fish_git_asr_is export' -l native -d 'Add the agents\' own transcripts, without secret answers'
complete -c git-asr -n '__fish_git_asr_is export' -l shareable -d 'Redact everything'
complete -c git-asr -n '__fish_git_asr_is export' -l policy -r -F -a 'default strict' -d 'By which policy'
complete -c git-asr -n '__fish_git_asr_is export' -l private -d 'Let what is written say that it is NOT REDACTED'
complete -c git-asr -n '__fish_git_asr_is export' -l force -d 'Replace what is at PATH'
complete -c git-asr -n '__fish_git_asr_is export' -l json -d 'Print what was written as JSON'
complete -c git-asr -n '__fish_git_asr_is export' -s h -l help -d 'Show this message and exit'
complete -c git-asr -n '__fish_git_asr_at export 1 +' -f -a '(__fish_git_asr_git __fish_git_refs)'
complete -c git-asr -n '__fish_git_asr_is import' -l into -r -f -a '(__fish_complete_directories)' -d 'Unpack BUNDLE to DIR instead of taking it in'
complete -c git-asr -n '__fish_git_asr_is import' -l force -d 'Replace what is at DIR'
complete -c git-asr -n '__fish_git_asr_is import' -l max-files -r -f -d 'Take more files than 65535'
complete -c git-asr -n '__fish_git_asr_is import' -l max-size -r -f -d 'Take more bytes than 4g'
complete -c git-asr -n '__fish_git_asr_is import' -l max-file-size -r -f -d 'Take a larger file than 1g'
complete -c git-asr -n '__fish_git_asr_is import' -l max-ratio -r -f -d 'Take an archive packed closer than 250:1'
complete -c git-asr -n '__fish_git_asr_is import' -l events -r -F -d 'Read events and records from FILE, or - for stdin'
complete -c git-asr -n '__fish_git_asr_is import' -l agent -r -f -d 'With --events'
complete -c git-asr -n '__fish_git_asr_is import' -l session -r -f -d 'With --events'
complete -c git-asr -n '__fish_git_asr_is import' -l dry-run -d 'Only show what would be taken in'
complete -c git-asr -n '__fish_git_asr_is import' -l strict -d 'End with status 1 if a line is bad or a session is not taken'
complete -c git-asr -n '__fish_git_asr_is import' -l json -d 'Print the outcome as JSON'
complete -c git-asr -n '__fish_git_asr_is import' -s h -l help -d 'Show this message and exit'
complete -c git-asr -n '__fish_git_asr_at import 1' -F
complete -c git-asr -n '__fish_git_asr_is redact' -l try -r -F -d 'Redact a text, a file, or what comes in on stdin'
complete -c git-asr -n '__fish_git_asr_is redact' -l policy -r -F -a 'default strict' -d 'default, strict, or a TOML file'
complete -c git-asr -n '__fish_git_asr_is redact' -l unredacted -d 'As for data that nothing redacted when it was stored'
complete -c git-asr -n '__fish_git_asr_is redact' -l report -d 'Print rules and places instead of the text'
complete -c git-asr -n '__fish_git_asr_is redact' -l json -d 'Print text, rules and places as JSON'
complete -c git-asr -n '__fish_git_asr_is redact' -s h -l help -d 'Show this message and exit'
complete -c git-asr -n '__fish_git_asr_is validate' -l ref -f -a '(__fish_git_asr_git __fish_git_refs)' -d 'Check the companion ref, or what another revision holds in its place'
complete -c git-asr -n '__fish_git_asr_is validate' -l against -r -F -d 'Compare a redacted bundle with its original'
complete -c git-asr -n '__fish_git_asr_is validate' -l quiet -d 'Print nothing'
complete -c git-asr -n '__fish_git_asr_is validate' -l json -d 'Print all that is known as JSON'
complete -c git-asr -n '__fish_git_asr_is validate' -l sarif -d 'Print a SARIF 2.1.0 log, for code scanning'
complete -c git-asr -n '__fish_git_asr_is validate' -l most -r -f -d 'Print N findings of each check, and count the rest'
complete -c git-asr -n '__fish_git_asr_is validate' -l list -d 'List every check, with its level and its rule'
complete -c git-asr -n '__fish_git_asr_is validate' -s h -l help -d 'Show this message and exit'
complete -c git-asr -n '__fish_git_asr_at validate 1 +' -F
complete -c git-asr -n '__fish_git_asr_is conformance' -l kit -r -f -a '(__fish_complete_directories)' -d 'Take the cases from this folder'
complete -c git-asr -n '__fish_git_asr_is conformance' -l tool -r -f -d 'Run another validator over the cases, and not git-asr\'s own'
complete -c git-asr -n '__fish_git_asr_is conformance' -l list -d 'List the cases, with what must be found in each'
complete -c git-asr -n '__fish_git_asr_is conformance' -l json -d 'Print how the cases went, or the list, as JSON'
complete -c git-asr -n '__fish_git_asr_is conformance' -s h -l help -d 'Show this message and exit'
complete -c git-asr -n '__fish_git_asr_is verify' -l json -d 'Print the verdicts as JSON'
complete -c git-asr -n '__fish_git_asr_is verify' -s h -l help -d 'Show this message and exit'
complete -c git-asr -n '__fish_git_asr_at verify 1 +' -f -a '(__fish_git_asr_git __fish_git_refs)'
complete -c git-asr -n '__fish_git_asr_is forget' -l before -r -f -d 'All sessions whose newest checkpoint was made before (YYYY-MM-DD)'
complete -c git-asr -n '__fish_git_asr_is forget' -l reason -r -f -d 'Why'
complete -c git-asr -n '__fish_git_asr_is forget' -l dry-run -d 'Only say what would be forgotten'
complete -c git-asr -n '__fish_git_asr_is forget' -l json -d 'Print the outcome as JSON'
complete -c git-asr -n '__fish_git_asr_is forget' -s h -l help -d 'Show this message and exit'
complete -c git-asr -n '__fish_git_asr_is compact' -l dry-run -d 'Only say what would be left behind'
complete -c git-asr -n '__fish_git_asr_is compact' -l json -d 'Print the outcome as JSON'
complete -c git-asr -n '__fish_git_asr_is compact' -s h -l help -d 'Show this message and exit'
complete -c git-asr -n '__fish_git_asr_is link' -l suggest -d 'Look for sessions of commits that have none'
complete -c git-asr -n '__fish_git_asr_is link' -l accept-exact -d 'Accept every suggestion that is exact'
complete -c git-asr -n '__fish_git_asr_is link' -l weak -d 'Suggest by files and time too, and by what metadata only guess'
complete -c git-asr -n '__fish_git_asr_is link' -l json -d 'Print suggestions, or the accepted links, as JSON'
complete -c git-asr -n '__fish_git_asr_is link' -s h -l help -d 'Show this message and exit'
complete -c git-asr -n '__fish_git_asr_at link 1 +' -f -a '(__fish_git_asr_git __fish_git_refs) accept remove'
complete -c git-asr -n '__fish_git_asr_is install' -l hook -r -f -a 'post-commit post-rewrite post-merge post-checkout post-applypatch pre-push' -d 'Only this hook'
complete -c git-asr -n '__fish_git_asr_is install' -l worktrees -d 'Also where the other worktrees look for hooks'
complete -c git-asr -n '__fish_git_asr_is install' -l config -d 'In Git\'s configuration instead of hook files (Git 2.54 or newer)'
complete -c git-asr -n '__fish_git_asr_is install' -l global -d 'For all your repositories'
complete -c git-asr -n '__fish_git_asr_is install' -l manager -d 'Add an entry to your configuration of a hook manager'
complete -c git-asr -n '__fish_git_asr_is install' -l dry-run -d 'Only show what would be done'
complete -c git-asr -n '__fish_git_asr_is install' -l json -d 'Print the outcome as JSON'
complete -c git-asr -n '__fish_git_asr_is install' -s h -l help -d 'Show this message and exit'
complete -c git-asr -n '__fish_git_asr_is uninstall' -l global -d 'What was installed for all your repositories'
complete -c git-asr -n '__fish_git_asr_is uninstall' -l dry-run -d 'Only show what would be done'
complete -c git-asr -n '__fish_git_asr_is uninstall' -l json -d 'Print the outcome as JSON'
complete -c git-asr -n '__fish_git_asr_is uninstall' -s h -l help -d 'Show this message and exit'
complete -c git-asr -n '__fish_git_asr_is completion' -l install -d 'Put the script where the shell looks for it'
complete -c git-asr -n '__fish_git_asr_is completion' -l uninstall -d 'Take it away again'
complete -c git-asr -n '__fish_git_asr_is completion' -s h -l help -d 'Show this message and exit'
complete -c git-asr -n '__fish_git_asr_at completion 1' -f -a 'bash zsh fish'
complete -c git-asr -n '__fish_git_asr_is help' -s h -l help -d 'Show this message and exit'
complete -c git-asr -n '__fish_git_asr_at help 1' -f -a 'sync log show blame sessions usage search coverage drift status fetch push setup export import redact validate conformance verify forget compact link install uninstall completion help demo'
complete -c git-asr -n '__fish_git_asr_is demo' -s h -l help -d 'Show this message and exit'
complete -c git-asr -n '__fish_git_asr_at demo 1' -f -a '(__fish_complete_directories)'
