# SPDX-License-Identifier: MIT
# no standard input and no descriptors but the two of the outputs
quick="own memory"
starts()
{
    exec "$@" 0<&- 3<&- 4<&- 5<&- 6<&- 7<&- 8<&- 9<&-
}
enter()
{
    "$@" 0<&-
}
