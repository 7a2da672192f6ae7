# SPDX-License-Identifier: MIT
# Counters of the processor: with a made-up one, whose events go up by 1,000, 2,000, … at each reading, by the rules of all
# counters; and with the real one, which may have none.
. "$SRCDIR/tests/scripts/common.sh"
test -z "$SANITIZER" || skip "sanitizers do not work in programs that something is preloaded into"
programs=$SRCDIR/tests/scripts/hardware

silent $CC -g -D_GNU_SOURCE -I "$SRCDIR/include" -o counted "$programs/counted.c" -L "$BUILDDIR/.libs" -lstepwatch \
    -Wl,-rpath,"$BUILDDIR/.libs" -ldl
silent $CC -g -D_GNU_SOURCE -fno-builtin -shared -fPIC -o fake_perf.so "$programs/fake_perf.c" -ldl

# faked ARGUMENT...: runs the program on the made-up processor.
faked()
{
    env LD_PRELOAD="$PWD/fake_perf.so" ./counted "$@" >said.txt 2>messages.txt || fail "counted $*:" "$(cat messages.txt)"
}

# has FILE LINE: a line of the output.
has()
{
    grep -qF -- "$2" "$1" || fail "expected $2 in" "$(cat "$1")"
}

faked "cycles: regions, instructions: regions"
has said.txt "forward cycles 4000 in 4 missed 0"
has said.txt "forward instructions 8000 in 4 missed 0"
has said.txt "batch cycles 20000 in 4 missed 0"
test ! -s messages.txt || fail "messages:" "$(cat messages.txt)"

# A reading is a system call here, so only steps are read.
faked "cycles, page_faults"
has said.txt "forward cycles -"
has said.txt "batch cycles 4000 in 4 missed 0"
has said.txt "forward page_faults"

# What was open while the counters stood still is left out, and nothing else.
faked "cycles: regions, page_faults" gap
has said.txt "forward cycles 3000 in 3 missed 1"
has said.txt "loss cycles 4000 in 4 missed 0"
has said.txt "batch cycles 15000 in 3 missed 1"
has messages.txt "counters of the processor ran"

# errno, and the sentence that says what to do.
while read -r error sentence; do
    FAKE_ERRNO=$error
    export FAKE_ERRNO
    faked "cycles, page_faults"
    has messages.txt "counter cycles is not measured: $sentence"
    test "$(wc -l <messages.txt)" = 1 || fail "errno $error:" "$(cat messages.txt)"
    grep -q "batch page_faults [0-9]" said.txt || fail "errno $error: page_faults" "$(cat said.txt)"
done <<EOF
1 perf_event_open is forbidden here, by seccomp
2 this machine has no hardware counters (a virtual machine or container often has none)
13 kernel.perf_event_paranoid is $(cat /proc/sys/kernel/perf_event_paranoid 2>/dev/null || echo 0): set it to 2 or less (sysctl kernel.perf_event_paranoid=2)
16 another program holds the counters
24 no file descriptor is left
38 not supported by this kernel
EOF
unset FAKE_ERRNO

# The real processor has the counters, or one sentence says why not. The others go on in both cases.
./counted "cycles: regions, page_faults" >said.txt 2>messages.txt || fail "counted:" "$(cat messages.txt)"
grep -q "batch page_faults [0-9]" said.txt || fail "page_faults:" "$(cat said.txt)"
grep -q "forward cycles [0-9]" said.txt || has messages.txt "counter cycles is not measured: "
