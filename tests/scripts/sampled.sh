# SPDX-License-Identifier: MIT
# stepwatch run --functions=sample shows where a program spends its time that was not built for it: by function, with its
# callers, and by action. Its own signals, timers, threads and waits go on as before.
. "$SRCDIR/tests/scripts/common.sh"
. "$SRCDIR/tests/scripts/functions/samples.sh"

build()
{
    out=$1
    shift
    silent "$@" -g -I "$SRCDIR/include" -o "$out" "$SRCDIR/tests/scripts/functions/sampled.c" -L "$BUILDDIR/.libs" -lstepwatch \
        -Wl,-rpath,"$BUILDDIR/.libs" -pthread
}

build tables gcc -O2 -fomit-frame-pointer -fno-optimize-sibling-calls
build frames gcc -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls
build no_tables gcc -O0 -fno-asynchronous-unwind-tables
# On a busy machine a thread may run between the ticks of the kernel for long, and has no sample then: one of three runs is enough.
for program in tables frames no_tables; do
    for attempt in 1 2 3; do
        rm -rf $program.out
        sample $program.out ./$program train || fail "a program with $program:" "$(cat $program.out.txt)"
        if $check train $program.out 2>said.txt; then break; fi
        test $attempt != 3 || fail "samples of a program with $program are wrong:" "$(tail -n 1 said.txt)"
    done
done
sample deep ./tables deep || fail "a deep stack:" "$(cat deep.txt)"
$check deep deep || fail "samples of a deep stack are wrong"
"$stepwatch" functions deep >text.txt 2>&1
contains text.txt ' samples in ' '  samples  tottime' 'counts are samples, not calls' '(deeper)'

# Hooks of a program that is compiled with them count nothing and cost little, here and in children.
silent gcc -O2 -finstrument-functions -o idle "$SRCDIR/tests/scripts/functions/idle.c"
sample idle.out ./idle sampled || fail "hooks in a program that is sampled:" "$(cat idle.out.txt)"
"$stepwatch" run --functions --functions-out idle.out -- ./idle >said.txt 2>&1 || fail "hooks in a child:" "$(cat said.txt)"

# A stripped program: a function is a place in the file, wherever in it the samples were.
cp tables stripped
strip stripped
sample stripped.out ./stripped deep || fail "a stripped program:" "$(cat stripped.out.txt)"
"$stepwatch" functions stripped.out --restrict '\+stripped' >text.txt 2>&1
entry=$(nm tables | sed -n 's/^0*\([0-9a-f]*\) . matrix$/\1/p')
contains text.txt "{0x$entry+stripped}"
test "$(grep -c '+stripped}' text.txt)" -lt 12 || fail "a function has many places in a stripped program:" "$(cat text.txt)"

for attempt in 1 2 3; do
    rm -rf threads
    sample threads ./tables threads || fail "threads that end soon:" "$(cat threads.txt)"
    if $check top threads load 2>said.txt; then break; fi
    test $attempt != 3 || fail "threads that end soon are not sampled:" "$(tail -n 1 said.txt)"
done

for part in others all_signals children; do
    sample $part ./tables $part || fail "$part do not go on as before:" "$(cat $part.txt)"
done
sample own ./tables own_signal || fail "a program with a SIGPROF of its own:" "$(cat own.txt)"
"$stepwatch" functions own >text.txt 2>&1
contains text.txt '(matrix)' 'sampling stopped when the program took signal 27'

# Functions of a library that is closed keep their names.
cat >closed.c <<EOF
#include <time.h>
static volatile double sum;
int in_closed(void)
{
    while (clock() < CLOCKS_PER_SEC / 10)
        for (int i = 0; i < 20000; i++)
            sum = sum * 0.5 + i;
    return 0;
}
EOF
silent gcc -O1 -g -shared -fPIC -o closed.so closed.c
sample closed ./tables closed || fail "a library that is closed:" "$(cat closed.txt)"
"$stepwatch" functions closed >text.txt 2>&1
contains text.txt 'closed.c:3(in_closed)'
sample killed ./tables killed && fail "a killed program ends with $?"
"$stepwatch" functions killed >text.txt 2>&1
contains text.txt '(matrix)' 'was ended early'
