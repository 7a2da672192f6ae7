# SPDX-License-Identifier: MIT
# stepwatch run --functions counts every call of programs whose calls are known, whatever the optimization; stepwatch
# functions shows them as Python's pstats does, and writes files whose times agree.
. "$SRCDIR/tests/scripts/common.sh"
test -z "$SANITIZER" || skip "sanitizers do not work in programs that something is preloaded into"
stepwatch=$BUILDDIR/tests/tools/stepwatch
test -x "$stepwatch" || skip "jansson is not installed: there is no command"
have python3 || skip "python3 is not installed"
if ! have gcc || ! have g++; then skip "gcc is not installed: the library is tried with programs of gcc and of clang"; fi
golden=$SRCDIR/tests/golden/functions
check="python3 $SRCDIR/tests/scripts/functions/check.py"
grep -q 'HAVE_LIBDW 1' "$BUILDDIR/config.h" || skip "libdw is not installed: there are no lines of functions"
unset LD_PRELOAD

$check pstats "$stepwatch" "$SRCDIR/tests/golden/pstats/reports.json" || fail "the text is not that of pstats"

# run OUT PROGRAM [ARGUMENT]: counts, silently. times: exact, unless it is set.
run()
{
    out=$1
    shift
    "$stepwatch" run "--functions=${times:-exact}" --functions-out "$out" --set show_report=false --set mode=simple -- "$@" >"$out.txt" 2>&1
}

# golden_run COMPILER LEVEL PROGRAM
golden_run()
{
    source=$golden/$3.c
    test -e "$source" || source=$golden/$3.cpp
    built=./$3.$4$2
    $1 $2 -g -finstrument-functions -I "$SRCDIR/include" -o "$built" "$source" -L "$BUILDDIR/.libs" -lstepwatch \
        -Wl,-rpath,"$BUILDDIR/.libs" -pthread || return 1
    run "out$built" "$built" || return 1
    $check counts "out$built/whole.prof" "$golden/expected.json" "$3" || return 1
    test "$3" != regions || for action in draw batch forward backward; do
        $check counts "out$built/$action.prof" "$golden/expected.json" "$3" "$action" || return 1
    done
}

mkdir -p out.
# One level a program and compiler is enough here: they are all different.
set -- -O0 -O1 -O2 -O3 -O2 -O0
for program in recursion nesting threads jump regions exceptions; do
    level=$1
    shift
    for compiler in gcc clang; do
        by=$compiler
        # clang leaves what exceptions and jumps pass by to us.
        case $by$program in clangjump | clangexceptions | gcc*) ;; *) continue ;; esac
        have "$compiler" || continue
        case $program$by in
        exceptionsgcc) compiler=g++ level=-O2 ;;
        exceptionsclang) compiler=clang++ level=-O3 ;;
        esac
        golden_run "$compiler" $level $program $by || fail "$program $by $level:" "$(cat out./$program.$by$level.txt)"
    done
done

# The cap on contexts changes no count and no time.
STEPWATCH_FUNCTIONS_NODES=3 run capped ./recursion.gcc-O0 || fail "with few contexts:" "$(cat capped.txt)"
$check counts capped/whole.prof "$golden/expected.json" recursion || fail "the cap on contexts changes what is counted"

silent gcc -O0 -g -finstrument-functions -o levels "$SRCDIR/tests/scripts/functions/levels.c"
run levels.out ./levels || fail "many functions:" "$(cat levels.out.txt)"
"$stepwatch" functions levels.out --restrict itself >text.txt
contains text.txt '1000/1 '

"$stepwatch" functions --out files --format prof,folded,speedscope,callgrind,pprof out./recursion.gcc-O0 >said.txt 2>&1 ||
    fail "no files:" "$(cat said.txt)"
$check stacks files || fail "files do not agree"

# What processes do.
silent gcc -O1 -g -finstrument-functions -fno-optimize-sibling-calls -o process "$SRCDIR/tests/scripts/functions/process.c" -ldl -pthread
for library in a b; do
    echo "int in_$library(int n) { return n; }" >$library.c
    silent gcc -g -finstrument-functions -shared -fPIC -o $library.so $library.c
done
(ulimit -s unlimited && run deep ./process deep) || fail "100,000 calls deep:" "$(cat deep.txt)"
"$stepwatch" functions deep >text.txt
contains text.txt '100001/1 ' '100,003 calls'
run fork ./process fork || fail "a process that forks:" "$(cat fork.txt)"
"$stepwatch" functions fork >text.txt
contains text.txt '        2 ' '(leaf)' '4 calls'
for times in exact sampled; do
    test $times = exact && level=-O0 || level=-O2
    silent gcc $level -g -finstrument-functions -o vforks "$SRCDIR/tests/scripts/functions/vforks.c"
    run vforks$level ./vforks || fail "a process that calls vfork():" "$(cat vforks$level.txt)"
    $check counts vforks$level/whole.prof "$SRCDIR/tests/scripts/functions/vforks.json" vforks ||
        fail "after vfork(), something else was counted with $level"
done
times=

# The first calls of a program, by many threads at once.
cat >at_once.c <<EOF
#include <pthread.h>
static pthread_barrier_t barrier;
static volatile int sink;
static void leaf(int n) { sink = n; }
static __attribute__((no_instrument_function)) void *run(void *arg)
{
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < 1000; i++)
        leaf(i);
    pthread_barrier_wait(&barrier);
    return arg;
}
__attribute__((no_instrument_function)) int main(void)
{
    pthread_t thread[8];
    pthread_barrier_init(&barrier, NULL, 8);
    for (int i = 0; i < 8; i++)
        pthread_create(&thread[i], NULL, run, NULL);
    for (int i = 0; i < 8; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
EOF
silent gcc -O1 -g -finstrument-functions -pthread -o at_once at_once.c
for attempt in 1 2 3; do
    run calls ./at_once || fail "threads that begin at once:" "$(cat calls.txt)"
    "$stepwatch" functions calls >text.txt
    contains text.txt '8,000 calls'
    rm -r calls
done

# More threads than there is room for: what the others call is not lost without a word.
STEPWATCH_FUNCTIONS_THREADS=3 run calls ./at_once || fail "more threads than there is room for:" "$(cat calls.txt)"
"$stepwatch" functions calls >text.txt
contains text.txt '3,000 calls' '5,000 calls were not counted'
run dlclose ./process dlclose || fail "libraries that come and go:" "$(cat dlclose.txt)"
"$stepwatch" functions dlclose >text.txt
contains text.txt 'a.c:1(in_a)' 'b.c:1(in_b)' '102 calls'
# A function of a file that is no longer at its path does not get the name of one in the file that is.
silent gcc -g -finstrument-functions -o replaced "$SRCDIR/tests/scripts/functions/replaced.c" -ldl
cp a.so first.so
{ cat b.so && echo; } >second.so
run replaced.out ./replaced || fail "a library that is replaced:" "$(cat replaced.out.txt)"
"$stepwatch" functions replaced.out >text.txt
contains text.txt 'b.c:1(in_b)' '+replaced.so}'

for i in 0 1 2 3 4 5 6 7; do cp a.so a$i.so; done
run dlclose-threads ./process dlclose-threads || fail "libraries of threads that come and go:" "$(cat dlclose-threads.txt)"
"$stepwatch" functions dlclose-threads >text.txt
contains text.txt '      400 ' 'a.c:1(in_a)'
for compiler in g++ clang++; do
    have $compiler || continue
    silent $compiler -O1 -g -finstrument-functions -shared -fPIC -o plugin.so "$SRCDIR/tests/scripts/functions/plugin.cpp"
    run plugin.$compiler ./process plugin || fail "a plugin that throws:" "$(cat plugin.$compiler.txt)"
    "$stepwatch" functions plugin.$compiler >text.txt
    contains text.txt '        1 ' '(caught)' '        3 ' '(thrower(int))'
done

# A program with the address sanitizer; what it starts has none. Where its memory cannot be reserved, it does not run at all.
if gcc -O1 -g -fsanitize=address -finstrument-functions -o checked "$SRCDIR/tests/scripts/functions/process.c" -ldl -pthread 2>said.txt &&
    ASAN_OPTIONS=detect_leaks=0 ./checked >said.txt 2>&1; then
    ASAN_OPTIONS=detect_leaks=0 run asan ./checked shell || fail "with the address sanitizer:" "$(cat asan.txt)"
    "$stepwatch" functions asan >text.txt
    contains text.txt '       10 ' '(handler)' '(once)'
    contains asan.txt 'preloaded: ""'
fi

run jumps ./process jumps || fail "600 places to jump to:" "$(cat jumps.txt)"
"$stepwatch" functions jumps --restrict '(landed|leaf)' --callers >text.txt
contains text.txt '(landed)  <-       2 ' '(leaf)     <-     600 '
if grep -q 'without their call' text.txt; then fail "a jump was not noted:" "$(cat text.txt)"; fi

# Handlers that jump away while a context is made, and at other times.
run timeouts ./process timeouts || fail "a program that jumps out of signal handlers:" "$(cat timeouts.txt)"
expired=$(sed -n 's/^expired //p' timeouts.txt)
"$stepwatch" functions timeouts >text.txt
contains text.txt '     1000 ' '(landed)' " $expired " '(expired)'
if grep -q 'not counted' text.txt; then fail "handlers that jump away:" "$(cat text.txt)"; fi

# A signal after each instruction of the hooks, where the processor has a flag for it.
test "$(uname -m)" != x86_64 || for times in exact sampled; do
    run steps.$times ./process steps || fail "a program that is interrupted at each instruction:" "$(cat steps.$times.txt)"
    trapped=$(sed -n 's/^trapped //p' steps.$times.txt)
    test "$trapped" -gt 300 || fail "$trapped signals are too few"
    "$stepwatch" functions steps.$times >text.txt
    contains text.txt " $trapped " '(trap)' " $((trapped + 12))" '(leaf)' '        6 ' '(caller)'
    if grep -q 'without their call\|not counted' text.txt; then fail "with $times times:" "$(cat text.txt)"; fi
done
times=

run kill ./process kill && fail "a killed program ends with $?"
"$stepwatch" functions kill >text.txt
contains text.txt '       10 ' '(handler)' '(once)' '31 calls' 'was ended early'
"$stepwatch" functions kill --restrict handler --callers >text.txt
contains text.txt 'once'

# What has no hooks is not started.
if "$stepwatch" run --functions -- /bin/true >said.txt 2>&1; then fail "a program without hooks was started"; fi
test "$("$stepwatch" run --functions -- /bin/true >said.txt 2>&1 || echo $?)" = 125 || fail "expected the exit status 125"
contains said.txt '/bin/true has no function entry hooks, so nothing can be counted; the program was not started' \
    'compile it with -g -finstrument-functions'

# Nothing is preloaded into a static program, and the hooks that it has do nothing: they are those of libc.a.
if gcc -static -finstrument-functions -pthread -o fixed at_once.c 2>/dev/null; then
    for times in exact sampled sample wall; do
        run static ./fixed && fail "a static program was started"
        contains static.txt './fixed is linked statically, so no library can be preloaded that counts or samples its functions'
    done
    times=
else
    echo "SKIP: $name: this machine cannot link a static program"
fi

# Lightning's advanced profiler: the table, and the functions of each action.
golden_advanced()
{
    printf 'profiler: %s\n' "$1" >"$2.yaml"
    shift
    "$stepwatch" run --config "$1.yaml" --functions-out "$1" -- ./regions.gcc-O2 >"$1.txt" 2>&1 ||
        fail "profiler: advanced:" "$(cat "$1.txt")"
}
golden_advanced advanced advanced
contains advanced.txt 'FIT Profiler Report' 'Profile stats for: forward' 'Profile stats for: backward' '{forward}' 'Profiling Results' \
    'Ordered by: cumulative time'
if grep -q 'List reduced' advanced.txt; then fail "all functions are shown unless there is a restriction"; fi
$check counts advanced/whole.prof "$golden/expected.json" regions || fail "profiler: advanced counts otherwise"
golden_advanced '{ mode: simple, show_report: false, functions: { times: sampled, line_count_restriction: 2, dump_stats: true,
                  dirpath: logs, filename: "perf:*_logs", formats: [folded, pprof] } }' logged
contains logs/fit-perf_logs.txt 'Profile stats for: forward' 'List reduced from 4 to 2 due to restriction <2>'
$check counts logs/fit-perf_logs-forward.prof "$golden/expected.json" regions forward || fail "what is dumped counts otherwise"
for file in whole.folded forward.folded whole.pb.gz forward.pb.gz; do
    test -e "logs/$file" || fail "there is no logs/$file:" "$(ls logs)"
done

# Linked, without the command: the configuration says how. Without hooks the run goes on, and is told what to do.
silent gcc -O1 -g -I "$SRCDIR/include" -o linked "$SRCDIR/tests/scripts/functions/sampled.c" -L "$BUILDDIR/.libs" \
    -Wl,--no-as-needed -lstepwatch-functions -lstepwatch -Wl,-rpath,"$BUILDDIR/.libs" -pthread
printf 'profiler: { mode: simple, functions: { times: sample, rate: 997, restrict: 9 } }\n' >stepwatch.yaml
./linked train >linked.txt 2>&1 || fail "a program that the library is linked into:" "$(cat linked.txt)"
contains linked.txt 'Profile stats for: forward' ' samples in ' '(matrix)' 'Profiling Results'

# Names of actions that are no names of files, or would be the same, or too long: each action has its files.
cat >names.c <<'END'
#include <stepwatch/stepwatch.h>
#include <string.h>
#include <time.h>
int main(void)
{
    static char name[256];
    const char *const names[] = {"a/b", "a_b", memset(name, 'n', 255)};
    struct sw_profiler *sw = sw_open(NULL, NULL);
    sw_begin(sw, SW_FIT);
    for (int i = 0; i < 3; i++) {
        sw_begin(sw, sw_action(names[i]));
        for (clock_t end = clock() + CLOCKS_PER_SEC / 10; clock() < end;)
            continue;
        sw_end(sw, sw_action(names[i]));
    }
    return sw_close(sw, NULL) < 0;
}
END
silent gcc -I "$SRCDIR/include" -o names names.c -L "$BUILDDIR/.libs" \
    -Wl,--no-as-needed -lstepwatch-functions -lstepwatch -Wl,-rpath,"$BUILDDIR/.libs"
printf 'profiler: { functions: { times: sample, rate: 997, dirpath: names.d, formats: [folded] } }\n' >stepwatch.yaml
./names >names.txt 2>&1 || fail "actions with odd names:" "$(cat names.txt)"
"$stepwatch" functions functions --format folded --out names.again >again.txt 2>&1 || fail "odd names:" "$(cat again.txt)"
for folder in names.d names.again; do
    for file in a_b a_b_2 'n*'; do
        test -e "$folder/"$file.folded || fail "there is no $folder/$file.folded:" "$(ls $folder)"
    done
done
printf 'profiler: advanced\n' >stepwatch.yaml
./linked train >linked.txt 2>&1 || fail "a program without hooks:" "$(cat linked.txt)"
contains linked.txt 'has no function entry hooks' 'compile it with -g -finstrument-functions' 'stepwatch run --functions=sample -- ' \
    'Profiling Results'
rm stepwatch.yaml

# A flame graph of each action in the HTML report.
printf 'profiler: { mode: simple, show_report: false }\nlogger_callback: [ runlog: { path: run.jsonl } ]\n' >log.yaml
"$stepwatch" run --functions --functions-out drawn --config log.yaml -- ./regions.gcc-O2 >drawn.txt 2>&1 || fail "$(cat drawn.txt)"
"$stepwatch" report run.jsonl --format html --functions drawn >page.html 2>drawn.txt || fail "no page with flame graphs:" "$(cat drawn.txt)"
$check flames page.html "$golden/expected.json" regions || fail "the flame graphs are wrong"
