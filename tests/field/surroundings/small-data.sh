# SPDX-License-Identifier: MIT
# 300 MB of data (RLIMIT_DATA)
quick="own"
enter()
{
    (ulimit -d 300000 && "$@")
}
