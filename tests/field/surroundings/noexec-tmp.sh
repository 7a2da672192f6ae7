# SPDX-License-Identifier: MIT
# a /tmp without the right to execute files
quick="functions memory"
needs()
{
    lacks_mounts
}
enter()
{
    mkdir tmp
    TMPDIR=$HERE/tmp in_mounts sh -c 'mount -t tmpfs -o noexec none "$TMPDIR" && exec "$@"' sh "$@"
}
