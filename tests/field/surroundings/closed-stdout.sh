# SPDX-License-Identifier: MIT
# a program without standard output
quick="own"
leaves_out="check report watch sync machine"
late=yes
says='standard output|Bad file descriptor'
without="own table"
starts()
{
    exec "$@" >&-
}
