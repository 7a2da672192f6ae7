# SPDX-License-Identifier: MIT
# nobody reads the pipe that standard output is, and SIGPIPE is ignored
quick="own"
leaves_out="check report watch sync machine"
late=yes
says='standard output|Broken pipe'
without="own table"
starts()
{
    mkfifo pipe && { sleep 0 <pipe & } && exec 9>pipe && wait && trap '' PIPE && exec "$@" >&9 9>&-
}
