# SPDX-License-Identifier: MIT
# folders above the working folder that may be entered, but not listed
quick="own"
needs()
{
    lacks_root
    lacks setpriv
}
prepare()
{
    move_into x/y && chown -R 1000:1000 x/y && chmod 711 x
}
enter()
{
    setpriv --reuid 1000 --regid 1000 --clear-groups "$@"
}
