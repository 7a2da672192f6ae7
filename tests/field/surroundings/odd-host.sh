# SPDX-License-Identifier: MIT
# a host whose name has slashes, blanks and letters of other alphabets
quick="digits"
needs()
{
    unshare -ru true 2>/dev/null || echo "unshare cannot make a namespace of host names"
}
enter()
{
    unshare -ru sh -c 'printf "../a b/ж\$(x)" >/proc/sys/kernel/hostname; exec "$@"' sh "$@"
}
