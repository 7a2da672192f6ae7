# SPDX-License-Identifier: MIT
# started by posix_spawn(), as by Java and Node
quick="memory"
starts()
{
    exec "$PROGRAMS/within" spawned -- "$@"
}
