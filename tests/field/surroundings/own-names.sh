# SPDX-License-Identifier: MIT
# a program that has functions named like those of SQLite, jansson, libyaml and libcurl
quick="own"
starts()
{
    preloaded "$PROGRAMS/names.so" "$@"
}
