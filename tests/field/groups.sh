# SPDX-License-Identifier: MIT
# groups.sh - for surroundings with control groups that do not exist: their files come from a folder (programs/paths.c). A
# surrounding defines groups(), which makes them, with half a CPU and 1 GiB of memory of which a quarter is used.

# put PATH LINE...: a file of the kernel.
put()
{
    mkdir -p "kernel/$(dirname "$1")"
    file=kernel/$1
    shift
    printf '%s\n' "$@" >"$file"
}

cpu_v1()
{
    put "$1/cpu.cfs_quota_us" 50000
    put "$1/cpu.cfs_period_us" 100000
}

cpu_v2()
{
    put "$1/cpu.max" '50000 100000'
}

memory_v1()
{
    put "$1/memory.limit_in_bytes" 1073741824
    put "$1/memory.usage_in_bytes" 268435456
    put "$1/memory.stat" 'total_inactive_file 0'
}

memory_v2()
{
    put "$1/memory.max" 1073741824
    put "$1/memory.current" 268435456
    put "$1/memory.stat" 'inactive_file 0'
}

prepare()
{
    groups
}

starts()
{
    FIELD_PATHS=$HERE/kernel preloaded "$PROGRAMS/paths.so" "$@"
}

# The other journeys do not ask for control groups. What the monitor says of the groups is what was made.
alike()
{
    grep -v 'CPUs, but nproc says'
}

also()
{
    test "$JOURNEY" = machine || return 0
    for value in process/cpus_available:0.5 system/memory_total_bytes:1073741824.0 system/memory_available_bytes:805306368.0; do
        found=$(sed -n "s|^${value%:*} ||p" values | sort -u)
        test "$found" = "${value#*:}" || { echo "${value%:*} is $found, expected ${value#*:}"; return 1; }
    done
}
