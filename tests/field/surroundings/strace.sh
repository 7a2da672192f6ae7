# SPDX-License-Identifier: MIT
# under strace, with all threads
quick="own"
leaves_out="check report watch sync functions"
needs()
{
    lacks strace
}
starts()
{
    exec strace -f -o strace.out "$@"
}
