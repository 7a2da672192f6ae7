# SPDX-License-Identifier: MIT
# A new command, a new counter, a new kind of record and a new rule cost a file of their own and the lines that
# docs/design.md lists, a number of the run log's step one line and a row of a page: no other file has to know of them.
# columns.sh shows the same of a column, custom-sink.sh of a sink, custom-monitor.sh of a monitor.
. "$SRCDIR/tests/scripts/common.sh"

# mentions TEXT FOLDER: the sources below the folder that contain the text, in one line.
mentions()
{
    (cd "$SRCDIR" && grep -rlw --include='*.[ch]' -- "$1" "$2" | LC_ALL=C sort | tr '\n' ' ')
}

# ---- a kind of record: a line in sink.h and a line in record_kinds.c
mkdir -p kind/stepwatch kind/core
sed 's/^    SW_RECORD_TYPES$/    SW_RECORD_TOY,\n&/' "$SRCDIR/include/stepwatch/sink.h" >kind/stepwatch/sink.h
sed 's/^};$/    [SW_RECORD_TOY] = {"toys", true},\n&/' "$SRCDIR/core/delivery/record_kinds.c" >kind/with.c
contains kind/stepwatch/sink.h SW_RECORD_TOY
contains kind/with.c SW_RECORD_TOY
cp "$SRCDIR/core/delivery/record_kinds.c" kind/without.c
compiles()
{
    $CC -std=gnu11 -Wall -Werror -Ikind -I"$SRCDIR/include" -I"$SRCDIR" -fsyntax-only "$1" 2>err.txt
}
compiles kind/with.c || fail "a kind with a line does not compile:" "$(cat err.txt)"
if compiles kind/without.c; then fail "a kind without a line in core/delivery/record_kinds.c compiles"; fi
contains err.txt "each kind of record has a line"
for kind in CLOCK RANKS; do
    expected="core/delivery/record_kinds.c core/records/ranks_record.c "
    found=$(mentions SW_RECORD_$kind core)
    test "$found" = "$expected" || fail "SW_RECORD_$kind is in $found: expected only $expected"
done

# ---- a rule: a file of its own, a line in rules.h
case $SANITIZER in
*thread*) ;;
*)
    mkdir -p rule/core/advice
    sed 's/^ *EACH(straggler)/    EACH(toy) \\\n&/' "$SRCDIR/core/advice/rules.h" >rule/core/advice/rules.h
    contains rule/core/advice/rules.h "EACH(toy)"
    for source in core/advice/advice.c tests/scripts/seams/rule_toy.c tests/scripts/seams/advise.c; do
        # shellcheck disable=SC2086
        $CC $SANITIZER -std=gnu11 -D_GNU_SOURCE -Irule -I"$SRCDIR/include" -I"$SRCDIR" -c \
            -o "rule/$(basename "$source" .c).o" "$SRCDIR/$source"
    done
    # shellcheck disable=SC2086
    $CC $SANITIZER -o advise rule/*.o "$BUILDDIR/core/advice/.libs/libadvice.a" \
        "$BUILDDIR/core/stragglers/.libs/libstragglers.a" "$BUILDDIR/core/text/.libs/libtext.a" -lm
    ./advise >advise.txt
    contains advise.txt "toy: Every step is a toy, all 40 of them."
    ;;
esac
found=$(mentions swi_rule_ragged core)
test "$found" = "core/advice/rule_ragged.c " || fail "the rule ragged is in $found: expected only its own file"

# ---- a counter: a file of its own, a word in counter.h
mkdir -p counter/core/counters
sed 's/^    EACH(cpu) EACH(cpu_wait)/    EACH(toy) &/' "$SRCDIR/core/counters/counter.h" >counter/core/counters/counter.h
contains counter/core/counters/counter.h "EACH(toy)"
cp "$SRCDIR/core/counters/counter_table.c" counter/core/counters/counter_table.c
sources=$(find "$SRCDIR/core/counters" -name '*.c' ! -name counter_table.c)
# shellcheck disable=SC2086
$CC $SANITIZER -std=gnu11 -D_GNU_SOURCE -Icounter -I"$SRCDIR/include" -I"$SRCDIR" -pthread -o toy-counter \
    "$SRCDIR/tests/scripts/seams/toy.c" counter/core/counters/counter_table.c $sources \
    "$BUILDDIR/core/text/.libs/libtext.a" "$SRCDIR/core/files/own_symbols.c"
test "$(./toy-counter)" = "toy cpu: 3 1" || fail "the counter toy cannot be named and read: $(./toy-counter)"
found=$(mentions cpu_wait core)
expected="core/counters/counter.h core/counters/cpu_wait.c "
test "$found" = "$expected" || fail "the counter cpu_wait is in $found: expected only $expected"

# ---- a number of the run log's step: a line in step_fields.h, and its row in docs/run-log.md
mkdir -p step/sinks/common
sed 's/^    EACH(inner, /    EACH(toy, false, self_ns, SWI_NOT_ZERO, SWI_EVENLY, sw_set_self) \\\n&/' \
    "$SRCDIR/sinks/common/step_fields.h" >step/sinks/common/step_fields.h
contains step/sinks/common/step_fields.h "EACH(toy"
# shellcheck disable=SC2086
$CC $SANITIZER -std=gnu11 -D_GNU_SOURCE -Istep -I"$SRCDIR/include" -I"$SRCDIR" -o toy-step "$SRCDIR/tests/scripts/seams/step.c" \
    "$SRCDIR/sinks/common/runlog/logged_step.c" "$SRCDIR/sinks/common/runlog/counter_lines.c" "$BUILDDIR/core/text/.libs/libtext.a"
./toy-step >step.txt
contains step.txt '"durations":{"batch":9},"toy":{"batch":7}}'
for source in sinks/common/step_groups.c tools/log/thinned_steps.c tools/log/played_steps.c; do
    $CC -std=gnu11 -D_GNU_SOURCE -Wall -Werror -Istep -I"$SRCDIR/include" -I"$SRCDIR" -fsyntax-only "$SRCDIR/$source" ||
        fail "a number of the run log's step does not compile in $source"
done
for key in $(sed -n 's/^    EACH(\([a-z_]*\), .*/\1/p' "$SRCDIR/sinks/common/step_fields.h"); do
    grep -q "^| .*\`$key\`.* | " "$SRCDIR/docs/run-log.md" || fail "docs/run-log.md has no row of \"$key\", which a step of the run log has"
done

# ---- a command: a file of its own, a word in commands.h
test -x "$BUILDDIR/tools/.libs/stepwatch" || skip "jansson is not installed: there is no command"
case $SANITIZER in *thread*) skip "the command is made again without the sanitizer's options" ;; esac
mkdir -p command/tools/commands
sed 's/EACH(sync)/& EACH(hello)/' "$SRCDIR/tools/commands/commands.h" >command/tools/commands/commands.h
contains command/tools/commands/commands.h "EACH(hello)"
for source in "$SRCDIR/tools/main.c" "$SRCDIR/tests/scripts/seams/hello.c"; do
    # shellcheck disable=SC2086 # CC and SANITIZER are lists
    $CC $SANITIZER -std=gnu11 -D_GNU_SOURCE -Icommand -I"$SRCDIR/include" -I"$SRCDIR" -I"$BUILDDIR" -c \
        -o "$(basename "$source" .c).o" "$source"
done
# Objects of sources that were renamed stay in the build tree.
objects=$(cd "$BUILDDIR" && find tools sinks -name '*stepwatch-*.o' ! -name stepwatch-main.o | while read -r object; do
    source=$(echo "$object" | sed 's|/[a-z_]*stepwatch-\(.*\)\.o$|/\1.c|')
    test ! -e "$SRCDIR/$source" || echo "$BUILDDIR/$object"
done)
libs=$(sed -n '/^CHECK_/d; s/^[A-Z]*_LIBS = //p' "$BUILDDIR/Makefile")
archives=$(find "$BUILDDIR/core" "$BUILDDIR/net" "$BUILDDIR/sinks/common" "$BUILDDIR/sinks/mlflow" -name 'lib*.a')
wandb=
test ! -e "$BUILDDIR/.libs/libstepwatch-wandb.so" || wandb=-lstepwatch-wandb
# shellcheck disable=SC2086
$CC $SANITIZER -o stepwatch main.o hello.o $objects -L"$BUILDDIR/.libs" $wandb -lstepwatch \
    -Wl,--start-group $archives -Wl,--end-group -Wl,--as-needed $libs -lm -pthread
LD_LIBRARY_PATH=$BUILDDIR/.libs
export LD_LIBRARY_PATH
test "$(./stepwatch hello you)" = "hello you" || fail "the command hello does not run"
./stepwatch --help >help.txt
contains help.txt "hello     says hello"
found=$(mentions capture_command tools)
test "$found" = "tools/commands/capture.c " || fail "the command capture is in $found: expected only its own file"
