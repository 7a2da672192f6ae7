# SPDX-License-Identifier: MIT
# a program of musl that starts another
quick="functions"
leaves_out="check report watch sync"
needs()
{
    lacks musl-gcc
}
prepare()
{
    musl-gcc -static -idirafter /usr/include -idirafter "/usr/include/$(gcc -print-multiarch)" -D_GNU_SOURCE -o within-musl "$TESTS/programs/within.c"
}
starts()
{
    exec ./within-musl spawned -- "$@"
}
