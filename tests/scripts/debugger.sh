# SPDX-License-Identifier: MIT
# A program with sinks runs under gdb as it does alone, whoever may replace the sinks' files: gdb opens the name that the
# loader has for each of them.
. "$SRCDIR/tests/scripts/common.sh"
test -z "$SANITIZER" || skip "the leak sanitizer does not work below a debugger"
have gdb || skip "gdb is not installed"
gdb -nx -batch -ex run true 2>/dev/null </dev/null | grep -q 'exited normally' || skip "gdb cannot run a program here"
as_installed
cat >train.c <<'END'
#include <stepwatch/stepwatch.h>
int main(void)
{
    struct sw_profiler *sw = sw_open_text("profiler: { show_report: false }\nlogger_callback: [csv: {path: r.csv}]", NULL);
    for (int i = 0; i < 10; i++) {
        sw_begin(sw, SW_DRAW);
        sw_next(sw, SW_BATCH);
        sw_end_batch(sw, 1);
    }
    return sw_close(sw, NULL) != 0;
}
END
cc -o train train.c $(pkg-config --cflags --libs stepwatch)
LD_LIBRARY_PATH=$BUILDDIR/.libs
export LD_LIBRARY_PATH

# under_gdb WHOSE: expects that the program ends, and has written its file.
under_gdb()
{
    rm -f r.csv
    timeout -k 1 50 gdb -nx -batch -ex run ./train >said.txt 2>&1 </dev/null ||
        fail "$1: gdb did not end:" "$(cat said.txt)"
    contains said.txt 'exited normally'
    test -s r.csv || fail "$1: no result"
}

mkdir sinks
cp "$STEPWATCH_PLUGIN_PATH/csv.so" sinks
STEPWATCH_PLUGIN_PATH=$scratch/sinks
chmod 755 sinks && under_gdb "sinks of the user"
chmod 775 sinks && under_gdb "sinks that a group may replace"
