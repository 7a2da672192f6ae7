# SPDX-License-Identifier: MIT
# a program without the three standard descriptors
quick="own"
leaves_out="check report watch sync functions"
silent=yes
without="own table"
starts()
{
    exec "$@" 0<&- >&- 2>&-
}
