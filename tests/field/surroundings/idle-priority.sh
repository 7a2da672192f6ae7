# SPDX-License-Identifier: MIT
# the lowest priority of the scheduler
quick="functions"
needs()
{
    lacks chrt
}
enter()
{
    chrt -i 0 nice -n 19 "$@"
}
