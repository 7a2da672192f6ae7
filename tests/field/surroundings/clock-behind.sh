# SPDX-License-Identifier: MIT
# the clock of the day is 50 years behind
quick="own sync"
needs()
{
    lacks faketime
    test -n "$(faketime -f -50y date 2>/dev/null)" || echo "faketime does not work here"
}
enter()
{
    faketime -f -50y "$@"
}
