# SPDX-License-Identifier: MIT
# started by a daemon, without a terminal, a parent and a session
quick="own"
starts()
{
    exec "$PROGRAMS/within" daemon -- "$@"
}
