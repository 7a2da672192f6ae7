# SPDX-License-Identifier: MIT
# all signals are blocked
quick="own functions"
starts()
{
    exec "$PROGRAMS/within" blocked -- "$@"
}
