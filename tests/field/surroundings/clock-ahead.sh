# SPDX-License-Identifier: MIT
# the clock of the day is 20 years ahead
quick="own sync"
needs()
{
    lacks faketime
    test -n "$(faketime -f +20y date 2>/dev/null)" || echo "faketime does not work here"
}
enter()
{
    faketime -f +20y "$@"
}
