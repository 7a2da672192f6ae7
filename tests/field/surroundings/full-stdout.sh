# SPDX-License-Identifier: MIT
# a standard output that is full, as a log on a full disk
quick="own"
leaves_out="check report watch sync machine"
late=yes
says='standard output|No space left'
without="own table"
starts()
{
    exec "$@" >/dev/full
}
