# SPDX-License-Identifier: MIT
# a program that rounds up, as interval arithmetic does
quick="own"
leaves_out="digits" # learns something else then
starts()
{
    FIELD_STATE=upward preloaded "$PROGRAMS/state.so" "$@"
}
