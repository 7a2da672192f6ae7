# SPDX-License-Identifier: MIT
# descriptors 3 to 900 are taken
quick="own"
starts()
{
    ulimit -n 1024
    exec "$PROGRAMS/within" at=900 -- "$@"
}
