# SPDX-License-Identifier: MIT
# one CPU of many, by taskset
quick="own functions"
needs()
{
    lacks taskset
}
enter()
{
    taskset -c 0 "$@"
}
