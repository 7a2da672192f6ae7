# SPDX-License-Identifier: MIT
# a program of musl, linked fully statically, with the sinks that can be in the library
. "$TESTS/builtin.sh"
quick=""
limit=600
needs()
{
    lacks musl-gcc
    for name in libyaml libz; do
        test -e "$libraries/$name.a" || { echo "$name.a is not installed"; return; }
    done
}
prepare()
{
    # libyaml may be compiled with glibc's checks, which musl does not have.
    cat >checks.c <<'END'
#include <stdarg.h>
#include <stdio.h>
int __sprintf_chk(char *to, int flag, size_t size, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(to, size, format, args);
    va_end(args);
    return (void)flag, n;
}
END
    musl="musl-gcc -idirafter /usr/include -idirafter /usr/include/$(gcc -print-multiarch)"
    static_train "musl-gcc" "checks.c $libraries/libyaml.a $libraries/libz.a" --without-zstd CC="$musl" \
        YAML_CFLAGS=' ' YAML_LIBS="$libraries/libyaml.a" \
        ZLIB_CFLAGS=' ' ZLIB_LIBS="$libraries/libz.a"
}
