# SPDX-License-Identifier: MIT
# A program that is linked fully statically gets a message that it cannot load a sink, and continues. A sink that is part of
# the program works. (Loading a sink once crashed there.)
. "$SRCDIR/tests/scripts/common.sh"
test -z "$SANITIZER" || skip "sanitizers do not work in static programs"

cat >fixed.c <<'EOC'
#include <stepwatch/sink.h>
#include <stepwatch/stepwatch.h>
static int record(void *state, const struct sw_record *record, struct sw_error *err)
{
    (void)state;
    (void)err;
    printf("%d steps\n", (int)record->report->accounting.steps);
    return 0;
}
static const struct sw_sink_plugin own = {SW_SINK_HEADER, .name = "own", .version = "1", .license = "MIT",
    .summary = "counts", .wants = SW_WANT(SW_RECORD_REPORT), .record = record};
int main(int argc, char **argv)
{
    struct sw_error err;
    if (sw_sink_register(&own, NULL, &err) < 0)
        return 2;
    struct sw_profiler *sw = sw_open_text(argv[argc - 1], &err);
    if (!sw)
        printf("%s\n", sw_error_text(&err));
    for (int i = 0; i < 3; i++) {
        SW_SCOPE(sw, SW_BATCH);
    }
    return sw_close(sw, NULL) < 0;
}
EOC
# The objects of the shared library: the object of FOLDER/NAME.lo is FOLDER/.libs/NAME.o.
objects=$(for object in $OBJECTS; do echo "$BUILDDIR/$(dirname "$object")/.libs/$(basename "$object" .lo).o"; done)
$CC -static -I "$SRCDIR/include" -o fixed fixed.c $objects -lyaml -lm -pthread 2>said.txt ||
    skip "this machine cannot link a static program: $(tail -n 1 said.txt)"

STEPWATCH_PLUGIN_PATH=$BUILDDIR/sinks/.libs
export STEPWATCH_PLUGIN_PATH
./fixed 'profiler: { mode: simple }' >said.txt 2>&1 || fail "a static program without its sink: $(cat said.txt)"
grep -q '^.*sink table: this program is linked statically' said.txt || fail "expected a message that the program is static: $(cat said.txt)"
test "$(wc -l <said.txt)" = 1 || fail "expected one sentence: $(cat said.txt)"
./fixed 'profiler: { show_report: false }
logger_callback: own' >said.txt 2>&1 || fail "a static program with a sink of its own: $(cat said.txt)"
grep -qx '3 steps' said.txt || fail "expected the report of 3 steps: $(cat said.txt)"
