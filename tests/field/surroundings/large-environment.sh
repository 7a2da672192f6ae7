# SPDX-License-Identifier: MIT
# an environment of a megabyte
quick="own memory"
enter()
{
    for i in 1 2 3 4 5 6 7 8 9 10; do
        eval "export LARGE_$i=\$(printf '%0100000d' $i)"
    done
    "$@"
}
