# SPDX-License-Identifier: MIT
# A program that is compiled with -fsanitize=thread, or runs under helgrind or drd, is told of its own races only: not of
# what stepwatch's threads share by atomic operations, which these tools do not see in a library that is compiled without
# them. Under the memory sanitizer, a program runs with STEPWATCH=off.
. "$SRCDIR/tests/scripts/common.sh"
test -z "$SANITIZER" || skip "the library is compiled with a sanitizer itself"
as_installed
LD_LIBRARY_PATH=$BUILDDIR/.libs
export LD_LIBRARY_PATH

cat >train.c <<'END'
#include <stepwatch/stepwatch.h>
#include <stepwatch/values.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
enum { THREADS = 4 };
static struct sw_profiler *sw;
static int steps, counter, races;

static void *work(void *own)
{
    const float values[] = {1, 2, 3, 4};
    char name[32];
    for (int i = 0; i < steps; i++) {
        snprintf(name, sizeof name, "%s_%d", (const char *)own, i % 50);
        int action = sw_action(name);
        sw_begin(sw, action);
        sw_end(sw, action);
        snprintf(name, sizeof name, "value/%d", i % 40);
        sw_log(sw, name, i);
        sw_count(sw, sw_counter("tokens"), 3);
        if (i % 30 == 0)
            sw_log_vector(sw, "gradient", SW_F32, values, 4, SW_HISTOGRAM | SW_NORM);
    }
    return NULL;
}

static void *report(void *arg)
{
    struct sw_report *report;
    for (int i = 0; i < steps / 5; i++)
        if (sw_report_new(sw, &report, NULL) >= 0)
            sw_report_free(report);
    return arg;
}

static void *race(void *arg)
{
    races++;
    return arg;
}

int main(int argc, char **argv)
{
    static char names[] = "abcd";
    pthread_t thread[THREADS], reporting, racing;
    steps = atoi(argv[1]);
    sw = sw_open("s.yaml", NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, work, &names[i]);
    pthread_create(&reporting, NULL, report, NULL);
    for (int i = 0; i < steps; i++) {
        sw_begin(sw, SW_DRAW);
        sw_next(sw, SW_BATCH);
        sw_log(sw, "loss", i);
        sw_end_batch(sw, 1);
    }
    if (argc > 2) {
        pthread_create(&racing, NULL, race, NULL);
        races++;
        pthread_join(racing, NULL);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    pthread_join(reporting, NULL);
    return sw_close(sw, NULL);
}
END
cat >s.yaml <<'END'
profiler: { mode: simple, show_report: false, watchdog: 60s }
logger_callback: [ csv, runlog: { path: r.jsonl, detail: regions }, trace: { path: t.json } ]
END
test ! -e "$STEPWATCH_PLUGIN_PATH/tensorboard.so" || sed -i 's/ csv,/ csv, tensorboard,/' s.yaml
test ! -e "$STEPWATCH_PLUGIN_PATH/wandb.so" || sed -i 's/ csv,/ csv, wandb: { mode: offline },/' s.yaml

for compiler in gcc clang; do
    have $compiler || { echo "SKIP: $name: $compiler is not installed"; continue; }
    $compiler -g -fsanitize=thread -o checked train.c $(pkg-config --cflags --libs stepwatch) -pthread 2>said.txt ||
        { echo "SKIP: $name: $compiler has no thread sanitizer"; continue; }
    for i in 1 2 3; do
        ./checked 300 >said.txt 2>&1 || fail "$compiler: false races:" "$(cat said.txt)"
    done
    ! ./checked 300 race >said.txt 2>&1 || fail "$compiler: the program's own race was not found"
    contains said.txt 'data race' 'train.c'
done

if have clang && clang -g -fsanitize=memory -o checked train.c $(pkg-config --cflags --libs stepwatch) -pthread 2>said.txt; then
    STEPWATCH=off ./checked 30 >said.txt 2>&1 || fail "the memory sanitizer, with STEPWATCH=off:" "$(cat said.txt)"
fi

have valgrind || skip "the rest: valgrind is not installed"
cc -g -o train train.c $(pkg-config --cflags --libs stepwatch) -pthread
for tool in helgrind drd; do
    valgrind -q --tool=$tool --suppressions="$SRCDIR/docs/valgrind.supp" --error-exitcode=9 ./train 20 >said.txt 2>&1 ||
        fail "$tool finds races where there are none:" "$(cat said.txt)"
done
