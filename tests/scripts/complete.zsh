# SPDX-License-Identifier: MIT
# complete.zsh COMPLETION STEPWATCH FOLDER - tests what the completion of zsh proposes. FOLDER has commands.txt,
# tables.txt, sinks.txt and formats.txt. The functions of the line editor are replaced by functions that print.
completion=$1 stepwatch=$2 tables=$3
failed=0

compadd()
{
    while (( $# )); do
        case $1 in
        --) shift; break ;;
        -S) shift 2 ;;
        -a) print -rl -- ${(P)2}; return ;;
        *) break ;;
        esac
    done
    print -rl -- $@
}
compset()
{
    local kept=${PREFIX##${~2}}
    [[ $1 = -P && $kept != $PREFIX ]] && PREFIX=$kept
}
_describe()
{
    print -rl -- ${${(P)2}%%:*}
}
_files()
{
    print -r -- files ${@[-1]}
}
_default()
{
    print default
}
_normal()
{
    print -r -- normal $CURRENT $words
}

# proposed WORD...: prints the proposals for the last word.
proposed()
{
    local words=($stepwatch $@) CURRENT=$(( $# + 1 )) PREFIX=$@[-1]
    words=($stepwatch "$@")
    source $completion | grep -v '^$' | sort
}

expect()
{
    local expected=$1 found
    shift
    found=$(proposed "$@")
    [[ $found = $expected ]] && return
    print -r -- "zsh: stepwatch $*: expected
$expected
found
$found" >&2
    failed=1
}

expect "$( (cut -f1 $tables/commands.txt; print -l -- --help --version) | sort)" ''
for command in ${(f)"$(cut -f1 $tables/commands.txt)"}; do
    expect "$( (sed -n "s/^$command \(--[a-z-]*\)=*$/\1/p" $tables/tables.txt; print -- --help) | sort)" $command --
done
expect "$(cat $tables/formats.txt)" report --format ''
expect "$(cat $tables/formats.txt)" report --format=
expect "$(cat $tables/sinks.txt)" sinks ''
expect "$(cat $tables/sinks.txt)" init --sinks csv,
expect "files *.(yaml|yml)" check ''
expect "files *.jsonl(|.gz|.zst)" compare ''
expect "files *.(yaml|yml)" run --config ''
expect "normal 2 ./train --ep" run --config x.yaml -- ./train --ep
expect "normal 1 ./tr" run -- ./tr
exit $failed
