# SPDX-License-Identifier: MIT
# complete.bash COMPLETION STEPWATCH FOLDER - tests what the completion of bash proposes. FOLDER has commands.txt,
# tables.txt, sinks.txt and formats.txt; the working directory has some files.
set -u
. "$1"
stepwatch=$2
tables=$3
failed=0

# Only readline can do that.
compopt()
{
    :
}

# proposed WORD...: completes the last word and prints the proposals, sorted, one on each line.
proposed()
{
    COMP_WORDS=("$stepwatch" "$@")
    COMP_CWORD=$#
    COMPREPLY=()
    _stepwatch "$stepwatch" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
    test ${#COMPREPLY[@]} = 0 || printf '%s\n' "${COMPREPLY[@]}" | sed 's/ *$//' | sort
}

# expect EXPECTED WORD...
expect()
{
    local expected=$1 found
    shift
    found=$(proposed "$@")
    test "$found" = "$expected" && return
    printf 'bash: stepwatch %s: expected\n%s\nfound\n%s\n' "$*" "$expected" "$found" >&2
    failed=1
}

# lines WORD...
lines()
{
    printf '%s\n' "$@"
}

expect "$( (cut -f1 "$tables/commands.txt"; lines --help --version) | sort)" ''
expect "$(lines replay report)" 're'
while read -r command _; do
    options=$( (sed -n "s/^$command \(--[a-z-]*\)=*$/\1/p" "$tables/tables.txt"; echo --help) | sort)
    test "$command" = run && options=$( (echo "$options"; echo --) | sort)
    expect "$options" "$command" --
done <"$tables/commands.txt"
expect "$(cat "$tables/formats.txt")" report --format ''
expect "$(lines plain)" report --format p
expect "$(lines plain)" report --format = p
expect "$(cat "$tables/formats.txt")" report --format =
expect "$(cat "$tables/sinks.txt")" sinks ''
expect "$(cat "$tables/sinks.txt")" init --sinks ''
expect "$(sed 's/^/csv,/' "$tables/sinks.txt")" init --sinks csv,
expect "$(lines folder train.yaml)" check ''
expect "$(lines folder one.jsonl three.jsonl.gz two.jsonl)" report ''
expect "$(lines one.jsonl)" compare o
expect "$(lines folder train.yaml)" run --config ''
expect "$(lines rolling_average=)" run --set roll
expect "$(lines capture= counters= csv_name= close_timeout= | sort)" replay --set c
proposed run -- bas | grep -qx bash || { echo "bash: a program after run -- is not found" >&2; failed=1; }
exit $failed
