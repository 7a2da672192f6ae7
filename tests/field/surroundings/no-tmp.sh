# SPDX-License-Identifier: MIT
# no folder for temporary files
quick="functions memory"
enter()
{
    TMPDIR=$HERE/nowhere "$@"
}
