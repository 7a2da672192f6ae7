# SPDX-License-Identifier: MIT
# a stack without a limit, which turns the layout of the address space around
quick="functions"
enter()
{
    (ulimit -s unlimited && "$@")
}
