# SPDX-License-Identifier: MIT
# Completion of stepwatch for bash. What there is comes from the command itself: --commands, --options.

# The words of a line without those that bash makes of "=".
_stepwatch_before()
{
    local word=${COMP_WORDS[COMP_CWORD - 1]}
    test "$word" = = && word=${COMP_WORDS[COMP_CWORD - 2]}
    test "${COMP_WORDS[COMP_CWORD]}" = = && word=${COMP_WORDS[COMP_CWORD - 1]}
    printf '%s' "$word"
}

# Names of sinks; behind "a,b," of one more.
_stepwatch_sinks()
{
    "$1" "${2:-sinks}" 2>/dev/null | sed -n 's/^\([a-z][a-z0-9_]*\) .*/\1/p'
}

# Files that end so, and folders.
_stepwatch_files()
{
    local pattern
    compopt -o filenames
    mapfile -t COMPREPLY < <(for pattern; do compgen -f -X "!*.$pattern" -- "$current"; done
        compgen -d -- "$current")
}

_stepwatch_value()
{
    local words=
    case $2 in
    --format)
        words='table plain markdown csv json html'
        test "${COMP_WORDS[1]}" != export || words='chrome perfetto xplane torch folded speedscope'
        ;;
    --columns) words='standard all mean std calls total share self min max p50 p95 p99' ;;
    --state) words='running finished failed interrupted killed' ;;
    --since) words='1h 12h 1d 7d 30d' ;;
    --sort)
        words='mean std calls total share self min max p50 p95 p99'
        test "${COMP_WORDS[1]}" != runs || words='started duration steps samples_per_s name state path'
        ;;
    --style) words='stepwatch torch lightning hannah tree' ;;
    --time-unit) words='auto s ms us' ;;
    --group-by) words='action shape stack' ;;
    --sinks) words=$(_stepwatch_sinks "$1" | sed "s/^/$(test "${current%,*}" = "$current" || printf '%s,' "${current%,*}")/") ;;
    --set)
        compopt -o nospace
        words=$("$1" init --sinks '' - 2>/dev/null | sed -n 's/^  #\([a-z_]*\):.*/\1=/p')
        ;;
    --action) words='step draw batch forward loss backward opt_step zero_grad predict' ;;
    --by) words='rank node' ;;
    --functions) words='exact sampled sample' ;;
    --functions-out) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$current"); return ;;
    --fail-over) words='1% 2% 5% 10%' ;;
    --config)
        _stepwatch_files yaml yml
        return
        ;;
    *)
        compopt -o default
        return
        ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}

# What stands behind "stepwatch run --" is another command.
_stepwatch_program()
{
    local i
    test "${COMP_WORDS[1]}" = run || return 1
    for ((i = 2; i < COMP_CWORD; i++)); do
        if test "${COMP_WORDS[i]}" = --; then
            if declare -F _command_offset >/dev/null; then
                _command_offset $((i + 1))
            elif test $((i + 1)) = "$COMP_CWORD"; then
                compopt -o filenames
                mapfile -t COMPREPLY < <(compgen -c -f -- "$current" | sort -u)
            else
                compopt -o default
            fi
            return 0
        fi
    done
    return 1
}

_stepwatch_option()
{
    local option options
    compopt -o nospace
    mapfile -t options < <("$1" "${COMP_WORDS[1]}" --options 2>/dev/null)
    for option in "${options[@]}"; do
        case $option in
        "$current"*=) COMPREPLY+=("${option%=} ") ;;
        "$current"*) COMPREPLY+=("$option ") ;;
        esac
    done
    test "${COMP_WORDS[1]}" = run && test -z "${current#--}" && COMPREPLY+=('-- ')
}

_stepwatch()
{
    local current=${COMP_WORDS[COMP_CWORD]} before
    COMPREPLY=()
    if test "$COMP_CWORD" = 1; then
        mapfile -t COMPREPLY < <(compgen -W "$("$1" --commands 2>/dev/null | cut -f1) --help --version" -- "$current")
        return
    fi
    _stepwatch_program && return
    before=$(_stepwatch_before)
    test "$current" = = && current=
    if test "$before" != -- && "$1" "${COMP_WORDS[1]}" --options 2>/dev/null | grep -qxF -- "$before="; then
        _stepwatch_value "$1" "$before"
        return
    fi
    case $current in
    -*)
        _stepwatch_option "$1"
        return
        ;;
    esac
    case ${COMP_WORDS[1]} in
    monitors) mapfile -t COMPREPLY < <(compgen -W "$(_stepwatch_sinks "$1" monitors)" -- "$current") ;;
    sinks) mapfile -t COMPREPLY < <(compgen -W "$(_stepwatch_sinks "$1")" -- "$current") ;;
    check | init | schedule) _stepwatch_files yaml yml ;;
    explain | export | merge | report | replay | compare | runs | watch) _stepwatch_files jsonl jsonl.gz jsonl.zst ;;
    *) compopt -o default ;;
    esac
}

complete -F _stepwatch stepwatch
