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

# Events by their code, and by the names of libpfm: of a made-up one, which knows NAPS.
silent $CC -g -D_GNU_SOURCE -shared -fPIC -o libpfm.so.4 "$programs/fake_libpfm.c"
export FAKE_EVENTS=$PWD/events.txt
named="raw:0x01c2: regions, pfm:NAPS:LONG: regions"
LD_LIBRARY_PATH=$PWD faked "cycles: regions, $named, page_faults"
sort -u events.txt >opened.txt
mask=0x0
case $(uname -m) in aarch64) mask=0x3 ;; esac
has opened.txt "type 0 config 0x0 config1 $mask without the kernel"
has opened.txt "type 4 config 0x1c2 config1 $mask without the kernel"
has opened.txt "type 42 config 0x7a9 config1 0x51 without the kernel"
has said.txt "forward cycles 4000 in 4 missed 0"
has said.txt "forward raw:0x01c2 8000 in 4 missed 0"
has said.txt "forward pfm:NAPS:LONG 12000 in 4 missed 0"
test ! -s messages.txt || fail "messages:" "$(cat messages.txt)"
unset FAKE_EVENTS

# A child that is forked while the parent looks for a name does not wait for the parent.
LD_LIBRARY_PATH=$PWD faked "pfm:NAPS:child: regions"
has said.txt "forward pfm:NAPS:child 4000 in 4 missed 0"

# refused COUNTERS SENTENCE: the configuration is wrong.
refused()
{
    ! env LD_LIBRARY_PATH="$PWD" ./counted "$1" >said.txt 2>messages.txt || fail "counted $1 succeeded"
    has messages.txt "$2"
}
refused "cycles, pfm:NAP" 'profiler: counters: "pfm:NAP": libpfm says "event not found"'
for name in NAPS:k NAPS:u:k; do
    refused "cycles, pfm:$name" "\"pfm:$name\": counts the kernel's code, which stepwatch does not measure: remove the modifier k"
done
refused "cycles, pfm:NAPS:precise=1" '"pfm:NAPS:precise=1": asks for precise samples, but stepwatch only counts: remove the modifier precise'
refused "raw:1c2" 'profiler: counters: "raw:1c2": expected the code of an event, 1 to 16 hexadecimal digits after 0x'
refused "raw:0x12345678901234567" 'expected the code of an event, 1 to 16 hexadecimal digits after 0x'
refused "raw:0x1c2:steps" 'did you mean "raw:0x1c2: steps" (with a space)?'
refused "raw:0x1, raw:0x1" '"raw:0x1" is given twice'

# Without a libpfm, or with one that does not know the processor, the other counters go on.
silent $CC -g -D_GNU_SOURCE -shared -fPIC -o no_names.so -DNO_NAMES "$programs/fake_libpfm.c"
mkdir foreign
mv no_names.so foreign/libpfm.so.4
LD_LIBRARY_PATH=$PWD/foreign faked "raw:0x01c2: regions, pfm:NAPS: regions"
has said.txt "forward raw:0x01c2 4000 in 4 missed 0"
has messages.txt "counter pfm:NAPS is not measured: libpfm does not know this processor (not supported): give the event by its code"
: >foreign/libpfm.so.4
LD_LIBRARY_PATH=$PWD/foreign faked "raw:0x01c2: regions, pfm:NAPS: regions"
has said.txt "forward raw:0x01c2 4000 in 4 missed 0"
has messages.txt "counter pfm:NAPS is not measured: libpfm.so.4 cannot be loaded: install libpfm 4"
test "$(wc -l <messages.txt)" = 1 || fail "without libpfm:" "$(cat messages.txt)"

# What is counted has columns in each output, and instructions and cycles have a ratio.
export LD_LIBRARY_PATH=$PWD
faked "cycles: regions, instructions: regions, cache_misses: regions, raw:0x1: regions" columns
unset LD_LIBRARY_PATH
has report.csv ",counter/raw:0x1,counter/raw:0x1/self"
has table.txt "IPC"
has table.txt "raw:0x1"
grep -q "forward.* 2.00 .* 1,*500" table.txt || fail "ratios:" "$(cat table.txt)"

# They can be chosen by name. What follows from counters that are not measured has no column.
grep -q '^| *Phase *| *Action *| *IPC *| *raw:0x1 *| *Self raw:0x1 *|$' chosen.md || fail "chosen columns:" "$(cat chosen.md)"

# The real processor has the counters, or one sentence says why not. The others go on in both cases.
./counted "cycles: regions, page_faults" >said.txt 2>messages.txt || fail "counted:" "$(cat messages.txt)"
grep -q "batch page_faults [0-9]" said.txt || fail "page_faults:" "$(cat said.txt)"
grep -q "forward cycles [0-9]" said.txt || has messages.txt "counter cycles is not measured: "
