# SPDX-License-Identifier: MIT
# a stack of 256 KiB, also for each thread (RLIMIT_STACK)
quick="digits"
enter()
{
    (ulimit -s 256 && "$@")
}
