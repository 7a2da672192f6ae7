# SPDX-License-Identifier: MIT
# 1.5 GB of address space (RLIMIT_AS), as on login nodes
quick="own"
enter()
{
    (ulimit -v 1500000 && "$@")
}
