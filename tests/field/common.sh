# SPDX-License-Identifier: MIT
# common.sh - what surroundings and journeys use. The rig sets:
#
# FIELD     its folder, which everybody may read; below it, everything is a copy
# PREFIX    where stepwatch is installed
# TESTS     tests/field
# PROGRAMS  the programs that are built once: train, digits, facts, and what programs/ has besides
# GIVEN     a run that was recorded at home: run.jsonl, wandb, mlflow
# SURROUNDING, JOURNEY, HERE    the cell: its names and its folder, which is the working folder
set -u
AS=
umask 022

have()
{
    command -v "$1" >/dev/null 2>&1
}

# lacks WHAT...: prints the reason of a skip if one of the programs is not installed.
lacks()
{
    for what; do
        have "$what" || { echo "$what is not installed"; return; }
    done
}

# lacks_root: the same if only root can make this.
lacks_root()
{
    test "$(id -u)" = 0 || echo "it needs root"
}

# in_mounts COMMAND ARGUMENT...: in a namespace of mounts, as root of a namespace of users if need be.
in_mounts()
{
    if test "$(id -u)" = 0; then
        unshare -m "$@"
    else
        unshare -rm "$@"
    fi
}

lacks_mounts()
{
    in_mounts true 2>/dev/null || echo "unshare cannot make a namespace of mounts here"
}

# lacks_library NAME: prints the reason of a skip if the loader does not find this library.
lacks_library()
{
    test -z "$(env LD_PRELOAD="$1" true 2>&1)" || echo "$1 is not installed"
}

# preloaded LIBRARY COMMAND...: runs a program with one more library, after those of others.
preloaded()
{
    library=$1
    shift
    LD_PRELOAD=${LD_PRELOAD:+$LD_PRELOAD:}$library exec "$@"
}

# move_into FOLDER: makes it the journey's working folder, with all files.
move_into()
{
    mkdir -p "$1" && for file in *; do
        test "$file" = "${1%%/*}" || mv "$file" "$1"
    done
    where=$1
}

# ascii: takes out what is drawn with other characters in a locale without UTF-8.
ascii()
{
    sed 's/µ/u/g; /^watch: samples/d' | LC_ALL=C tr -cd 'A-Za-z0-9.,%:\n'
}

# compile OUT ARGUMENT...: builds a program with what is installed.
compile()
{
    out=$1
    shift
    ${FIELD_CC:-cc} -g -O1 -D_GNU_SOURCE -I "$PREFIX/include" -o "$out" "$@" -L "$PREFIX/lib" -lstepwatch -lm -pthread
}

# ---- what a surrounding may define -------------------------------------------------------------------------------

where=.                 # the working folder of the journey, below the cell's; move_into sets it
needs() { :; }          # prints why it cannot be made here
prepare() { :; }        # before the journey, outside of the surroundings, in the cell's folder
enter() { "$@"; }       # makes the journey inside of the surroundings
#starts() { exec "$@"; } starts a program of the user, as by a debugger; its absence is no wrapper at all
also() { :; }           # afterwards: prints what is wrong besides, and fails then
tidy() { cat; }         # takes what others print out of standard error
alike() { cat; }        # takes what may differ out of the facts of both
leaves_out=             # journeys that make no sense in it
says=                   # messages that it may have besides those of home
without=                # sections of facts that may differ if such a message came at the start
late=                   # set if nobody can know at the start what such a message says
silent=                 # set if nobody can read messages
quick=own               # the journeys of `make check`
limit=90                # seconds for one journey
