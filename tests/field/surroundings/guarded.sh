# SPDX-License-Identifier: MIT
# a process that nobody may look into (PR_SET_DUMPABLE): its files in /proc belong to root
quick="own functions"
needs()
{
    lacks_root
    lacks setpriv
}
prepare()
{
    chown -R 1000:1000 .
}
enter()
{
    setpriv --reuid 1000 --regid 1000 --clear-groups "$@"
}
starts()
{
    FIELD_STATE=guarded preloaded "$PROGRAMS/state.so" "$@"
}
# Not even the process itself may read its counters of input and output.
alike()
{
    grep -v '^machine: process/\(read\|written\)_bytes'
}
