# SPDX-License-Identifier: MIT
# under gdb
quick="own"
leaves_out="check report watch sync memory functions"
limit=120
needs()
{
    lacks gdb
}
starts()
{
    exec gdb -nx -batch -return-child-result -ex 'set debuginfod enabled off' -ex run --args "$@"
}
