# SPDX-License-Identifier: MIT
# what Docker forbids by default: perf, ptrace, namespaces, keys, io_uring, memory policies
quick="functions"
needs()
{
    "$PROGRAMS/within" deny=ptrace -- true 2>/dev/null || echo "there is no seccomp"
}
enter()
{
    "$PROGRAMS/within" deny=perf:1 deny=ptrace:1 deny=namespaces:1 deny=keys:1 deny=io-uring:1 deny=memory-policy:1 \
        deny=userfaultfd:1 deny=personality:1 -- "$@"
}
