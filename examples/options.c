/* SPDX-License-Identifier: MIT */
/* options.c - opens a profiler without a YAML file, as a framework does that has settings of its
 * own: it names the sinks, and it receives all messages and mistakes instead of stderr. */
#include <stepwatch/stepwatch.h>

#include <stdio.h>

static void print_message(void *arg, enum sw_level level, const char *text)
{
    static const char *const names[] = {"note", "warning", "error"};
    fprintf(arg, "my framework: %s: %s\n", names[level], text);
}

static struct sw_profiler *open_profiler(const char *csv)
{
    const char *const csv_options[] = {"path", csv, NULL};
    const struct sw_sink_options sinks[] = {{"table", NULL}, {"csv", csv_options}};
    const char *const profiler[] = {"rolling_average", "5", NULL};

    struct sw_options options;
    sw_options_init(&options);
    options.mode = SW_MODE_SIMPLE;
    options.name = "example";
    options.options = profiler;
    options.sinks = sinks;
    options.sink_count = sizeof sinks / sizeof *sinks;
    options.messages = print_message;
    options.messages_arg = stdout;
    return sw_open_options(&options, NULL); /* mistakes arrive as messages */
}

int main(int argc, char **argv)
{
    volatile double sum = 0;
    struct sw_profiler *sw = open_profiler(argc > 1 ? argv[1] : "options.csv");
    sw_begin(sw, SW_FIT);
    sw_begin(sw, SW_TRAIN);
    for (int step = 0; step < 20; step++) {
        sw_begin(sw, SW_BATCH);
        sw_begin(sw, SW_FORWARD);
        for (int i = 0; i < 10000; i++)
            sum = sum + i;
        sw_end(sw, SW_FORWARD);
        sw_end_batch(sw, 32);
    }
    sw_end(sw, SW_TRAIN);
    sw_end(sw, SW_FIT);
    return sw_close(sw, NULL) < 0;
}
