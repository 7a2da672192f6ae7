# SPDX-License-Identifier: MIT
# Every public header compiles alone, without warnings, as C11, C++11 and C++17; all of them together also as C17, and with
# clang. The warnings are those that strict projects turn into errors.
. "$SRCDIR/tests/scripts/common.sh"

strict="-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wcast-qual -Wundef -Wredundant-decls -Werror"
strict_cxx="$strict -Wold-style-cast -Wzero-as-null-pointer-constant -Woverloaded-virtual -Weffc++"

# compiles COMPILER LANGUAGE STANDARD HEADER...
compiles()
{
    compiler=$1 language=$2 standard=$3
    shift 3
    printf '#include <stepwatch/%s>\n' "$@" >headers.source
    case $language in c) warnings=$strict ;; *) warnings=$strict_cxx ;; esac
    silent $compiler -x "$language" "-std=$standard" $warnings \
        ${MPI_CFLAGS:-} -isystem "$SRCDIR/tests/with/ggml" -I "$SRCDIR/include" -fsyntax-only headers.source
}

of_c='' of_cxx=''
for path in "$SRCDIR"/include/stepwatch/*.h*; do
    header=${path##*/}
    if test "$header" = mpi.h && test -z "${MPI_CFLAGS:-}"; then
        echo "SKIP: headers: mpi.h: MPI is not installed"
        continue
    fi
    case $header in
    *.h) compiles "$CC" c c11 "$header" && of_c="$of_c $header" ;;
    esac
    compiles "$CXX" c++ c++17 "$header"
    compiles "$CXX" c++ c++11 "$header" && of_cxx="$of_cxx $header"
done
set -- $of_cxx
test $# -ge 6 || fail "expected at least 6 headers in include/stepwatch, found $#"

for year in 11 17; do
    compiles "$CC" c c$year $of_c
    compiles "$CXX" c++ c++$year $of_cxx
    ! have clang || compiles clang c c$year $of_c
    ! have clang++ || compiles clang++ c++ c++$year $of_cxx
done

# On a platform without a library of stepwatch, and with STEPWATCH_DISABLE, all calls are inline functions that do nothing.
# A function that lacks one is "declared static but never defined".
for elsewhere in -DSTEPWATCH_DISABLE -U__ELF__ -U__linux__ -U__LP64__; do
    compiles "$CC $elsewhere" c c11 $of_c
    compiles "$CXX $elsewhere" c++ c++11 $of_cxx
    ! have clang || compiles "clang $elsewhere" c c17 $of_c
    ! have clang++ || compiles "clang++ $elsewhere" c++ c++17 $of_cxx
done
for header in $of_c; do
    compiles "$CC -DSTEPWATCH_DISABLE" c c11 "$header"
done
# musl's headers suit any machine.
musl=/usr/include/$(uname -m)-linux-musl
if have clang && test -e "$musl/stdio.h"; then
    for header in $of_c; do
        echo "#include <stepwatch/$header>"
    done | grep -v mpi.h >elsewhere.c
    cat "$SRCDIR/examples/minimal.c" >>elsewhere.c
    silent clang --target=arm64-apple-macos11 -std=c11 -Wall -Wextra -Wpedantic -Werror -nostdinc -isystem "$musl" \
        -isystem "$(clang -print-resource-dir)/include" -isystem "$SRCDIR/tests/with/ggml" -I "$SRCDIR/include" -c elsewhere.c
    ! have nm || ! nm -u elsewhere.o 2>/dev/null | grep ' _sw_' || fail "a program for macOS needs a library of stepwatch"
else
    echo "SKIP: headers: compiling for macOS: clang or the headers of musl are missing"
fi
for program in minimal.c options.c threads.c cxx.cpp; do
    case $program in *.c) compiler=$CC ;; *) compiler=$CXX ;; esac
    silent $compiler -DSTEPWATCH_DISABLE -Wall -Wextra -Werror -I "$SRCDIR/include" -o disabled "$SRCDIR/examples/$program" -pthread
    mkdir -p empty
    (cd empty && ../disabled >../said.txt 2>&1) || fail "examples/$program fails with STEPWATCH_DISABLE: $(cat said.txt)"
    ! grep -q 'Profiling' said.txt || fail "examples/$program measures with STEPWATCH_DISABLE"
    test -z "$(ls empty)" || fail "examples/$program writes with STEPWATCH_DISABLE:" empty/*
done

# A program that uses every call of every header is complete without the library.
{
    printf '#include <stepwatch/%s>\n' $of_c
    echo '#include <stdio.h>'
    echo 'static void (*const calls[])(void) = {'
    for header in $of_c; do
        grep -ohE '^[^*]*SW_API [^(]*\<sw_[a-z0-9_]+\(' "$SRCDIR/include/stepwatch/$header" || true
    done | sed 's/.*\<\(sw_[a-z0-9_]*\)($/(void (*)(void))\1,/' | sort -u
    cat <<'END'
};
int main(void)
{
    int missing = 0, count = sizeof calls / sizeof *calls;
    for (int i = 0; i < count; i++)
        missing += !calls[i];
    return printf("%d", count) < 0 || missing;
}
END
} >every.c
silent $CC -std=c11 -DSTEPWATCH_DISABLE ${MPI_CFLAGS:-} -isystem "$SRCDIR/tests/with/ggml" -I "$SRCDIR/include" -o every every.c
./every >every.txt || fail "a program with every call fails with STEPWATCH_DISABLE"
test "$(cat every.txt)" -ge 100 || fail "expected at least 100 calls in the headers, found $(cat every.txt)"

# A disabled call returns what the call of the library returns without a profiler.
cat >returns.c <<'EOF'
#include <stepwatch/inspect.h>
#include <stepwatch/ranks.h>
#include <stepwatch/replay.h>
#include <stepwatch/stepwatch.h>
#define SAY(call) printf("%s = %lld\n", #call, (long long)(call))
static void hear(void *arg, enum sw_event event)
{
    (void)arg;
    (void)event;
}
int main(void)
{
    SW_ERROR_SCOPE(err);
    struct sw_profiler *sw = NULL;
    struct sw_report *report = NULL;
    struct sw_steps *steps = NULL;
    SAY(sw_close(sw, &err));
    SAY(sw_flush(sw, 0));
    SAY(sw_report_new(sw, &report, &err));
    SAY(sw_get_run(sw) != NULL);
    SAY(sw_now(sw));
    SAY(sw_keep_steps(sw, &err));
    SAY(sw_steps_new(sw, &steps, &err));
    SAY(sw_log_ranks(sw, NULL, &err));
    SAY(sw_on_event(sw, SW_BEFORE_FIT, NULL, NULL));
    SAY(sw_on_event(sw, SW_AFTER_CANCEL_FIT, hear, NULL));
    SAY(sw_on_event(sw, (enum sw_event)(SW_AFTER_CANCEL_FIT + 1), hear, NULL));
    SAY(sw_get_step(sw));
    SAY(sw_should_stop(sw));
    SAY(sw_span_begin(sw, SW_DRAW));
    SAY(sw_capture(sw, 0));
    SAY(sw_capture(sw, 1));
    SAY(sw_alert(sw, SW_ERROR, "title", "text"));
    SAY(sw_log_report(sw, NULL, &err));
    SAY(sw_set_counter(sw, NULL));
    SAY(sw_wants(sw, SW_VALUE_TEXT));
    SAY(sw_log_text(sw, "name", "text"));
    SAY(sw_define(sw, "name", NULL));
    SAY(sw_action_dims(SW_BATCH, NULL, 0));
    SAY(sw_print(sw, "printed\n"));
    printf("%s %g\n", sw_action_name(-1), sw_param(sw, "rate", 0.5));
    return 0;
}
EOF
silent $CC -std=c11 -I "$SRCDIR/include" $SANITIZER -o returns returns.c -L "$BUILDDIR/.libs" -lstepwatch -Wl,-rpath,"$BUILDDIR/.libs"
./returns >expected.txt || fail "the calls of the library fail without a profiler"
silent $CC -std=c11 -DSTEPWATCH_DISABLE -I "$SRCDIR/include" -o returns returns.c
./returns >disabled.txt
diff -u expected.txt disabled.txt >difference.txt ||
    fail "without a profiler, the library (-) and the disabled calls (+) return:" "$(cat difference.txt)"

# A program that measures its functions with -finstrument-functions begins and ends regions in the hooks. Inline functions
# in the headers must not call these hooks again.
cat >hooks.c <<'EOF'
#include <stepwatch/sink.h>
#include <stepwatch/stepwatch.h>
int used(struct sw_profiler *sw, struct sw_error *err, const struct sw_distribution *d);
int used(struct sw_profiler *sw, struct sw_error *err, const struct sw_distribution *d)
{
    SW_SCOPE(sw, SW_BATCH);
    sw_error_init(err);
    sw_error_prefix(err, "%d", sw_error_set(err, SW_EIO, "none"));
    sw_error_append(err, "%s", sw_error_text(err));
    sw_error_print(stderr, err);
    sw_error_free(err);
    return (int)sw_quantile(d, 0.5);
}
EOF
cat >hooks.cpp <<'EOF'
#include <stepwatch/stepwatch.hpp>
int used(stepwatch::profiler &sw);
int used(stepwatch::profiler &sw)
{
    stepwatch::region batch(sw, SW_BATCH);
    batch.end();
    return sw.close();
}
EOF
# hooked COMPILER SOURCE: only the program's own function calls the hooks.
hooked()
{
    silent $1 -O0 -finstrument-functions -I "$SRCDIR/include" -S -o hooks.s "$2"
    calls=$(grep -c 'call.*__cyg_profile_func_enter\|bl.*__cyg_profile_func_enter' hooks.s)
    test "$calls" = 1 || fail "$2 by $1 calls the hooks of $calls functions: expected its own only"
}
hooked "$CC" hooks.c
hooked "$CXX" hooks.cpp
if have clang; then hooked clang hooks.c; fi

# A C++ program opens a profiler without YAML.
cat >options.cpp <<'EOF'
#include <stepwatch/stepwatch.hpp>
static void hear(void *arg, enum sw_level, const char *text) { static_cast<std::string *>(arg)->append(text); }
int main()
{
    const char *const table[] = {"plain", "maybe", nullptr};
    const struct sw_sink_options sinks[] = {{"table", table}};
    std::string said;
    struct sw_options options;
    sw_options_init(&options);
    options.sinks = sinks;
    options.sink_count = 1;
    options.messages = hear;
    options.messages_arg = &said;
    stepwatch::profiler wrong(options);
    options.sinks = nullptr;
    options.sink_count = 0;
    const char *const quiet[] = {"show_report", "false", nullptr};
    options.options = quiet;
    stepwatch::profiler sw(options);
    stepwatch::counter tokens(sw, "tokens");
    sw_begin(sw, SW_FIT);
    tokens += 41;
    ++tokens;
    sw_end(sw, SW_FIT);
    struct sw_report *report = nullptr;
    if (sw_report_new(sw, &report, nullptr) < 1 || report->counter_count != 1 ||
        sw_row_counter(report, sw_report_row(report, 0), 0)->total != 42)
        return 2;
    sw_report_free(report);
    bool told = said == "sinks[0].plain: sink table: plain: maybe is neither true nor false" && said + '\n' == wrong.error();
    return told && !wrong && sw && sw.close() ? 0 : 1;
}
EOF
silent $CXX -std=c++17 $strict_cxx -I "$SRCDIR/include" $SANITIZER -o options options.cpp \
    -L "$BUILDDIR/.libs" -lstepwatch -Wl,-rpath,"$BUILDDIR/.libs"
./options || fail "a C++ program does not get what it asks for in struct sw_options"
if have clang++; then
    silent clang++ -std=c++17 $strict_cxx -fsyntax-only -I "$SRCDIR/include" options.cpp
fi

# The calls of the loop are functions: a C++ program may name them with ::, take their address, and have members of the
# same names.
cat >names.cpp <<'EOF'
#include <stepwatch/stepwatch.h>
struct logger {
    struct sw_profiler *sw;
    void sw_log(const char *name, double value) { ::sw_log(sw, name, value); }
    int sw_begin, sw_end;
};
typedef void begin_fn(struct sw_profiler *, int);
begin_fn *address() { return &::sw_begin; }
int main()
{
    logger mine = {0, 1, 2};
    ::sw_begin(mine.sw, SW_BATCH);
    mine.sw_log("loss", 1);
    ::sw_end_batch(mine.sw, 1);
    address()(mine.sw, SW_BATCH);
    return mine.sw_begin + mine.sw_end - 3;
}
EOF
for compiler in "$CXX" clang++; do
    have "${compiler%% *}" || continue
    test -z "$SANITIZER" || test "$compiler" = "$CXX" || continue # the library's sanitizer is another's
    for level in -O0 -O2; do
        silent $compiler $level -std=c++11 -Wall -Wextra -Wpedantic -Werror -I "$SRCDIR/include" $SANITIZER -o names names.cpp \
            -L "$BUILDDIR/.libs" -lstepwatch -Wl,-rpath,"$BUILDDIR/.libs"
        ./names || fail "$compiler $level: the calls of the loop do nothing without a profiler, but the program failed"
    done
done
