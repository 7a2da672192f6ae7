# SPDX-License-Identifier: MIT
# without address space layout randomization, and 2.6 as the kernel's version
quick="functions"
needs()
{
    setarch -R --uname-2.6 true 2>/dev/null || echo "setarch does not work here"
}
enter()
{
    setarch -R --uname-2.6 "$@"
}
