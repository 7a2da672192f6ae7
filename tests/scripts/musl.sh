# SPDX-License-Identifier: MIT
# The test suite with musl: the library, its plugins and the tests are compiled by musl-gcc. `.ci/run builtin` runs it: it
# builds the library once more, which takes too long for `make check`.
#
# The suites are those that need neither the command nor sinks with other libraries, nor messages of glibc. libcheck and the
# others are Debian's archives, which were compiled for glibc: checks.c has what musl does not.
. "$SRCDIR/tests/scripts/common.sh"
have musl-gcc || skip "musl-tools is not installed"
libraries=/usr/lib/$(gcc -print-multiarch)
for library in check_pic subunit jansson yaml z sqlite3; do
    test -e "$libraries/lib$library.a" || skip "$libraries/lib$library.a is not there"
done
suites="address_space alerts call_paths capture characters closed config_good config_limits config_open config_sinks cost ended_threads
    error escape events figures first_calls floats foreign_handlers fuzz_config handlers hot_path interval log_value loop machines
    map markdown memory_left moments options parse printable clock csv table"

cat >checks.c <<'END'
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PRINTS(name, parameters, call)                                                             \
    int name parameters                                                                            \
    {                                                                                              \
        va_list args;                                                                              \
        va_start(args, format);                                                                    \
        int n = call;                                                                              \
        va_end(args);                                                                              \
        return n;                                                                                  \
    }
PRINTS(__sprintf_chk, (char *to, int flag, size_t size, const char *format, ...), vsnprintf(to, size, format, args))
PRINTS(__snprintf_chk, (char *to, size_t most, int flag, size_t size, const char *format, ...), vsnprintf(to, most, format, args))
PRINTS(__fprintf_chk, (FILE *file, int flag, const char *format, ...), vfprintf(file, format, args))
PRINTS(__printf_chk, (int flag, const char *format, ...), vprintf(format, args))
PRINTS(__isoc99_sscanf, (const char *from, const char *format, ...), vsscanf(from, format, args))

#define CALLS(type, name, parameters, call)                                                        \
    type name parameters                                                                           \
    {                                                                                              \
        return call;                                                                               \
    }
CALLS(int, __vsnprintf_chk, (char *to, size_t most, int flag, size_t size, const char *format, va_list args),
      vsnprintf(to, most, format, args))
CALLS(int, __vfprintf_chk, (FILE *file, int flag, const char *format, va_list args), vfprintf(file, format, args))
CALLS(void *, __memcpy_chk, (void *to, const void *from, size_t n, size_t size), memcpy(to, from, n))
CALLS(void *, __memmove_chk, (void *to, const void *from, size_t n, size_t size), memmove(to, from, n))
CALLS(void *, __memset_chk, (void *to, int c, size_t n, size_t size), memset(to, c, n))
CALLS(char *, __strcpy_chk, (char *to, const char *from, size_t size), strcpy(to, from))
CALLS(char *, __strncpy_chk, (char *to, const char *from, size_t n, size_t size), strncpy(to, from, n))
CALLS(char *, __strcat_chk, (char *to, const char *from, size_t size), strcat(to, from))
CALLS(ssize_t, __read_chk, (int fd, void *to, size_t n, size_t size), read(fd, to, n))
CALLS(size_t, __fread_chk, (void *to, size_t size, size_t each, size_t n, FILE *file), fread(to, each, n, file))
CALLS(long, __fdelt_chk, (long fd), fd / 64)
CALLS(int, fcntl64, (int fd, int what, void *arg), fcntl(fd, what, arg))

void __pthread_register_cancel(void *buffer)
{
}

void __pthread_unregister_cancel(void *buffer)
{
}

_Noreturn void __longjmp_chk(jmp_buf to, int value)
{
    longjmp(to, value);
}
END
musl-gcc -fPIC -c -o checks.o checks.c && ar rcs libchecks.a checks.o

mkdir build
cd build
a=$libraries/lib
"$SRCDIR/configure" -q --without-zstd CC="musl-gcc -idirafter /usr/include -idirafter /usr/include/$(gcc -print-multiarch)" \
    CXX=false CFLAGS=-O0 LIBS="$scratch/libchecks.a" YAML_CFLAGS=' ' YAML_LIBS="${a}yaml.a" ZLIB_CFLAGS=' ' ZLIB_LIBS="${a}z.a" \
    CHECK_CFLAGS=' ' CHECK_LIBS="${a}check_pic.a ${a}subunit.a" \
    JANSSON_CFLAGS=' ' JANSSON_LIBS="${a}jansson.a" SQLITE_CFLAGS=' ' SQLITE_LIBS="${a}sqlite3.a" >log.txt 2>&1 ||
    fail "configure:" "$(tail -n 20 log.txt)"
make -s -j"$(nproc)" libstepwatch.la tests/check sinks/csv.la sinks/markdown.la sinks/runlog.la sinks/table.la >log.txt 2>&1 ||
    fail "make:" "$(grep -E 'error|undefined' log.txt | head -n 20)"
readelf -p .interp tests/.libs/check | grep -q musl || fail "the tests are not linked with musl"
export STEPWATCH_PLUGIN_PATH="$PWD/sinks/.libs"
# As tests/check itself does: other stages may have kept a suite from the processor.
for suite in $suites; do
    MAKEFLAGS=s tests/check "$suite" >said.txt 2>&1 && continue
    echo "UNSTABLE: with musl, the suite $suite failed once:" "$(grep -a ':[FE]:' said.txt)"
    MAKEFLAGS=s tests/check "$suite" >said.txt 2>&1 || fail "with musl, the suite $suite:" "$(grep -a ':[FE]:' said.txt)"
done
