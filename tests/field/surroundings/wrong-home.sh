# SPDX-License-Identifier: MIT
# a HOME that does not exist, and a locale that is not installed
quick="own sync"
enter()
{
    HOME=/nonexistent LC_ALL=xx_XX.UTF-8 LANG=xx_XX.UTF-8 "$@"
}
alike()
{
    ascii
}
