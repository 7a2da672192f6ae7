# SPDX-License-Identifier: MIT
# a namespace whose monotonic clock is 100 days ahead
quick="own functions"
needs()
{
    unshare -rT --monotonic 8640000 true 2>/dev/null || echo "unshare cannot make a namespace of clocks"
}
enter()
{
    unshare -rT --monotonic 8640000 --boottime 8640000 "$@"
}
