# SPDX-License-Identifier: MIT
# a program without standard error: its number 2 is free for the next file
quick="own"
leaves_out="check report watch sync functions"
starts()
{
    exec "$@" 2>&-
}
