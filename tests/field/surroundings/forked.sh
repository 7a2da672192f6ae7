# SPDX-License-Identifier: MIT
# a program whose main() runs in a child of its process, as in a server that forks before it serves
quick="own"
starts()
{
    FIELD_STATE=forked preloaded "$PROGRAMS/state.so" "$@"
}
