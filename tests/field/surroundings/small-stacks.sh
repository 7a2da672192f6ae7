# SPDX-License-Identifier: MIT
# a stack of 64 KiB, also for each thread (RLIMIT_STACK)
quick="functions sync"
enter()
{
    (ulimit -S -s 64 && "$@")
}
