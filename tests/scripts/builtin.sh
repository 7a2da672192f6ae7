# SPDX-License-Identifier: MIT
# A program that is linked fully statically, with the sinks linked into the library, writes what the plugins write; with
# musl as well. `.ci/run builtin` runs it: it builds the library twice, which takes too long for `make check`.
. "$SRCDIR/tests/scripts/common.sh"
libraries=/usr/lib/$(gcc -print-multiarch)
unset STEPWATCH_PLUGIN_PATH

cat >loop.c <<'END'
#include <stepwatch/stepwatch.h>
#include <stdio.h>
int main(void)
{
    struct sw_error err;
    struct sw_profiler *sw = sw_open("stepwatch.yaml", &err);
    if (!sw) {
        sw_error_print(stderr, &err);
        return 1;
    }
    sw_begin(sw, SW_FIT);
    for (int i = 0; i < 50; i++) {
        SW_SCOPE(sw, SW_BATCH);
        SW_SCOPE(sw, SW_FORWARD);
        sw_log(sw, "loss", 1.0 / (i + 1));
    }
    sw_end(sw, SW_FIT);
    return sw_close(sw, &err) < 0;
}
END
# Debian's libyaml is compiled with glibc's checks, which musl does not have.
cat >checks.c <<'END'
#include <stdarg.h>
#include <stdio.h>
int __vsnprintf_chk(char *to, size_t most, int flag, size_t size, const char *format, va_list args)
{
    return (void)flag, (void)size, vsnprintf(to, most, format, args);
}
int __snprintf_chk(char *to, size_t most, int flag, size_t size, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = __vsnprintf_chk(to, most, flag, size, format, args);
    va_end(args);
    return n;
}
int __sprintf_chk(char *to, int flag, size_t size, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(to, size, format, args);
    va_end(args);
    return (void)flag, n;
}
END

# build FOLDER CONFIGURE-ARGUMENT...: the static library, and what is otherwise always shared; without optimization, which
# makes no difference to linking.
build()
{
    mkdir "$1"
    cd "$1"
    shift
    "$SRCDIR/configure" -q --enable-static --disable-shared --enable-builtin-sinks=all CFLAGS=-O0 "$@" \
        >log.txt 2>&1 || fail "configure:" "$(tail -n 20 log.txt)"
    make -s libstepwatch.la libstepwatch-memory.la sinks/csv.la >log.txt 2>&1 || fail "make:" "$(tail -n 20 log.txt)"
    cd ..
}

# works FOLDER: the program in it writes with every sink.
works()
{
    cd "$1"
    cat >stepwatch.yaml <<'END'
profiler: { mode: simple }
logger_callback:
  - table
  - csv
  - markdown: { path: report.md }
  - runlog: { path: run.jsonl }
  - runlog: { path: z.jsonl.gz }
  - tensorboard
  - trace: { path: t.json }
  - trace: { path: z.json.gz }
  - trace: { format: perfetto, path: t.pftrace }
  - trace: { format: torch, path: t.pt.trace.json }
  - trace: { format: xplane, logdir: page }
END
    ./loop >told.txt 2>&1 || fail "$1: the static program failed: $(cat told.txt)"
    grep -q 'forward.*49' told.txt || fail "$1: no table of 49 steps: $(cat told.txt)"
    grep -q 'forward.*49' report.md || fail "$1: no report in markdown"
    grep -q forward ./*.csv || fail "$1: no CSV"
    grep -q '"finish"' run.jsonl || fail "$1: no end in the run log"
    gzip -dc z.jsonl.gz | grep -q '"finish"' || fail "$1: no end in the compressed run log"
    grep -q '"name":"forward"' t.json || fail "$1: no timeline"
    gzip -dc z.json.gz | grep -q '"name":"forward"' || fail "$1: no compressed timeline"
    test -s t.pftrace || fail "$1: no timeline of Perfetto"
    mv page/plugins/profile/*/*.xplane.pb t.xplane.pb || fail "$1: no file of the Profile page"
    ! have python3 || python3 -B "$SRCDIR/tests/scripts/timelines/viewer.py" compare t.json t.pftrace t.pt.trace.json t.xplane.pb ||
        fail "$1: the formats of the timeline differ"
    test -n "$(find runs -name 'events.out.*' -size +100c)" || fail "$1: no event file"
    cd ..
}

build glibc
$CC -static -I "$SRCDIR/include" -o glibc/loop loop.c glibc/.libs/libstepwatch.a -lyaml -lz $(pkg-config --libs libzstd 2>/dev/null) -lm -pthread 2>said.txt ||
    fail "glibc: $(cat said.txt)"
works glibc

have musl-gcc || skip "the rest: musl-tools is not installed"
# Every source compiles with musl, also what the static program does not have.
musl="musl-gcc -idirafter /usr/include -idirafter /usr/include/$(gcc -print-multiarch)"
(cd "$SRCDIR" && find core config monitors net probes sinks tools -name '*.c') |
    xargs -P "$(nproc)" -I{} $musl -std=gnu11 -D_GNU_SOURCE -DPIC -DSINKDIR='"/"' -I "$SRCDIR/include" -I "$SRCDIR" \
        -I glibc -I "$BUILDDIR" -fsyntax-only "$SRCDIR/{}" >said.txt 2>&1 ||
    fail "these do not compile with musl:" "$(grep error said.txt | head -n 40)"
build musl --without-zstd CC="musl-gcc -idirafter /usr/include -idirafter /usr/include/$(gcc -print-multiarch)" \
    YAML_CFLAGS=' ' YAML_LIBS="$libraries/libyaml.a" ZLIB_CFLAGS=' ' ZLIB_LIBS="$libraries/libz.a"
musl-gcc -static -I "$SRCDIR/include" -o musl/loop loop.c checks.c musl/.libs/libstepwatch.a "$libraries/libyaml.a" \
    "$libraries/libz.a" -lm -pthread 2>said.txt || fail "musl: $(cat said.txt)"
works musl
