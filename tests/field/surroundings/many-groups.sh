# SPDX-License-Identifier: MIT
# a user in 1,000 groups, which makes /proc/self/status longer than a page
quick="own"
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
    setpriv --reuid 1000 --regid 1000 --groups "$(seq -s, 100000 100999)" "$@"
}
