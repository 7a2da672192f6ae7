# SPDX-License-Identifier: MIT
# the locale C, which has no UTF-8
quick="digits report"
enter()
{
    LC_ALL=C LANG=C "$@"
}
alike()
{
    ascii
}
