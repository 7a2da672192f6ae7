# SPDX-License-Identifier: MIT
# a program that is linked fully statically with glibc, and with the sinks that can be in the library
. "$TESTS/builtin.sh"
quick=""
limit=600
needs()
{
    for name in libyaml libz; do
        test -e "$libraries/$name.a" || { echo "$name.a is not installed"; return; }
    done
}
prepare()
{
    static_train "$FIELD_CC" "-lyaml -lz $(pkg-config --libs libzstd 2>/dev/null)"
}
