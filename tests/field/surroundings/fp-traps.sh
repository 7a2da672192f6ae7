# SPDX-License-Identifier: MIT
# a program that lets floating-point exceptions raise SIGFPE, as numerical codes do with feenableexcept()
quick="own"
starts()
{
    FIELD_STATE=traps preloaded "$PROGRAMS/state.so" "$@"
}
