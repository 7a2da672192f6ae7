# SPDX-License-Identifier: MIT
# umask 0777 while the program runs: nobody may read or write what it creates
quick="digits"
starts()
{
    umask 0777
    exec "$@"
}
