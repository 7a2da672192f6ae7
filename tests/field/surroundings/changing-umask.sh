# SPDX-License-Identifier: MIT
# a program with a thread that changes the umask all the time
quick="own"
starts()
{
    FIELD_STATE=umask preloaded "$PROGRAMS/state.so" "$@"
}
