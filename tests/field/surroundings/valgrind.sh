# SPDX-License-Identifier: MIT
# under valgrind's memcheck, which finds nothing
quick=""
leaves_out="check report watch sync memory functions digits" # digits takes long enough for more than one batch of records
limit=300
needs()
{
    lacks valgrind
}
starts()
{
    exec valgrind -q --error-exitcode=99 --log-file=valgrind.out "$@"
}
also()
{
    cat valgrind.out
    test ! -s valgrind.out
}
