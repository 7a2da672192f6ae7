# SPDX-License-Identifier: MIT
# a program that has functions named like those of SQLite, jansson, libyaml, libcurl and libsmartcols
quick="own"
starts()
{
    preloaded "$PROGRAMS/names.so" "$@"
}
